#include "core/analysis/telemetry/Throttling.h"

#include "core/analysis/statistics/Means.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/model/Metric.h"

#include <algorithm>
#include <cmath>
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

} // namespace trainscope::analysis
