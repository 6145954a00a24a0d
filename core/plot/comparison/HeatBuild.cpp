// A heat map of all runs on one scale: a row for each, its GPUs beside each other by node, in each
// node in the order of the air.
#include "core/plot/comparison/ComparisonFrame.h"

#include <memory>
#include <utility>

namespace trainscope::plot {

namespace {

constexpr double kMostName = 0.3; // share of the width

class HeatPanel : public PanelContent {
public:
    HeatPanel(const ComparisonFrame& frame, double width)
        : m_frame(frame)
        , m_heat(*frame.data.heat) {
        const auto names = frame.markedNames(kMostName * width);
        for (const auto& row : map().rows)
            m_names.push_back(names[row.run]);
    }

    [[nodiscard]] double height() const override { return heatmapHeight(m_frame, map()); }

    void draw(Rect area) const override {
        drawHeatmap(m_frame, m_heat, map(), {m_names, m_frame.paper()}, area);
        Target& cells = m_frame.picture.targets.back();
        cells.tell = [tell = std::move(cells.tell), &runs = m_frame.data.runs, &rows = map().rows](
                         Hit& hit, const Spot& spot) {
            hit.range = runs[rows[spot.row].run].stretch;
            tell(hit, spot);
        };
    }

private:
    [[nodiscard]] const FigureHeatmap& map() const { return m_heat.heatmaps.front(); }

    const ComparisonFrame& m_frame;
    const FigureData& m_heat;
    std::vector<std::string> m_names; // by row
};

} // namespace

MadeContent heatContent(const ComparisonFrame& frame, double width) {
    return std::make_unique<HeatPanel>(frame, width);
}

} // namespace trainscope::plot
