#include "core/analysis/traces/KernelPower.h"

#include "core/analysis/statistics/TimeRanges.h"
#include "core/model/Gather.h"

#include <fmt/format.h>

#include <array>

namespace trainscope::analysis {

namespace {

constexpr std::size_t kLeastReadings = 16;
constexpr std::size_t kMostCompared = 4096; // readings
constexpr std::int64_t kLagStep = 100'000'000; // ns
constexpr int kFirstLag = -5; // steps: stamps are taken before the reading, or rounded
constexpr int kLastLag = 15;
constexpr std::array<std::int64_t, 2> kAveraging{100'000'000, 1'000'000'000}; // ns, of sensors
constexpr double kFollows = 0.6;
constexpr double kFollowsNot = 0.3;
constexpr double kFollowsNotVarying = 0.5; // for a power that changes much by itself
constexpr double kMuch = 0.25; // share of the mean power
constexpr double kLead = 0.2; // in correlation, before the next GPU
constexpr double kLeastShareSpread = 0.1; // standard deviation of the share of work
constexpr double kClearContrast = 0.2;
constexpr double kLongEnough = 8.0; // s
constexpr double kAllTheTime = 0.8; // share of work
constexpr double kLongWork = 4.0; // s
constexpr double kAtRest = 0.15; // share of the limit
constexpr double kResting = 0.2; // the same beside a GPU that works
constexpr double kWorking = 0.35;
constexpr double kPartOfWorking = 0.25; // share of a working GPU's power, without a limit
constexpr double kSomeWork = 0.3; // share of work, for a level to say something

// The readings that can belong to the trace, not too many.
PowerReadings readingsOf(const TracedWork& work, const PowerReadings& power) {
    constexpr DurationNs kAround{3'000'000'000};
    const TimeRange range = work.range();
    const auto first = std::ranges::lower_bound(power.times, range.begin - kAround);
    const auto last = std::upper_bound(first, power.times.end(), range.end + kAround);
    const auto begin = static_cast<std::size_t>(first - power.times.begin());
    const auto end = static_cast<std::size_t>(last - power.times.begin());
    std::size_t inside = 0;
    for (std::size_t i = begin; i < end; ++i)
        inside += work.covers(power.times[i]) ? std::size_t{1} : std::size_t{0};
    const std::size_t stride = std::max<std::size_t>(1, inside / kMostCompared);
    PowerReadings found;
    for (std::size_t i = begin; i < end; i += stride) {
        if (std::isnan(power.watts[i]))
            continue;
        found.times.push_back(power.times[i]);
        found.watts.push_back(power.watts[i]);
    }
    return found;
}

PairSums pairsAt(
    const TracedWork& work, const PowerReadings& power, std::int64_t lag, std::int64_t averaging) {
    PairSums sums;
    for (std::size_t i = 0; i < power.times.size(); ++i) {
        const TimeNs end = power.times[i] - DurationNs{lag};
        if (const auto share = work.shareOf({end - DurationNs{averaging}, end}))
            sums.add(*share, static_cast<double>(power.watts[i]));
    }
    return sums;
}

struct Level {
    double mean = std::numeric_limits<double>::quiet_NaN();
    double highest = 0.0;
    std::size_t count = 0;
};

// While the trace lasted; of a trace between two readings the next one.
Level levelIn(const TracedWork& work, const PowerReadings& power) {
    Level level;
    double sum = 0.0;
    for (std::size_t i = 0; i < power.times.size(); ++i) {
        if (!work.covers(power.times[i]))
            continue;
        ++level.count;
        sum += static_cast<double>(power.watts[i]);
        level.highest = std::max(level.highest, static_cast<double>(power.watts[i]));
    }
    if (level.count > 0) {
        level.mean = sum / static_cast<double>(level.count);
        return level;
    }
    const auto next = std::ranges::lower_bound(power.times, work.range().end);
    if (next != power.times.end())
        level.mean = static_cast<double>(
            power.watts[static_cast<std::size_t>(next - power.times.begin())]);
    return level;
}

bool isAtRest(const TracedWork& work, const Level& level, std::optional<double> limitW) {
    constexpr std::size_t kFew = 4;
    return limitW && work.share() >= kAllTheTime && work.seconds() >= kLongWork
        && level.count >= kFew && level.highest <= kAtRest * *limitW;
}

// The only GPU that works while all others are at rest.
std::optional<int> onlyWorking(
    const TracedWork& work, const std::map<int, KernelPower>& gpus, std::optional<double> limitW) {
    if (gpus.size() < 2 || work.share() < kSomeWork)
        return std::nullopt;
    const auto best
        = std::ranges::max_element(gpus, {}, [](const auto& one) { return one.second.meanW; });
    const double highest = best->second.meanW;
    const double rest = limitW ? kResting * *limitW : kPartOfWorking * highest;
    const bool isAlone = std::ranges::all_of(gpus, [&](const auto& gpu) {
        return gpu.first == best->first
            || (gpu.second.meanW <= rest && 2.0 * gpu.second.meanW <= highest);
    });
    const bool works = !limitW || highest >= kWorking * *limitW;
    return isAlone && works ? std::optional(best->first) : std::nullopt;
}

} // namespace

std::int64_t TracedWork::Stretch::workBefore(TimeNs moment) const {
    const auto next = std::ranges::upper_bound(work, moment, {}, &TimeRange::begin);
    if (next == work.begin())
        return 0;
    const auto last = static_cast<std::size_t>(next - work.begin()) - 1;
    return sums[last] + (std::min(moment, work[last].end) - work[last].begin).ns;
}

void TracedWork::add(TimeRange window, std::vector<TimeRange> work) {
    if (window.isEmpty())
        return;
    Stretch stretch{window, united(shared(work, window)), {0}};
    for (const TimeRange& part : stretch.work)
        stretch.sums.push_back(stretch.sums.back() + part.length().ns);
    const auto behind = std::ranges::upper_bound(
        m_stretches, window.begin, {}, [](const Stretch& one) { return one.window.begin; });
    m_stretches.insert(behind, std::move(stretch));
}

void TracedWork::join(const TracedWork& other) {
    for (const Stretch& stretch : other.m_stretches)
        add(stretch.window, stretch.work);
}

TimeRange TracedWork::range() const {
    if (m_stretches.empty())
        return {};
    TimeRange range = m_stretches.front().window;
    for (const Stretch& one : m_stretches)
        range.end = std::max(range.end, one.window.end);
    return range;
}

double TracedWork::seconds() const {
    return summed<double>(
        m_stretches, [](const Stretch& one) { return one.window.length().seconds(); });
}

double TracedWork::share() const {
    double sum = 0.0;
    for (const Stretch& one : m_stretches)
        sum += DurationNs{one.sums.back()}.seconds();
    return m_stretches.empty() ? 0.0 : sum / seconds();
}

const TracedWork::Stretch* TracedWork::at(TimeNs moment) const {
    const auto behind = std::ranges::upper_bound(
        m_stretches, moment, {}, [](const Stretch& one) { return one.window.begin; });
    return behind == m_stretches.begin() ? nullptr : &*std::prev(behind);
}

bool TracedWork::covers(TimeNs moment) const {
    const Stretch* stretch = at(moment);
    return stretch != nullptr && moment <= stretch->window.end;
}

std::optional<double> TracedWork::shareOf(TimeRange part) const {
    const Stretch* stretch = at(part.begin);
    if (stretch == nullptr || part.end > stretch->window.end || part.isEmpty())
        return std::nullopt;
    const std::int64_t worked = stretch->workBefore(part.end) - stretch->workBefore(part.begin);
    return static_cast<double>(worked) / static_cast<double>(part.length().ns);
}

KernelPower kernelPower(
    const TracedWork& work, const PowerReadings& power, std::optional<double> limitW) {
    using Follows = KernelPower::Follows;
    KernelPower found;
    if (work.isEmpty())
        return found;
    const PowerReadings readings = readingsOf(work, power);
    const Level level = levelIn(work, readings);
    found.meanW = level.mean;
    if (isAtRest(work, level, limitW)) {
        found.follows = Follows::No;
        return found;
    }
    double contrast = 0.0;
    for (const std::int64_t averaging : kAveraging) {
        for (int lag = kFirstLag; lag <= kLastLag; ++lag) {
            const PairSums pairs = pairsAt(work, readings, lag * kLagStep, averaging);
            if (pairs.n < static_cast<double>(kLeastReadings)
                || pairs.spreadX() < kLeastShareSpread)
                continue;
            found.correlation = std::max(found.correlation, pairs.correlation());
            contrast = std::max(contrast, averaging == kAveraging.back() ? pairs.spreadX() : 0.0);
        }
    }
    const PairSums plain = pairsAt(work, readings, 0, kAveraging.back());
    const bool isVarying = plain.n > 0.0 && plain.spreadY() >= kMuch * plain.meanY();
    if (found.correlation >= kFollows)
        found.follows = Follows::Yes;
    else if (contrast >= kClearContrast && work.seconds() >= kLongEnough
        && found.correlation < (isVarying ? kFollowsNotVarying : kFollowsNot))
        found.follows = Follows::No;
    return found;
}

GpuByPower gpuByPower(const TracedWork& work, const std::map<int, PowerReadings>& gpus,
    std::optional<double> limitW) {
    using Follows = KernelPower::Follows;
    std::map<int, KernelPower> known;
    for (const auto& [gpu, power] : gpus)
        known[gpu] = kernelPower(work, power, limitW);
    std::vector<std::pair<double, int>> order; // best first
    for (const auto& [gpu, one] : known)
        order.emplace_back(-one.correlation, gpu);
    std::ranges::sort(order);
    GpuByPower found;
    for (const auto& [correlation, gpu] : order) {
        if (known[gpu].follows == Follows::Yes && correlation < order.front().first + kLead)
            found.following.push_back(gpu);
    }
    std::ranges::sort(found.following);
    found.isContradicted = !known.empty() && std::ranges::all_of(known, [](const auto& one) {
        return one.second.follows == Follows::No;
    });
    const double best = order.empty() ? 0.0 : -order.front().first;
    const double next = order.size() < 2 ? 0.0 : -order[1].first;
    if (found.following.size() == 1 && best - next >= kLead) {
        found.gpu = found.following.front();
        found.reason = fmt::format("correlation {:.2f}", best)
            + (order.size() > 1 ? fmt::format(", the next {:.2f}", next) : std::string());
        return found;
    }
    const bool isOpen = std::ranges::all_of(
        known, [](const auto& one) { return one.second.follows != Follows::Yes; });
    const auto working = isOpen ? onlyWorking(work, known, limitW) : std::nullopt;
    if (working && known[*working].follows != Follows::No) {
        found.gpu = working;
        found.reason = fmt::format("it alone drew power then, {:.0f} W", known[*working].meanW);
    }
    return found;
}

} // namespace trainscope::analysis
