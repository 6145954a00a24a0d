// Pictures of the prediction's view, the words below them, and their export.
#include "app/viewmodels/prediction/PredictController.h"

#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/TextOf.h"
#include "core/figures/prediction/RankedLayouts.h"

#include <algorithm>
#include <utility>

namespace trainscope::app {
namespace {

using plot::PredictionPanel;

// A part of the board by itself.
struct PredictExport {
    const char* title;
    const char* suffix; // of the file's name
    std::vector<PredictionPanel> panels; // empty: the board
};
const std::vector<PredictExport>& exports() {
    static const std::vector<PredictExport> all{
        {"Board", "", {}},
        {"Predicted over measured", "-tracks", {PredictionPanel::Tracks}},
        {"What if", "-what-if", {PredictionPanel::WhatIf}},
        {"Layouts and clusters", "-search",
            {PredictionPanel::Verdict, PredictionPanel::Front, PredictionPanel::Ranking}},
    };
    return all;
}

// Those of which `has` one of the panels.
template <typename Has>
std::vector<const PredictExport*> exportsThat(const Has& has) {
    std::vector<const PredictExport*> some;
    for (const auto& one : exports()) {
        if (one.panels.empty() || std::any_of(one.panels.begin(), one.panels.end(), has))
            some.push_back(&one);
    }
    return some;
}

} // namespace

std::shared_ptr<const plot::PredictionFigureData> PredictController::shown() const {
    if (!m_answer.board)
        return nullptr;
    auto board = std::make_shared<plot::PredictionFigureData>(*m_answer.board);
    if (m_hasWhatIf)
        board->sensitivities = m_details.sensitivities;
    board->tracks = m_details.tracks;
    board->rival = m_rival;
    if (hasPart(PredictionPanel::Front)) {
        const auto& found = m_search.found();
        const auto chosen = chosenLayout();
        board->front = figures::frontOf(*found, m_search.objective(), chosen);
        board->ranking = figures::rankingOf(*found, chosen);
    }
    return board;
}

figures::Figure PredictController::figure() const {
    return figures::predictionFigure(shown());
}

bool PredictController::hasPart(PredictionPanel panel) const {
    switch (panel) {
    case PredictionPanel::Tracks:
        return m_details.tracks != nullptr;
    case PredictionPanel::WhatIf:
        return m_hasWhatIf && !m_details.sensitivities.empty();
    case PredictionPanel::Verdict:
        return m_rival != nullptr;
    default:
        return m_isRanked && m_search.found() && !m_search.found()->feasible.empty();
    }
}

QStringList PredictController::figureTitles() const {
    QStringList titles;
    if (!isReady())
        return titles;
    for (const auto* one : exportsThat([this](PredictionPanel panel) { return hasPart(panel); }))
        titles.append(textOf(one->title));
    return titles;
}

void PredictController::setFigureIndex(int figure) {
    if (figure == m_figure)
        return;
    m_figure = figure;
    Q_EMIT stateChanged();
}

// Drops parts of another answer, or of a form before, once there are newer ones.
void PredictController::dropOlder(plot::PredictionFigureData& board) const {
    if (m_details.of != m_answer.asked) {
        board.sensitivities.clear();
        board.tracks.reset();
    }
    if (m_isRefused || m_search.isRunning() || m_search.isStopped()) {
        board.front.points.clear();
        board.ranking.clear();
    }
    if (m_isRefused || !m_rivalText.isEmpty())
        board.rival.reset();
}

ExportJob PredictController::exportJob() const {
    if (!isReady())
        return {};
    auto data = std::make_shared<plot::PredictionFigureData>(*shown());
    dropOlder(*data);
    const auto offered = exportsThat([this](PredictionPanel panel) { return hasPart(panel); });
    const auto& one = *offered[static_cast<std::size_t>(
        std::clamp(m_figure, 0, static_cast<int>(offered.size()) - 1))];
    std::vector<PredictionPanel> panels = one.panels;
    if (panels.empty())
        panels.assign(plot::kPredictionPanels.begin(), plot::kPredictionPanels.end());
    const bool hasAny = std::any_of(
        panels.begin(), panels.end(), [&data](auto panel) { return data->has(panel); });
    auto job = exportJobOf(Views::keyOf(Views::Predict) + QLatin1String(one.suffix),
        figures::predictionFigure(std::move(data), std::move(panels)));
    if (!hasAny)
        job.figure = nullptr;
    return job;
}

QString PredictController::title() const {
    return m_answer.board ? QString::fromStdString(m_answer.board->title) : QString();
}

QString PredictController::caption() const {
    return m_answer.board ? QString::fromStdString(m_answer.board->caption) : QString();
}

QString PredictController::notes() const {
    auto notes = m_peers.notes;
    if (m_answer.board)
        notes.insert(notes.end(), m_answer.board->notes.begin(), m_answer.board->notes.end());
    return linesOf(notes);
}

} // namespace trainscope::app
