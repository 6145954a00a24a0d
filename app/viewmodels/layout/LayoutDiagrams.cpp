#include "app/viewmodels/layout/LayoutDiagrams.h"

#include "app/painting/ScenePainter.h"
#include "app/viewmodels/window/Theme.h"
#include "core/plot/layout/DiagramLegend.h"
#include "core/plot/layout/PhysicalDiagram.h"
#include "core/plot/layout/RankGridDiagram.h"

namespace trainscope::app {
namespace {

HoverText wordsOf(const plot::Hit& hit) {
    QStringList lines;
    for (const auto& [label, text] : hit.facts)
        lines.append(QStringLiteral("%1  %2").arg(
            QString::fromStdString(label), QString::fromStdString(text)));
    return {QString::fromStdString(hit.title), lines.join(QLatin1Char('\n'))};
}

} // namespace

LayoutDiagrams::LayoutDiagrams(
    const LayoutContext& context, const LayoutSchedule& schedule, QObject* parent)
    : QObject(parent)
    , m_context(context)
    , m_schedule(schedule) { }

void LayoutDiagrams::layOut(Part part, const plot::FigureStyle& style) {
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
        static_cast<plot::Picture&>(diagram) = plot::buildScheduleFigure(m_shownSchedule, style);
    } else if (part == Placed && m_context.isPlacementShown) {
        static_cast<plot::Picture&>(diagram)
            = plot::buildPlacementFigure(m_context.placement, style);
    }
    Q_EMIT laidOut();
    Q_EMIT marksChanged();
}

void LayoutDiagrams::layOutLegend(const plot::FigureStyle& style, plot::PlotScene& scene) const {
    const auto& figure = m_context.reading->figure;
    plot::DiagramLegend legend{
        &m_context.colours, m_context.layout(), {}, std::nullopt, figure.edges};
    // Every rank has the same kinds of groups.
    if (figure.layout)
        legend.groups = plot::litGroups(*figure.layout, 0, m_context.settings.lit);
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
    const auto hit = diagram(part).hitAt({x, y});
    if (!hit)
        return std::nullopt;
    const bool isRank = (part == Physical || part == Logical) && hit->rank;
    return Hit{hit->rank, toQt(hit->outline), isRank ? HoverText() : wordsOf(*hit)};
}

std::optional<int> LayoutDiagrams::neighbour(int columns, int rows) const {
    const auto& shown = diagram(Physical);
    const bool hasStart
        = m_context.rank && static_cast<std::size_t>(*m_context.rank) < shown.cells.size();
    const auto next = hasStart
        ? shown.neighbour(shown.cells[static_cast<std::size_t>(*m_context.rank)], columns, rows)
        : shown.first();
    return next ? next->rank : std::nullopt;
}

} // namespace trainscope::app
