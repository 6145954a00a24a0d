#include "app/viewmodels/layout/LayoutSelection.h"

#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/Texts.h"
#include "core/model/Try.h"

#include <algorithm>
#include <array>

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

} // namespace trainscope::app
