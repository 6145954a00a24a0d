#include "app/viewmodels/layout/LayoutDiagrams.h"

#include "app/painting/ScenePainter.h"
#include "app/viewmodels/text/Texts.h"
#include "app/viewmodels/window/Theme.h"
#include "core/plot/layout/GroupOutlines.h"
#include "core/plot/layout/PhysicalDiagram.h"

namespace trainscope::app {

namespace {

struct ProbedMetric {
    const char* metric;
    const char* title;
};
constexpr std::array kProbed{ProbedMetric{"gpu_temperature", "Temperature"},
    ProbedMetric{"mem_temperature", "Memory temperature"}, ProbedMetric{"gpu_power", "Power"},
    ProbedMetric{"sm_clock", "SM clock"}, ProbedMetric{"gpu_utilization", "Utilisation"}};

using SeriesList = std::vector<Series>;

// `known`: as it was read before, if it was.
Result<std::shared_ptr<const SeriesList>> seriesOf(
    const store::Store& store, const Run& run, int rank, std::shared_ptr<const SeriesList> known) {
    if (known)
        return known;
    ASSIGN_OR_RETURN(auto all, store.series(run.id));
    auto own = std::make_shared<SeriesList>();
    for (Series& series : all) {
        const auto& subject = series.description.subject;
        if (subject.kind == SubjectKind::Gpu && subject.rank == rank)
            own->push_back(std::move(series));
    }
    return std::shared_ptr<const SeriesList>(std::move(own));
}

// Values of those metrics at t; metrics that the rank does not have are left out.
Result<std::vector<Fact>> probeRank(const store::Store& store, const SeriesList& series, TimeNs t) {
    std::vector<Fact> facts;
    for (const ProbedMetric& probed : kProbed) {
        const auto found = std::ranges::find_if(series,
            [&probed](const Series& one) { return one.description.metric.name == probed.metric; });
        if (found == series.end())
            continue;
        ASSIGN_OR_RETURN(const auto value, store.valueAt(found->id, t));
        facts.push_back({textOf(probed.title),
            value ? metricText(probed.metric, *value, found->description.metric.unit)
                  : noDataText()});
    }
    return facts;
}

HoverText wordsOf(const plot::Hit& hit) {
    QStringList lines;
    for (const auto& [label, text] : hit.facts)
        lines.append(QStringLiteral("%1  %2").arg(
            QString::fromStdString(label), QString::fromStdString(text)));
    return {QString::fromStdString(hit.title), lines.join(QLatin1Char('\n'))};
}

} // namespace

LayoutHover::LayoutHover(LayoutContext& context, LayoutDiagrams& diagrams, QObject* parent)
    : QObject(parent)
    , m_context(context)
    , m_diagrams(diagrams) { }

void LayoutHover::hoverAt(LayoutDiagrams::Part part, double x, double y) {
    const auto hit = m_diagrams.hitAt(part, x, y);
    if (!hit)
        return leave();
    const bool isSame = isSomewhere() && m_part == part && hit->rank && hit->text.title.isEmpty()
        && m_context.hoverRank == hit->rank;
    if (isSame)
        return;
    m_part = part;
    take(*hit);
}

void LayoutHover::leave() {
    if (isSomewhere() || m_context.hoverRank)
        take({});
}

void LayoutHover::take(const LayoutDiagrams::Hit& hit) {
    const bool isLitAnew = hit.rank != m_context.hoverRank;
    m_hit = hit;
    m_context.hoverRank = hit.rank;
    m_text = wording();
    Q_EMIT changed();
    if (isLitAnew)
        Q_EMIT m_diagrams.marksChanged();
}

HoverText LayoutHover::wording() const {
    if (!m_context.reading || !m_hit.text.title.isEmpty())
        return m_hit.text;
    return m_hit.rank ? rankHover(
               m_context.reading->figure, m_context.colours, *m_hit.rank, m_context.settings.lit)
                      : HoverText();
}

void LayoutHover::refresh() {
    if (!m_hit.rank)
        return;
    m_text = wording();
    Q_EMIT changed();
}

LayoutSelection::LayoutSelection(
    LayoutContext& context, LayoutDiagrams& diagrams, const Playback& playback, QObject* parent)
    : QObject(parent)
    , m_context(context)
    , m_diagrams(diagrams)
    , m_playback(playback) { }

void LayoutSelection::clickAt(LayoutDiagrams::Part part, double x, double y) {
    const auto hit = m_diagrams.hitAt(part, x, y);
    select(hit ? hit->rank.value_or(-1) : -1);
}

void LayoutSelection::select(int rank) {
    const std::optional<int> wanted = rank >= 0 ? std::optional(rank) : std::nullopt;
    if (wanted == m_context.rank)
        return;
    take(wanted);
    Q_EMIT chosen();
    if (m_views && m_context.run && wanted)
        m_views->select({m_context.run->id, wanted, std::nullopt, m_context.metric()});
}

bool LayoutSelection::step(int columns, int rows) {
    const auto next = m_diagrams.neighbour(columns, rows);
    if (next)
        select(*next);
    return next.has_value();
}

void LayoutSelection::open() {
    if (!m_views || !m_context.run || !m_context.rank)
        return;
    Q_EMIT chosen();
    const std::string metric = m_context.metric();
    m_views->showOnTimeline({m_context.run->id, m_context.rank,
        TimeRange{m_playback.time(), m_playback.time()}, metric.empty() ? "gpu_power" : metric});
}

void LayoutSelection::take(std::optional<int> rank) {
    m_context.rank = rank;
    m_probed.clear();
    m_series.reset();
    refresh();
    probe();
    Q_EMIT changed();
    Q_EMIT m_diagrams.marksChanged();
}

void LayoutSelection::forget() {
    m_task.cancel();
    m_series.reset();
    m_probed.clear();
    refresh();
}

void LayoutSelection::probe() {
    if (!m_context.run || !m_context.rank || !m_views || m_views->workspace() == nullptr)
        return;
    m_task.ask(
        m_views->workspace()->readers(),
        [run = *m_context.run, rank = *m_context.rank, t = m_playback.time(),
            moment = m_playback.timeText(),
            known = m_series](const store::Store& store, const TaskStage<Probe>&) -> Result<Probe> {
            ASSIGN_OR_RETURN(auto series, seriesOf(store, run, rank, known));
            ASSIGN_OR_RETURN(auto facts, probeRank(store, *series, t));
            return Probe{rank, moment, std::move(series), std::move(facts)};
        },
        [this](Result<Probe> probe) {
            const bool isOfRank = probe.hasValue() && probe.value().rank == m_context.rank;
            m_series = isOfRank ? probe.value().series : nullptr;
            m_probed = isOfRank ? std::move(probe.value().facts) : std::vector<Fact>();
            m_moment = isOfRank ? probe.value().moment : QString();
            refresh();
        });
}

void LayoutSelection::refresh() {
    std::vector<Fact> facts;
    if (m_context.reading && m_context.rank) {
        const auto& figure = m_context.reading->figure;
        facts = placeFacts(figure, *m_context.rank);
        if (!m_probed.empty())
            facts.push_back({QStringLiteral("At %1").arg(m_moment), {}, true});
        facts.insert(facts.end(), m_probed.begin(), m_probed.end());
        const auto exchanges = exchangeFacts(figure, *m_context.rank);
        facts.insert(facts.end(), exchanges.begin(), exchanges.end());
    }
    m_facts.setFacts(std::move(facts));
}

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
