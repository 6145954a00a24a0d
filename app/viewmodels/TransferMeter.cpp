#include "app/viewmodels/TransferMeter.h"

namespace trainscope::app {

void TransferMeter::add(std::int64_t milliseconds, std::uint64_t bytesDone) {
    if (!m_points.empty() && bytesDone < m_points.back().bytes)
        m_points.clear();
    m_points.push_back({milliseconds, bytesDone});
    while (m_points.size() > 2 && milliseconds - m_points[1].milliseconds >= kWindow)
        m_points.pop_front();
}

std::optional<double> TransferMeter::rate() const {
    if (m_points.size() < 2)
        return std::nullopt;
    const auto elapsed = m_points.back().milliseconds - m_points.front().milliseconds;
    if (elapsed < kSettling)
        return std::nullopt;
    const auto bytes = m_points.back().bytes - m_points.front().bytes;
    return static_cast<double>(bytes) * 1000.0 / static_cast<double>(elapsed);
}

std::optional<double> TransferMeter::secondsLeft(std::uint64_t bytesTotal) const {
    const auto speed = rate();
    if (!speed || *speed <= 0.0 || bytesTotal < m_points.back().bytes)
        return std::nullopt;
    return static_cast<double>(bytesTotal - m_points.back().bytes) / *speed;
}

} // namespace trainscope::app
