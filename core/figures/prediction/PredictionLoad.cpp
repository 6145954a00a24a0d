// The kinds that predict a job, of a run or by hand: its board, its telemetry over what was
// measured, what else would do to it, and its layouts ranked.
#include "core/analysis/RunStudy.h"
#include "core/analysis/energy/Efficiency.h"
#include "core/figures/prediction/AskedJob.h"
#include "core/figures/prediction/DecisionFigure.h"
#include "core/figures/prediction/PredictedOverlay.h"
#include "core/figures/prediction/PredictionFigure.h"
#include "core/figures/prediction/RankedLayouts.h"
#include "core/figures/prediction/ScaleFigure.h"
#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace trainscope::figures {

using namespace plot;

namespace {

using plot::PredictionFigureData;
using plot::PredictionPanel;
using PredictionPanels = std::vector<PredictionPanel>;

class PredictionLoader {
public:
    PredictionLoader(const analysis::RunStudies& studies, const Request& request)
        : m_studies(studies)
        , m_request(request) { }

    Result<PredictionFigureData> board() {
        ASSIGN_OR_RETURN(auto facts, predictJob());
        ASSIGN_OR_RETURN(facts.sensitivities, predict::sensitivitiesOf(facts.asked.job));
        ASSIGN_OR_RETURN(facts.tracks, tracksOf(facts.asked));
        return finished(facts);
    }
    Result<PredictionFigureData> tracks() {
        ASSIGN_OR_RETURN(auto facts, predictJob());
        ASSIGN_OR_RETURN(facts.tracks, tracksOf(facts.asked));
        auto data = finished(facts);
        data.emptyText = "The run has no measured power, temperature or clock of its GPUs.";
        return data;
    }
    Result<PredictionFigureData> whatIf() {
        ASSIGN_OR_RETURN(auto facts, predictJob());
        ASSIGN_OR_RETURN(facts.sensitivities, predict::sensitivitiesOf(facts.asked.job));
        return finished(facts);
    }

    Result<PredictionFigureData> ranking() {
        ASSIGN_OR_RETURN(m_job, askedJobOf(m_studies, m_request));
        ASSIGN_OR_RETURN(const auto asked, searchOf(m_job.asked, m_request.options));
        m_search = asked.search;
        const predict::SearchRequest& search = m_search;
        PredictionFigureData data;
        data.title
            = fmt::format("Layouts · {} · {}", search.model.name, predict::textOf(search.cluster));
        ASSIGN_OR_RETURN(m_found, searchInto(asked, data));
        const predict::SearchResult& found = m_found;
        // The run's own layout, or the one asked for, is marked among them.
        std::optional<predict::LayoutChoice> chosen;
        if (const auto job = predict::jobOf(m_job.asked); job.hasValue())
            chosen = predict::choiceOf(job.value());
        data.front = frontOf(found, search.objective, chosen);
        data.ranking = rankingOf(found, chosen);
        data.caption = fmt::format("Predicted, not measured: {} in {}, {} a sample, global "
                                   "batch {}, ranked by {}.",
            search.model.name, toString(search.precision), text::counted(search.sequence, "token"),
            search.globalBatch, toString(search.objective));
        data.notes = m_job.notes;
        data.notes.push_back(searchWords(found) + ".");
        data.emptyText = searchWords(found) + ".";
        return data;
    }

    // The best layout, where one is possible.
    Result<PredictionFigureData> decision() {
        predict::TrainingAsked training;
        RETURN_IF_ERROR(trainingOptions().apply(m_request.options, training));
        ASSIGN_OR_RETURN(auto data, ranking());
        RETURN_IF_ERROR(predict::checkTraining(training, m_job.asked.workload));
        if (m_found.top.empty())
            return data;
        const predict::Job& best = m_found.top.front().job;
        ASSIGN_OR_RETURN(auto made, predict::Predictor().predict(best));
        PredictionBoardFacts facts{{layoutWords(best), best, std::move(made)}, {}, {}};
        facts.training = training;
        ASSIGN_OR_RETURN(facts.sensitivities, predict::sensitivitiesOf(best));
        ASSIGN_OR_RETURN(auto memory,
            predict::memoryChangesOf(m_search, predict::Predictor(), m_studies.progress));
        auto board = predictionData(facts);
        board.decision = decisionOf({&facts.asked.job, &facts.asked.prediction, training, &m_found,
            board.sensitivities, std::move(memory)});
        board.title
            = fmt::format("Decision · {} · {}", best.model.name, predict::textOf(m_search.cluster));
        board.caption.clear(); // the page has it
        board.notes = std::move(data.notes);
        board.ranking = std::move(data.ranking);
        board.rival = std::move(data.rival);
        return board;
    }

    [[nodiscard]] const std::optional<Run>& run() const { return m_job.run; }

private:
    [[nodiscard]] bool isMeasured() const {
        return m_job.run && m_job.run->kind == RunKind::Measured;
    }

    Result<PredictionBoardFacts> predictJob() {
        ASSIGN_OR_RETURN(m_job, askedJobOf(m_studies, m_request));
        ASSIGN_OR_RETURN(
            auto asked, predictedJob(m_job.asked, m_job.isAsLaunched ? "as launched" : ""));
        PredictionBoardFacts facts{std::move(asked), {}, {}};
        if (m_job.launched) {
            // The run itself may be one that cannot be predicted.
            auto own = predictedJob(*m_job.launched, "as launched");
            if (own.hasValue())
                facts.others.push_back(std::move(own).value());
        }
        if (isMeasured()) {
            ASSIGN_OR_RETURN(facts.measured, measuredStepOf(m_studies.of(*m_job.run)));
        }
        return facts;
    }

    Result<std::shared_ptr<const plot::PredictedTracks>> tracksOf(const PredictedJob& asked) {
        if (!isMeasured())
            return std::shared_ptr<const plot::PredictedTracks>();
        ASSIGN_OR_RETURN(const auto measured, measuredTracksOf(m_studies.of(*m_job.run)));
        if (measured.tracks.empty())
            return std::shared_ptr<const plot::PredictedTracks>();
        ASSIGN_OR_RETURN(
            auto laid, overlayOf(measured, asked.job, asked.prediction, m_studies.progress));
        return std::make_shared<const plot::PredictedTracks>(std::move(laid));
    }

    PredictionFigureData finished(const PredictionBoardFacts& facts) {
        auto data = predictionData(facts);
        data.notes.insert(data.notes.end(), m_job.notes.begin(), m_job.notes.end());
        return data;
    }

    Result<predict::SearchResult> searchInto(const SearchAsked& asked, PredictionFigureData& data) {
        if (!asked.against)
            return predict::searchLayouts(asked.search, predict::Predictor(), m_studies.progress);
        ASSIGN_OR_RETURN(auto comparison,
            predict::compareScales(
                asked.search, *asked.against, predict::Predictor(), m_studies.progress));
        data.rival = std::make_shared<const plot::ComparisonData>(scaleData(comparison));
        return std::move(comparison.searches.front());
    }

    const analysis::RunStudies& m_studies;
    const Request& m_request;
    AskedJob m_job;
    predict::SearchRequest m_search; // once layouts were ranked
    predict::SearchResult m_found;
};

// True where the run lacks facts for a prediction; a job that the user states must be complete.
bool isMissingPrediction(const Error& error, const OptionValues& options) {
    return error.code == ErrorCode::NotFound
        || (error.code == ErrorCode::Usage && options.names().empty());
}

using LoadPanels = Result<PredictionFigureData> (PredictionLoader::*)();

Kind predictionKind(std::string_view key, RunsShown runs, std::vector<Option> options,
    PredictionPanels panels, LoadPanels load) {
    return {key, runs, std::move(options),
        [panels = std::move(panels), load](
            const analysis::RunStudies& studies, const Request& request) -> Result<Figure> {
            PredictionLoader loader(studies, request);
            auto data = (loader.*load)();
            if (!data.hasValue()) {
                const bool isOfRun = loader.run() || !request.runs.empty();
                if (!isOfRun || !isMissingPrediction(data.error(), request.options))
                    return data.error();
                PredictionFigureData empty;
                empty.title = "Prediction";
                empty.emptyText = data.error().message;
                data = std::move(empty);
            }
            auto figure = predictionFigure(
                std::make_shared<const PredictionFigureData>(std::move(data).value()), panels);
            if (loader.run())
                figure.runs = {{loader.run()->id, loader.run()->name}};
            return figure;
        }};
}

// Kinds of figures share the names of options, so that each says what it is of.
void addWords(std::vector<Option> options, std::vector<Option>& all) {
    for (Option& option : options) {
        option.help.front() = lowerChar(option.help.front());
        option.help.insert(0, "Prediction: ");
        all.push_back(std::move(option));
    }
}

} // namespace

Result<std::optional<MeasuredStep>> measuredStepOf(const analysis::RunStudy& study) {
    ASSIGN_OR_RETURN(const auto efficiency, analysis::efficiencyOf(study, kAllTime));
    if (!efficiency.stepTimeS)
        return std::optional<MeasuredStep>();
    return std::optional(
        MeasuredStep{study.run.id, "measured · " + study.run.name, *efficiency.stepTimeS});
}

std::vector<Kind> predictionKinds() {
    std::vector<Option> job;
    addWords(jobOptions().described(), job);
    auto search = job;
    addWords(searchOptions().described(), search);
    auto decision = search;
    addWords(trainingOptions().described(), decision);
    return {predictionKind(
                "prediction", RunsShown::Named, job, boardPanels(), &PredictionLoader::board),
        predictionKind("prediction-tracks", RunsShown::One, job, {PredictionPanel::Tracks},
            &PredictionLoader::tracks),
        predictionKind("prediction-what-if", RunsShown::Named, job, {PredictionPanel::WhatIf},
            &PredictionLoader::whatIf),
        predictionKind("prediction-search", RunsShown::Named, search,
            {PredictionPanel::Verdict, PredictionPanel::Front, PredictionPanel::Ranking},
            &PredictionLoader::ranking),
        predictionKind("decision", RunsShown::Named, std::move(decision), decisionPanels(),
            &PredictionLoader::decision)};
}

} // namespace trainscope::figures
