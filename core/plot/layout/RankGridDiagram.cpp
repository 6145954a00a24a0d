#include "core/plot/layout/PhysicalDiagram.h"

#include "core/plot/figures/FigureParts.h"
#include "core/plot/layout/RankDiagram.h"

#include <fmt/format.h>

namespace trainscope::plot {

namespace {

using Level = CellTexts::Level;

constexpr double kWantedGridHeight = 0.7; // share of the width, if the height is free
constexpr double kTallestCell = 1.25; // height of a cell, in its widths
constexpr double kGridEvenWorth = 0.85; // times the largest cells, for rows of equal length
constexpr double kLeast = 5.0; // lines, of a cell
constexpr double kWidestCell = 2.4; // in least widths for a cell's texts

class Grid {
public:
    Grid(const RankGridData& data, const FigureStyle& style)
        : m_data(data)
        , m_grid(data.layout->grid)
        , m_degrees(m_grid.degrees())
        , m_style(style)
        , m_canvas{*style.theme, style.measure, m_diagram.scene}
        , m_blocks(m_degrees.data * m_degrees.context)
        , m_texts(style, data.colours, m_grid.worldSize(),
              [this](int rank) { return placeOf(rank); }) { }

    RankDiagram build() {
        const auto ranks = static_cast<std::size_t>(m_grid.worldSize());
        m_diagram.cells.resize(ranks);
        m_diagram.items.resize(ranks);
        m_diagram.scene = {m_style.width, 0.0, m_canvas.theme.window, {}};
        m_perLine = m_blocks;
        placeArea();
        chooseLines();
        placeArea(); // lines have longer names
        placeRows();
        const auto level = m_texts.levelFor(
            m_cellWidth - airOf(m_cellWidth), m_cellHeight - airOf(m_cellHeight));
        for (int rank = 0; rank < m_grid.worldSize(); ++rank)
            m_texts.add(m_diagram, rank, cellOf(rank), level);
        recolour(m_diagram, m_data.colours, m_data.layout, m_canvas.theme);
        addStageNames();
        addBlockNames();
        return std::move(m_diagram);
    }

private:
    // Names the coordinates that a cell's position does not show: the expert, which lies across the
    // blocks.
    [[nodiscard]] std::string placeOf(int rank) const {
        const auto at = m_grid.position(rank);
        if (m_degrees.expert > 1)
            return fmt::format("T{} E{}", at.tensor, at.expert);
        return fmt::format("T{}", at.tensor);
    }

    [[nodiscard]] int linesOf(int blocks) const { return (m_blocks + blocks - 1) / blocks; }
    [[nodiscard]] double gapFor(int blocks) const {
        const int columns = blocks * m_degrees.tensor;
        return blocks > 1 && m_area.width > 6.0 * columns ? m_canvas.gap() : 0.0;
    }
    [[nodiscard]] double widthFor(int blocks) const {
        const double free = m_area.width - gapFor(blocks) * (blocks - 1);
        return std::max(free, 0.0) / (blocks * m_degrees.tensor);
    }

    void placeArea() {
        const double pad = m_canvas.gap();
        const double names
            = m_canvas.width(m_perLine < m_blocks ? lineName(m_degrees.pipeline, m_blocks, true)
                                                  : stageName(m_degrees.pipeline));
        const double head
            = m_blocks > 1 && m_perLine >= m_blocks ? m_canvas.lineHeight() + pad : 0.0;
        m_area = {names + 2.0 * pad, head, 0.0, 0.0};
        m_area.width = std::max(m_style.width - m_area.x - pad, 1.0);
        m_area.height = std::max(m_style.height - m_area.y - pad, 0.0);
    }

    static std::string stageName(int stage) { return fmt::format("stage {}", stage); }
    // Name of a line that begins with that block.
    [[nodiscard]] std::string lineName(int stage, int block, bool isFirst) const {
        return isFirst ? stageName(stage) + " · " + blockName(block) : blockName(block);
    }

    // The fewest lines whose cells show all there is to show, else those with the largest cells, by
    // their shorter side.
    void chooseLines() {
        const double enough
            = std::max(m_texts.widthFor(Level::Full), m_texts.heightFor(Level::Full));
        const auto sideOf = [&](int blocks) {
            return std::min(
                {widthFor(blocks), budget() / (m_degrees.pipeline * linesOf(blocks)), enough});
        };
        double best = -1.0;
        for (int lines = 1; lines <= m_blocks; ++lines) {
            const int blocks = (m_blocks + lines - 1) / lines;
            if (sideOf(blocks) > best * (1.0 + 1e-9)) {
                best = sideOf(blocks);
                m_perLine = blocks;
            }
        }
        // Lines of equal length, where that costs little.
        for (int blocks = m_blocks; blocks >= 1; --blocks) {
            if (m_blocks % blocks == 0 && sideOf(blocks) > kGridEvenWorth * best) {
                m_perLine = blocks;
                return;
            }
        }
    }

    [[nodiscard]] double budget() const {
        return m_style.height > 0.0 ? m_area.height : kWantedGridHeight * m_area.width;
    }

    void placeRows() {
        m_gap = gapFor(m_perLine);
        m_cellWidth = std::min(widthFor(m_perLine), kWidestCell * m_texts.widthFor(Level::Full));
        const int lines = linesOf(m_perLine);
        const double rows = double{1} * m_degrees.pipeline * lines;
        m_stageGap = lines > 1 ? m_canvas.gap() : 0.0;
        const double gaps = m_stageGap * (m_degrees.pipeline - 1);
        const double most = kTallestCell * std::max(m_cellWidth, m_texts.heightFor(Level::Rank));
        const double free = std::max(budget() - gaps, 0.0) / rows;
        const double wanted = std::max(kLeast * m_canvas.theme.lineWidth,
            std::min({most, m_texts.heightFor(Level::Full), free}));
        m_diagram.preferredHeight = m_area.y + wanted * rows + gaps + m_canvas.gap();
        m_cellHeight = m_style.height > 0.0 ? std::min(free, most) : wanted;
        m_diagram.scene.height = m_style.height > 0.0 ? m_style.height : m_diagram.preferredHeight;
    }

    [[nodiscard]] Point cornerOf(int stage, int block, int tensor) const {
        const int line = block / m_perLine;
        const int column = block % m_perLine;
        return {m_area.x + (column * m_degrees.tensor + tensor) * m_cellWidth + column * m_gap,
            m_area.y + (stage * linesOf(m_perLine) + line) * m_cellHeight + stage * m_stageGap};
    }

    // Between cells.
    static double airOf(double side) { return side > 6.0 ? 1.0 : side > 4.0 ? 0.5 : 0.2; }

    [[nodiscard]] Rect cellOf(int rank) const {
        const auto at = m_grid.position(rank);
        const Point corner
            = cornerOf(at.pipeline, at.data * m_degrees.context + at.context, at.tensor);
        return {corner.x, corner.y, std::max(0.0, m_cellWidth - airOf(m_cellWidth)),
            std::max(0.0, m_cellHeight - airOf(m_cellHeight))};
    }

    void addStageNames() const {
        const int lines = linesOf(m_perLine);
        const double size = m_canvas.size();
        const bool isByLine = lines > 1 && m_cellHeight >= size;
        const double height = m_cellHeight * lines + m_stageGap;
        const int every = static_cast<int>(labelStep(size, height));
        for (int stage = 0; stage < m_degrees.pipeline; stage += every) {
            for (int line = 0; line < (isByLine ? lines : 1); ++line) {
                const double extent = isByLine || every > 1 ? m_cellHeight : m_cellHeight * lines;
                const double middle = cornerOf(stage, line * m_perLine, 0).y + extent / 2.0;
                m_canvas.note({m_area.x - m_canvas.gap(), m_canvas.centred(middle)},
                    isByLine ? lineName(stage, line * m_perLine, line == 0) : stageName(stage),
                    Align::Right);
            }
        }
    }

    void addBlockNames() const {
        if (m_blocks == 1 || m_perLine < m_blocks)
            return;
        const double block = m_cellWidth * m_degrees.tensor + m_gap;
        double widest = 0.0;
        for (int at = 0; at < m_blocks; ++at)
            widest = std::max(widest, m_canvas.width(blockName(at)));
        const int every = static_cast<int>(labelStep(widest, block));
        for (int at = 0; at < m_blocks; at += every)
            m_canvas.note({cornerOf(0, at, 0).x, m_area.y - m_canvas.gap()}, blockName(at));
    }

    [[nodiscard]] std::string blockName(int block) const {
        if (m_degrees.context == 1)
            return fmt::format("dp {}", block);
        return fmt::format("dp {} cp {}", block / m_degrees.context, block % m_degrees.context);
    }

    const RankGridData& m_data;
    const layout::RankGrid& m_grid;
    const layout::Degrees& m_degrees;
    const FigureStyle& m_style;
    RankDiagram m_diagram;
    Canvas m_canvas;
    int m_blocks = 1;
    CellTexts m_texts;
    Rect m_area;
    int m_perLine = 1;
    double m_gap = 0.0;
    double m_stageGap = 0.0;
    double m_cellWidth = 0.0;
    double m_cellHeight = 0.0;
};

} // namespace

RankDiagram buildRankGrid(const RankGridData& data, const FigureStyle& style) {
    return Grid(data, style).build();
}

} // namespace trainscope::plot
