#include "core/figures/prediction/AskedJob.h"

#include "core/catalogue/TrainingModel.h"
#include "core/model/Try.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace trainscope::figures {

namespace {

constexpr std::int64_t kMostAsked = 1'000'000'000;
constexpr std::size_t kUsualTop = 10;

Result<std::optional<std::int64_t>> countOf(const OptionValues& options, std::string_view name) {
    ASSIGN_OR_RETURN(const auto given, options.integer(name));
    if (given && (*given < 1 || *given > kMostAsked))
        return usage(fmt::format("--{} takes a number above 0.", name));
    return given;
}

Status takeCount(const OptionValues& options, std::string_view name, int& into) {
    ASSIGN_OR_RETURN(const auto given, countOf(options, name));
    into = given ? static_cast<int>(*given) : into;
    return {};
}

Status takeModel(const OptionValues& options, predict::JobRequest& job) {
    const std::string name = options.text("model");
    const auto& catalogue = catalogue::modelCatalogue();
    const auto* model = catalogue.byName(name);
    if (model == nullptr) {
        std::string known;
        for (const auto& one : catalogue.models)
            known += (known.empty() ? "" : ", ") + one.name;
        return unknownChoice("model of the catalogue", name, known);
    }
    job.model = *model;
    return {};
}

// Replaces fields of the job by the options that are given.
Status changeJob(const OptionValues& options, predict::JobRequest& job) {
    if (options.has("model"))
        RETURN_IF_ERROR(takeModel(options, job));
    if (options.has("layout")) {
        ASSIGN_OR_RETURN(job.layout, predict::layoutFrom(options.text("layout")));
    }
    if (options.has("cluster")) {
        ASSIGN_OR_RETURN(job.cluster, predict::clusterFrom(options.text("cluster")));
    }
    RETURN_IF_ERROR(takeCount(options, "micro-batch", job.microBatch));
    RETURN_IF_ERROR(takeCount(options, "global-batch", job.globalBatch));
    RETURN_IF_ERROR(takeCount(options, "seq-len", job.sequence));
    ASSIGN_OR_RETURN(const auto limit, options.number("power-limit"));
    if (limit)
        job.cluster.powerLimitW = limit;
    ASSIGN_OR_RETURN(const auto clock, options.number("clock"));
    if (clock)
        job.cluster.clockHz = *clock * 1e6;
    return {};
}

bool isChanged(const OptionValues& options) {
    const auto changes = jobOptions();
    return std::any_of(changes.begin(), changes.end(),
        [&](const Option& option) { return options.has(option.name); });
}

// The only one of the database where none is named.
Result<Run> runOfJob(const store::Store& store, const Request& request) {
    if (request.runs.size() > 1)
        return usage("A prediction is of one run; give --run once.");
    if (!request.runs.empty())
        return request.runs.front();
    ASSIGN_OR_RETURN(auto runs, store.runs());
    if (runs.size() != 1)
        return usage("Say which run with --run, or a job with --model, --cluster and "
                     "--global-batch.");
    return std::move(runs.front());
}

} // namespace

std::vector<Option> jobOptions() {
    return {
        {"model", "M", "Prediction: a model of the catalogue; without --run its job"},
        {"layout", "L", "Prediction: another layout than the run's, as in tp=4,pp=8"},
        {"cluster", "C", "Prediction: another machine than the run's, as in 4x8xH200"},
        {"micro-batch", "N", "Prediction: samples of a micro-batch"},
        {"global-batch", "N", "Prediction: samples of a step"},
        {"seq-len", "N", "Prediction: tokens of a sample"},
        {"power-limit", "W", "Prediction: power limit of each GPU"},
        {"clock", "MHZ", "Prediction: the SM clock, locked"},
    };
}

std::vector<Option> searchOptions() {
    auto options = jobOptions();
    const std::vector<Option> own{
        {"against", "C", "Prediction: a second cluster that the best layouts are compared on"},
        {"objective", "O", "Prediction: layouts ranked by time, energy or peak-power", false,
            "time energy peak-power"},
        {"top", "K", "Prediction: layouts that are listed; 10 unless given"},
        {"memory-share", "X", "Prediction: of a GPU's memory, what a layout may use"},
        {"cluster-power", "W", "Prediction: power of all GPUs together that is kept"},
    };
    options.insert(options.end(), own.begin(), own.end());
    return options;
}

Result<AskedJob> askedJobOf(const analysis::RunStudies& studies, const Request& request) {
    const OptionValues& options = request.options;
    AskedJob job;
    RETURN_IF_ERROR(changeJob(options, job.asked)); // the job by hand, as far as it is said
    const bool isByHand
        = options.has("model") && options.has("cluster") && options.has("global-batch");
    if (request.runs.empty() && options.has("model")) {
        if (!isByHand)
            return usage("A job by hand needs --model, --cluster and --global-batch.");
        return job;
    }
    ASSIGN_OR_RETURN(job.run, runOfJob(studies.store, request));
    auto made = predict::requestOf(studies.of(*job.run));
    if (!made.hasValue()) {
        if (made.error().code != ErrorCode::NotFound || !isByHand)
            return made.error();
        job.notes = {made.error().message, "The job is the one that was asked for."};
        return job;
    }
    job.notes = std::move(made.value().notes);
    job.asked = made.value().request;
    job.isAsLaunched = !isChanged(options);
    if (!job.isAsLaunched) {
        job.launched = std::move(made.value().request);
        RETURN_IF_ERROR(changeJob(options, job.asked));
    }
    return job;
}

Result<PredictedJob> predictedJob(const predict::JobRequest& request, std::string name) {
    ASSIGN_OR_RETURN(auto job, predict::jobOf(request));
    ASSIGN_OR_RETURN(auto prediction, predict::Predictor().predict(job));
    if (name.empty())
        name = layoutWords(job);
    return PredictedJob{std::move(name), std::move(job), std::move(prediction)};
}

Result<predict::SearchRequest> searchOf(const AskedJob& job, const OptionValues& options) {
    predict::SearchRequest search = predict::searchLike(job.asked);
    if (options.has("objective")) {
        const auto objective = predict::objectiveFrom(options.text("objective"));
        if (!objective)
            return unknownChoice(
                "objective", options.text("objective"), "time, energy and peak-power");
        search.objective = *objective;
    }
    ASSIGN_OR_RETURN(const auto top, countOf(options, "top"));
    search.top = top ? static_cast<std::size_t>(*top) : kUsualTop;
    ASSIGN_OR_RETURN(const auto share, options.number("memory-share"));
    search.memoryShare = share.value_or(search.memoryShare);
    ASSIGN_OR_RETURN(search.powerLimitW, options.number("cluster-power"));
    return search;
}

} // namespace trainscope::figures
