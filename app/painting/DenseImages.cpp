#include "app/painting/DenseImages.h"

#include "core/model/Vectorized.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>

namespace trainscope::app {

namespace {

constexpr int kBlock = 32; // columns; a line of them is two lines of the cache

int rounded(double value) {
    return static_cast<int>(std::lround(value));
}

// The nearest; 0 where it is negative. std::lround takes longer than to draw a bar.
int pixelAt(double value) {
    constexpr double kHalfPixel = 0.5;
    return static_cast<int>(std::max(value, 0.0) + kHalfPixel);
}

std::uint32_t premultiplied(plot::Color color) {
    return qPremultiply(qRgba(color.r, color.g, color.b, color.a));
}

// Blends one colour over runs of premultiplied pixels, eight at a time: source + destination · (255
// − alpha) / 255, rounded, on every processor alike.
class BlendRun {
public:
    static constexpr int kStep = 8; // pixels

    // `source` premultiplied.
    explicit BlendRun(std::uint32_t source)
        : m_keep(Words{} + static_cast<std::uint16_t>(255U - (source >> 24U))) {
        std::array<std::uint32_t, kStep> colors{};
        colors.fill(source);
        std::memcpy(&m_source, colors.data(), sizeof m_source);
    }
    // Reads and writes back up to kStep - 1 pixels behind the run, unchanged.
    [[gnu::always_inline]] void operator()(std::uint32_t* pixels, int count) const {
        for (; count >= kStep; count -= kStep, pixels += kStep)
            step(pixels, nullptr);
        if (count > 0)
            step(pixels, kMask.data() + kStep - count);
    }

private:
    using Words = std::uint16_t __attribute__((vector_size(4 * kStep))); // each of two channels

    // `mask`: the pixels to change; nullptr: all.
    [[gnu::always_inline]] void step(std::uint32_t* pixels, const std::uint32_t* mask) const {
        Words old;
        std::memcpy(&old, pixels, sizeof old);
        Words even = (old & 255) * m_keep + 128;
        Words odd = (old >> 8) * m_keep + 128;
        even = (even + (even >> 8)) >> 8;
        odd = (odd + (odd >> 8)) & 0xFF00;
        Words blended = (even | odd) + m_source;
        if (mask != nullptr) {
            Words changed;
            std::memcpy(&changed, mask, sizeof changed);
            blended = old ^ ((old ^ blended) & changed);
        }
        std::memcpy(pixels, &blended, sizeof blended);
    }

    static constexpr std::array<std::uint32_t, std::size_t{2} * kStep> kMask{
        ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U, ~0U};

    Words m_source;
    Words m_keep;
};

// Columns that follow each other in memory, `stride` pixels apart.
struct Block {
    std::uint32_t* pixels;
    std::size_t stride;
    int begin; // first column
    int end;
};

// Column i of a series covers the pixel columns edges[i] to edges[i + 1].
TRAINSCOPE_VECTORIZED void fillBlock(const Block& block, std::uint32_t source, const int* edges,
    std::size_t firstColumn, std::size_t columns, const std::int32_t* first,
    const std::int32_t* last) {
    const BlendRun blend(source);
    for (std::size_t i = firstColumn; i < columns && edges[i] < block.end; ++i) {
        const int length = last[i] - first[i];
        if (length <= 0)
            continue;
        const int right = std::min(edges[i + 1], block.end);
        for (int x = std::max(edges[i], block.begin); x < right; ++x)
            blend(block.pixels + static_cast<std::size_t>(x - block.begin) * block.stride
                    + static_cast<std::size_t>(first[i]),
                length);
    }
}

// Pixels are rounded to the nearest; every bar has at least one.
TRAINSCOPE_VECTORIZED void toPixels(const float* top, const float* bottom, std::size_t count,
    float ratio, float origin, int height, std::int32_t* first, std::int32_t* last) {
    constexpr float kHalf = 0.5F; // the values are not negative
    const float lowest = static_cast<float>(height - 1);
    const float end = static_cast<float>(height);
    for (std::size_t i = 0; i < count; ++i) {
        const float upper = top[i] * ratio - origin;
        const float lower = bottom[i] * ratio - origin;
        // NaN becomes 0.
        const float above = upper > 0.0F ? upper : 0.0F;
        const float below = lower > 0.0F ? lower : 0.0F;
        const float from = above < lowest ? above : lowest;
        const float to = below < end ? below : end;
        const auto begin = static_cast<std::int32_t>(from + kHalf);
        const auto stop = static_cast<std::int32_t>(to + kHalf);
        const bool there = top[i] == top[i]; // not NaN
        first[i] = std::min(begin, height - 1);
        last[i] = there ? std::max(stop, first[i] + 1) : 0;
    }
}

} // namespace

BarsImage::BarsImage(const plot::Rect& area, double ratio)
    : m_area(area)
    , m_ratio(ratio)
    , m_corner(rounded(area.x * ratio), rounded(area.y * ratio))
    , m_image(std::max(rounded(area.right() * ratio) - m_corner.x(), 1),
          std::max(rounded(area.bottom() * ratio) - m_corner.y(), 1),
          QImage::Format_ARGB32_Premultiplied) {
    m_image.setDevicePixelRatio(ratio);
    m_image.fill(Qt::transparent);
}

void BarsImage::add(const plot::Bars& bars) {
    const double origin = m_corner.x();
    const int width = m_image.width();
    const int height = m_image.height();
    auto* const pixels = reinterpret_cast<std::uint32_t*>(m_image.bits());
    const std::ptrdiff_t stride = m_image.bytesPerLine() / 4;
    for (const auto& bar : bars.bars) {
        const int left = std::min(pixelAt(bar.left * m_ratio - origin), width - 1);
        const int right = std::clamp(pixelAt(bar.right * m_ratio - origin), left + 1, width);
        const int top = std::max(height - pixelAt(static_cast<double>(bar.to) * height), 0);
        const int foot = height - pixelAt(static_cast<double>(bar.from) * height);
        const std::uint32_t color = premultiplied(bar.color);
        for (int y = top; y < foot; ++y) {
            for (int x = left; x < right; ++x)
                pixels[y * stride + x] = color;
        }
    }
}

QPointF BarsImage::position() const {
    return {m_corner.x() / m_ratio, m_corner.y() / m_ratio};
}

ColumnsImage::ColumnsImage(const plot::Columns& like, double ratio)
    : m_area(like.area)
    , m_count(like.top.size())
    , m_ratio(ratio) {
    const int left = static_cast<int>(std::floor(m_area.x * ratio));
    const int top = static_cast<int>(std::floor(m_area.y * ratio));
    const int right = static_cast<int>(std::ceil(m_area.right() * ratio));
    const int bottom = static_cast<int>(std::ceil(m_area.bottom() * ratio));
    m_pixels = QRect(left, top, std::max(right - left, 1), std::max(bottom - top, 1));
}

bool ColumnsImage::fits(const plot::Columns& columns) const {
    return columns.area == m_area && columns.top.size() == m_count;
}

void ColumnsImage::add(const plot::Columns& columns) {
    m_items.push_back(&columns);
}

ColumnsImage::Bars ColumnsImage::barsOf(
    const plot::Columns& columns, std::size_t begin, std::size_t end) const {
    Bars bars{premultiplied(columns.color), std::vector<std::int32_t>(m_count),
        std::vector<std::int32_t>(m_count)};
    toPixels(columns.top.data() + begin, columns.bottom.data() + begin, end - begin,
        static_cast<float>(m_ratio), static_cast<float>(m_pixels.y()), m_pixels.height(),
        bars.first.data() + begin, bars.last.data() + begin);
    return bars;
}

std::vector<int> ColumnsImage::edges() const {
    const double step = m_area.width / static_cast<double>(m_count) * m_ratio;
    const double start = m_area.x * m_ratio - m_pixels.x();
    std::vector<int> edges(m_count + 1);
    for (std::size_t i = 0; i <= m_count; ++i)
        edges[i] = std::clamp(static_cast<int>(std::lround(start + step * static_cast<double>(i))),
            0, m_pixels.width());
    return edges;
}

QImage ColumnsImage::image() const {
    QImage image(m_pixels.size(), QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(m_ratio);
    fill(image, 0, m_pixels.width());
    return image;
}

const QImage& ColumnsImage::image(PaintCache& cache) const {
    const plot::Columns& like = *m_items.front();
    // Columns that are not pixels would not move by whole pixels.
    const bool movable = like.content != 0 && m_count == static_cast<std::size_t>(m_pixels.width());
    PaintCache::Picture& picture = cache.picture(movable ? like.content : 0);
    const bool known = picture.image.size() == m_pixels.size()
        && picture.image.devicePixelRatio() == m_ratio && picture.series == m_items.size();
    if (!known)
        picture.image = image();
    else
        fillShifted(picture.image, like.firstColumn - picture.firstColumn);
    picture.firstColumn = like.firstColumn;
    picture.series = m_items.size();
    return picture.image;
}

void ColumnsImage::fillShifted(QImage& image, std::int64_t shift) const {
    const int width = m_pixels.width();
    if (std::abs(shift) >= width)
        return fill(image, 0, width);
    const int moved = static_cast<int>(shift);
    const auto kept = static_cast<std::size_t>(width - std::abs(moved));
    for (int y = 0; y < image.height() && moved != 0; ++y) {
        auto* line = reinterpret_cast<std::uint32_t*>(image.scanLine(y));
        std::memmove(line + std::max(-moved, 0), line + std::max(moved, 0), kept * sizeof *line);
    }
    if (moved > 0)
        fill(image, width - moved, width);
    else
        fill(image, 0, -moved);
}

void ColumnsImage::fill(QImage& image, int from, int to) const {
    if (from >= to)
        return;
    const int height = m_pixels.height();
    const std::vector<int> edges = this->edges();
    std::size_t column = 0;
    while (column + 1 < m_count && edges[column + 1] <= from)
        ++column;
    std::size_t end = column;
    while (end < m_count && edges[end] < to)
        ++end;
    std::vector<Bars> series;
    series.reserve(m_items.size());
    for (const auto* item : m_items)
        series.push_back(barsOf(*item, column, end));
    // Lines of the cache are not shared by neighbouring columns.
    const std::size_t stride = (static_cast<std::size_t>(height) + 15U) / 16U * 16U;
    std::vector<std::uint32_t> pixels;
    for (int begin = from; begin < to; begin += kBlock) {
        const int stop = std::min(begin + kBlock, to);
        pixels.assign(stride * kBlock + BlendRun::kStep, 0U);
        while (column + 1 < m_count && edges[column + 1] <= begin)
            ++column;
        for (const Bars& bars : series)
            fillBlock({pixels.data(), stride, begin, stop}, bars.source, edges.data(), column, end,
                bars.first.data(), bars.last.data());
        for (int y = 0; y < height; ++y) {
            auto* line = reinterpret_cast<std::uint32_t*>(image.scanLine(y));
            const auto* source = pixels.data() + static_cast<std::size_t>(y);
            for (int x = begin; x < stop; ++x, source += stride)
                line[x] = *source;
        }
    }
}

QPointF ColumnsImage::position() const {
    return {m_pixels.x() / m_ratio, m_pixels.y() / m_ratio};
}

} // namespace trainscope::app
