#include "core/figures/prediction/AskedJob.h"

#include "core/analysis/machine/ModelShape.h"
#include "core/catalogue/TrainingModel.h"
#include "core/model/WholeNumber.h"
#include "core/plot/prediction/PredictionWords.h"
#include "core/predict/cost/Rates.h"
#include "core/text/Names.h"

namespace trainscope::figures {

namespace {

using predict::JobRequest;
using JobOption = OptionOf<JobRequest>;

std::vector<FigureChoice> suggested(std::initializer_list<const char*> texts) {
    std::vector<FigureChoice> choices;
    for (const char* text : texts)
        choices.push_back({text, {}});
    return choices;
}

std::vector<FigureChoice> stacks() {
    return suggested({"megatron-lm", "megatron-bridge", "nemo-24.07", "mlperf-nemo-24.10",
        "mlperf-nemo-25.01", "mlperf-nemo-25.04", "torchtitan", "mosaic", "gpt-neox", "pytorch",
        "pytorch-compiled"});
}

std::string joinedKeys(const std::vector<FigureChoice>& choices) {
    std::vector<std::string> keys;
    for (const FigureChoice& choice : choices)
        keys.push_back(choice.key);
    return text::joined(keys);
}

Option suggesting(Option words, std::vector<FigureChoice> choices) {
    words.choices = std::move(choices);
    return words;
}

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

Status takeLayout(const std::string& text, JobRequest& job) {
    return assign(predict::layoutFrom(text), job.layout);
}

Status takePrecision(const std::string& text, JobRequest& job) {
    ASSIGN_OR_RETURN(const auto stated, predict::statedPrecisionFrom(text));
    job.precision = stated.products;
    job.kept = stated.kept;
    return {};
}

// "full", or "block:4": so many layers of each stage.
Status takeRecompute(const std::string& text, JobRequest& job) {
    constexpr std::string_view kBlock = "block:";
    const bool isBlock = text.starts_with(kBlock);
    const auto mode
        = isBlock ? std::optional(predict::Recompute::Full) : analysis::recomputationFrom(text);
    const int layers = isBlock ? wholeNumber<int>(text.substr(kBlock.size())).value_or(0) : 0;
    if (!mode || (isBlock && layers < 1))
        return unknownChoice("recomputation", text,
            "none, selective, per-operator, full, and block:N for N layers of each stage");
    job.recompute = *mode;
    job.recomputedLayers = layers;
    return {};
}

Status takeOffload(const std::string& text, JobRequest& job) {
    return assign(analysis::offloadFrom(text), job.offload);
}

Status takeGenerated(const std::string& text, JobRequest& job) {
    const auto count = wholeNumber<int>(text);
    if (!count || *count < 0)
        return usageError("--generated takes a whole number of 0 or more, not '" + text + "'.");
    job.generated = *count;
    return {};
}

Status takeAdapters(const std::string& text, JobRequest& job) {
    if (job.workload != Workload::Lora)
        return usageError("Adapters are of the workload lora.");
    return assign(analysis::adaptersFrom(text), job.adapters);
}

Status takeStack(const std::string& name, JobRequest& job) {
    if (!predict::RateTable::builtIn().hasStack(name))
        return unknownChoice("software stack", name, stacks());
    job.stack = name;
    return {};
}

JobOption jobOption(Option words, Status (*take)(const std::string& text, JobRequest& job)) {
    return {std::move(words),
        [take](JobRequest& job, const Texts& given) { return take(given.back(), job); }};
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
                ASSIGN_OR_RETURN(const auto value, aboveZeroGiven(name, given.back()));
                job.cluster.*member = value * scale;
                return {};
            }};
}

std::vector<JobOption> workOptions() {
    return {
        jobOption(
            suggesting({"precision", "P",
                           "fp32, fp16, bf16 (unless given), fp8, mxfp8 or nvfp4; with what "
                           "numbers are kept in: bf16-pure, bf16-autocast, bf16-master, or "
                           "weights, gradients, states, master, attention and function one by "
                           "one, as in bf16,states=bf16 or fp8,weights=fp8,attention=fp8"},
                suggested({"fp32", "fp16", "bf16", "bf16-pure", "bf16-autocast", "bf16-master",
                    "fp8", "mxfp8", "nvfp4"})),
            takePrecision),
        jobOption(suggesting({"recompute", "R",
                                 "Activations that are computed again: none (unless given), "
                                 "selective, per-operator, full, or block:N"},
                      suggested({"none", "selective", "per-operator", "full"})),
            takeRecompute),
        jobOption(suggesting({"offload", "O",
                                 "Kept in the host's memory: optimizer, a share of it "
                                 "(optimizer:0.5), activations:N of N layers of each stage, or "
                                 "both with a comma between"},
                      suggested({"optimizer", "activations:N"})),
            takeOffload),
        choiceOption<JobRequest, Workload>(
            {"workload", "W", "training (unless given), lora or inference"}, "workload",
            {{Workload::Training, "training"}, {Workload::Lora, "lora"},
                {Workload::Inference, "inference"}},
            &JobRequest::workload),
        jobOption({"generated", "N",
                      "Inference: tokens of a sample that are generated, the rest being its "
                      "prompt"},
            takeGenerated),
        jobOption({"adapters", "A",
                      "With the workload lora the rank of the adapters and the matrices of qkv, "
                      "out, up and down; 16:qkv unless given"},
            takeAdapters),
        {{"unfused-attention", {},
             "Attention as separate products and softmax instead of one kernel"},
            [](JobRequest& job, const Texts&) {
                job.attention = predict::AttentionKind::Unfused;
                return Status();
            }},
    };
}

std::vector<JobOption> executionOptions() {
    using predict::ContextExchange;
    return {
        choiceOption<JobRequest, ContextExchange>(
            {"context-exchange", "X",
                "Context parallelism: ring (unless given), all-to-all or gather"},
            "exchange of context parallelism",
            {{ContextExchange::Ring, "ring"}, {ContextExchange::AllToAll, "all-to-all"},
                {ContextExchange::Gather, "gather"}},
            [](auto& job) -> auto& { return job.execution.context; }),
        choiceOption<JobRequest, bool>(
            {"attention-precision", "P",
                "Of attention beside products in 8 bits: bf16 (unless given) or fp8"},
            "precision of attention", {{false, "bf16"}, {true, "fp8"}},
            [](auto& job) -> auto& { return job.execution.attention8; }),
        switchOption<JobRequest>(
            {"cuda-graphs", {},
                "Layers are launched as graphs, so that no GPU waits for its "
                "host"},
            [](auto& job) -> auto& { return job.execution.graphs; }),
        jobOption(
            suggesting({"stack", "S", "Software whose habits are taken: " + joinedKeys(stacks())},
                stacks()),
            takeStack),
    };
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
    static const Options<JobRequest> all = [] {
        std::vector<JobOption> options{
            jobOption({"model", "M", "A model of the catalogue"}, takeModel),
            // The first of several; another is compared with it.
            {{"cluster", "C", "Nodes, GPUs per node and GPU: 4x8xH200; or GPUs and GPU: 64xH100"},
                [](JobRequest& job, const Texts& given) {
                    return assign(predict::clusterFrom(given.front()), job.cluster);
                }},
            jobOption({"layout", "L",
                          "tp=8,pp=4,…: tp, pp, cp, ep, etp, dp, vpp, zero, shard, fsdp, "
                          "embedding-layer, loss-layer, order, schedule and stage-layers; data "
                          "parallelism fills the cluster"},
                takeLayout),
            countOption({"micro-batch", "B", "Samples of a micro-batch"}, &JobRequest::microBatch),
            countOption({"global-batch", "G", "Samples of a step"}, &JobRequest::globalBatch),
            countOption(
                {"seq-len", "S", "Tokens of a sample; 4096 unless given"}, &JobRequest::sequence),
        };
        for (auto& option : workOptions())
            options.push_back(std::move(option));
        for (auto& option : executionOptions())
            options.push_back(std::move(option));
        using predict::ClusterRequest;
        options.push_back(
            clusterOption({"network-gbit", "N", "Network of a GPU out of its node, Gbit/s"},
                &ClusterRequest::networkBandwidth, 1e9 / 8.0));
        options.push_back(clusterOption(
            {"power-limit", "W", "Power limit of a GPU, W"}, &ClusterRequest::powerLimitW, 1.0));
        options.push_back(clusterOption(
            {"clock", "MHZ", "Locked clock of a GPU, MHz"}, &ClusterRequest::clockHz, 1e6));
        return options;
    }();
    return all;
}

const Options<SearchAsked>& searchOptions() {
    std::vector<Named<predict::SearchObjective>> objectives;
    for (const auto one : predict::kAllObjectives)
        objectives.push_back({one, toString(one)});
    static const Options<SearchAsked> all({
        {{"against", "C", "A second cluster that the best layouts are compared on"},
            [](SearchAsked& asked, const Texts& given) {
                return assign(predict::clusterFrom(given.back()), asked.against);
            }},
        choiceOption<SearchAsked>(
            {"objective", "O", "Rank by time (unless given), energy or peak-power"}, "objective",
            std::move(objectives), [](auto& asked) -> auto& { return asked.search.objective; }),
        {{"top", "K", "Layouts that are listed; 10 unless given"},
            [](SearchAsked& asked, const Texts& given) -> Status {
                ASSIGN_OR_RETURN(const auto top, countGiven("top", given.back()));
                asked.search.top = static_cast<std::size_t>(top);
                return {};
            }},
        {{"memory-share", "X", "Share of a GPU's memory that a layout may use; 1 unless given"},
            [](SearchAsked& asked, const Texts& given) {
                return assign(
                    aboveZeroGiven("memory-share", given.back()), asked.search.memoryShare);
            }},
        numberOption<SearchAsked>(
            {"cluster-power", "W", "Power of all GPUs together that is kept by capping each, W"},
            aboveZeroGiven, [](auto& asked) -> auto& { return asked.search.powerLimitW; }),
    });
    return all;
}

std::span<const InterruptionOption> interruptionOptions() {
    using predict::Reliability;
    static constexpr std::array all{
        InterruptionOption{"gpu-hours-between", "H",
            "the hours of all GPUs together between two interruptions; 38,700 unless given",
            "GPU h between", "38,700",
            "Hours of all GPUs together between two interruptions; goodput and the time with what "
            "they cost follow",
            aboveZeroGiven, &Reliability::gpuHours},
        InterruptionOption{"checkpoint-interval", "S",
            "the work between two checkpoints, s; the best by Young unless given", "Saved every, s",
            "the best", "Work between two checkpoints; the best by Young unless given",
            aboveZeroGiven, &Reliability::checkpointInterval},
        InterruptionOption{"checkpoint-time", "S",
            "the time that a training stands still for a checkpoint, s", "Saving takes, s",
            "by its size", "In which the training stands still for a checkpoint", zeroOrMoreGiven,
            &Reliability::checkpointSeconds},
        InterruptionOption{"restart-time", "S",
            "the time from an interruption until it goes on, s; 600 unless given",
            "Restart takes, s", "600", "From an interruption until the training goes on",
            zeroOrMoreGiven, &Reliability::restartSeconds},
        InterruptionOption{"slow-nodes", "P",
            "the share of nodes that are slow, for which all wait; none unless given, 0.005 with "
            "--slow-by alone",
            "Slow nodes", "none",
            "Share of the nodes that are slow, such as 0.005; all wait for the slowest", shareGiven,
            &Reliability::slowNodes},
        InterruptionOption{"slow-by", "S",
            "how much longer a step takes where a node is slow, as a share; 0.1 with --slow-nodes "
            "alone",
            "Slow by", "0.1", "How much longer a step takes where a node is slow, as a share",
            zeroOrMoreGiven, &Reliability::slowBy},
    };
    return all;
}

const Options<predict::TrainingAsked>& trainingOptions() {
    using predict::TrainingAsked;
    static const Options<TrainingAsked> all = [] {
        std::vector<OptionOf<TrainingAsked>> options{
            {{"tokens", "N",
                 "Tokens to train on, as in 300e9, 300B or "
                 "1.5T: also the days and the energy of the "
                 "training"},
                [](TrainingAsked& asked, const Texts& given) {
                    return assign(predict::tokensFrom(given.back()), asked.tokens);
                }}};
        for (const InterruptionOption& one : interruptionOptions())
            options.push_back(numberOption<TrainingAsked>(
                {one.name, one.value, std::string("With --tokens ") + one.help},
                one.read, [member = one.member](auto& asked) -> auto& {
                    return asked.reliability.*member;
                }));
        return options;
    }();
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

Result<plot::PredictedJob> predictedJob(
    const predict::JobRequest& request, std::string name, const predict::Predictor& predictor) {
    ASSIGN_OR_RETURN(auto job, predict::jobOf(request));
    ASSIGN_OR_RETURN(auto prediction, predictor.predict(job));
    if (name.empty())
        name = plot::layoutWords(job);
    return plot::PredictedJob{std::move(name), std::move(job), std::move(prediction)};
}

Result<SearchAsked> searchOf(const predict::JobRequest& job, const OptionValues& options) {
    SearchAsked asked;
    asked.search = predict::searchLike(job);
    RETURN_IF_ERROR(searchOptions().apply(options, asked));
    return asked;
}

} // namespace trainscope::figures
