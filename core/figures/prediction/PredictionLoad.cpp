// The kind that predicts the job of a run: as it was launched beside what was measured, or with
// another layout, machine or batch.
#include "core/analysis/energy/Efficiency.h"
#include "core/figures/prediction/PredictionFigure.h"
#include "core/model/Try.h"
#include "core/predict/prediction/RunRequest.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainscope::figures {

namespace {

const std::vector<Option> kPredictionOptions{
    {"layout", "L", "Prediction: another layout than the run's, as in tp=4,pp=8"},
    {"cluster", "C", "Prediction: another machine than the run's, as in 4x8xH200"},
    {"micro-batch", "N", "Prediction: samples of a micro-batch"},
    {"global-batch", "N", "Prediction: samples of a step"},
    {"seq-len", "N", "Prediction: tokens of a sample"},
    {"power-limit", "W", "Prediction: power limit of each GPU"},
    {"clock", "MHZ", "Prediction: the SM clock, locked"},
};

// What is asked for in place of what the run had.
struct Changes {
    std::optional<layout::LayoutRequest> layout;
    std::optional<predict::ClusterRequest> cluster;
    std::optional<std::int64_t> microBatch;
    std::optional<std::int64_t> globalBatch;
    std::optional<std::int64_t> sequence;
    std::optional<double> powerLimitW;
    std::optional<double> clockMhz;
};

Result<std::optional<std::int64_t>> countOf(const OptionValues& options, std::string_view name) {
    constexpr std::int64_t kMost = 1'000'000'000;
    ASSIGN_OR_RETURN(const auto given, options.integer(name));
    if (given && (*given < 1 || *given > kMost))
        return usage(fmt::format("--{} takes a number above 0.", name));
    return given;
}

Result<Changes> changesOf(const OptionValues& options) {
    Changes changes;
    if (options.has("layout")) {
        ASSIGN_OR_RETURN(changes.layout, predict::layoutFrom(options.text("layout")));
    }
    if (options.has("cluster")) {
        ASSIGN_OR_RETURN(changes.cluster, predict::clusterFrom(options.text("cluster")));
    }
    ASSIGN_OR_RETURN(changes.microBatch, countOf(options, "micro-batch"));
    ASSIGN_OR_RETURN(changes.globalBatch, countOf(options, "global-batch"));
    ASSIGN_OR_RETURN(changes.sequence, countOf(options, "seq-len"));
    ASSIGN_OR_RETURN(changes.powerLimitW, options.number("power-limit"));
    ASSIGN_OR_RETURN(changes.clockMhz, options.number("clock"));
    return changes;
}

predict::JobRequest changed(predict::JobRequest request, const Changes& changes) {
    const auto take = [](const std::optional<std::int64_t>& from, int& into) {
        into = from ? static_cast<int>(*from) : into;
    };
    request.layout = changes.layout.value_or(request.layout);
    request.cluster = changes.cluster.value_or(request.cluster);
    take(changes.microBatch, request.microBatch);
    take(changes.globalBatch, request.globalBatch);
    take(changes.sequence, request.sequence);
    if (changes.powerLimitW)
        request.cluster.powerLimitW = changes.powerLimitW;
    if (changes.clockMhz)
        request.cluster.clockHz = *changes.clockMhz * 1e6;
    return request;
}

Result<PredictedJob> predictedOf(const predict::JobRequest& request, std::string name) {
    ASSIGN_OR_RETURN(auto job, predict::jobOf(request));
    ASSIGN_OR_RETURN(auto prediction, predict::Predictor().predict(job));
    if (name.empty())
        name = layoutWords(job);
    return PredictedJob{std::move(name), std::move(job), std::move(prediction)};
}

Result<plot::PredictionFigureData> loadPrediction(const store::Store& store, const Run& run,
    const std::optional<Changes>& changes, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto made, predict::requestOf(store, run, progress));
    auto own = predictedOf(made.request, "as launched");
    auto asked = changes ? predictedOf(changed(made.request, *changes), {}) : own;
    if (!asked.hasValue())
        return asked.error();
    PredictionBoardFacts facts{std::move(asked).value(), {}, {}};
    // The run itself may be one that cannot be predicted.
    if (changes && own.hasValue())
        facts.others.push_back(std::move(own).value());
    ASSIGN_OR_RETURN(facts.measured, measuredStepOf(store, run, progress));
    auto data = predictionData(facts);
    data.notes.insert(data.notes.end(), made.notes.begin(), made.notes.end());
    return data;
}

// What the user asks for must fit; what the run does not say is missing.
bool isMissingPrediction(const Error& error, bool isChanged) {
    return error.code == ErrorCode::NotFound || (error.code == ErrorCode::Usage && !isChanged);
}

Result<Figure> loadPredictionKind(
    const store::Store& store, const Request& request, const Progress& progress) {
    const Run& run = request.runs.front();
    const bool isChanged = !request.options.names().empty();
    ASSIGN_OR_RETURN(const auto changes, changesOf(request.options));
    auto data
        = loadPrediction(store, run, isChanged ? std::optional(changes) : std::nullopt, progress);
    if (!data.hasValue()) {
        if (!isMissingPrediction(data.error(), isChanged))
            return data.error();
        plot::PredictionFigureData empty;
        empty.title = "Prediction · " + run.name;
        empty.emptyText = data.error().message;
        data = std::move(empty);
    }
    auto figure = predictionFigure(
        std::make_shared<const plot::PredictionFigureData>(std::move(data).value()));
    figure.runs = {{run.id, run.name}};
    return figure;
}

} // namespace

Result<std::optional<MeasuredStep>> measuredStepOf(
    const store::Store& store, const Run& run, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto efficiency, analysis::efficiencyOf(store, run, kAllTime, progress));
    if (!efficiency.stepTimeS)
        return std::optional<MeasuredStep>();
    return std::optional(MeasuredStep{run.id, "measured · " + run.name, *efficiency.stepTimeS});
}

std::vector<Kind> predictionKinds() {
    return {{"prediction", RunsShown::One, kPredictionOptions, loadPredictionKind}};
}

} // namespace trainscope::figures
