#include "core/figures/prediction/AskedJob.h"

#include "core/catalogue/TrainingModel.h"
#include "core/model/Try.h"

#include <utility>

namespace trainscope::figures {

namespace {

using predict::JobRequest;
using JobOption = OptionOf<JobRequest>;

Status takeModel(const std::string& name, JobRequest& job) {
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

JobOption countOption(Option words, int JobRequest::*member) {
    const std::string_view name = words.name;
    return {std::move(words), [name, member](JobRequest& job, const Texts& given) -> Status {
                ASSIGN_OR_RETURN(const auto count, countGiven(name, given.back()));
                job.*member = static_cast<int>(count);
                return {};
            }};
}

// An option of the GPUs; `scale`: SI of its unit.
JobOption clusterOption(
    Option words, std::optional<double> predict::ClusterRequest::*member, double scale) {
    const std::string_view name = words.name;
    return {std::move(words), [name, member, scale](JobRequest& job, const Texts& given) -> Status {
                ASSIGN_OR_RETURN(const auto value, numberGiven(name, given.back()));
                job.cluster.*member = value * scale;
                return {};
            }};
}

Result<double> gpuHourPriceFrom(std::string_view text) {
    return predict::priceFrom("The price of a GPU hour", text);
}
Result<double> kwhPriceFrom(std::string_view text) {
    return predict::priceFrom("The price of a kWh", text);
}

OptionOf<predict::TrainingAsked> trainingOption(Option words,
    Result<double> (*read)(std::string_view text),
    std::optional<double> predict::TrainingAsked::*member) {
    return {std::move(words), [read, member](predict::TrainingAsked& asked, const Texts& given) {
                return assign(read(given.back()), asked.*member);
            }};
}

// The only one of the database where none is named.
Result<Run> runOfJob(const store::Store& store, const Request& request) {
    if (request.runs.size() > 1)
        return usageError("A prediction is of one run; give --run once.");
    if (!request.runs.empty())
        return request.runs.front();
    ASSIGN_OR_RETURN(auto runs, store.runs());
    if (runs.size() != 1)
        return usageError("Say which run with --run, or a job with --model, --cluster and "
                          "--global-batch.");
    return std::move(runs.front());
}

} // namespace

const Options<JobRequest>& jobOptions() {
    static const Options<JobRequest> all({
        {{"model", "M", "Prediction: a model of the catalogue; without --run its job"},
            [](JobRequest& job, const Texts& given) { return takeModel(given.back(), job); }},
        {{"layout", "L", "Prediction: another layout than the run's, as in tp=4,pp=8"},
            [](JobRequest& job, const Texts& given) {
                return assign(predict::layoutFrom(given.back()), job.layout);
            }},
        {{"cluster", "C", "Prediction: another machine than the run's, as in 4x8xH200"},
            [](JobRequest& job, const Texts& given) {
                return assign(predict::clusterFrom(given.back()), job.cluster);
            }},
        countOption(
            {"micro-batch", "N", "Prediction: samples of a micro-batch"}, &JobRequest::microBatch),
        countOption(
            {"global-batch", "N", "Prediction: samples of a step"}, &JobRequest::globalBatch),
        countOption({"seq-len", "N", "Prediction: tokens of a sample"}, &JobRequest::sequence),
        clusterOption({"power-limit", "W", "Prediction: power limit of each GPU"},
            &predict::ClusterRequest::powerLimitW, 1.0),
        clusterOption({"clock", "MHZ", "Prediction: the SM clock, locked"},
            &predict::ClusterRequest::clockHz, 1e6),
    });
    return all;
}

const Options<SearchAsked>& searchOptions() {
    std::vector<Named<predict::SearchObjective>> objectives;
    for (const auto one : predict::kAllObjectives)
        objectives.push_back({one, toString(one)});
    static const Options<SearchAsked> all({
        {{"against", "C", "Prediction: a second cluster that the best layouts are compared on"},
            [](SearchAsked& asked, const Texts& given) {
                return assign(predict::clusterFrom(given.back()), asked.against);
            }},
        choiceOption<SearchAsked>(
            {"objective", "O", "Prediction: layouts ranked by time, energy or peak-power"},
            "objective", std::move(objectives),
            [](auto& asked) -> auto& { return asked.search.objective; }),
        {{"top", "K", "Prediction: layouts that are listed; 10 unless given"},
            [](SearchAsked& asked, const Texts& given) -> Status {
                ASSIGN_OR_RETURN(const auto top, countGiven("top", given.back()));
                asked.search.top = static_cast<std::size_t>(top);
                return {};
            }},
        {{"memory-share", "X", "Prediction: of a GPU's memory, what a layout may use"},
            [](SearchAsked& asked, const Texts& given) {
                return assign(numberGiven("memory-share", given.back()), asked.search.memoryShare);
            }},
        {{"cluster-power", "W", "Prediction: power of all GPUs together that is kept"},
            [](SearchAsked& asked, const Texts& given) {
                return assign(numberGiven("cluster-power", given.back()), asked.search.powerLimitW);
            }},
    });
    return all;
}

const Options<predict::TrainingAsked>& trainingOptions() {
    using predict::TrainingAsked;
    static const Options<TrainingAsked> all({
        trainingOption({"tokens", "N", "Prediction: tokens to train on, as in 300e9, 300B or 1.5T"},
            predict::tokensFrom, &TrainingAsked::tokens),
        trainingOption(
            {"price-gpu-hour", "X", "Prediction: price of an hour of a GPU, in any currency"},
            gpuHourPriceFrom, &TrainingAsked::gpuHourPrice),
        trainingOption({"price-kwh", "Y", "Prediction: price of a kWh, in the same currency"},
            kwhPriceFrom, &TrainingAsked::kwhPrice),
    });
    return all;
}

Result<AskedJob> askedJobOf(const analysis::RunStudies& studies, const Request& request) {
    const OptionValues& options = request.options;
    AskedJob job;
    RETURN_IF_ERROR(jobOptions().apply(options, job.asked)); // by hand, as far as it is said
    const bool isByHand
        = options.has("model") && options.has("cluster") && options.has("global-batch");
    if (request.runs.empty() && options.has("model")) {
        if (!isByHand)
            return usageError("A job by hand needs --model, --cluster and --global-batch.");
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
    job.isAsLaunched = !jobOptions().isAnyGiven(options);
    if (!job.isAsLaunched) {
        job.launched = std::move(made.value().request);
        RETURN_IF_ERROR(jobOptions().apply(options, job.asked));
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

Result<SearchAsked> searchOf(const AskedJob& job, const OptionValues& options) {
    SearchAsked asked;
    asked.search = predict::searchLike(job.asked);
    RETURN_IF_ERROR(searchOptions().apply(options, asked));
    return asked;
}

} // namespace trainscope::figures
