// Heat maps of many runs on one scale: a row for each run, its GPUs beside each other by node, in
// each node in the order of the air.
#include "core/plot/comparison/ComparisonFrame.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::plot {

namespace {

constexpr double kMostName = 0.3; // share of the width
constexpr double kMostCell = 1.6; // in sizes of the small text
constexpr double kLeastHeatCell = 1.5; // scene units; below, a cell is a node

class HeatRows : public PanelContent {
public:
    HeatRows(const ComparisonFrame& frame, double width)
        : m_frame(frame)
        , m_heat(*frame.data.heat) {
        std::size_t most = 1;
        for (std::size_t run = 0; run < m_heat.runs.size(); ++run) {
            if (m_heat.runs[run].cells.empty())
                continue;
            m_rows.push_back(run);
            most = std::max(most, countOf(m_heat.runs[run]));
        }
        m_labels = frame.markedNames(kMostName * width);
        for (const std::size_t run : m_rows)
            m_names = std::max(m_names, frame.width(m_labels[run]));
        m_names += 2.0 * frame.gap();
        const double room = std::max(width - m_names, 1.0);
        m_byNode = room / static_cast<double>(most) < kLeastHeatCell;
        if (m_byNode) {
            most = 1;
            for (const std::size_t run : m_rows)
                most = std::max(most, m_heat.runs[run].nodes.size());
        }
        m_cell = std::min(kMostCell * small(), room / static_cast<double>(most));
    }

    [[nodiscard]] double height() const override {
        return colorBarHeight(m_frame) + static_cast<double>(m_rows.size()) * row()
            + m_frame.lineHeight() + m_frame.gap();
    }

    void draw(Rect area) const override {
        drawColorBar(m_frame, m_heat.scale, scaleColors(m_heat.scale), area);
        double y = area.y + colorBarHeight(m_frame);
        for (const std::size_t run : m_rows) {
            drawRun(run, {area.x, y, area.width, row() - 0.25 * small()});
            y += row();
        }
        const std::string places = m_byNode ? "a cell is a node: the mean of its GPUs"
            : m_heat.isAirflowKnown         ? "in each node front → rear"
            : m_heat.isAirflowInferred ? "in each node front → rear, inferred from temperatures"
                                       : "in each node front → rear, by local index";
        m_frame.text({area.x + m_names, y + small()}, m_frame.fitted(places, area.width - m_names),
            m_frame.theme.textMuted);
    }

private:
    [[nodiscard]] double small() const { return m_frame.size(); }
    [[nodiscard]] double row() const { return 1.5 * small(); }
    static std::size_t countOf(const ComparisonHeat::OfRun& run) {
        return static_cast<std::size_t>(run.rows) * static_cast<std::size_t>(run.slots);
    }

    void drawRun(std::size_t index, Rect rect) const {
        const auto& run = m_heat.runs[index];
        m_frame.text({rect.x, m_frame.centred(rect)}, m_labels[index], m_frame.theme.text);
        const Point left{rect.x + m_names, rect.y};
        if (m_byNode)
            drawNodes(run, index, left, rect.height);
        else
            drawGpus(run, index, left, rect.height);
    }

    void drawGpus(
        const ComparisonHeat::OfRun& run, std::size_t index, Point at, double high) const {
        HeatStrip strip{{at.x, at.y, m_cell * static_cast<double>(countOf(run)), high}, 1,
            static_cast<int>(countOf(run)), {}};
        strip.cells.resize(countOf(run), Color{0, 0, 0, 0});
        for (std::size_t i = 0; i < run.cells.size(); ++i) {
            const auto& cell = run.cells[i];
            const auto place
                = static_cast<std::size_t>(cell.row) * static_cast<std::size_t>(run.slots)
                + static_cast<std::size_t>(cell.slot);
            const Rect rect{at.x + m_cell * static_cast<double>(place), at.y, m_cell, high};
            if (cell.value)
                strip.cells[place] = scaleColor(m_heat.scale, *cell.value);
            else
                m_frame.hatch(rect, m_frame.theme.gap);
            m_frame.addHeat(rect, i, index);
        }
        m_frame.scene.items.emplace_back(std::move(strip));
        if (run.slots * m_cell < 4.0 * m_frame.theme.lineWidth)
            return;
        for (int node = 1; node < run.rows; ++node) {
            const double x = at.x + node * run.slots * m_cell;
            m_frame.line(
                {x, at.y}, {x, at.y + high}, m_frame.paper(), 1.5 * m_frame.theme.lineWidth);
        }
    }

    // Means of their GPUs.
    void drawNodes(
        const ComparisonHeat::OfRun& run, std::size_t index, Point at, double high) const {
        std::vector<std::pair<double, int>> sums(run.nodes.size());
        std::vector<std::size_t> firsts(run.nodes.size(), run.cells.size());
        for (std::size_t i = 0; i < run.cells.size(); ++i) {
            const auto row = static_cast<std::size_t>(run.cells[i].row);
            firsts[row] = std::min(firsts[row], i);
            if (run.cells[i].value) {
                sums[row].first += *run.cells[i].value;
                ++sums[row].second;
            }
        }
        HeatStrip strip{{at.x, at.y, m_cell * static_cast<double>(sums.size()), high}, 1,
            static_cast<int>(sums.size()), {}};
        for (std::size_t row = 0; row < sums.size(); ++row) {
            const auto& [sum, count] = sums[row];
            strip.cells.push_back(
                count > 0 ? scaleColor(m_heat.scale, sum / count) : Color{0, 0, 0, 0});
            if (firsts[row] < run.cells.size())
                m_frame.addHeat({at.x + m_cell * static_cast<double>(row), at.y, m_cell, high},
                    firsts[row], index);
        }
        m_frame.scene.items.emplace_back(std::move(strip));
    }

    const ComparisonFrame& m_frame;
    const ComparisonHeat& m_heat;
    std::vector<std::size_t> m_rows; // runs that have values
    std::vector<std::string> m_labels; // by run
    double m_names = 0.0;
    double m_cell = 0.0;
    bool m_byNode = false;
};

} // namespace

MadeContent heatRowsContent(const ComparisonFrame& frame, double width) {
    return std::make_unique<HeatRows>(frame, width);
}

} // namespace trainscope::plot
