#include "core/plot/figures/ColourScale.h"
#include "core/plot/timeline/LaneFrame.h"
#include "core/text/NumberMarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace trainscope::plot {

namespace {

constexpr int kColorBarSteps = 64;
constexpr double kColorBar = 2.0; // thickness in spacings

// Consecutive series of one node of one run.
struct Block {
    std::size_t first = 0;
    std::size_t count = 0;
    std::size_t run = 0;
    int node = -1;
    Rect rect;
};

std::vector<Block> blocksOf(const LaneData& lane) {
    std::vector<Block> blocks;
    for (std::size_t i = 0; i < lane.series.size(); ++i) {
        const auto& series = lane.series[i];
        if (blocks.empty() || blocks.back().run != series.run || blocks.back().node != series.node)
            blocks.push_back({i, 0, series.run, series.node, {}});
        ++blocks.back().count;
    }
    return blocks;
}

// Heights in proportion to the rows; borders between nodes only where they leave most of the lane
// to the data.
void place(std::vector<Block>& blocks, const Rect& area, std::size_t rows, double border) {
    const double gaps = border * static_cast<double>(blocks.size() - 1);
    const double gap = gaps < 0.2 * area.height ? border : 0.0;
    const double room = area.height - gap * static_cast<double>(blocks.size() - 1);
    double y = area.y;
    for (auto& block : blocks) {
        const double height = room * static_cast<double>(block.count) / static_cast<double>(rows);
        block.rect = {area.x, y, area.width, height};
        y += height + gap;
    }
}

// Colours in steps finer than the eye: equal neighbours merge in vector files.
class HeatColors {
public:
    HeatColors(const LaneData& lane, bool warm)
        : m_low(static_cast<float>(lane.low))
        , m_scale(static_cast<float>(kColorSteps / (lane.high - lane.low))) {
        for (std::size_t i = 0; i < m_colors.size(); ++i) {
            const double fraction = static_cast<double>(i) / kColorSteps;
            m_colors[i] = warm ? inferno(fraction) : viridis(fraction);
        }
    }
    // Transparent for NaN.
    [[nodiscard]] Color of(float value) const {
        if (std::isnan(value))
            return {0, 0, 0, 0};
        const float step
            = std::clamp((value - m_low) * m_scale, 0.0F, static_cast<float>(m_colors.size() - 1));
        return m_colors[static_cast<std::size_t>(step + kRoundHalf)];
    }

private:
    float m_low;
    float m_scale;
    std::array<Color, static_cast<std::size_t>(kColorSteps) + 1> m_colors{};
};

// Means over the series [first, last) and the columns of each source; NaN where there is nothing.
class RowMeans {
public:
    explicit RowMeans(const LaneFrame& frame, const LaneData& lane)
        : m_frame(frame)
        , m_lane(lane)
        , m_map(*frame.map) { }

    const std::vector<float>& of(std::size_t first, std::size_t last) {
        m_sums.assign(m_map.columns.size(), 0.0F);
        m_counts.assign(m_map.columns.size(), 0.0F);
        for (std::size_t i = first; i < last; ++i)
            add(i);
        for (std::size_t drawn = 0; drawn < m_sums.size(); ++drawn)
            m_sums[drawn] /= m_counts[drawn]; // 0 / 0 is NaN
        return m_sums;
    }

private:
    void add(std::size_t series) {
        const float* own = m_lane.series[series].means.data();
        if (m_map.isShift)
            return addShifted(own + m_map.columns.front().first);
        const bool hasBehind = m_frame.behind != nullptr && series < m_frame.behind->series.size();
        const float* behind = hasBehind ? m_frame.behind->series[series].means.data() : nullptr;
        for (std::size_t drawn = 0; drawn < m_map.columns.size(); ++drawn) {
            const auto& source = m_map.columns[drawn];
            const float* from = source.behind ? behind : own;
            if (from == nullptr)
                continue;
            for (int column = source.first; column <= source.last; ++column)
                addTo(drawn, from[column]);
        }
    }
    void addShifted(const float* values) {
        for (std::size_t drawn = 0; drawn < m_map.columns.size(); ++drawn)
            addTo(drawn, values[drawn]);
    }
    void addTo(std::size_t drawn, float mean) {
        const bool there = mean == mean; // not NaN
        m_sums[drawn] += there ? mean : 0.0F;
        m_counts[drawn] += there ? 1.0F : 0.0F;
    }

    const LaneFrame& m_frame;
    const LaneData& m_lane;
    const ColumnMap& m_map;
    std::vector<float> m_sums;
    std::vector<float> m_counts;
};

// Rows thinner than a unit are averaged, so that the cost is that of the pixels.
void drawBlock(const LaneFrame& frame, const Block& block, RowMeans& means,
    const HeatColors& colors, LaneGeometry& geometry) {
    const ColumnMap& map = *frame.map;
    const auto most = std::max<std::size_t>(
        static_cast<std::size_t>(block.rect.height / frame.theme.lineWidth), 1);
    const std::size_t rows = std::min(block.count, most);
    HeatStrip strip;
    strip.area = {map.area.x, block.rect.y, map.area.width, block.rect.height};
    strip.rows = static_cast<int>(rows);
    strip.columns = static_cast<int>(map.columns.size());
    strip.cells.reserve(rows * map.columns.size());
    const double rowHeight = block.rect.height / static_cast<double>(rows);
    for (std::size_t row = 0; row < rows; ++row) {
        const std::size_t first = block.first + block.count * row / rows;
        const std::size_t last = block.first + block.count * (row + 1) / rows;
        for (const float mean : means.of(first, last))
            strip.cells.push_back(colors.of(mean));
        geometry.rows.push_back({{frame.area.x, block.rect.y + rowHeight * static_cast<double>(row),
                                     frame.area.width, rowHeight},
            first, 0});
    }
    if (strip.columns > 0)
        frame.scene.items.emplace_back(std::move(strip));
}

// Holes of single rows show their hatch through the transparent cells of the strip.
void hatchRow(const LaneFrame& frame, const LaneData& lane, const LaneGeometry::Row& row) {
    const auto isHole = [&row](const ColumnMap::Source& source, const LaneData& from) {
        if (row.item >= from.series.size())
            return false;
        const auto& series = from.series[row.item];
        const auto at = static_cast<std::size_t>(source.first);
        return series.gaps[at] != 0 && std::isnan(series.means[at]);
    };
    hatchColumns(frame, lane, isHole, row.rect.y, row.rect.height);
}

double drawBlockLabels(const LaneFrame& frame, const std::vector<Block>& blocks, bool severalRuns) {
    const double gap = 1.5 * frame.gap();
    double reserved = 0.0;
    double free = frame.lane.y;
    for (const auto& block : blocks) {
        if (severalRuns)
            drawRunMark(frame, block.run, block.rect.y, block.rect.height);
        const double y = block.rect.y + block.rect.height / 2.0;
        const double half = 0.5 * frame.size();
        if (block.node < 0 || blocks.size() < 2 || y - half < free)
            continue;
        free = y + half;
        const std::string text = fmt::format("{}{}", frame.isNarrow() ? "n" : "node ", block.node);
        frame.note({frame.area.x - gap, frame.centred(y)}, text, Align::Right);
        reserved = std::max(reserved, frame.width(text) + gap);
    }
    return reserved;
}

double colorBarHeight(const Theme& theme) {
    return (kColorBar + 1.0) * theme.spacing + theme.size(TextRole::Small);
}

void drawColorBar(
    const LaneFrame& frame, const LaneData& lane, bool warm, double top, double reserved) {
    const double left = frame.lane.x + 3.0 * frame.gap();
    const double width = std::min(frame.area.x - left - reserved - 2.0 * frame.gap(), 96.0);
    const double height = kColorBar * frame.gap();
    const double y = top - 0.5 * frame.size();
    const double below = y + height + frame.size() + 1.0;
    if (width < 24.0 || below > frame.lane.bottom() - 0.5 * frame.gap())
        return;
    frame.scene.items.emplace_back(colourStrip({left, y, width, height}, kColorBarSteps,
        [warm](double fraction) { return warm ? inferno(fraction) : viridis(fraction); }));
    const auto end = [&](double value) {
        return fmt::format("{:.4g}", text::worded(value * lane.displayScale));
    };
    frame.note({left, below}, end(lane.low));
    // The unit where both ends have room beside it.
    std::string high = end(lane.high) + (lane.unit.empty() ? "" : " " + lane.unit);
    const double taken = frame.width(high) + frame.width(end(lane.low)) + frame.size();
    frame.note(
        {left + width, below}, taken <= width ? std::move(high) : end(lane.high), Align::Right);
}

} // namespace

LaneGeometry drawHeat(const LaneFrame& frame, const LaneData& lane) {
    LaneGeometry geometry{frame.area, lane.low, lane.high, {}};
    if (lane.series.empty()) {
        drawName(frame, lane, 0.0);
        drawEmpty(frame, "no data");
        return geometry;
    }
    auto blocks = blocksOf(lane);
    place(blocks, frame.area, lane.series.size(), 0.5 * frame.gap());
    RowMeans means(frame, lane);
    const bool warm = isShownAsHeat(lane.spec.metric);
    const HeatColors colors(lane, warm);
    for (const auto& block : blocks)
        drawBlock(frame, block, means, colors, geometry);
    for (const auto& row : geometry.rows)
        hatchRow(frame, lane, row);
    const double reserved = drawBlockLabels(frame, blocks, seriesColors(lane).byRun);
    // The colours say nothing without their bar: the subtitle leaves room for it.
    LaneFrame named = frame;
    const double bar = colorBarHeight(frame.theme);
    if (frame.area.height > bar + 3.0 * frame.lineHeight(titleRole(frame)))
        named.lane.height -= bar;
    const double below = drawName(named, lane, reserved);
    drawColorBar(frame, lane, warm, below, reserved);
    return geometry;
}

} // namespace trainscope::plot
