#include "core/analysis/telemetry/Throttling.h"

#include "core/analysis/statistics/Means.h"
#include "core/analysis/statistics/TimeRanges.h"

#include <set>

namespace trainscope::analysis {

namespace {

// NVML, nvmlClocksEventReasons: software thermal slowdown 0x20, hardware thermal slowdown 0x40;
// software power cap 0x4, hardware power brake 0x80; hardware slowdown 0x8, which comes with one of
// these or with a cause that has no bit.
constexpr std::uint64_t kThermalReasons = 0x20 | 0x40;
constexpr std::uint64_t kPowerReasons = 0x4 | 0x80;
constexpr std::uint64_t kHardwareSlowdown = 0x8;

struct Edge {
    TimeNs time;
    double share = 0.0; // missing share of the clock
    bool isBegin = false;
};

std::vector<Edge> edgesOf(const std::vector<RankEpisode>& episodes) {
    std::vector<Edge> edges;
    for (const RankEpisode& one : episodes) {
        const double seconds = one.episode.range.length().seconds();
        if (seconds <= 0.0)
            continue;
        const double share = one.episode.lostSeconds / seconds;
        edges.push_back({one.episode.range.begin, share, true});
        edges.push_back({one.episode.range.end, share, false});
    }
    std::sort(
        edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.time < b.time; });
    return edges;
}

constexpr std::int64_t kLeastThrottledSamples = 10;
constexpr double kPlateauTop = 0.95; // quantile of the throttled samples' power
constexpr double kPlateauWidth = 0.03;
constexpr double kPlateauShare = 0.6;
constexpr double kBeyondPlateau = 0.02; // share of the busy samples
constexpr double kVaryingClock = 0.003; // standard deviation over the reference
constexpr double kLeastOnPlateau = 0.3; // share of the samples there that throttle
constexpr double kPlateauContrast = 2.0;

constexpr std::int64_t kLeastCoolSamples = 20;
constexpr double kLeastGiveWayC = 70.0;
constexpr int kBeginsWithinC = 2;
constexpr double kBeginsAlike = 0.8;
constexpr double kThrottledAbove = 0.75;
constexpr double kThrottledBelow = 0.05;
constexpr int kBelowC = 3;

template <typename Counts, typename Of>
std::int64_t countOf(const Counts& counts, std::size_t from, std::size_t to, const Of& of) {
    std::int64_t sum = 0;
    for (std::size_t i = from; i < std::min(to, counts.size()); ++i)
        sum += of(counts[i]);
    return sum;
}

// The place at which a share of all counted ones is reached.
template <typename Counts, typename Of>
std::size_t quantileOf(
    const Counts& counts, std::size_t from, std::size_t to, double share, const Of& of) {
    const auto all = static_cast<double>(countOf(counts, from, to, of));
    double sum = 0.0;
    for (std::size_t i = from; i < std::min(to, counts.size()); ++i) {
        sum += static_cast<double>(of(counts[i]));
        if (sum > 0.0 && sum >= share * all)
            return i;
    }
    return from;
}

double ratio(std::int64_t part, std::int64_t whole) {
    return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0.0;
}

std::size_t placeOf(double value, std::size_t size) {
    return static_cast<std::size_t>(
        std::clamp(std::round(value), 0.0, static_cast<double>(size - 1)));
}

constexpr auto kThrottledOf = [](const auto& count) { return count.throttled; };
constexpr auto kBusyOf = [](const auto& count) { return count.throttled + count.free; };
constexpr auto kBeginsOf = [](const auto& count) { return count.begins; };

} // namespace

std::optional<ThrottleCause> throttleCauseOf(std::uint64_t reasons) {
    if ((reasons & kThermalReasons) != 0)
        return ThrottleCause::Thermal;
    if ((reasons & kPowerReasons) != 0)
        return ThrottleCause::Power;
    return (reasons & kHardwareSlowdown) != 0 ? std::optional(ThrottleCause::Other) : std::nullopt;
}

std::optional<double> clockLackOf(const GpuMoment& moment, double referenceClockHz) {
    const bool isLow = moment.clockHz < kThrottledClock * referenceClockHz
        && moment.utilization >= kBusyUtilization;
    return isLow ? std::optional(1.0 - moment.clockHz / referenceClockHz) : std::nullopt;
}

bool ThrottleDetector::isThrottled(const GpuMoment& moment) const {
    return clockLackOf(moment, m_limits.referenceClockHz).has_value();
}

ThrottleCause ThrottleDetector::causeOf(const GpuMoment& moment) const {
    const auto told = throttleCauseOf(moment.reasons.value_or(0));
    const bool hasReasons = moment.reasons.has_value();
    const bool isHot = m_limits.slowdownTemperatureC && !(m_limits.isSlowdownInferred && hasReasons)
        && moment.temperatureC >= *m_limits.slowdownTemperatureC - kNearSlowdownC;
    if (isHot || told == ThrottleCause::Thermal)
        return ThrottleCause::Thermal;
    const bool isAtLimit = m_limits.powerLimitW && !(m_limits.isPowerLimitInferred && hasReasons)
        && moment.powerW >= kNearPowerLimit * *m_limits.powerLimitW;
    if (isAtLimit || told == ThrottleCause::Power)
        return ThrottleCause::Power;
    return ThrottleCause::Other;
}

bool ThrottleDetector::isInferred(ThrottleCause cause, const GpuMoment& moment) const {
    if (moment.reasons)
        return false;
    return cause == ThrottleCause::Thermal
        ? m_limits.isSlowdownInferred
        : cause == ThrottleCause::Power && m_limits.isPowerLimitInferred;
}

void ThrottleDetector::add(const GpuMoment& moment) {
    if (m_open) {
        const bool isHole = (moment.time - m_last.time).ns > m_limits.holeNs;
        if (isHole || std::isnan(moment.clockHz)) {
            close(m_last.time);
        } else {
            hold(moment.time);
            if (!isThrottled(moment))
                close(moment.time);
        }
    }
    if (isThrottled(moment)) {
        if (!m_open)
            m_open
                = ThrottleEpisode{{moment.time, moment.time}, ThrottleCause::Other, 0.0, 0, false};
        ++m_open->samples;
    }
    m_last = moment;
}

// The last sample was throttled and holds until `until`.
void ThrottleDetector::hold(TimeNs until) {
    const TimeRange inside = shared({m_last.time, until}, m_window);
    if (inside.isEmpty())
        return;
    const DurationNs held = inside.length();
    m_open->lostSeconds += held.seconds() * (1.0 - m_last.clockHz / m_limits.referenceClockHz);
    m_heldNs[static_cast<std::size_t>(causeOf(m_last))] += held.ns;
}

void ThrottleDetector::close(TimeNs end) {
    ThrottleEpisode episode = *m_open;
    m_open.reset();
    const auto longest = std::max_element(m_heldNs.begin(), m_heldNs.end());
    episode.cause
        = *longest > 0 ? static_cast<ThrottleCause>(longest - m_heldNs.begin()) : causeOf(m_last);
    m_heldNs = {};
    episode.isCauseInferred = isInferred(episode.cause, m_last);
    episode.range.end = end;
    episode.range = shared(episode.range, m_window);
    if (episode.samples >= 2 && !episode.range.isEmpty())
        m_episodes.push_back(episode);
}

std::vector<ThrottleEpisode> ThrottleDetector::finish() {
    if (m_open)
        close(m_last.time);
    return std::move(m_episodes);
}

const char* Throttling::metric() const {
    return basis == ThrottleBasis::Reasons ? metric::kThrottleReasons : metric::kSmClock;
}

double Throttling::shareOf(ThrottleCause cause) const {
    double all = 0.0;
    for (const auto& [one, sum] : causes)
        all += sum.gpuSeconds;
    const auto found = causes.find(cause);
    return found == causes.end() || all <= 0.0 ? 0.0 : fraction * found->second.gpuSeconds / all;
}

ThrottleCause Throttling::mainCause() const {
    const auto most = std::max_element(causes.begin(), causes.end(),
        [](const auto& a, const auto& b) { return a.second.gpuSeconds < b.second.gpuSeconds; });
    return most == causes.end() ? ThrottleCause::Other : most->first;
}

const RankEpisode& Throttling::longest() const {
    return *std::max_element(
        episodes.begin(), episodes.end(), [](const RankEpisode& a, const RankEpisode& b) {
            return a.episode.range.length() < b.episode.range.length();
        });
}

double lostToSlowest(const std::vector<RankEpisode>& episodes) {
    CompensatedSum lost;
    std::multiset<double> active;
    TimeNs now;
    for (const Edge& edge : edgesOf(episodes)) {
        if (!active.empty())
            lost.add(*active.rbegin() * (edge.time - now).seconds());
        now = edge.time;
        if (edge.isBegin)
            active.insert(edge.share);
        else if (const auto found = active.find(edge.share); found != active.end())
            active.erase(found);
    }
    return lost.value();
}

ThrottleEvidence::ThrottleEvidence(double referenceClockHz)
    : m_referenceClockHz(referenceClockHz)
    , m_powers(kPowers) { }

void ThrottleEvidence::add(const GpuMoment& moment) {
    const bool isBusy = moment.utilization >= kBusyUtilization && !std::isnan(moment.clockHz);
    const double clock = moment.clockHz / m_referenceClockHz;
    const bool isThrottled = isBusy && clock < kThrottledClock;
    const auto count = [&](Count& into) {
        into.free += isThrottled ? 0 : 1;
        into.throttled += isThrottled ? 1 : 0;
        into.begins += isThrottled && m_wasFree ? 1 : 0;
        into.clocks += isThrottled ? clock : 0.0;
        into.clockSquares += isThrottled ? clock * clock : 0.0;
    };
    if (isBusy && !std::isnan(moment.powerW))
        count(m_powers[placeOf(moment.powerW, m_powers.size())]);
    if (isBusy && !std::isnan(moment.temperatureC))
        count(m_temperatures[placeOf(moment.temperatureC, m_temperatures.size())]);
    m_wasFree = isBusy && !isThrottled;
}

void ThrottleEvidence::add(const ThrottleEvidence& other) {
    const auto join = [](auto& into, const auto& from) {
        for (std::size_t i = 0; i < into.size(); ++i) {
            into[i].throttled += from[i].throttled;
            into[i].free += from[i].free;
            into[i].begins += from[i].begins;
            into[i].clocks += from[i].clocks;
            into[i].clockSquares += from[i].clockSquares;
        }
    };
    join(m_powers, other.m_powers);
    join(m_temperatures, other.m_temperatures);
}

std::optional<double> ThrottleEvidence::powerPlateauW() const {
    const std::size_t all = m_powers.size();
    const std::int64_t throttled = countOf(m_powers, 0, all, kThrottledOf);
    if (throttled < kLeastThrottledSamples)
        return std::nullopt;
    const auto top = static_cast<double>(quantileOf(m_powers, 0, all, kPlateauTop, kThrottledOf));
    const std::size_t from = placeOf((1.0 - kPlateauWidth) * top, all);
    const std::size_t beyond = placeOf((1.0 + kPlateauWidth) * top, all) + 1;
    const std::int64_t onPlateau = countOf(m_powers, from, all, kThrottledOf);
    const std::int64_t busy = countOf(m_powers, 0, all, kBusyOf);
    if (ratio(onPlateau, throttled) < kPlateauShare
        || ratio(countOf(m_powers, beyond, all, kBusyOf), busy) > kBeyondPlateau)
        return std::nullopt;
    double clocks = 0.0;
    double squares = 0.0;
    for (std::size_t i = from; i < all; ++i) {
        clocks += m_powers[i].clocks / static_cast<double>(onPlateau);
        squares += m_powers[i].clockSquares / static_cast<double>(onPlateau);
    }
    if (std::sqrt(std::max(squares - clocks * clocks, 0.0)) < kVaryingClock)
        return std::nullopt;
    const double shareOn = ratio(onPlateau, countOf(m_powers, from, all, kBusyOf));
    const double shareBelow = ratio(throttled - onPlateau, countOf(m_powers, 0, from, kBusyOf));
    if (shareOn < kLeastOnPlateau || shareOn < kPlateauContrast * shareBelow)
        return std::nullopt;
    return static_cast<double>(quantileOf(m_powers, from, beyond, 0.5, kThrottledOf));
}

std::optional<double> ThrottleEvidence::giveWayTemperatureC() const {
    const std::size_t all = m_temperatures.size();
    const std::int64_t begins = countOf(m_temperatures, 0, all, kBeginsOf);
    if (begins == 0 || countOf(m_temperatures, 0, all, kThrottledOf) < kLeastThrottledSamples)
        return std::nullopt;
    const std::size_t at = quantileOf(m_temperatures, 0, all, 0.5, kBeginsOf);
    if (static_cast<double>(at) < kLeastGiveWayC)
        return std::nullopt;
    const std::int64_t alike
        = countOf(m_temperatures, at - kBeginsWithinC, at + kBeginsWithinC + 1, kBeginsOf);
    const std::int64_t coolBusy = countOf(m_temperatures, 0, at - kBelowC, kBusyOf);
    const double above = ratio(
        countOf(m_temperatures, at, all, kThrottledOf), countOf(m_temperatures, at, all, kBusyOf));
    const double below = ratio(countOf(m_temperatures, 0, at - kBelowC, kThrottledOf), coolBusy);
    const bool isTold = ratio(alike, begins) >= kBeginsAlike && coolBusy >= kLeastCoolSamples
        && above >= kThrottledAbove && below <= kThrottledBelow;
    return isTold ? std::optional(static_cast<double>(at)) : std::nullopt;
}

} // namespace trainscope::analysis
