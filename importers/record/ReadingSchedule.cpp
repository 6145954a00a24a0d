#include "importers/record/ReadingSchedule.h"

#include <algorithm>
#include <cmath>

namespace trainscope::record {

namespace {

constexpr double kNanoseconds = 1e9; // in a second
constexpr double kRoundShare = 0.01; // share of a core
constexpr double kRunningShare = 0.0001; // at kUsualInterval
constexpr double kMostRunningShare = 0.0003;
constexpr double kUsualInterval = 0.05; // s
constexpr double kShortestRunning = 0.2;
constexpr double kShortestRunningSamples = 4.0;
constexpr double kLongRecording = 600.0; // s
constexpr double kOfLongRecording = 2.5; // times the shortest: nobody reads days by 200 ms
constexpr double kLongestRunning = 2.0;
constexpr double kLagging = 0.1; // s
constexpr double kSeldom = 1.0;
constexpr double kSetting = 5.0;
constexpr double kTotal = 10.0;
constexpr double kSmoothing = 0.25; // weight of the latest cost
constexpr double kNearlyWrapped = 0.85;
constexpr double kOfAWrap = 2.0 / 3.0;

} // namespace

ReadingSchedule::ReadingSchedule(Pace pace, DurationNs interval, double part)
    : m_pace(pace)
    , m_interval(interval)
    , m_part(part)
    , m_period(interval) { }

double ReadingSchedule::affordable() const {
    switch (m_pace) {
    case Pace::Round:
        return m_cost / kRoundShare;
    case Pace::Lagging:
        return std::max(kLagging, m_cost / kRoundShare);
    case Pace::Running:
        return affordableRunning();
    case Pace::Seldom:
        return kSeldom;
    case Pace::Setting:
        return kSetting;
    case Pace::Total:
        break;
    }
    return kTotal;
}

double ReadingSchedule::affordableRunning() const {
    const double interval = m_interval.seconds();
    const double share
        = std::min(kMostRunningShare, kRunningShare * std::max(1.0, kUsualInterval / interval));
    const double shortest = std::min(kShortestRunning, kShortestRunningSamples * interval)
        * (m_since > kLongRecording ? kOfLongRecording : 1.0);
    return std::clamp(
        m_cost / m_part / share, std::min(shortest, kLongestRunning), kLongestRunning);
}

std::int64_t ReadingSchedule::withoutHole(std::int64_t period) {
    std::int64_t all = 0;
    for (const std::int64_t count : m_octaves)
        all += count;
    std::size_t median = 0;
    for (std::int64_t below = m_octaves[0]; 2 * below < all; below += m_octaves[median])
        ++median;
    constexpr std::int64_t timesTheMedian = 8;
    if (all > 0)
        period = std::min(period, timesTheMedian * (m_interval.ns << median));
    std::size_t octave = 0;
    while (octave + 1 < m_octaves.size() && m_interval.ns << (octave + 1) <= period)
        ++octave;
    ++m_octaves[octave];
    return period;
}

void ReadingSchedule::asked(double cost, double wraps, double seconds) {
    m_cost = m_isFirst ? cost : m_cost + kSmoothing * (cost - m_cost);
    m_since += m_isFirst ? 0.0 : seconds;
    m_isFirst = false;
    double period = affordable();
    if (wraps >= kNearlyWrapped)
        period = 0.0;
    else if (wraps > 0.0)
        period = std::min(period, kOfAWrap * seconds / wraps);
    const auto longest = std::max<std::int64_t>(m_interval.ns, std::llround(period * kNanoseconds));
    m_period = DurationNs{m_pace == Pace::Running ? withoutHole(longest) : longest};
}

} // namespace trainscope::record
