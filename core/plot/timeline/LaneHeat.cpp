#include "core/model/Vectorized.h"
#include "core/plot/figures/FigureParts.h"
#include "core/plot/timeline/LaneFrame.h"
#include "core/text/NumberMarks.h"

#include <fmt/format.h>

#include <cstring>

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

constexpr int kNoStep = static_cast<int>(kColorSteps) + 1; // the step of NaN

TRAINSCOPE_VECTORIZED void toSteps(
    const float* values, std::size_t count, float low, float scale, int* steps) {
    constexpr auto most = static_cast<float>(kColorSteps);
    for (std::size_t i = 0; i < count; ++i) {
        const float step = std::min(std::max(0.0F, (values[i] - low) * scale), most);
        const bool there = values[i] == values[i]; // not NaN
        steps[i] = there ? static_cast<int>(step + kRoundHalf) : kNoStep;
    }
}

// Colours in steps finer than the eye: equal neighbours merge in vector files.
class HeatColors {
public:
    HeatColors(const LaneData& lane, bool warm)
        : m_low(static_cast<float>(lane.low))
        , m_scale(static_cast<float>(kColorSteps / (lane.high - lane.low))) {
        for (std::size_t i = 0; i < kNoStep; ++i) {
            const double fraction = static_cast<double>(i) / kColorSteps;
            m_colors[i] = warm ? inferno(fraction) : viridis(fraction);
        }
        m_colors[kNoStep] = {0, 0, 0, 0};
    }
    // Transparent for NaN.
    void add(const std::vector<float>& values, std::vector<Color>& cells) {
        m_steps.resize(values.size());
        toSteps(values.data(), values.size(), m_low, m_scale, m_steps.data());
        for (const int step : m_steps)
            cells.push_back(m_colors[static_cast<std::size_t>(step)]);
    }

private:
    float m_low;
    float m_scale;
    std::array<Color, std::size_t{kNoStep} + 1> m_colors{};
    std::vector<int> m_steps;
};

// Adds the values that are there, and how many they are.
TRAINSCOPE_VECTORIZED void addThere(
    const float* values, std::size_t count, float* sums, float* counts) {
    for (std::size_t i = 0; i < count; ++i) {
        const bool there = values[i] == values[i]; // not NaN
        sums[i] += there ? values[i] : 0.0F;
        counts[i] += there ? 1.0F : 0.0F;
    }
}

// Sums of what is there, over series in the columns that a map takes of some data.
class SeriesSums {
public:
    explicit SeriesSums(const LaneData* lane)
        : m_lane(lane) { }

    // In rising order.
    void hold(const ColumnMap::Source& source) {
        m_begin = m_end == 0 ? source.first : m_begin;
        m_end = source.last + 1;
    }
    void sumUp(std::size_t first, std::size_t last) {
        const auto count = static_cast<std::size_t>(m_end - m_begin);
        m_sums.assign(count, 0.0F);
        m_counts.assign(count, 0.0F);
        const std::size_t known = m_lane == nullptr ? 0 : m_lane->series.size();
        for (std::size_t i = first; i < std::min(last, known); ++i)
            addThere(
                m_lane->series[i].means.data() + m_begin, count, m_sums.data(), m_counts.data());
    }
    // NaN where there is nothing.
    [[nodiscard]] float mean(const ColumnMap::Source& columns) const {
        float sum = 0.0F;
        float count = 0.0F;
        for (int column = std::max(columns.first, m_begin); column <= columns.last; ++column) {
            sum += m_sums[static_cast<std::size_t>(column - m_begin)];
            count += m_counts[static_cast<std::size_t>(column - m_begin)];
        }
        return sum / count;
    }

private:
    const LaneData* m_lane;
    int m_begin = 0;
    int m_end = 0;
    std::vector<float> m_sums;
    std::vector<float> m_counts;
};

// Means over series and the columns of each source. Series are summed up first: they are many, and
// each lies in memory as it is summed.
class RowMeans {
public:
    RowMeans(const LaneFrame& frame, const LaneData& lane)
        : m_map(*frame.map)
        , m_own(&lane)
        , m_behind(frame.behind) {
        for (const auto& source : m_map.columns) {
            if (source.first >= 0)
                (source.behind ? m_behind : m_own).hold(source);
        }
    }
    const std::vector<float>& of(std::size_t first, std::size_t last) {
        m_own.sumUp(first, last);
        m_behind.sumUp(first, last);
        m_means.clear();
        for (const auto& source : m_map.columns)
            m_means.push_back((source.behind ? m_behind : m_own).mean(source));
        return m_means;
    }

private:
    const ColumnMap& m_map;
    SeriesSums m_own;
    SeriesSums m_behind;
    std::vector<float> m_means;
};

// Rows thinner than a unit are averaged, so that the cost is that of the pixels.
void drawBlock(const LaneFrame& frame, const Block& block, RowMeans& means, HeatColors& colors,
    LaneGeometry& geometry) {
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
        colors.add(means.of(first, last), strip.cells);
        geometry.rows.push_back({{frame.area.x, block.rect.y + rowHeight * static_cast<double>(row),
                                     frame.area.width, rowHeight},
            first, 0});
    }
    if (strip.columns > 0)
        frame.scene.items.emplace_back(std::move(strip));
}

bool hasGaps(const LaneData* lane, std::size_t series) {
    if (lane == nullptr || series >= lane->series.size())
        return false;
    const auto& gaps = lane->series[series].gaps;
    return std::memchr(gaps.data(), 1, gaps.size()) != nullptr;
}

// Holes of single rows show their hatch through the transparent cells of the strip.
void hatchRow(const LaneFrame& frame, const LaneData& lane, const LaneGeometry::Row& row) {
    if (!hasGaps(&lane, row.item) && !hasGaps(frame.behind, row.item))
        return; // most rows
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
    HeatColors colors(lane, warm);
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
