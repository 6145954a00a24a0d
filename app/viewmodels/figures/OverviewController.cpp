#include "app/viewmodels/figures/OverviewController.h"

#include "app/viewmodels/text/Texts.h"
#include "core/figures/overview/OverviewFigure.h"
#include "core/model/Try.h"

#include <fmt/format.h>

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

void OverviewController::forget() {
    m_kept.clear();
    forgetSelection();
    show(nullptr);
}

void OverviewController::load() {
    const Run* const run = leadingRun(workspace());
    if (run == nullptr) {
        endReading();
        return show(nullptr);
    }
    const RunId wanted = run->id;
    if (!isActive() || (m_data && m_data->overview.run.id == wanted && !isLoading()))
        return;
    const auto isWanted
        = [wanted](const plot::OverviewFigureData& page) { return page.overview.run.id == wanted; };
    if (OverviewPtr page = m_kept.find(isWanted)) {
        endReading();
        return show(std::move(page));
    }
    show(nullptr);
    using Data = plot::OverviewFigureData;
    readInParts<Data>(
        {},
        [wanted](const store::Store& store, const Progress& progress,
            const std::function<void(Data)>& tell) -> Result<Data> {
            const analysis::RunStudies studies{store, progress};
            ASSIGN_OR_RETURN(auto first, figures::loadFirstSentences(studies, wanted));
            if (first)
                tell(*std::move(first));
            return figures::loadOverview(studies, wanted);
        },
        [this](Data first) { show(std::make_shared<const Data>(std::move(first))); },
        [this](Data data) { keep(std::move(data)); });
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

void OverviewController::show(OverviewPtr data) {
    m_data = std::move(data);
    pictureChanged();
}

plot::SheetTexts OverviewController::texts() const {
    if (!m_data)
        return {};
    const std::string& run = m_data->overview.run.name;
    const std::size_t chosen = workspace() == nullptr ? 0 : workspace()->shownRuns().size();
    return {fmt::format("Overview of {}", run),
        chosen < 2 ? std::string()
                   : fmt::format("Shows {}, the first of {} chosen runs.", run, chosen),
        {}, m_data->emptyText};
}

figures::Figure OverviewController::figure() const {
    return figures::overviewFigure(m_data);
}

ExportJob OverviewController::exportJob() const {
    if (!isReady() || m_data->overview.isPartial)
        return {};
    return exportJobOf(Views::keyOf(Views::Overview), figure());
}

void OverviewController::showBesideTheRunBefore(const std::string& before) {
    std::vector<RunId> both{m_data->overview.run.id};
    if (const Run* run = workspace()->findRun(QString::fromStdString(before)))
        both.push_back(run->id);
    workspace()->setShown(both);
    views()->setView(Views::Compare);
}

void OverviewController::prove(std::size_t sentence) {
    if (views() == nullptr || workspace() == nullptr || !m_data)
        return;
    const auto& told = m_data->overview.sentences;
    if (sentence > told.size()) { // the line of what could not be checked
        auto page = *m_data;
        page.isUnfolded = !page.isUnfolded;
        return show(std::make_shared<const plot::OverviewFigureData>(std::move(page)));
    }
    if (sentence == told.size())
        return views()->setView(Views::Findings);
    const analysis::OverviewSentence& one = told[sentence];
    if (one.topic == analysis::Topic::Change && one.parts.size() == 2)
        return showBesideTheRunBefore(one.parts.back().name);
    const auto proof
        = Views::viewNamed(textOf(analysis::proofPlace(m_data->overview, one)).toLower());
    if (proof && proof != Views::Timeline)
        return views()->setView(*proof);
    views()->showOnTimeline(provenPlace(m_data->overview.run, one.evidence));
}

} // namespace trainscope::app
