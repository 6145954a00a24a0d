#include "importers/meters/Rhythm.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

namespace trainscope::importers::meters::smi {

namespace {

constexpr int kMostRotated = 64;
constexpr std::size_t kFewestBursts = 4; // that tell more than chance

std::vector<std::int64_t> steps(std::span<const TimeNs> stamps) {
    std::vector<std::int64_t> result;
    for (std::size_t i = 1; i < stamps.size(); ++i)
        result.push_back((stamps[i] - stamps[i - 1]).ns);
    return result;
}

// The lengths of the complete bursts between the pauses.
std::vector<int> burstLengths(const std::vector<std::int64_t>& steps, std::int64_t pause) {
    std::vector<int> lengths;
    int length = 1;
    for (const std::int64_t step : steps) {
        if (step >= 0 && step <= pause) {
            ++length;
            continue;
        }
        lengths.push_back(length);
        length = 1;
    }
    // Without any complete burst the file is one burst: a single snapshot.
    if (lengths.empty())
        lengths.push_back(length);
    return lengths;
}

// True for bursts of several GPUs from which rows got lost: full ones, and some with fewer rows.
bool areUneven(const std::vector<int>& lengths) {
    const int longest = *std::max_element(lengths.begin(), lengths.end());
    const auto alike = std::count_if(
        lengths.begin(), lengths.end(), [longest](int length) { return 2 * length >= longest; });
    return lengths.size() >= kFewestBursts && longest > 1 && longest <= kMostRotated
        && alike * 10 >= static_cast<std::ptrdiff_t>(lengths.size()) * 8;
}

Rhythm rhythmOf(const std::vector<std::int64_t>& steps, std::int64_t pause) {
    const auto lengths = burstLengths(steps, pause);
    std::map<int, int> frequency;
    for (const int length : lengths)
        ++frequency[length];
    const auto common = std::max_element(frequency.begin(), frequency.end(),
        [](const auto& a, const auto& b) { return a.second < b.second; });
    const bool regular = common->second * 10 >= static_cast<int>(lengths.size()) * 8;
    if (regular && common->first <= kMostRotated)
        return {common->first, {pause}, false};
    return {1, {}, !regular && areUneven(lengths)};
}

} // namespace

Rhythm findRhythm(std::span<const TimeNs> stamps, bool hasFraction) {
    const auto step = steps(stamps);
    if (step.empty())
        return {};
    auto sorted = step;
    std::sort(sorted.begin(), sorted.end());
    // Even with 64 GPUs one step in 64 is a pause; rarer ones are interruptions of the recording.
    const std::int64_t longStep = sorted[sorted.size() - 1 - sorted.size() / 100];
    const Rhythm rhythm = rhythmOf(step, hasFraction ? longStep / 10 * 3 : 0);
    if (rhythm.gpus > 1 || rhythm.isUneven || !hasFraction)
        return rhythm;
    // Recorded in such haste that the pause is not much longer than the steps within a burst.
    const std::int64_t within = sorted[sorted.size() / 4];
    const auto pauses = sorted.end() - std::upper_bound(sorted.begin(), sorted.end(), 2 * within);
    const bool hasPauses = within > 0 && longStep > 2 * within
        && pauses >= static_cast<std::ptrdiff_t>(kFewestBursts);
    return hasPauses ? rhythmOf(step, 2 * within) : rhythm;
}

int Rotation::next(TimeNs stamp) {
    const int rows = m_rhythm.gpus;
    if (rows <= 1)
        return 0;
    const bool newBurst = m_position < 0 || stamp - m_last > m_rhythm.pause || stamp < m_last;
    const bool wasFull = m_position == rows - 1;
    m_unevenBursts += m_position >= 0 && newBurst != wasFull ? 1 : 0;
    m_position = newBurst ? 0 : (m_position + 1) % rows;
    m_last = stamp;
    return m_position;
}

} // namespace trainscope::importers::meters::smi
