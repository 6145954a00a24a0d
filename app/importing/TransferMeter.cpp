#include "app/importing/TransferMeter.h"

namespace trainscope::app {

void TransferMeter::add(std::int64_t milliseconds, std::uint64_t bytesDone, double fraction) {
    const auto isOther = [&](const Point& last) {
        const bool isKnownNow = last.fraction < 0.0 && fraction >= 0.0;
        return bytesDone < last.bytes || fraction < last.fraction || isKnownNow;
    };
    if (!m_points.empty() && isOther(m_points.back()))
        m_points.clear();
    const Point point{milliseconds, bytesDone, fraction};
    if (m_points.empty())
        m_start = point;
    m_points.push_back(point);
    while (m_points.size() > 2 && milliseconds - m_points[1].milliseconds >= kWindow)
        m_points.pop_front();
}

std::optional<double> TransferMeter::rate() const {
    if (m_points.size() < 2)
        return std::nullopt;
    const auto elapsed = m_points.back().milliseconds - m_points.front().milliseconds;
    const auto bytes = m_points.back().bytes - m_points.front().bytes;
    if (elapsed < kSettling || bytes == 0)
        return std::nullopt;
    return static_cast<double>(bytes) * 1000.0 / static_cast<double>(elapsed);
}

std::optional<double> TransferMeter::secondsLeft() const {
    if (m_points.size() < 2 || m_points.back().fraction < 0.0)
        return std::nullopt;
    const Point& now = m_points.back();
    const auto perSecond = [&now](const Point& from) {
        return (now.fraction - from.fraction) * 1000.0
            / static_cast<double>(now.milliseconds - from.milliseconds);
    };
    if (now.milliseconds - m_points.front().milliseconds < kSettling)
        return std::nullopt;
    const double speed = 0.5 * (perSecond(m_start) + perSecond(m_points.front()));
    return speed > 0.0 ? std::optional((1.0 - now.fraction) / speed) : std::nullopt;
}

} // namespace trainscope::app
