#include "core/analysis/statistics/EnergyIntegral.h"

#include "core/analysis/statistics/Elapsed.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace trainscope::analysis {

EnergyIntegral::EnergyIntegral(double gapLimitNs)
    : m_gapLimitNs(gapLimitNs) { }

void EnergyIntegral::add(std::span<const TimeNs> times, std::span<const double> watts) {
    const std::size_t count = std::min(times.size(), watts.size());
    for (std::size_t i = 0; i < count; ++i) {
        if (std::isnan(watts[i]))
            continue;
        if (m_present > 0)
            bridge(elapsedNs(m_lastTime, times[i]), m_lastWatts, watts[i]);
        else
            std::tie(m_firstTime, m_firstWatts) = std::tie(times[i], watts[i]);
        ++m_present;
        m_lastTime = times[i];
        m_lastWatts = watts[i];
    }
}

void EnergyIntegral::add(EnergyIntegral&& next) {
    if (next.m_present == 0)
        return;
    if (m_present > 0)
        bridge(elapsedNs(m_lastTime, next.m_firstTime), m_lastWatts, next.m_firstWatts);
    else
        std::tie(m_firstTime, m_firstWatts) = std::tie(next.m_firstTime, next.m_firstWatts);
    m_wattNs.add(next.m_wattNs);
    m_periods.add(std::move(next.m_periods));
    m_coveredNs += next.m_coveredNs;
    m_longestNs = std::max(m_longestNs, next.m_longestNs);
    m_present += next.m_present;
    m_lastTime = next.m_lastTime;
    m_lastWatts = next.m_lastWatts;
}

void EnergyIntegral::bridge(std::int64_t ns, double from, double to) {
    if (ns == 0)
        return;
    m_periods.add(static_cast<double>(ns), 1);
    m_longestNs = std::max(m_longestNs, ns);
    if (static_cast<double>(ns) > m_gapLimitNs)
        return;
    m_coveredNs += ns;
    m_wattNs.add((from + to) * static_cast<double>(ns));
}

Joules EnergyIntegral::energy() const {
    return {m_wattNs.value() * 0.5e-9};
}

double EnergyIntegral::gapLimit() const {
    const auto median = m_periods.median();
    return median ? kGapPeriods * *median : std::numeric_limits<double>::infinity();
}

} // namespace trainscope::analysis
