#include "core/plot/figures/CategoryAxis.h"
#include "core/plot/figures/ChartStyle.h"
#include "core/plot/figures/PanelBuild.h"

#include <algorithm>

namespace trainscope::plot {

namespace {

constexpr double kStackedPlot = 7.0; // lines of small text that a plot area wants
constexpr double kSinglePlot = 14.0;
constexpr std::size_t kLeastCategories = 8; // least width of a panel, for its title

double lineOf(const Canvas& canvas) {
    return canvas.lineHeight();
}

double wantedPlot(const Canvas& canvas, const FigureData& data) {
    const bool single = data.sideBySide || data.panels.size() == 1;
    return (single ? kSinglePlot : kStackedPlot) * lineOf(canvas);
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

// Panels beside each other, each with its own categories; the values' axis is the same.
class BesideLayout {
public:
    // `height` of the plot areas, about.
    BesideLayout(const Canvas& canvas, const FigureData& data, double width, double height)
        : m_margins(commonMargins(canvas, data, height)) {
        std::size_t categories = 0;
        for (const auto& panel : data.panels)
            categories += std::max(panel.categories.size(), kLeastCategories);
        const auto count = static_cast<double>(data.panels.size());
        const double room = std::max(
            width - count * (m_margins.left + m_margins.right + 2.0 * canvas.gap()), 1.0);
        for (const auto& panel : data.panels) {
            m_widths.push_back(room
                * static_cast<double>(std::max(panel.categories.size(), kLeastCategories))
                / static_cast<double>(categories));
            m_axes.emplace_back(canvas, panel.categories, m_widths.back());
            m_axisHeight = std::max(m_axisHeight, m_axes.back().height());
        }
    }
    [[nodiscard]] double axisHeight() const { return m_axisHeight; }
    // Height of the plot areas in so much room, without the name of the values.
    [[nodiscard]] double plotHeight(const Canvas& canvas, double height) const {
        return std::max(height - m_axisHeight - panelHead(canvas) - lineOf(canvas),
            kLeastPlot * lineOf(canvas));
    }

    void draw(const Sheet& sheet, const FigureData& data, Rect area) {
        const double name = lineOf(sheet);
        sheet.heading({area.x, area.y + sheet.size()}, axisTitle(data.panels.front().left),
            area.width, TextRole::Small);
        area.y += name;
        area.height -= name;
        const double plot = plotHeight(sheet, area.height);
        double x = area.x;
        for (std::size_t i = 0; i < data.panels.size(); ++i) {
            x += m_margins.left;
            const Rect rect{x, area.y + panelHead(sheet), m_widths[i], plot};
            drawPanel(sheet, data, data.panels[i], rect);
            m_axes[i].draw(x, rect.bottom());
            sheet.note({x + m_widths[i] / 2.0, rect.bottom() + m_axisHeight + 0.85 * name},
                axisName(data.panels[i]), Align::Centre);
            x += m_widths[i] + m_margins.right + 2.0 * sheet.gap();
        }
    }

private:
    static std::string axisName(const FigurePanel& panel) {
        const bool isStage = !panel.categories.empty() && panel.categories.front().stage;
        return isStage ? "pipeline stage" : "rank";
    }

    PanelMargins m_margins;
    std::vector<double> m_widths;
    std::vector<CategoryAxis> m_axes;
    double m_axisHeight = 0.0;
};

} // namespace

double panelsHeight(const Canvas& canvas, const FigureData& data, double width) {
    const double legend = drawChartLegend(canvas, data, {0.0, 0.0}, width, false);
    const double plot = wantedPlot(canvas, data);
    if (data.sideBySide)
        return legend + panelHead(canvas) + plot + 2.0 * lineOf(canvas)
            + BesideLayout(canvas, data, width, plot).axisHeight();
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
    if (!data.sideBySide)
        return drawStacked(sheet, data, area);
    const BesideLayout wanted(sheet, data, area.width, wantedPlot(sheet, data));
    const double plot = wanted.plotHeight(sheet, area.height - lineOf(sheet));
    BesideLayout(sheet, data, area.width, plot).draw(sheet, data, area);
}

} // namespace trainscope::plot
