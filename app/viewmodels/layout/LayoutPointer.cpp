// The part of LayoutController that knows where things lie: geometry, pointer and selection.
#include "app/viewmodels/layout/LayoutController.h"
#include "app/viewmodels/text/HumanText.h"
#include "core/model/Metric.h"
#include "core/plot/layout/DiagramLegend.h"
#include "core/plot/layout/PhysicalDiagram.h"
#include "core/plot/layout/RankGridDiagram.h"

#include <algorithm>
#include <cmath>

namespace trainscope::app {
namespace {

QRectF toQt(const plot::Rect& rect) {
    return {rect.x, rect.y, rect.width, rect.height};
}

QPointF centreOf(const plot::Rect& rect) {
    return toQt(rect).center();
}

} // namespace

void LayoutController::layOut(Part part, const plot::DiagramStyle& style) {
    auto& diagram = m_scenes[static_cast<std::size_t>(part)];
    diagram = {};
    diagram.scene = {style.width, 0.0, style.theme->window, {}};
    if (!m_reading || style.width <= 0.0)
        return;
    const auto& figure = m_reading->figure;
    const auto* layout = figure.layout ? &*figure.layout : nullptr;
    if (part == Physical)
        diagram = plot::buildPhysical(
            {&figure.cluster, layout, m_colours, figure.nodes, figure.edges}, style);
    else if (part == Legend)
        layOutLegend(style);
    else if (part == Logical && layout != nullptr)
        diagram = plot::buildRankGrid({layout, m_colours}, style);
    else if (part == Schedule && m_schedule.isShown())
        layOutSchedule(style);
    else if (part == Placed && m_placementShown) {
        m_placementChart = plot::buildPlacementFigure(m_placementData, style);
        diagram.scene = m_placementChart.scene;
    }
    if (m_hoverRank)
        leave();
    Q_EMIT marksChanged();
}

void LayoutController::layOutLegend(const plot::DiagramStyle& style) {
    const auto& figure = m_reading->figure;
    plot::DiagramLegend legend{&m_colours, figure.layout ? &*figure.layout : nullptr, {}, {}, {}};
    if (figure.layout) {
        // Of every rank there are the same kinds of groups.
        for (const auto& group : plot::litGroups(*figure.layout, 0, m_settings.lit))
            legend.groups.emplace_back(layout::toString(group.kind));
    }
    for (const auto& edge : figure.edges) {
        auto& lines = legend.lines;
        if (std::find(lines.begin(), lines.end(), edge.group) == lines.end())
            lines.push_back(edge.group);
    }
    auto& scene = m_scenes[static_cast<std::size_t>(Legend)].scene;
    const plot::FigureFrame frame{style, *style.theme, scene};
    scene.height = plot::legendHeight(frame, legend, style.width);
    plot::drawLegend(frame, legend, {0.0, 0.0, style.width, scene.height});
}

void LayoutController::layOutSchedule(const plot::DiagramStyle& style) {
    m_shownSchedule = m_schedule.part(m_settings.wholeStep);
    m_chart = plot::buildScheduleFigure(m_shownSchedule, style);
    m_scenes[static_cast<std::size_t>(Schedule)].scene = m_chart.scene;
}

plot::PlotScene LayoutController::marks(Part part, const plot::Theme& theme) const {
    const auto& diagram = m_scenes[static_cast<std::size_t>(part)];
    plot::PlotScene scene{diagram.scene.width, diagram.scene.height, plot::Color{0, 0, 0, 0}, {}};
    if (!m_reading || diagram.cells.empty())
        return scene;
    const auto rank = m_hoverRank ? m_hoverRank : m_rank;
    if (!rank)
        return scene;
    const auto& layout = m_reading->figure.layout;
    std::vector<plot::LitGroup> groups;
    if (layout && *rank < layout->grid.worldSize())
        groups = plot::litGroups(*layout, *rank, m_settings.lit);
    scene.items = plot::groupOutlines(diagram, groups, m_rank ? m_rank : rank, theme);
    return scene;
}

std::optional<int> LayoutController::rankIn(Part part, double x, double y) const {
    if (part == Schedule) {
        const auto hit = plot::hitSchedule(m_shownSchedule, m_chart, x, y);
        return hit ? hit->rank : std::nullopt;
    }
    if (part == Placed) {
        const auto hit = plot::hitPlacement(m_placementData, m_placementChart, x, y);
        return hit ? std::optional(hit->rank) : std::nullopt;
    }
    return plot::rankAt(m_scenes[static_cast<std::size_t>(part)], x, y);
}

QRectF LayoutController::placeOf(Part part, int rank) const {
    const auto& cells = m_scenes[static_cast<std::size_t>(part)].cells;
    const auto at = static_cast<std::size_t>(rank);
    return at < cells.size() ? toQt(cells[at]) : QRectF();
}

void LayoutController::hoverPass(double x, double y) {
    takeHit(Schedule, plot::hitSchedule(m_shownSchedule, m_chart, x, y));
}

void LayoutController::hoverPlaced(double x, double y) {
    takeHit(Placed, plot::hitPlacement(m_placementData, m_placementChart, x, y));
}

template <typename Hit>
void LayoutController::takeHit(Part part, const std::optional<Hit>& hit) {
    if (!hit)
        return leave();
    m_hover = {QString::fromStdString(hit->title), {}};
    QStringList lines;
    for (const auto& [label, text] : hit->facts)
        lines.append(QStringLiteral("%1  %2").arg(
            QString::fromStdString(label), QString::fromStdString(text)));
    m_hover.text = lines.join(QLatin1Char('\n'));
    m_hoverPart = part;
    m_hoverRank = hit->rank;
    m_hoverPlace = toQt(hit->outline);
    Q_EMIT hoverChanged();
    Q_EMIT marksChanged();
}

void LayoutController::hoverAt(Part part, double x, double y) {
    if (!m_reading)
        return;
    if (part == Schedule)
        return hoverPass(x, y);
    if (part == Placed)
        return hoverPlaced(x, y);
    const auto rank = rankIn(part, x, y);
    if (rank && m_hoverRank == rank && m_hoverPart == part)
        return;
    if (rank)
        return setHover(part, rank, std::nullopt, placeOf(part, *rank));
    const auto edge = part == Physical
        ? plot::edgeAt(m_scenes[static_cast<std::size_t>(Physical)], x, y)
        : std::nullopt;
    if (!edge)
        return leave();
    setHover(part, std::nullopt, edge, {x, y, 1.0, 1.0});
}

void LayoutController::setHover(
    Part part, std::optional<int> rank, std::optional<std::size_t> edge, QRectF place) {
    const bool isLitAnew = rank != m_hoverRank;
    m_hoverRank = rank;
    m_hoverPart = part;
    m_hoverPlace = place;
    m_hover = {};
    if (m_reading && rank)
        m_hover = rankHover(m_reading->figure, m_colours, *rank, m_settings.lit);
    else if (m_reading && edge)
        m_hover = edgeHover(m_reading->figure, *edge);
    Q_EMIT hoverChanged();
    if (isLitAnew)
        Q_EMIT marksChanged();
}

void LayoutController::leave() {
    if (!m_hover.title.isEmpty() || m_hoverRank)
        setHover(static_cast<Part>(m_hoverPart), std::nullopt, std::nullopt, {});
}

void LayoutController::clickAt(Part part, double x, double y) {
    selectRank(rankIn(part, x, y).value_or(-1));
}

void LayoutController::selectRank(int rank) {
    const std::optional<int> chosen = rank >= 0 ? std::optional(rank) : std::nullopt;
    if (chosen == m_rank)
        return;
    setRank(chosen);
    shareCursor();
    if (views() != nullptr && m_run && chosen)
        views()->select({m_run->id, chosen, std::nullopt,
            m_settings.by == plot::RankColour::Value ? m_settings.metric : std::string()});
}

void LayoutController::setRank(std::optional<int> rank) {
    m_rank = rank;
    m_probed.clear();
    m_probeSeries.reset();
    refreshFacts();
    readProbe();
    Q_EMIT selectionChanged();
    Q_EMIT marksChanged();
}

void LayoutController::takeSelection(const Evidence& evidence) {
    if (!m_run || evidence.run != m_run->id) {
        const auto runs = candidates();
        const auto other = std::find_if(runs.begin(), runs.end(),
            [&evidence](const Run& run) { return run.id == evidence.run; });
        if (other == runs.end() || !evidence.rank)
            return;
        m_run = *other;
        m_reading.reset();
        m_schedule.forget();
        load();
    }
    if (evidence.rank && evidence.rank != m_rank)
        setRank(evidence.rank);
}

void LayoutController::setPlacementShown(bool shown) {
    if (shown == m_placementShown)
        return;
    m_placementShown = shown;
    Q_EMIT settingsChanged();
    Q_EMIT geometryChanged();
}

bool LayoutController::clear() {
    const bool hadSome = m_rank || m_hoverRank;
    leave();
    if (m_rank)
        setRank(std::nullopt);
    return hadSome;
}

void LayoutController::openSelected() {
    if (views() == nullptr || !m_run || !m_rank)
        return;
    shareCursor();
    views()->showOnTimeline({m_run->id, m_rank, TimeRange{m_playback.time(), m_playback.time()},
        m_settings.by == plot::RankColour::Value ? m_settings.metric
                                                 : std::string(metric::kGpuPower)});
}

// The nearest cell in that direction; those beside it in line come first.
bool LayoutController::step(int columns, int rows) {
    const auto& cells = m_scenes[static_cast<std::size_t>(Physical)].cells;
    const auto isThere = [&cells](std::size_t at) { return cells[at].width > 0.0; };
    if (!m_rank || static_cast<std::size_t>(*m_rank) >= cells.size()) {
        for (std::size_t at = 0; at < cells.size(); ++at) {
            if (!isThere(at))
                continue;
            selectRank(static_cast<int>(at));
            return true;
        }
        return false;
    }
    constexpr double kAcross = 3.0;
    const QPointF from = centreOf(cells[static_cast<std::size_t>(*m_rank)]);
    std::optional<std::size_t> best;
    double least = 0.0;
    for (std::size_t at = 0; at < cells.size(); ++at) {
        const QPointF away = centreOf(cells[at]) - from;
        const double along = away.x() * columns + away.y() * rows;
        const double across = std::abs(columns != 0 ? away.y() : away.x());
        const double distance = along + kAcross * across;
        if (!isThere(at) || along < 1.0 || (best && distance >= least))
            continue;
        best = at;
        least = distance;
    }
    if (!best)
        return false;
    selectRank(static_cast<int>(*best));
    return true;
}

void LayoutController::refreshFacts() {
    std::vector<Fact> facts;
    if (m_reading && m_rank) {
        facts = placeFacts(m_reading->figure, *m_rank);
        if (!m_probed.empty())
            facts.push_back({tr("At %1").arg(m_playback.timeText()), {}, true});
        facts.insert(facts.end(), m_probed.begin(), m_probed.end());
        const auto exchanges = exchangeFacts(m_reading->figure, *m_rank);
        facts.insert(facts.end(), exchanges.begin(), exchanges.end());
    }
    m_facts.setFacts(std::move(facts));
    m_placement.setFacts(m_reading && m_reading->placement ? placementFacts(*m_reading->placement)
                                                           : std::vector<Fact>());
    m_overview.setFacts(m_reading ? layoutFacts(m_reading->figure) : std::vector<Fact>());
}

} // namespace trainscope::app
