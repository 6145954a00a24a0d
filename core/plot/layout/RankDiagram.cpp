#include "core/plot/layout/RankDiagram.h"

#include "core/plot/figures/FigureParts.h"
#include "core/text/NumberMarks.h"

#include <cmath>

namespace trainscope::plot {
namespace {

constexpr int kPalette = 8; // colours of the shared palette

std::optional<double> valueOf(const RankColours& colours, int rank) {
    const auto at = static_cast<std::size_t>(rank);
    return at < colours.values.size() ? colours.values[at] : std::nullopt;
}

constexpr double kLeastCell = 2.0; // lines, of a plain one

using Level = CellTexts::Level;

constexpr double kWantedHeight = 0.75; // share of the width, if the height is free
constexpr double kSmallHeight = 0.95; // … if cells have no text
constexpr double kTallest = 1.25; // height of a cell, in its widths
constexpr double kWidest = 1.9; // width of a cell, in least widths for its texts
constexpr double kRoomyNode = 6.0; // steps, of a box that has all its air
constexpr double kEvenWorth = 1.35; // times the side of a cell, rows of equal length
constexpr double kNameWorth = 1.4;
constexpr double kMostBand = 0.25; // share of a row's height
constexpr double kCardLines = 2.5; // lines of text, for network cards and the lines to them
constexpr double kFullHeight = 0.72; // height of a stretched cell, in its widths

class Arranger {
public:
    Arranger(const layout::Cluster& cluster, bool hasEdges, const CellTexts& texts,
        const FigureStyle& style)
        : m_texts(texts)
        , m_style(style)
        , m_count(static_cast<int>(std::max<std::size_t>(cluster.nodes.size(), 1)))
        , m_hasEdges(hasEdges)
        , m_hasRacks(cluster.nodesPerRack.has_value() || cluster.nodesPerDomain > 1)
        , m_hasNics(cluster.topology && !cluster.topology->connectedNics().empty())
        , m_gap(style.theme->spacing)
        , m_line(1.25 * style.theme->smallSize)
        , m_budget(style.height > 0.0 ? style.height : kWantedHeight * style.width) {
        for (const auto& node : cluster.nodes) {
            m_gpus = std::max(m_gpus, static_cast<int>(node.gpus.size()));
            m_numberWidth = std::max(
                m_numberWidth, style.measure(std::to_string(node.node), TextRole::Small, false));
        }
    }

    NodeArrangement arrange() {
        // All nodes beside each other, where they can tell their values so.
        for (const Level level : {Level::Full, Level::Stacked}) {
            if (fits(level) && m_now.rows == 1)
                return stretched();
        }
        for (const Level level : {Level::Full, Level::Stacked, Level::Rank}) {
            if (fits(level) && heightOf(m_now) <= m_budget)
                return stretched();
        }
        return plain();
    }

private:
    [[nodiscard]] int rowsFor(int columns) const { return (m_count + columns - 1) / columns; }
    // Takes the least cells of that level; false where a node does not fit the width.
    bool fits(Level level) {
        m_now = spacingOf(level);
        m_now.cellWidth = m_texts.widthFor(level);
        m_now.cellHeight = m_texts.heightFor(level);
        m_now.columns = columnsThatFit();
        if (m_now.columns < 1)
            return false;
        m_now.rows = rowsFor(m_now.columns);
        return m_style.height <= 0.0 || m_now.rows > 1 || heightOf(m_now) <= m_budget;
    }

    [[nodiscard]] static double heightOf(const NodeArrangement& one) {
        return one.rows * (one.rackHead + one.nodeHeight() + one.band);
    }
    [[nodiscard]] double widthIn(const NodeArrangement& one, int columns) const {
        const double node
            = (m_style.width - one.left - one.nodeGap * (columns - 1)) / columns - 2.0 * one.pad;
        return (node - one.cellGap * (one.cellColumns - 1)) / one.cellColumns;
    }
    [[nodiscard]] int columnsThatFit() const {
        const double step = m_now.nodeWidth() + m_now.nodeGap;
        const auto fit = static_cast<int>(std::floor((m_style.width + m_now.nodeGap) / step));
        return std::min(fit, m_count);
    }

    [[nodiscard]] NodeArrangement spacingOf(Level level) const {
        // Fractions of the step: pad, gap of cells, bar; in lines: title, foot, band.
        struct Spacing {
            double pad, cellGap, bar, title, foot, band, nodeGap;
        };
        const Spacing space = level == Level::Full ? Spacing{2.0, 1.0, 3.25, 1.5, 1.7, 3.4, 2.5}
            : level == Level::Stacked              ? Spacing{1.5, 0.75, 2.0, 1.3, 1.4, 2.8, 2.0}
            : level == Level::Rank                 ? Spacing{1.0, 0.4, 1.2, 1.2, 0.0, 2.0, 1.5}
                                                   : Spacing{0.4, 0.15, 0.4, 0.0, 0.0, 0.8, 0.75};
        NodeArrangement one;
        one.level = level;
        one.cellColumns = std::max(1, (m_gpus + 1) / 2);
        one.cellRows = m_gpus > 1 ? 2 : 1;
        one.pad = space.pad * m_gap;
        one.cellGap = space.cellGap * m_gap;
        one.bar = one.cellRows > 1 ? space.bar * m_gap : 0.0;
        one.title = space.title * m_line;
        one.foot = space.foot * m_line;
        one.nics = m_hasNics && one.foot > 0.0 ? kCardLines * m_line : 0.0;
        one.nodeGap = space.nodeGap * m_gap;
        one.rackHead = m_hasRacks ? 1.4 * m_line : 0.0;
        one.band = m_hasEdges ? space.band * m_line : one.nodeGap;
        return one;
    }

    // The same texts in cells that use the space.
    NodeArrangement stretched() {
        m_now.columns = (m_count + m_now.rows - 1) / m_now.rows;
        const double least = m_now.cellHeight;
        m_now.cellWidth
            = std::min(widthIn(m_now, m_now.columns), kWidest * m_texts.widthFor(m_now.level));
        const double free = (m_budget - heightOf(m_now)) / (m_now.rows * m_now.cellRows);
        const double most = std::max(least, kFullHeight * m_now.cellWidth);
        m_now.cellHeight = std::clamp(least + std::max(free, 0.0), least, most);
        m_now.totalHeight = heightOf(m_now);
        return m_now;
    }

    // Cells without text, as large as they can be; names of nodes and rows of equal length are
    // worth some of that.
    NodeArrangement plain() {
        NodeArrangement best;
        double bestWorth = -1.0;
        for (int rows = 1; rows <= m_count; ++rows) {
            for (const bool isNamed : {false, true}) {
                const auto one = plainRows(rows, isNamed);
                const bool isEven = one.columns * one.rows == m_count;
                const double worth = sideOf(one) * (isEven ? kEvenWorth : 1.0)
                    * (one.title > 0.0 ? kNameWorth : 1.0);
                if (worth > bestWorth) {
                    bestWorth = worth;
                    best = one;
                }
            }
        }
        best.totalHeight = heightOf(best);
        return best;
    }

    [[nodiscard]] static double sideOf(const NodeArrangement& one) {
        return std::min(one.cellWidth, one.cellHeight);
    }

    [[nodiscard]] NodeArrangement plainRows(int rows, bool isNamed) const {
        NodeArrangement one = spacingOf(Level::Plain);
        one.rows = rows;
        one.columns = rowsFor(rows);
        // Air gives way where nodes are small.
        const double share = std::min(1.0, m_style.width / one.columns / kRoomyNode / m_gap);
        for (double* air : {&one.pad, &one.cellGap, &one.bar, &one.nodeGap})
            *air *= share;
        one.band = std::min(one.band, kMostBand * m_budget / rows);
        one.cellWidth = std::max(widthIn(one, one.columns), 0.0);
        if (isNamed && m_numberWidth + m_gap < one.nodeGap + one.nodeWidth())
            one.title = m_line;
        else if (rows > 1)
            one.left = m_numberWidth + m_gap;
        one.cellWidth = std::max(widthIn(one, one.columns), 0.0);
        const double budget = m_style.height > 0.0 ? m_budget : kSmallHeight * m_style.width;
        const double free = (budget - heightOf(one)) / (one.rows * one.cellRows);
        one.cellHeight = std::clamp(free, 0.0, kTallest * one.cellWidth);
        return one;
    }

    const CellTexts& m_texts;
    const FigureStyle& m_style;
    int m_count;
    int m_gpus = 1;
    bool m_hasEdges;
    bool m_hasRacks;
    bool m_hasNics;
    double m_gap;
    double m_line;
    double m_budget;
    double m_numberWidth = 0.0;
    NodeArrangement m_now;
};

} // namespace

int colourIndex(RankColour colour, const layout::Layout& layout, int rank) {
    const auto at = layout.grid.position(rank);
    switch (colour) {
    case RankColour::Tensor:
        return at.tensor;
    case RankColour::Context:
        return at.context;
    case RankColour::Expert:
        return at.expert;
    case RankColour::Data:
        return at.data;
    case RankColour::Node:
        return layout.nodeOf(rank);
    case RankColour::Pipeline:
    case RankColour::Value:
        break;
    }
    return at.pipeline;
}

int colourCount(RankColour colour, const layout::Layout& layout) {
    const auto& degrees = layout.grid.degrees();
    switch (colour) {
    case RankColour::Tensor:
        return degrees.tensor;
    case RankColour::Context:
        return degrees.context;
    case RankColour::Expert:
        return degrees.expert;
    case RankColour::Data:
        return degrees.data;
    case RankColour::Node:
        return layout.nodes;
    case RankColour::Pipeline:
    case RankColour::Value:
        break;
    }
    return degrees.pipeline;
}

Color indexColor(int index, int count) {
    if (count <= kPalette)
        return seriesColor(static_cast<std::size_t>(std::max(index, 0)));
    return viridis(static_cast<double>(index) / (count - 1));
}

Color rankColor(
    const RankColours& colours, const layout::Layout* layout, int rank, const Theme& theme) {
    if (colours.by == RankColour::Value) {
        const auto value = valueOf(colours, rank);
        return value ? scaleColor(colours.scale, *value) : theme.gap;
    }
    if (const auto at = static_cast<std::size_t>(rank); at < colours.indices.size())
        return indexColor(colours.indices[at], colours.count);
    if (layout == nullptr || rank >= layout->grid.worldSize())
        return theme.gap;
    return indexColor(colourIndex(colours.by, *layout, rank), colourCount(colours.by, *layout));
}

std::string shortValue(const FigureAxis& scale, const std::optional<double>& value) {
    if (!value)
        return {};
    const double shown = *value * scale.unit.scale;
    if (scale.unit.unit == "°C")
        return fmt::format("{:.0f}°", shown);
    if (scale.unit.unit == "%")
        return fmt::format("{:.0f}%", shown);
    // All cells have as many decimals.
    const double greatest = std::max(std::abs(scale.range.low * scale.unit.scale),
        std::abs(scale.range.high * scale.unit.scale));
    constexpr double kHundred = 100.0;
    constexpr double kTen = 10.0;
    return fmt::format("{:.{}f}", text::worded(shown),
        greatest >= kHundred   ? 0
            : greatest >= kTen ? 1
                               : 2);
}

void recolour(RankDiagram& diagram, const RankColours& colours, const layout::Layout* layout,
    const Theme& theme) {
    auto& items = diagram.scene.items;
    for (std::size_t rank = 0; rank < diagram.items.size(); ++rank) {
        if (diagram.cells[rank].width <= 0.0)
            continue;
        const RankCell& cell = diagram.items[rank];
        const int number = static_cast<int>(rank);
        auto& fill = std::get<FillRect>(items[cell.fill]);
        fill.fill = rankColor(colours, layout, number, theme);
        const bool isMissing = colours.by == RankColour::Value && !valueOf(colours, number);
        fill.hatch = isMissing ? Hatch::Diagonal : Hatch::None;
        if (cell.labels > 0) {
            const Color ink = isMissing ? theme.text : readableOn(fill.fill);
            for (std::size_t i = 0; i < cell.labels; ++i)
                std::get<Label>(items[cell.firstLabel + i]).color = ink;
        }
        if (cell.value)
            std::get<Label>(items[*cell.value]).text
                = shortValue(colours.scale, valueOf(colours, number));
    }
}

CellTexts::CellTexts(const FigureStyle& style, const RankColours& colours, int ranks, PlaceOf place)
    : m_style(style)
    , m_colours(colours)
    , m_place(std::move(place))
    , m_pad(style.theme->spacing * 0.75)
    , m_line(1.2 * style.theme->smallSize)
    , m_size(style.theme->smallSize) {
    const auto width = [&](const std::string& text, bool bold) {
        return style.measure(text, TextRole::Small, bold);
    };
    m_rank = width(std::to_string(std::max(ranks - 1, 0)), true);
    if (hasValues())
        m_value = std::max(width(shortValue(colours.scale, colours.scale.range.low), false),
            width(shortValue(colours.scale, colours.scale.range.high), false));
    // The place of the last rank has the most digits.
    m_widestPlace = ranks > 0 ? width(m_place(ranks - 1), false) : 0.0;
}

double CellTexts::widthFor(Level level) const {
    switch (level) {
    case Level::Full: {
        const double first = m_rank + (hasValues() ? 2.0 * m_pad + m_value : 0.0);
        return std::max(first, m_widestPlace) + 3.0 * m_pad;
    }
    case Level::Stacked:
        return std::max(m_rank, hasValues() ? m_value : m_widestPlace) + 2.0 * m_pad;
    case Level::Rank:
        return m_rank + 1.5 * m_pad;
    case Level::Plain:
        break;
    }
    return kLeastCell * m_style.theme->lineWidth;
}

double CellTexts::heightFor(Level level) const {
    switch (level) {
    case Level::Full:
        return 2.0 * m_line + 3.0 * m_pad;
    case Level::Stacked:
        return 2.0 * m_line + m_pad;
    case Level::Rank:
        return m_line + 0.5 * m_pad;
    case Level::Plain:
        break;
    }
    return kLeastCell * m_style.theme->lineWidth;
}

CellTexts::Level CellTexts::levelFor(double width, double height) const {
    for (const Level level : {Level::Full, Level::Stacked, Level::Rank}) {
        if (width >= widthFor(level) && height >= heightFor(level))
            return level;
    }
    return Level::Plain;
}

void CellTexts::label(RankDiagram& diagram, RankCell& cell, Point at, std::string text, Align align,
    bool bold) const {
    diagram.scene.items.emplace_back(
        Label{at, std::move(text), m_style.theme->text, TextRole::Small, align, bold, 0.0});
    ++cell.labels;
}

void CellTexts::add(RankDiagram& diagram, int rank, const Rect& rect, Level level) const {
    auto& items = diagram.scene.items;
    RankCell cell{items.size(), items.size() + 1, 0, std::nullopt};
    const double radius = level == Level::Plain || level == Level::Rank ? 0.0 : m_pad;
    items.emplace_back(FillRect{rect, m_style.theme->gap, radius, Hatch::None});
    const auto tellValue = [&](Point at, Align align) {
        cell.value = items.size();
        label(diagram, cell, at, {}, align, false);
    };
    const std::string number = std::to_string(rank);
    const double middle = rect.x + rect.width / 2.0;
    const double first = rect.y + 1.5 * m_pad + 0.75 * m_size;
    if (level == Level::Full) {
        label(diagram, cell, {rect.x + 1.5 * m_pad, first}, number, Align::Left, true);
        if (hasValues())
            tellValue({rect.right() - 1.5 * m_pad, first}, Align::Right);
        label(diagram, cell, {rect.x + 1.5 * m_pad, rect.bottom() - 1.5 * m_pad}, m_place(rank),
            Align::Left, false);
    } else if (level == Level::Stacked) {
        const double top = rect.y + rect.height / 2.0 - 0.2 * m_size;
        label(diagram, cell, {middle, top}, number, Align::Centre, true);
        if (hasValues())
            tellValue({middle, top + m_line}, Align::Centre);
        else
            label(diagram, cell, {middle, top + m_line}, m_place(rank), Align::Centre, false);
    } else if (level == Level::Rank) {
        label(diagram, cell, {middle, rect.y + rect.height / 2.0 + 0.36 * m_size}, number,
            Align::Centre, false);
    }
    diagram.add(rect, {{}, rank}, [rank](Hit& hit) { hit.title = fmt::format("rank {}", rank); });
    diagram.cells[static_cast<std::size_t>(rank)] = rect;
    diagram.items[static_cast<std::size_t>(rank)] = cell;
}

double NodeArrangement::nodeWidth() const {
    return 2.0 * pad + cellColumns * cellWidth + (cellColumns - 1) * cellGap;
}

double NodeArrangement::nodeHeight() const {
    return 2.0 * pad + title + cellRows * cellHeight + bar + nics + foot;
}

Rect NodeArrangement::node(std::size_t index) const {
    const int column = static_cast<int>(index) % columns;
    const int row = static_cast<int>(index) / columns;
    return {left + column * (nodeWidth() + nodeGap),
        row * (rackHead + nodeHeight() + band) + rackHead, nodeWidth(), nodeHeight()};
}

Rect NodeArrangement::cell(const Rect& node, int slot, int count) const {
    const int front = cellRows > 1 ? (count + 1) / 2 : count;
    const int row = slot < front ? 0 : 1;
    const int column = row == 0 ? slot : slot - front;
    return {node.x + pad + column * (cellWidth + cellGap),
        node.y + pad + title + row * (cellHeight + bar), cellWidth, cellHeight};
}

Rect NodeArrangement::link(const Rect& node) const {
    constexpr double kShare = 0.42; // share of its space
    const double height = kShare * bar;
    return {node.x + pad, node.y + pad + title + cellHeight + (bar - height) / 2.0,
        node.width - 2.0 * pad, height};
}

Rect NodeArrangement::cards(const Rect& node) const {
    return {node.x + pad, node.y + pad + title + cellRows * cellHeight + bar,
        node.width - 2.0 * pad, nics};
}

NodeArrangement arrangeNodes(const layout::Cluster& cluster, bool hasEdges, const CellTexts& texts,
    const FigureStyle& style) {
    return Arranger(cluster, hasEdges, texts, style).arrange();
}

} // namespace trainscope::plot
