#include "app/viewmodels/layout/LayoutDiagrams.h"

#include "app/painting/ScenePainter.h"
#include "app/viewmodels/window/Theme.h"
#include "core/plot/layout/DiagramLegend.h"
#include "core/plot/layout/PhysicalDiagram.h"
#include "core/plot/layout/RankGridDiagram.h"

#include <algorithm>
#include <cmath>

namespace trainscope::app {
namespace {

template <typename ChartHit>
std::optional<LayoutDiagrams::Hit> hitOf(const std::optional<ChartHit>& hit) {
    if (!hit)
        return std::nullopt;
    QStringList lines;
    for (const auto& [label, text] : hit->facts)
        lines.append(QStringLiteral("%1  %2").arg(
            QString::fromStdString(label), QString::fromStdString(text)));
    return LayoutDiagrams::Hit{hit->rank, std::nullopt, toQt(hit->outline),
        {QString::fromStdString(hit->title), lines.join(QLatin1Char('\n'))}};
}

} // namespace

LayoutDiagrams::LayoutDiagrams(
    const LayoutContext& context, const LayoutSchedule& schedule, QObject* parent)
    : QObject(parent)
    , m_context(context)
    , m_schedule(schedule) { }

void LayoutDiagrams::layOut(Part part, const plot::DiagramStyle& style) {
    auto& diagram = m_parts[static_cast<std::size_t>(part)];
    diagram = {};
    diagram.scene = {style.width, 0.0, style.theme->window, {}};
    if (!m_context.reading || style.width <= 0.0)
        return;
    const auto& figure = m_context.reading->figure;
    const auto* layout = m_context.layout();
    if (part == Physical) {
        diagram = plot::buildPhysical(
            {&figure.cluster, layout, m_context.colours, figure.nodes, figure.edges}, style);
    } else if (part == Legend) {
        layOutLegend(style, diagram.scene);
    } else if (part == Logical && layout != nullptr) {
        diagram = plot::buildRankGrid({layout, m_context.colours}, style);
    } else if (part == Schedule && m_schedule.isShown()) {
        m_shownSchedule = m_schedule.part(m_context.settings.wholeStep);
        m_scheduleChart = plot::buildScheduleFigure(m_shownSchedule, style);
        diagram.scene = m_scheduleChart.scene;
    } else if (part == Placed && m_context.isPlacementShown) {
        m_placementChart = plot::buildPlacementFigure(m_context.placement, style);
        diagram.scene = m_placementChart.scene;
    }
    Q_EMIT laidOut();
    Q_EMIT marksChanged();
}

void LayoutDiagrams::layOutLegend(const plot::DiagramStyle& style, plot::PlotScene& scene) const {
    const auto& figure = m_context.reading->figure;
    plot::DiagramLegend legend{&m_context.colours, m_context.layout(), {}, {}, {}};
    if (figure.layout) {
        // Every rank has the same kinds of groups.
        for (const auto& group : plot::litGroups(*figure.layout, 0, m_context.settings.lit))
            legend.groups.emplace_back(layout::toString(group.kind));
    }
    auto& lines = legend.lines;
    for (const auto& edge : figure.edges) {
        if (std::find(lines.begin(), lines.end(), edge.group) == lines.end())
            lines.push_back(edge.group);
    }
    const plot::Canvas canvas{*style.theme, style.measure, scene};
    scene.height = plot::legendHeight(canvas, legend, style.width);
    plot::drawLegend(canvas, legend, {0.0, 0.0, style.width, scene.height});
}

plot::PlotScene LayoutDiagrams::marks(Part part, const plot::Theme& theme) const {
    const auto& shown = diagram(part);
    plot::PlotScene scene{shown.scene.width, shown.scene.height, plot::Color{0, 0, 0, 0}, {}};
    const auto rank = m_context.hoverRank ? m_context.hoverRank : m_context.rank;
    if (!m_context.reading || shown.cells.empty() || !rank)
        return scene;
    const auto* layout = m_context.layout();
    std::vector<plot::LitGroup> groups;
    if (layout != nullptr && *rank < layout->grid.worldSize())
        groups = plot::litGroups(*layout, *rank, m_context.settings.lit);
    scene.items = plot::groupOutlines(shown, groups, m_context.rank ? m_context.rank : rank, theme);
    return scene;
}

void LayoutDiagrams::recolour() {
    if (!m_context.reading)
        return;
    for (const Part part : {Physical, Logical}) {
        auto& diagram = m_parts[static_cast<std::size_t>(part)];
        if (!diagram.items.empty())
            plot::recolour(
                diagram, m_context.colours, m_context.layout(), Theme::instance()->plotTheme());
    }
    Q_EMIT recoloured();
}

std::optional<LayoutDiagrams::Hit> LayoutDiagrams::hitAt(Part part, double x, double y) const {
    if (!m_context.reading)
        return std::nullopt;
    if (part == Schedule)
        return hitOf(plot::hitSchedule(m_shownSchedule, m_scheduleChart, x, y));
    if (part == Placed)
        return hitOf(plot::hitPlacement(m_context.placement, m_placementChart, x, y));
    if (const auto rank = plot::rankAt(diagram(part), x, y)) {
        const auto& cells = diagram(part).cells;
        const auto at = static_cast<std::size_t>(*rank);
        return Hit{rank, std::nullopt, at < cells.size() ? toQt(cells[at]) : QRectF(), {}};
    }
    if (part == Physical) {
        if (const auto edge = plot::edgeAt(diagram(Physical), x, y))
            return Hit{std::nullopt, edge, {x, y, 1.0, 1.0}, {}};
    }
    return std::nullopt;
}

// The nearest cell in that direction; those beside it in line come first.
std::optional<int> LayoutDiagrams::neighbour(int columns, int rows) const {
    constexpr double kAcross = 3.0;
    const auto& cells = diagram(Physical).cells;
    const bool hasStart
        = m_context.rank && static_cast<std::size_t>(*m_context.rank) < cells.size();
    const QPointF from
        = hasStart ? toQt(cells[static_cast<std::size_t>(*m_context.rank)]).center() : QPointF();
    std::optional<int> best;
    double least = 0.0;
    for (std::size_t at = 0; at < cells.size(); ++at) {
        if (cells[at].width <= 0.0)
            continue;
        if (!hasStart)
            return static_cast<int>(at);
        const QPointF away = toQt(cells[at]).center() - from;
        const double along = away.x() * columns + away.y() * rows;
        const double across = std::abs(columns != 0 ? away.y() : away.x());
        const double distance = along + kAcross * across;
        if (along < 1.0 || (best && distance >= least))
            continue;
        best = static_cast<int>(at);
        least = distance;
    }
    return best;
}

} // namespace trainscope::app
