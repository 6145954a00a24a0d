#include "app/painting/BarsImage.h"

#include <QColor>

#include <algorithm>
#include <cmath>

namespace trainscope::app {

namespace {

int rounded(double value) {
    return static_cast<int>(std::lround(value));
}

} // namespace

BarsImage::BarsImage(const plot::Rect& area, double ratio)
    : m_area(area)
    , m_ratio(ratio) {
    const int left = rounded(area.x * ratio);
    const int top = rounded(area.y * ratio);
    const int width = std::max(rounded(area.right() * ratio) - left, 1);
    const int height = std::max(rounded(area.bottom() * ratio) - top, 1);
    m_pixels = QRect(left, top, width, height);
    m_line.resize(static_cast<std::size_t>(width));
}

void BarsImage::add(const plot::Bars& bars) {
    const double origin = m_pixels.x();
    const int width = m_pixels.width();
    for (const auto& bar : bars.bars) {
        const int left = std::clamp(rounded(bar.left * m_ratio - origin), 0, width - 1);
        const int right = std::clamp(rounded(bar.right * m_ratio - origin), left + 1, width);
        const std::uint32_t color
            = qPremultiply(qRgba(bar.color.r, bar.color.g, bar.color.b, bar.color.a));
        std::fill(m_line.begin() + left, m_line.begin() + right, color);
    }
}

QImage BarsImage::image() const {
    QImage image(m_pixels.size(), QImage::Format_ARGB32_Premultiplied);
    for (int y = 0; y < image.height(); ++y)
        std::copy(
            m_line.begin(), m_line.end(), reinterpret_cast<std::uint32_t*>(image.scanLine(y)));
    image.setDevicePixelRatio(m_ratio);
    return image;
}

QPointF BarsImage::position() const {
    return {m_pixels.x() / m_ratio, m_pixels.y() / m_ratio};
}

} // namespace trainscope::app
