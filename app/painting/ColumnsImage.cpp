#include "app/painting/ColumnsImage.h"

#include <QColor>

#include <algorithm>
#include <cmath>

namespace trainscope::app {

namespace {

// Pixels of one turned block fit into the first cache level.
constexpr int kBlock = 32;

std::uint32_t premultiplied(plot::Color color) {
    return qPremultiply(qRgba(color.r, color.g, color.b, color.a));
}

// Source over destination, premultiplied; two channels at a time.
std::uint32_t over(std::uint32_t source, std::uint32_t destination, std::uint32_t inverseAlpha) {
    constexpr std::uint32_t kMask = 0x00FF00FFU;
    std::uint32_t low = (destination & kMask) * inverseAlpha;
    low = ((low + ((low >> 8U) & kMask) + 0x00800080U) >> 8U) & kMask;
    std::uint32_t high = ((destination >> 8U) & kMask) * inverseAlpha;
    high = (high + ((high >> 8U) & kMask) + 0x00800080U) & ~kMask;
    return source + (low | high);
}

} // namespace

ColumnsImage::ColumnsImage(const plot::Rect& area, double ratio)
    : m_ratio(ratio) {
    const int left = static_cast<int>(std::floor(area.x * ratio));
    const int top = static_cast<int>(std::floor(area.y * ratio));
    const int right = static_cast<int>(std::ceil(area.right() * ratio));
    const int bottom = static_cast<int>(std::ceil(area.bottom() * ratio));
    m_pixels = QRect(left, top, std::max(right - left, 1), std::max(bottom - top, 1));
    m_columns.resize(
        static_cast<std::size_t>(m_pixels.width()) * static_cast<std::size_t>(m_pixels.height()));
}

void ColumnsImage::fill(int column, int top, int bottom, std::uint32_t source) {
    auto* pixel = m_columns.data()
        + static_cast<std::size_t>(column) * static_cast<std::size_t>(m_pixels.height());
    const std::uint32_t inverseAlpha = 255U - (source >> 24U);
    if (inverseAlpha == 0) {
        std::fill(pixel + top, pixel + bottom, source);
        return;
    }
    for (int y = top; y < bottom; ++y)
        pixel[y] = over(source, pixel[y], inverseAlpha);
}

void ColumnsImage::add(const plot::Columns& columns) {
    const std::uint32_t source = premultiplied(columns.color);
    const double step = columns.area.width / static_cast<double>(columns.top.size()) * m_ratio;
    const double start = columns.area.x * m_ratio - m_pixels.x();
    for (std::size_t i = 0; i < columns.top.size(); ++i) {
        if (std::isnan(columns.top[i]))
            continue;
        const auto index = static_cast<double>(i);
        const int left
            = std::clamp(static_cast<int>(std::lround(start + step * index)), 0, m_pixels.width());
        const int right = std::clamp(
            static_cast<int>(std::lround(start + step * (index + 1.0))), left, m_pixels.width());
        const double top = static_cast<double>(columns.top[i]) * m_ratio - m_pixels.y();
        const double bottom = static_cast<double>(columns.bottom[i]) * m_ratio - m_pixels.y();
        const int first = std::clamp(static_cast<int>(std::lround(top)), 0, m_pixels.height() - 1);
        const int last
            = std::clamp(static_cast<int>(std::lround(bottom)), first + 1, m_pixels.height());
        for (int x = left; x < right; ++x)
            fill(x, first, last, source);
    }
}

QImage ColumnsImage::image() const {
    QImage image(m_pixels.size(), QImage::Format_ARGB32_Premultiplied);
    const int width = m_pixels.width();
    const int height = m_pixels.height();
    for (int blockX = 0; blockX < width; blockX += kBlock) {
        for (int y = 0; y < height; ++y) {
            auto* line = reinterpret_cast<std::uint32_t*>(image.scanLine(y));
            for (int x = blockX; x < std::min(blockX + kBlock, width); ++x)
                line[x] = m_columns[static_cast<std::size_t>(x) * static_cast<std::size_t>(height)
                    + static_cast<std::size_t>(y)];
        }
    }
    image.setDevicePixelRatio(m_ratio);
    return image;
}

QPointF ColumnsImage::position() const {
    return {m_pixels.x() / m_ratio, m_pixels.y() / m_ratio};
}

} // namespace trainscope::app
