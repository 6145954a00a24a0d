#include "app/viewmodels/figures/OverviewController.h"

#include "app/viewmodels/text/RunWording.h"
#include "core/figures/overview/OverviewFigure.h"

#include <utility>

namespace trainscope::app {
namespace {

// The place of the evidence; a stretch that is the whole run selects nothing.
Evidence provenPlace(const Run& run, const analysis::Evidence& evidence) {
    Evidence place{run.id, std::nullopt, std::nullopt, evidence.metric};
    if (evidence.rank >= 0)
        place.rank = evidence.rank;
    if (!evidence.range.isEmpty() && evidence.range != run.range)
        place.range = evidence.range;
    return place;
}

} // namespace

OverviewController::OverviewController(QObject* parent)
    : DrawnView(true, parent) { }

RunId OverviewController::wantedRun() const {
    const auto* open = workspace();
    return open == nullptr || open->shownRuns().empty() ? RunId() : open->shownRuns().front().id;
}

void OverviewController::forget() {
    m_kept.clear();
    forgetSelection();
    show(nullptr);
}

void OverviewController::load() {
    const RunId wanted = wantedRun();
    if (!wanted.isValid()) {
        endReading();
        return show(nullptr);
    }
    if (!isActive() || (m_data && m_data->overview.run.id == wanted && !isLoading()))
        return;
    const auto isWanted
        = [wanted](const plot::OverviewFigureData& page) { return page.overview.run.id == wanted; };
    if (OverviewPtr page = m_kept.find(isWanted)) {
        endReading();
        return show(std::move(page));
    }
    show(nullptr);
    read<plot::OverviewFigureData>(
        {},
        [wanted](const store::Store& store, const Progress& progress) {
            return figures::loadOverview({store, progress}, wanted);
        },
        [this](plot::OverviewFigureData data) { keep(std::move(data)); });
}

void OverviewController::keep(plot::OverviewFigureData data) {
    show(m_kept.keep(std::move(data)));
}

void OverviewController::readGrowth() {
    m_kept.clear();
    if (!m_data)
        return;
    readQuietly<plot::OverviewFigureData>(
        [id = m_data->overview.run.id](const store::Store& store, const Progress& progress) {
            return figures::loadOverview({store, progress}, id);
        },
        [this](plot::OverviewFigureData data) {
            if (m_data && m_data->overview.run.id == data.overview.run.id)
                keep(std::move(data));
        });
}

void OverviewController::nothingRead() {
    show(nullptr);
}

void OverviewController::show(OverviewPtr data) {
    m_data = std::move(data);
    pictureChanged();
}

QString OverviewController::emptyText() const {
    if (!isAtRest())
        return {};
    if (workspace()->runs().empty())
        return noRunsText();
    if (workspace()->shownRuns().empty())
        return chooseRunText();
    return m_data && m_data->isEmpty() ? QString::fromStdString(m_data->emptyText) : QString();
}

QString OverviewController::title() const {
    return m_data
        ? QStringLiteral("Overview of %1").arg(QString::fromStdString(m_data->overview.run.name))
        : QString();
}

QString OverviewController::caption() const {
    const auto* open = workspace();
    if (!m_data || open == nullptr || open->shownRuns().size() < 2)
        return {};
    return QStringLiteral("Of %1, the first of %2 chosen runs.")
        .arg(QString::fromStdString(m_data->overview.run.name))
        .arg(open->shownRuns().size());
}

figures::Figure OverviewController::figure() const {
    return figures::overviewFigure(m_data);
}

ExportJob OverviewController::exportJob() const {
    if (!isReady())
        return {};
    return exportJobOf(Views::keyOf(Views::Overview), figure());
}

void OverviewController::showBesideTheRunBefore(const std::string& before) {
    std::vector<RunId> both{m_data->overview.run.id};
    for (const Run& run : workspace()->runs()) {
        if (run.name == before)
            both.push_back(run.id);
    }
    workspace()->setShown(both);
    views()->setView(Views::Compare);
}

void OverviewController::prove(std::size_t sentence) {
    if (views() == nullptr || workspace() == nullptr || !m_data)
        return;
    const auto& told = m_data->overview.sentences;
    if (sentence >= told.size())
        return views()->setView(Views::Findings);
    const analysis::OverviewSentence& one = told[sentence];
    if (one.topic == analysis::Topic::Change && one.parts.size() == 2)
        return showBesideTheRunBefore(one.parts.back().name);
    if (one.topic == analysis::Topic::Time && one.evidence.metric.empty()
        && m_data->overview.hasTrace)
        return views()->setView(Views::Kernels);
    views()->showOnTimeline(provenPlace(m_data->overview.run, one.evidence));
}

} // namespace trainscope::app
