#include "core/figures/prediction/PredictionFigure.h"

#include "core/analysis/comparison/Comparison.h"
#include "core/analysis/energy/Efficiency.h"
#include "core/figures/comparison/ComparisonFigure.h"
#include "core/figures/prediction/PredictedOverlay.h"
#include "core/model/AsciiText.h"
#include "core/plot/prediction/PredictionWords.h"

#include <iterator>

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
        ASSIGN_OR_RETURN(auto data, tracks());
        ASSIGN_OR_RETURN(data.whatIf, predict::whatIfsOf(data.asked->job));
        return data;
    }
    Result<PredictionFigureData> tracks() {
        ASSIGN_OR_RETURN(auto data, askedBoard(m_studies, m_request, m_job));
        ASSIGN_OR_RETURN(data.tracks, tracksOf(*data.asked));
        data.emptyText = "The run has no measured power, temperature or clock of its GPUs.";
        return data;
    }

    // The best layout, where one is possible.
    Result<PredictionFigureData> decision() {
        PredictionFigureData data;
        RETURN_IF_ERROR(trainingOptions().apply(m_request.options, data.training));
        ASSIGN_OR_RETURN(m_job, askedJobOf(m_studies, m_request));
        ASSIGN_OR_RETURN(const auto asked, searchOf(m_job.asked, m_request.options));
        RETURN_IF_ERROR(predict::checkTraining(data.training, m_job.asked.workload));
        const predict::SearchRequest& search = asked.search;
        ASSIGN_OR_RETURN(auto found, searchInto(asked, data));
        data.title
            = fmt::format("Decision · {} · {}", search.model.name, predict::textOf(search.cluster));
        data.notes = m_job.notes;
        data.notes.push_back(searchWords(found) + ".");
        data.emptyText = searchWords(found) + ".";
        if (!found.top.empty()) {
            RETURN_IF_ERROR(decide(search, found.top.front(), data));
        }
        data.found = std::make_shared<const predict::SearchResult>(std::move(found));
        return data;
    }

    [[nodiscard]] const std::optional<Run>& run() const { return m_job.run; }

private:
    Status decide(const predict::SearchRequest& search, const predict::RankedLayout& best,
        PredictionFigureData& data) const {
        ASSIGN_OR_RETURN(auto made, predict::Predictor().predict(best.job)); // with its schedule
        takeAsked(std::make_shared<const PredictedJob>(
                      PredictedJob{layoutWords(best.job), best.job, std::move(made)}),
            data);
        ASSIGN_OR_RETURN(data.whatIf, predict::whatIfsOf(best.job));
        ASSIGN_OR_RETURN(const auto memory,
            predict::memoryWhatIf(search, predict::Predictor(), m_studies.progress));
        predict::takeMemory(memory, data.whatIf);
        return {};
    }

    Result<std::shared_ptr<const plot::PredictedTracks>> tracksOf(const PredictedJob& asked) {
        if (!m_job.isMeasured())
            return std::shared_ptr<const plot::PredictedTracks>();
        ASSIGN_OR_RETURN(const auto measured, measuredTracksOf(m_studies.of(*m_job.run)));
        if (measured.tracks.empty())
            return std::shared_ptr<const plot::PredictedTracks>();
        ASSIGN_OR_RETURN(
            auto laid, overlayOf(measured, asked.job, asked.prediction, m_studies.progress));
        return std::make_shared<const plot::PredictedTracks>(std::move(laid));
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
};

// "A: TP 8 · PP 4 · DP 1, micro-batch 2, the best of 1204 layouts that can be."
std::string bestWords(const std::string& mark, const predict::SearchResult& found) {
    if (found.top.empty())
        return fmt::format("{}: {}.", mark, searchWords(found));
    return fmt::format("{}: {}, the best of {}.", mark, choiceWords(found.top.front().choice),
        text::counted(std::ssize(found.feasible), "possible layout"));
}

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

Result<PredictionFigureData> askedBoard(
    const analysis::RunStudies& studies, const Request& request, AskedJob& job) {
    PredictionFigureData data;
    ASSIGN_OR_RETURN(job, askedJobOf(studies, request));
    ASSIGN_OR_RETURN(auto asked, predictedJob(job.asked, job.isAsLaunched ? "as launched" : ""));
    takeAsked(std::make_shared<const PredictedJob>(std::move(asked)), data);
    if (job.launched) {
        // The run itself may be one that cannot be predicted.
        auto own = predictedJob(*job.launched, "as launched");
        if (own.hasValue())
            data.others.push_back(std::move(own).value());
    }
    if (job.isMeasured()) {
        ASSIGN_OR_RETURN(data.measured, measuredStepOf(studies.of(*job.run)));
    }
    data.notes = job.notes;
    addTexts(data);
    return data;
}

Figure predictionFigure(
    const std::shared_ptr<const PredictionFigureData>& data, PredictionPanels panels) {
    const bool hasAny
        = std::ranges::any_of(panels, [&data](PredictionPanel panel) { return data->has(panel); });
    Figure figure{
        "prediction", data->title, hasAny ? std::string() : data->emptyText, {}, {}, {}, {}};
    figure.csv = [data] { return predictionCsv(*data); };
    figure.draw = drawing(
        data, [panels = std::move(panels)](const PredictionFigureData& drawn, const auto& style) {
            return buildPrediction(drawn, style, panels);
        });
    return figure;
}

Result<std::optional<MeasuredStep>> measuredStepOf(const analysis::RunStudy& study) {
    ASSIGN_OR_RETURN(const auto efficiency, analysis::efficiencyOf(study, kAllTime));
    if (!efficiency.stepTimeS)
        return std::optional<MeasuredStep>();
    return std::optional(
        MeasuredStep{study.run.id, "measured · " + study.run.name, *efficiency.stepTimeS});
}

plot::ComparisonData scaleData(const predict::ScaleComparison& comparison) {
    plot::ComparisonData data;
    for (std::size_t side = 0; side < comparison.measures.size(); ++side) {
        const analysis::RunMeasures& measures = comparison.measures[side];
        FigureRun named = nameOf(measures.run);
        named.cluster = measures.cluster;
        data.runs.push_back({std::move(named), analysis::runMark(side), side});
        data.measured.push_back(std::make_shared<const analysis::RunMeasures>(measures));
    }
    data.title = "Scale-up and scale-out, predicted";
    addQuantities(data);
    addVerdict(data);
    // Behind the reasons that tell most.
    constexpr std::ptrdiff_t kBehind = kFirstReasons - 2;
    auto& statements = data.verdict->statements;
    for (std::size_t side = comparison.searches.size(); side-- > 0;)
        statements.insert(statements.begin() + std::min(kBehind, std::ssize(statements)),
            bestWords(data.runs[side].mark, comparison.searches[side]));
    return data;
}

std::vector<Kind> predictionKinds() {
    std::vector<Option> job;
    addWords(jobOptions().described(), job);
    auto decision = job;
    addWords(searchOptions().described(), decision);
    addWords(trainingOptions().described(), decision);
    return {predictionKind("prediction", RunsShown::Named, job,
                {kPredictionPanels.begin(), kPredictionPanels.end()}, &PredictionLoader::board),
        predictionKind("prediction-tracks", RunsShown::One, std::move(job),
            {PredictionPanel::Tracks}, &PredictionLoader::tracks),
        predictionKind("decision", RunsShown::Named, std::move(decision),
            {kDecisionPanels.begin(), kDecisionPanels.end()}, &PredictionLoader::decision)};
}

} // namespace trainscope::figures
