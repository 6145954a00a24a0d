#include "core/plot/layout/NodeArrangement.h"

#include <cmath>

namespace trainscope::plot {

namespace {

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
