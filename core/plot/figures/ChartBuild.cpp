#include "core/plot/figures/CategoryAxis.h"
#include "core/plot/figures/ChartStyle.h"
#include "core/plot/figures/PanelBuild.h"

#include <algorithm>

namespace trainscope::plot {

namespace {

constexpr double kStackedPlot = 7.0; // lines of small text that a plot area wants
constexpr double kSinglePlot = 14.0;

double lineOf(const Canvas& canvas) {
    return canvas.lineHeight();
}

double wantedPlot(const Canvas& canvas, const FigureData& data) {
    return (data.panels.size() == 1 ? kSinglePlot : kStackedPlot) * lineOf(canvas);
}

// The widest margins of all panels, so that their plot areas begin and end in line.
PanelMargins commonMargins(const Canvas& canvas, const FigureData& data, double height) {
    PanelMargins widest;
    for (const auto& panel : data.panels) {
        const auto margins = marginsOf(canvas, panel, height);
        widest.left = std::max(widest.left, margins.left);
        widest.right = std::max(widest.right, margins.right);
    }
    return widest;
}

// The height of each plot area of panels below each other.
double stackedPlot(
    const Canvas& canvas, const FigureData& data, Rect area, const PanelMargins& margins) {
    const auto count = static_cast<double>(data.panels.size());
    const CategoryAxis axis(canvas, data.panels.front().categories,
        std::max(area.width - margins.left - margins.right, 1.0));
    const double heads = count * panelHead(canvas);
    return std::max(
        (area.height - axis.height() - heads) / count - canvas.gap(), kLeastPlot * lineOf(canvas));
}

// Higher plot areas have more ticks, whose labels may be wider, and wider labels make the axis of
// categories higher.
PanelMargins stackMargins(const Canvas& canvas, const FigureData& data, Rect area) {
    const auto at = [&](const PanelMargins& margins) {
        return commonMargins(canvas, data, stackedPlot(canvas, data, area, margins));
    };
    const PanelMargins first = at(commonMargins(canvas, data, wantedPlot(canvas, data)));
    const PanelMargins second = at(first);
    return {std::max(first.left, second.left), std::max(first.right, second.right)};
}

// Panels below each other with one axis of categories under the last.
void drawStacked(const Sheet& sheet, const FigureData& data, Rect area) {
    const PanelMargins margins = stackMargins(sheet, data, area);
    const double width = std::max(area.width - margins.left - margins.right, 1.0);
    const CategoryAxis axis(sheet, data.panels.front().categories, width);
    const double plot = stackedPlot(sheet, data, area, margins);
    double y = area.y;
    for (std::size_t i = 0; i < data.panels.size(); ++i) {
        y += panelHead(sheet);
        drawPanel(sheet, data, data.panels[i], {area.x + margins.left, y, width, plot});
        y += plot + sheet.gap();
    }
    axis.draw(area.x + margins.left, y - sheet.gap());
}

} // namespace

double panelsHeight(const Canvas& canvas, const FigureData& data, double width) {
    const double legend = drawChartLegend(canvas, data, {0.0, 0.0}, width, false);
    const double plot = wantedPlot(canvas, data);
    const auto count = static_cast<double>(data.panels.size());
    const auto margins = commonMargins(canvas, data, plot);
    const CategoryAxis axis(canvas, data.panels.front().categories,
        std::max(width - margins.left - margins.right, 1.0));
    return legend + count * (panelHead(canvas) + plot + canvas.gap()) + axis.height();
}

void drawPanels(const Sheet& sheet, const FigureData& data, Rect area) {
    const double legend = drawChartLegend(sheet, data, {area.x, area.y}, area.width, true);
    area.y += legend;
    area.height = std::max(area.height - legend, 1.0);
    drawStacked(sheet, data, area);
}

} // namespace trainscope::plot
