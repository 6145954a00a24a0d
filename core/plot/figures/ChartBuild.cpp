#include "core/plot/TextFit.h"
#include "core/plot/figures/CategoryAxis.h"
#include "core/plot/figures/ChartStyle.h"
#include "core/plot/figures/PanelBuild.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainscope::plot {

namespace {

constexpr double kStackedPlot = 7.0; // lines of small text that a plot area wants
constexpr double kSinglePlot = 14.0;
constexpr std::size_t kLeastCategories = 8; // whose width a panel gets, for its title

double lineOf(const FigureFrame& frame) {
    return frame.lineHeight(TextRole::Small);
}

double wantedPlot(const FigureFrame& frame, const FigureData& data) {
    const bool single = data.sideBySide || data.panels.size() == 1;
    return (single ? kSinglePlot : kStackedPlot) * lineOf(frame);
}

// Of all panels, so that their plot areas begin and end in line.
PanelMargins commonMargins(const FigureFrame& frame, const FigureData& data, double height) {
    PanelMargins widest;
    for (const auto& panel : data.panels) {
        const auto margins = marginsOf(frame, panel, height);
        widest.left = std::max(widest.left, margins.left);
        widest.right = std::max(widest.right, margins.right);
    }
    return widest;
}

// Panels below each other with one axis of categories under the last.
void drawStacked(
    const FigureFrame& frame, const FigureData& data, Rect area, FigureGeometry& geometry) {
    const auto count = static_cast<double>(data.panels.size());
    PanelMargins margins = commonMargins(frame, data, wantedPlot(frame, data));
    const double width = std::max(area.width - margins.left - margins.right, 1.0);
    const CategoryAxis axis(frame, data.panels.front().categories, width);
    const double heads = count * panelHead(frame);
    const double plot = std::max(
        (area.height - axis.height() - heads) / count - frame.gap(), kLeastPlot * lineOf(frame));
    double y = area.y;
    for (std::size_t i = 0; i < data.panels.size(); ++i) {
        y += panelHead(frame);
        drawPanel(frame, data.panels[i], i, {area.x + margins.left, y, width, plot}, geometry);
        y += plot + frame.gap();
    }
    axis.draw(area.x + margins.left, y - frame.gap());
}

// Panels beside each other, each with its own categories; the values' axis is the same.
class BesideLayout {
public:
    BesideLayout(const FigureFrame& frame, const FigureData& data, double width)
        : m_margins(commonMargins(frame, data, wantedPlot(frame, data))) {
        std::size_t categories = 0;
        for (const auto& panel : data.panels)
            categories += std::max(panel.categories.size(), kLeastCategories);
        const auto count = static_cast<double>(data.panels.size());
        const double room
            = std::max(width - count * (m_margins.left + m_margins.right + 2.0 * frame.gap()), 1.0);
        for (const auto& panel : data.panels) {
            m_widths.push_back(room
                * static_cast<double>(std::max(panel.categories.size(), kLeastCategories))
                / static_cast<double>(categories));
            m_axes.emplace_back(frame, panel.categories, m_widths.back());
            m_axisHeight = std::max(m_axisHeight, m_axes.back().height());
        }
    }
    [[nodiscard]] double axisHeight() const { return m_axisHeight; }

    void draw(
        const FigureFrame& frame, const FigureData& data, Rect area, FigureGeometry& geometry) {
        const double name = lineOf(frame);
        frame.text({area.x, area.y + frame.size(TextRole::Small)},
            elided(axisTitle(data.panels.front().left), area.width, frame.style.measure,
                TextRole::Small, true),
            frame.theme.text, TextRole::Small, Align::Left, true);
        area.y += name;
        area.height -= name;
        const double plot = std::max(
            area.height - m_axisHeight - panelHead(frame) - name, kLeastPlot * lineOf(frame));
        double x = area.x;
        for (std::size_t i = 0; i < data.panels.size(); ++i) {
            x += m_margins.left;
            const Rect rect{x, area.y + panelHead(frame), m_widths[i], plot};
            drawPanel(frame, data.panels[i], i, rect, geometry);
            m_axes[i].draw(x, rect.bottom());
            frame.text({x + m_widths[i] / 2.0, rect.bottom() + m_axisHeight + 0.85 * name},
                axisName(data.panels[i]), frame.theme.textSecondary, TextRole::Small,
                Align::Centre);
            x += m_widths[i] + m_margins.right + 2.0 * frame.gap();
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

double panelsHeight(const FigureFrame& frame, const FigureData& data, double width) {
    const double legend = drawChartLegend(frame, data, {0.0, 0.0}, width, false);
    const double plot = wantedPlot(frame, data);
    if (data.sideBySide)
        return legend + panelHead(frame) + plot + 2.0 * lineOf(frame)
            + BesideLayout(frame, data, width).axisHeight();
    const auto count = static_cast<double>(data.panels.size());
    const auto margins = commonMargins(frame, data, plot);
    const CategoryAxis axis(
        frame, data.panels.front().categories, std::max(width - margins.left - margins.right, 1.0));
    return legend + count * (panelHead(frame) + plot + frame.gap()) + axis.height();
}

void drawPanels(
    const FigureFrame& frame, const FigureData& data, Rect area, FigureGeometry& geometry) {
    const double legend = drawChartLegend(frame, data, {area.x, area.y}, area.width, true);
    area.y += legend;
    area.height = std::max(area.height - legend, 1.0);
    if (data.sideBySide)
        BesideLayout(frame, data, area.width).draw(frame, data, area, geometry);
    else
        drawStacked(frame, data, area, geometry);
}

std::optional<FigureHit> hitPanel(
    const FigureData& data, const FigureGeometry& geometry, Point at) {
    // What was drawn last lies on top.
    for (std::size_t i = geometry.targets.size(); i > 0; --i) {
        const auto* target = &geometry.targets[i - 1];
        const Rect& rect = target->rect;
        const bool inside
            = at.x >= rect.x && at.x < rect.right() && at.y >= rect.y && at.y < rect.bottom();
        if (!inside || target->panel >= data.panels.size())
            continue;
        const FigurePanel& panel = data.panels[target->panel];
        const FigureSet& set = panel.sets[target->set];
        const FigureCategory& category = panel.categories[target->category];
        const FigureAxis& axis
            = set.role == SetRole::Efficiency && panel.right ? *panel.right : panel.left;
        FigureHit hit;
        hit.outline = rect;
        hit.rank = category.rank;
        hit.stage = category.stage;
        if (category.run) {
            hit.run = data.runs[*category.run].id;
            hit.title = data.runs[*category.run].name;
        }
        if (category.stage)
            hit.title += fmt::format(" · stage {}", *category.stage);
        if (category.rank)
            hit.title += fmt::format(" · rank {}", *category.rank);
        const bool isStack = set.role == SetRole::KernelCategory;
        hit.facts.emplace_back(isStack || set.role == SetRole::Single
                ? (isStack ? set.name : axis.title)
                : fmt::format("{}, {}", axis.title, set.name),
            axis.metric.empty() && axis.siUnit == "1" && axis.unit.scale == 100.0
                ? fmt::format("{:.1f} %", set.values[target->category].value_or(0.0) * 100.0)
                : valueText(axis, set.values[target->category])
                    + (axis.siUnit == "1" && !axis.unit.unit.empty() ? " " + axis.unit.unit : ""));
        return hit;
    }
    return std::nullopt;
}

} // namespace trainscope::plot
