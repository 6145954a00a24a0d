// Heat maps of all runs on one scale: nodes as rows, their GPUs in the order of the air.
#include "core/plot/Palette.h"
#include "core/plot/comparison/ComparisonFrame.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace trainscope::plot {

namespace {

constexpr double kLargestCell = 1.7; // in sizes of the small text
constexpr double kWantedRows = 14.0; // rows of the largest cells

class HeatBlocks : public PanelContent {
public:
    HeatBlocks(const ComparisonFrame& frame, double width)
        : m_frame(frame)
        , m_heat(*frame.data.heat)
        , m_width(width) {
        for (const auto& run : m_heat.runs) {
            for (const int node : run.nodes)
                m_names = std::max(m_names, frame.width(fmt::format("{}", node)));
        }
        m_names += frame.gap();
        // The largest cells with which all runs stand beside each other.
        const double largest = kLargestCell * frame.size();
        const double room = kWantedRows * largest;
        for (m_cell = largest; m_cell > 1.5 && blocksWidth(room) > width; m_cell -= 0.5) { }
        m_perColumn = rowsWithin(room);
        measureHeads();
    }

    [[nodiscard]] double height() const override {
        int most = 1;
        for (const auto& run : m_heat.runs)
            most = std::max(most, std::min(run.rows, m_perColumn));
        return scaleHeight() + m_frame.lineHeight() + m_frame.gap() + most * m_cell + m_frame.gap()
            + m_frame.lineHeight();
    }

    void draw(Rect area) const override {
        drawScale(area);
        double x = area.x;
        const double top = area.y + scaleHeight();
        double below = top;
        for (std::size_t run = 0; run < m_heat.runs.size(); ++run) {
            if (m_heat.runs[run].cells.empty())
                continue;
            drawRun(run, {x, top});
            x += std::max(widthOf(m_heat.runs[run], m_perColumn) + between(), headWidth(run));
            below = std::max(below,
                top + m_frame.lineHeight() + m_frame.gap()
                    + std::min(m_heat.runs[run].rows, m_perColumn) * m_cell);
        }
        const std::string order = m_heat.isAirflowKnown ? "columns front → rear"
            : m_heat.isAirflowInferred ? "columns front → rear, inferred from temperatures"
                                       : "columns front → rear, by local index";
        m_frame.text({area.x + m_names, below + m_frame.lineHeight()},
            m_frame.fitted(order, area.width - m_names), m_frame.theme.textMuted);
    }

private:
    [[nodiscard]] double between() const { return 5.0 * m_frame.gap(); }
    [[nodiscard]] double scaleHeight() const { return colorBarHeight(m_frame); }
    [[nodiscard]] int rowsWithin(double room) const {
        return std::max(1, static_cast<int>(room / m_cell + 1e-9));
    }
    // Nodes that do not fit below each other stand in further columns, each with its names.
    [[nodiscard]] double widthOf(const ComparisonHeat::OfRun& run, int perColumn) const {
        const int columns = (run.rows + perColumn - 1) / perColumn;
        return columns * (m_names + run.slots * m_cell + m_frame.gap());
    }
    [[nodiscard]] double blocksWidth(double room) const {
        double width = 0.0;
        for (const auto& run : m_heat.runs) {
            if (!run.cells.empty())
                width += widthOf(run, rowsWithin(room)) + (width > 0.0 ? between() : 0.0);
        }
        return width;
    }

    [[nodiscard]] double headWidth(std::size_t run) const {
        return m_names + m_frame.width(m_heads[run], TextRole::Small, true);
    }
    // Width that the cells leave is shared among the heads that need more than theirs.
    void measureHeads() {
        double spare = m_width;
        double needy = 0.0;
        double least = m_width;
        m_heads = m_frame.markedNames(m_width - m_names, true);
        for (std::size_t run = 0; run < m_heads.size(); ++run) {
            if (m_heat.runs[run].cells.empty())
                continue;
            const double cells = widthOf(m_heat.runs[run], m_perColumn) + between();
            spare -= cells;
            needy += headWidth(run) > cells ? 1.0 : 0.0;
            least = std::min(least, cells);
        }
        if (needy > 0.0)
            m_heads = m_frame.markedNames(
                least + std::max(spare + between(), 0.0) / needy - m_names, true);
    }

    void drawScale(Rect area) const {
        drawColorBar(
            m_frame, m_heat.scale, scaleColors(m_heat.scale), {area.x, area.y, m_width, 0.0});
    }

    void drawRun(std::size_t index, Point at) const {
        const auto& run = m_heat.runs[index];
        m_frame.text({at.x + m_names, at.y + m_frame.size()}, m_heads[index], m_frame.inkOf(index),
            TextRole::Small, Align::Left, true);
        at.y += m_frame.lineHeight() + m_frame.gap();
        drawNodes(run, at);
        const double hair = m_cell > 5.0 ? m_frame.theme.lineWidth : 0.0;
        for (std::size_t i = 0; i < run.cells.size(); ++i) {
            const auto& cell = run.cells[i];
            const Rect rect = cellRect(run, cell, at);
            const Rect inner{rect.x, rect.y, rect.width - hair, rect.height - hair};
            if (cell.value)
                m_frame.fill(inner, scaleColor(m_heat.scale, *cell.value));
            else
                m_frame.hatch(inner, m_frame.theme.gap);
            m_frame.addHeat(rect, i, index);
        }
    }

    [[nodiscard]] double columnX(const ComparisonHeat::OfRun& run, int row, double left) const {
        const int column = row / m_perColumn;
        return left + column * (m_names + run.slots * m_cell + m_frame.gap());
    }
    [[nodiscard]] Rect cellRect(
        const ComparisonHeat::OfRun& run, const ComparisonHeat::Cell& cell, Point at) const {
        return {columnX(run, cell.row, at.x) + m_names + cell.slot * m_cell,
            at.y + (cell.row % m_perColumn) * m_cell, m_cell, m_cell};
    }

    // Numbers of nodes, as many as fit, and a line between nodes where cells touch.
    void drawNodes(const ComparisonHeat::OfRun& run, Point at) const {
        const auto step = static_cast<int>(labelStep(0.85 * m_frame.size(), m_cell));
        for (int row = 0; row < run.rows; ++row) {
            if ((row % m_perColumn) % step != 0)
                continue;
            const double y = at.y + ((row % m_perColumn) + 0.5) * m_cell;
            m_frame.note({columnX(run, row, at.x) + m_names - m_frame.gap(), m_frame.centred(y)},
                fmt::format("{}", run.nodes[static_cast<std::size_t>(row)]), Align::Right);
        }
    }

    const ComparisonFrame& m_frame;
    const ComparisonHeat& m_heat;
    double m_width;
    std::vector<std::string> m_heads; // by run
    double m_names = 0.0;
    double m_cell = 0.0;
    int m_perColumn = 1;
};

} // namespace

MadeContent heatContent(const ComparisonFrame& frame, double width) {
    return std::make_unique<HeatBlocks>(frame, width);
}

} // namespace trainscope::plot
