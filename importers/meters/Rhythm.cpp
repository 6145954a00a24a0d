#include "importers/meters/Rhythm.h"

#include "importers/common/SampleStatistics.h"

#include <algorithm>
#include <map>

namespace trainscope::importers::meters::smi {

namespace {

constexpr int kMostRotated = 64;
constexpr std::size_t kFewestBursts = 4; // enough to tell more than chance
constexpr std::int64_t kLongestWithin = 50'000'000; // between rows of one reading, as a rule

// Rows between the pauses.
struct Bursts {
    std::vector<int> lengths; // those that a pause ended
    int last = 1; // rows of the one with which the rows end
    std::vector<std::int64_t> within; // steps
    std::vector<std::int64_t> apart; // from begin to begin
};

Bursts burstsOf(std::span<const TimeNs> stamps, std::int64_t pause) {
    Bursts bursts;
    TimeNs begin = stamps.front();
    for (std::size_t i = 1; i < stamps.size(); ++i) {
        const std::int64_t step = (stamps[i] - stamps[i - 1]).ns;
        if (step >= 0 && step <= pause) {
            ++bursts.last;
            bursts.within.push_back(step);
            continue;
        }
        bursts.lengths.push_back(std::exchange(bursts.last, 1));
        bursts.apart.push_back((stamps[i] - std::exchange(begin, stamps[i])).ns);
    }
    return bursts;
}

// True for bursts of several GPUs from which rows got lost: full ones, and some with fewer rows.
bool areUneven(const std::vector<int>& lengths) {
    const int longest = *std::ranges::max_element(lengths);
    const auto alike
        = std::ranges::count_if(lengths, [longest](int length) { return 2 * length >= longest; });
    return lengths.size() >= kFewestBursts && longest > 1 && longest <= kMostRotated
        && alike * 10 >= static_cast<std::ptrdiff_t>(lengths.size()) * 8;
}

Rhythm rhythmOf(std::span<const TimeNs> stamps, std::int64_t pause) {
    Bursts bursts = burstsOf(stamps, pause);
    std::vector<int>& lengths = bursts.lengths;
    // Without any complete burst the file is one burst: a single snapshot.
    const int most = lengths.empty() ? bursts.last : *std::ranges::max_element(lengths);
    if (bursts.last >= most)
        lengths.push_back(bursts.last);
    const DurationNs within{medianOf(bursts.within).value_or(0)};
    if (within.ns >= kLongestWithin)
        return {};
    std::map<int, int> frequency;
    std::int64_t all = 0;
    for (const int length : lengths) {
        ++frequency[length];
        all += length;
    }
    const auto [rows, count] = *std::ranges::max_element(
        frequency, [](const auto& a, const auto& b) { return a.second < b.second; });
    const bool isRegular = count * 10 >= static_cast<int>(lengths.size()) * 8
        && std::int64_t{rows} * count * 10 >= all * 8;
    if (isRegular && rows <= kMostRotated)
        return {rows, {pause}, within, {medianOf(bursts.apart).value_or(0)}, false};
    return {1, {}, {}, {}, !isRegular && areUneven(lengths)};
}

} // namespace

Rhythm findRhythm(std::span<const TimeNs> stamps, bool hasFraction) {
    if (stamps.size() < 2)
        return {};
    if (!hasFraction)
        return rhythmOf(stamps, 0);
    std::vector<std::int64_t> sorted;
    for (std::size_t i = 1; i < stamps.size(); ++i)
        sorted.push_back((stamps[i] - stamps[i - 1]).ns);
    std::ranges::sort(sorted);
    // Even with 64 GPUs one step in 64 is a pause; rarer ones are interruptions of the recording.
    const std::int64_t longStep = sorted[sorted.size() - 1 - sorted.size() / 100];
    const std::int64_t within = sorted[sorted.size() / 4];
    Rhythm rhythm = rhythmOf(stamps, longStep / 10 * 3);
    for (const int tenths : {6, 8}) { // some GPUs may always answer late
        const Rhythm other = rhythm.isUneven ? rhythmOf(stamps, longStep / 10 * tenths) : Rhythm{};
        rhythm = other.gpus > 1 ? other : rhythm;
    }
    if (rhythm.gpus > 1 || rhythm.isUneven)
        return rhythm;
    // Recorded in such haste that the pause is not much longer than the steps within a burst.
    const auto pauses = sorted.end() - std::upper_bound(sorted.begin(), sorted.end(), 2 * within);
    const bool hasPauses = within > 0 && longStep > 2 * within
        && pauses >= static_cast<std::ptrdiff_t>(kFewestBursts);
    return hasPauses ? rhythmOf(stamps, 2 * within) : rhythm;
}

int Rotation::next(TimeNs stamp) {
    const int rows = m_rhythm.gpus;
    if (rows <= 1)
        return 0;
    const bool isFull = m_position == rows - 1;
    const bool isBehind = stamp - m_last > m_rhythm.pause;
    const bool isDue = 10 * (stamp - m_begin).ns >= 7 * m_rhythm.period.ns;
    const bool isShort = m_position >= 0 && !isFull && (stamp < m_last || (isBehind && isDue));
    const bool isClose = stamp >= m_last && (stamp - m_last).ns <= 2 * m_rhythm.within.ns;
    const bool isMore = isFull && isClose && !isDue;
    m_unevenBursts += isShort || isMore ? 1 : 0;
    m_position = m_position < 0 || isFull || isShort ? 0 : m_position + 1;
    m_begin = m_position == 0 ? stamp : m_begin;
    m_last = stamp;
    return m_position;
}

} // namespace trainscope::importers::meters::smi
