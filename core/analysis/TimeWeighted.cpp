#include "core/analysis/TimeWeighted.h"

#include "core/analysis/Elapsed.h"

#include <algorithm>
#include <cmath>

namespace trainscope::analysis {

void TimeWeighted::add(std::span<const TimeNs> times, std::span<const double> values) {
    const std::size_t count = std::min(times.size(), values.size());
    for (std::size_t i = 0; i < count; ++i) {
        if (m_samples > 0 && !std::isnan(m_lastValue))
            hold(elapsedNs(m_lastTime, times[i]));
        ++m_samples;
        m_lastTime = times[i];
        m_lastValue = values[i];
        if (std::isnan(m_lastValue))
            continue;
        m_min = m_present == 0 ? m_lastValue : std::min(m_min, m_lastValue);
        m_max = m_present == 0 ? m_lastValue : std::max(m_max, m_lastValue);
        ++m_present;
        if (m_heldNs == 0) {
            m_plainSum.add(m_lastValue);
            m_instant.add(m_lastValue, 1);
        }
    }
}

void TimeWeighted::hold(std::int64_t ns) {
    if (ns == 0)
        return;
    if (m_heldNs == 0)
        m_instant.clear();
    m_heldNs += ns;
    m_weightedSum.add(m_lastValue * static_cast<double>(ns));
    m_held.add(m_lastValue, ns);
}

std::optional<double> TimeWeighted::mean() const {
    if (m_present == 0)
        return std::nullopt;
    if (m_heldNs == 0)
        return m_plainSum.value() / static_cast<double>(m_present);
    return m_weightedSum.value() / static_cast<double>(m_heldNs);
}

std::optional<double> TimeWeighted::min() const {
    return m_present == 0 ? std::nullopt : std::optional(m_min);
}

std::optional<double> TimeWeighted::max() const {
    return m_present == 0 ? std::nullopt : std::optional(m_max);
}

Distribution& TimeWeighted::distribution() {
    return m_heldNs == 0 ? m_instant : m_held;
}

} // namespace trainscope::analysis
