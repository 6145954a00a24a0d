#include "importers/trainingtable/TrainingTable.h"

#include "core/analysis/machine/ModelShape.h"
#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/predict/Job.h"
#include "core/predict/cost/Rates.h"
#include "core/predict/prediction/JobRequest.h"
#include "core/predict/prediction/Prediction.h"
#include "importers/common/Cells.h"
#include "importers/common/NamedTable.h"
#include "importers/common/Number.h"

#include <fmt/format.h>

#include <cmath>

namespace trainscope::importers::trainingtable {
namespace {

// Workload and precision of a row's run: training, training of adapters, or inference.

// "BF16", "FP8-CS (FP8-MX)", "float8 rowwise", "amp_bf16", "bf16-pure". Usage names words that are
// none. `mode`: how numbers are kept, where the row says so apart, as in "autocast" or "pure".
Result<predict::StatedPrecision> precisionOf(std::string_view stated, std::string_view mode = {});

// As the row says ("training", "lora", "inference"), else by a word in its source or its model.
// Usage names a word that is none.
Result<Workload> workloadOf(
    std::string_view stated, std::string_view source, std::string_view model) {
    if (!stated.empty()) {
        if (const auto workload = fromString<Workload>(lowered(stated)))
            return *workload;
        return usageError(
            fmt::format("The workload \"{}\" is none of training, lora and inference.", stated));
    }
    for (const Workload workload : {Workload::Lora, Workload::Inference}) {
        if (containsIgnoringCase(source, toString(workload))
            || containsIgnoringCase(model, toString(workload)))
            return workload;
    }
    return Workload::Training;
}

Result<predict::Precision> productsOf(std::string_view stated) {
    const std::string words = lowered(stated);
    if (words.find("nvfp4") != std::string::npos)
        return predict::Precision::NvFp4;
    if (words.find("fp8") != std::string::npos || words.find("float8") != std::string::npos) {
        const bool isBlockwise = words.starts_with("mxfp8") || words.starts_with("fp8-mx");
        return isBlockwise ? predict::Precision::MxFp8 : predict::Precision::Fp8;
    }
    if (words.find("bf16") != std::string::npos)
        return predict::Precision::Bf16;
    if (words.find("fp16") != std::string::npos)
        return predict::Precision::Fp16;
    return usageError(words.empty() ? std::string("The row does not say its precision.")
                                    : fmt::format("The precision \"{}\" is not known.", stated));
}

Result<predict::StatedPrecision> precisionOf(std::string_view stated, std::string_view mode) {
    const std::string way = lowered(trimmed(mode));
    // A mode that is a type alone is that of all numbers.
    const bool isType = predict::precisionFrom(way).has_value();
    const std::string_view words
        = trimmed(stated).empty() && isType ? std::string_view(way) : stated;
    auto whole = predict::statedPrecisionFrom(words);
    if (!whole.hasValue() || words.empty()) {
        ASSIGN_OR_RETURN(
            const auto products, productsOf(words.empty() && !way.empty() ? "bf16" : words));
        whole = predict::StatedPrecision{products, {}};
    }
    if (way.empty() || !whole.value().kept.isUsual())
        return whole;
    const std::string type(toString(whole.value().products));
    return predict::statedPrecisionFrom(type + "-" + (isType ? "pure" : way));
}

// Takes away from a job what inference has not, whatever the source does in training. Usage where
// that cannot be.
Status asInference(predict::Job& job, std::optional<int> generated) {
    job.generated = generated.value_or(0);
    if (job.generated >= job.sequence)
        return usageError(fmt::format("Of {} tokens a sample, prompt included, {} cannot be "
                                      "generated.",
            job.sequence, job.generated));
    if (job.layout.virtualStages > 1)
        return usageError("Inference has no virtual stages.");
    constexpr int kShardsWeights = 3; // ZeRO stage
    if (job.layout.sharding && job.layout.sharding->zeroStage < kShardsWeights)
        job.layout.sharding.reset();
    job.recompute = predict::Recompute::None;
    job.recomputedLayers = job.offload.layers = 0;
    job.sequenceParallel = job.dropout = false;
    job.model.nextTokenLayers = 0;
    job.stack.clear();
    return {};
}

using predict::Job;

// Habits of sources whose tables leave out how they were made; the first whose word is in the name.
struct SourceHabits {
    std::string_view word; // in lower case
    std::string_view stack; // in core/predict
    predict::AttentionKind attention = predict::AttentionKind::Flash;
    bool sequenceParallel = true; // with tensor parallelism, as of rows of no such source
    bool padsToBlocks = false; // the vocabulary: 128 × TP
    int layersBefore = 0; // the parts before and behind the layers count as so many of them,
    int layersBehind = 0; // if a pipeline is cut
    bool pipesBothWays = false; // DualPipe, where the row says no virtual stages
};
constexpr auto kHabits = std::to_array<SourceHabits>({
    {"mosaicml", "mosaic", predict::AttentionKind::Flash, false},
    {"megatron-bridge", "megatron-bridge"},
    {"mlperf", "mlperf-nemo-25.04"},
    {"nemo 24", "nemo-24.07"},
    {"korthikanti", "korthikanti", predict::AttentionKind::Unfused, false},
    {"narayanan", "korthikanti", predict::AttentionKind::Unfused, false},
    {"2104.04473", "korthikanti", predict::AttentionKind::Unfused, false},
    {"torchtitan", "torchtitan"},
    {"gpumodeling", "gpt-neox", predict::AttentionKind::Unfused, false, true, 1, 3},
    {"deepseek", "deepseek-v3", predict::AttentionKind::Flash, true, false, 0, 0, true},
    {"2412.19437", "deepseek-v3", predict::AttentionKind::Flash, true, false, 0, 0, true},
});

// Containers whose layers with experts are launched faster.
constexpr double kGraphsSince = 26.4;
constexpr double kPatch = 0.02; // years of a patch release
constexpr int kPackedSample = 512; // tokens of a SQuAD sample, of which several fill a sequence
constexpr int kDefaultVocabulary = 128256;

bool has(std::string_view text, std::string_view word) {
    return lowered(text).find(word) != std::string::npos;
}

// "1614 (1540)", "661[^note]", "42.42%", "50257 (padded)".
std::optional<double> leadingNumber(std::string_view text) {
    const std::size_t end = text.find_first_of("([% ");
    return parseNumber(text.substr(0, end));
}

// 128 times of the largest is still an int: a vocabulary is filled up to that.
std::optional<int> wholeOf(std::optional<double> number) {
    constexpr double kMost = 1e7;
    return number && *number >= 0.0 && *number <= kMost ? std::optional(static_cast<int>(*number))
                                                        : std::nullopt;
}

class RowReader {
public:
    RowReader(const NamedRow& cells, const catalogue::ModelCatalogue& catalogue)
        : m_cells(cells)
        , m_catalogue(catalogue) { }

    TableRow read(int row) {
        m_row.row = row;
        m_row.source = text("source");
        m_row.publisher = m_row.source.substr(0, m_row.source.find(','));
        m_row.measured = {measured("step_time_s"), measured("step_time_avg_s"),
            measured("tokens_per_s_per_gpu"), measured("tflops_per_gpu")};
        m_row.isQualified = text("tokens_per_s_per_gpu").find("[^") != std::string_view::npos
            || text("tflops_per_gpu").find("[^") != std::string_view::npos;
        if (m_row.measured.flopsPerGpu)
            *m_row.measured.flopsPerGpu *= 1e12;
        takeHabits();
        auto job = readJob();
        if (job.hasValue() && (m_habits == nullptr || isMlPerf()))
            assumeWhatFits(job.value());
        if (job.hasValue())
            m_row.job = std::move(job).value();
        else
            m_row.unsupported = job.error().message;
        return std::move(m_row);
    }

private:
    [[nodiscard]] std::string_view text(std::string_view name) const { return m_cells.text(name); }
    [[nodiscard]] std::optional<double> number(std::string_view name) const {
        return leadingNumber(text(name));
    }
    // A time or a rate; none where it is not above 0.
    [[nodiscard]] std::optional<double> measured(std::string_view name) const {
        const auto value = number(name);
        return value && *value > 0.0 ? value : std::nullopt;
    }
    [[nodiscard]] std::optional<int> whole(std::string_view name) const {
        return wholeOf(number(name));
    }

    // The source tells them by its name, else by its address.
    void takeHabits() {
        for (const std::string_view words :
            {std::string_view(m_row.source), text("url_or_repo_path")}) {
            const auto* const found = std::find_if(kHabits.begin(), kHabits.end(),
                [&](const SourceHabits& habits) { return has(words, habits.word); });
            if (found == kHabits.end())
                continue;
            m_habits = found;
            break;
        }
        m_row.version = versionIn(m_row.source);
        if (m_row.version == 0.0)
            m_row.version = versionIn(text("url_or_repo_path")); // "ngc25.04"
    }

    // Rounds of MLPerf Training: v4.0 and v4.1 of 2024, later ones by the container of their path.
    [[nodiscard]] std::string_view roundsStack() const {
        constexpr double kFp8Weights = 25.0; // years
        constexpr double kSince2504 = 25.0 + 2.5 / 12.0;
        if (m_row.version > 0.0 ? m_row.version < kFp8Weights : has(m_row.source, " v4."))
            return "mlperf-nemo-24.10";
        return m_row.version > 0.0 && m_row.version < kSince2504 ? "mlperf-nemo-25.01"
                                                                 : "mlperf-nemo-25.04";
    }

    // "CUDA graphs", "CUDA graphs where cp=8", "CUDA graphs on GB200": whether they are this row's.
    [[nodiscard]] bool hasGraphs() const {
        const std::string notes = lowered(text("notes"));
        constexpr std::string_view kGraphs = "cuda graphs";
        const std::size_t at = notes.find(kGraphs);
        if (at == std::string::npos)
            return false;
        const std::string_view rest = std::string_view(notes).substr(at + kGraphs.size());
        if (constexpr std::string_view kWhere = " where cp="; rest.starts_with(kWhere)) {
            const std::string_view digits = rest.substr(kWhere.size());
            return wholeOf(parseNumber(digits.substr(0, digits.find_first_not_of("0123456789"))))
                == whole("cp");
        }
        if (constexpr std::string_view kOn = " on "; rest.starts_with(kOn)) {
            const std::string_view name = rest.substr(kOn.size());
            return has(text("gpu"), name.substr(0, name.find_first_of(" ;,.")));
        }
        return true;
    }

    // "26.02.01 NeMo Container", of June 2026 and later by two names: "26.06" is 26.5 years.
    static double versionIn(std::string_view source) {
        for (std::size_t at = 0; at + 5 <= source.size(); ++at) {
            const auto year = parseNumber(source.substr(at, 2));
            const auto month = parseNumber(source.substr(at + 3, 2));
            if (source[at + 2] == '.' && year && month && *year >= 20 && *month >= 1
                && *month <= 12)
                return *year + (*month - 1.0) / 12.0
                    + (source.substr(at + 5).starts_with(".01") ? kPatch : 0.0);
        }
        return 0.0;
    }

    Result<Job> readJob() {
        ASSIGN_OR_RETURN(auto model, readModel());
        const catalogue::GpuModel* gpu = gpuOf();
        if (gpu == nullptr)
            return usageError(fmt::format("The GPU \"{}\" is not in the catalogue.", text("gpu")));
        ASSIGN_OR_RETURN(const int gpus, needed("n_gpus"));
        ASSIGN_OR_RETURN(const int sequence, needed("seq_len"));
        ASSIGN_OR_RETURN(const int microBatch, needed("micro_batch"));
        ASSIGN_OR_RETURN(const auto precision, precisionOf(text("precision"), text("mode")));
        ASSIGN_OR_RETURN(m_workload, workloadOf(text("workload"), m_row.source, text("model")));
        layout::LayoutRequest request = degreesOf(gpus);
        const int data = replicasOf(gpus, request);
        // Without a global batch a step is one micro-batch, as in torch's own examples.
        const std::int64_t least = std::int64_t{microBatch} * data;
        const auto stated = whole("global_batch");
        const std::int64_t globalBatch = stated ? *stated : least;
        if (data < 1 || globalBatch > kMostOfJob || globalBatch % least != 0)
            return usageError(fmt::format(
                "A global batch of {} is beyond any job, or no multiple of micro-batch {} × DP {}.",
                globalBatch, microBatch, data));
        request.microbatches = static_cast<int>(globalBatch / least);
        takeStages(model, request);
        takeSharding(request);
        takeSchedule(request);
        ASSIGN_OR_RETURN(auto placed, layout::makeLayout(request));
        Job job{{{std::move(model)}}, {}, std::move(placed)};
        job.machine.gpu = *gpu;
        takeFabric(job);
        job.workload = m_workload;
        job.sequence = sequence;
        job.microBatch = microBatch;
        job.globalBatch = static_cast<int>(globalBatch);
        job.precision = precision.products;
        job.kept = precision.kept;
        takeHow(job);
        if (job.isInference())
            RETURN_IF_ERROR(asInference(job, whole("generated_tokens")));
        m_row.configuration = configurationOf(job, gpus);
        return job;
    }

    Result<int> needed(std::string_view name) const {
        const auto value = whole(name);
        if (!value || *value < 1)
            return usageError(fmt::format("The row does not say {}.", name));
        return *value;
    }

    [[nodiscard]] const catalogue::GpuModel* gpuOf() const {
        std::string name(text("gpu"));
        std::replace(name.begin(), name.end(), '_', ' ');
        if (name == "A100-40GB SXM")
            name = "A100 40GB";
        return catalogue::findGpuModel(name);
    }

    Result<catalogue::TrainingModel> readModel() const {
        const std::string name(text("model"));
        const catalogue::TrainingModel* known = m_catalogue.byName(name);
        const auto layers = whole("layers");
        const auto hidden = whole("hidden");
        const auto heads = whole("heads");
        if (!layers || !hidden || !heads) {
            if (known == nullptr || (layers && *layers != known->layers))
                return usageError(fmt::format(
                    "The row does not say the shape of the model \"{}\", which is not in the "
                    "catalogue.",
                    name));
            catalogue::TrainingModel model = *known;
            if (has(name, "w/o mtp"))
                model.nextTokenLayers = 0;
            return model;
        }
        catalogue::TrainingModel model;
        model.name = name;
        model.layers = *layers;
        model.hidden = *hidden;
        model.heads = *heads;
        model.kvHeads = whole("kv_heads").value_or(model.heads);
        model.headSize = model.hidden / std::max(1, model.heads);
        model.ffn = whole("ffn").value_or(4 * model.hidden);
        // NeoX configurations named after Llama have its norm, but a plain MLP of 4 × hidden.
        model.rmsNorm = has(name, "llama") || has(name, "llemma");
        model.gatedMlp = has(name, "llama") && model.ffn != 4 * model.hidden;
        model.vocabulary
            = whole("vocab").value_or(known != nullptr ? known->vocabulary : kDefaultVocabulary);
        model.parallelResidual = known != nullptr && known->parallelResidual;
        model.rotary = known != nullptr && known->rotary;
        model.tiedEmbeddings = has(name, "mpt") || has(name, "gpt");
        if (m_habits == nullptr)
            takeParameters(model);
        if (m_habits != nullptr && m_habits->padsToBlocks) {
            const int block = 128 * whole("tp").value_or(1);
            model.vocabulary = (model.vocabulary + block - 1) / block * block;
            model.tiedEmbeddings = false;
            model.rotary = true;
        }
        return model;
    }

    // Takes from the number of parameters whether the table of words serves twice and whether the
    // MLP is gated, where that number is stated and the usual model for the name does not have it.
    void takeParameters(catalogue::TrainingModel& model) const {
        constexpr double kSame = 0.01; // biases, positions
        const auto stated = number("params");
        if (!stated || *stated <= 0.0)
            return;
        const auto isIt = [&](const catalogue::TrainingModel& one) {
            return std::abs(analysis::parametersOf(one).total / *stated - 1.0) < kSame;
        };
        const bool isGated = model.gatedMlp;
        const bool isTied = model.tiedEmbeddings;
        for (const auto& [gated, tied] : {std::pair(isGated, isTied), std::pair(isGated, !isTied),
                 std::pair(!isGated, isTied), std::pair(!isGated, !isTied)}) {
            model.gatedMlp = gated;
            model.tiedEmbeddings = tied;
            if (isIt(model))
                return;
        }
        model.gatedMlp = isGated;
        model.tiedEmbeddings = isTied;
    }

    layout::LayoutRequest degreesOf(int gpus) const {
        layout::LayoutRequest request;
        request.worldSize = gpus;
        request.gpusPerNode = std::clamp(whole("gpus_per_node").value_or(8), 1, gpus);
        request.nodes = std::max(1, gpus / *request.gpusPerNode);
        request.tensor = whole("tp").value_or(1);
        request.pipeline = whole("pp").value_or(1);
        request.context = whole("cp").value_or(1);
        request.expert = whole("ep").value_or(1);
        // Experts are not cut again unless the row says so.
        if (*request.expert > 1)
            request.expertTensor = whole("etp").value_or(1);
        return request;
    }

    static int replicasOf(int gpus, const layout::LayoutRequest& request) {
        for (const int degree : {*request.tensor, *request.pipeline, *request.context})
            gpus /= std::max(1, degree);
        return gpus;
    }

    void takeStages(const catalogue::TrainingModel& model, layout::LayoutRequest& request) const {
        const int stages = *request.pipeline;
        request.layers = model.layers;
        if (stages <= 1)
            return;
        int chunks = whole("vpp").value_or(0);
        // Fine-tuning of NeMo 24.07 interleaves as far as it goes, and does not say so.
        if (chunks == 0 && m_habits != nullptr && m_habits->stack == "nemo-24.07"
            && model.layers % stages == 0)
            chunks = model.layers / stages;
        chunks = std::max(1, chunks);
        request.virtualStages = chunks;
        if (m_habits != nullptr && m_habits->layersBehind > 0)
            takeHabitOfStages(model.layers, request);
        else
            predict::divideLayers(model, request);
    }

    // The pieces are equal with what stands before and behind the layers.
    void takeHabitOfStages(int layers, layout::LayoutRequest& request) const {
        const auto pieces = std::int64_t{*request.pipeline} * request.virtualStages.value_or(1);
        const int all = layers + m_habits->layersBefore + m_habits->layersBehind;
        if (all % pieces != 0)
            return;
        request.stageLayers.assign(
            static_cast<std::size_t>(pieces), static_cast<int>(all / pieces));
        request.stageLayers.front() -= m_habits->layersBefore;
        request.stageLayers.back() -= m_habits->layersBehind;
    }

    // "ZeRO-2", "zero 3", "zero1".
    static std::optional<int> zeroStageIn(std::string_view words) {
        constexpr std::string_view kZero = "zero";
        std::size_t at = words.find(kZero);
        if (at == std::string_view::npos)
            return std::nullopt;
        at += kZero.size();
        if (at < words.size() && (words[at] == '-' || words[at] == ' ' || words[at] == '_'))
            ++at;
        const bool isStage = at < words.size() && words[at] >= '0' && words[at] <= '3';
        return isStage ? std::optional(words[at] - '0') : std::nullopt;
    }

    void takeSharding(layout::LayoutRequest& request) const {
        const std::string words = lowered(text("fsdp_zero_stage"));
        constexpr int kGradients = 2;
        constexpr int kEverything = 3;
        if (const auto stage = zeroStageIn(words))
            request.zeroStage = stage;
        else if (words.find("shard_grad_op") != std::string::npos)
            request.zeroStage = kGradients;
        else if (words.find("fsdp") != std::string::npos)
            request.zeroStage = kEverything;
        else if (words.find("dist-opt") != std::string::npos
            || (m_habits != nullptr
                && (m_habits->stack == "megatron-bridge" || m_habits->stack == "nemo-24.07"
                    || isMlPerf())))
            request.zeroStage = 1;
        const std::size_t group = words.find("shard group ");
        if (group != std::string::npos)
            request.shardSize = wholeOf(parseNumber(std::string_view(words).substr(group + 12)));
        if (words.find("hybrid") != std::string::npos)
            request.shardSize = request.gpusPerNode;
    }

    void takeSchedule(layout::LayoutRequest& request) const {
        if (m_habits == nullptr || !m_habits->pipesBothWays
            || request.virtualStages.value_or(1) > 1)
            return;
        const layout::ScheduleRequest both{layout::ScheduleKind::DualPipe, *request.pipeline,
            *request.microbatches, 1, {}, 0.0, 0};
        if (layout::checkSchedule(both).hasValue())
            request.schedule = both.kind;
    }

    void takeFabric(Job& job) const {
        if (has(text("interconnect"), "slingshot") || has(text("interconnect"), "perlmutter"))
            job.machine.site = "perlmutter";
        if (has(text("interconnect"), "vista") || has(text("interconnect"), "1 gpu/node"))
            job.machine.site = "vista";
        if (has(text("gpu"), "500w") && has(text("gpu"), "2.4tb/s"))
            takeSlowCard(job.machine.gpu);
    }

    // An H100 with HBM2e and a limit of its own, which no other source has: a GPU by itself.
    static void takeSlowCard(catalogue::GpuModel& gpu) {
        gpu.name = "H100 96GB 500 W";
        gpu.powerLimitW = 500.0;
        gpu.memoryBandwidth = 2.4e12;
        gpu.memoryBytes = 96.0 * 1024 * 1024 * 1024;
    }

    [[nodiscard]] bool isFineTuning() const {
        return m_workload == Workload::Lora || has(m_row.source, "sft")
            || has(text("model"), "sft");
    }

    void takeHow(Job& job) const {
        if (m_habits != nullptr) {
            job.stack = isMlPerf() ? roundsStack() : m_habits->stack;
            job.attention = m_habits->attention;
        }
        job.sequenceParallel = (m_habits == nullptr || m_habits->sequenceParallel)
            && job.layout.grid.degrees().tensor > 1;
        takeSoftware(job);
        if (isMlPerf())
            takeMlPerfRules(job);
        job.execution.graphs = hasGraphs();
        predict::takeHabits(job);
        if (has(text("notes"), "async tp") || has(text("notes"), "asynctp"))
            job.stack += "-async";
        if (job.stack == "megatron-bridge" && job.model.experts > 1)
            job.stack += has(text("model"), "tokendrop") ? "-moe-graphs"
                : m_row.version >= kGraphsSince          ? "-moe-26.06"
                                                         : "-moe";
        const std::string recompute = lowered(text("recompute"));
        if (recompute.starts_with("full"))
            job.recompute = predict::Recompute::Full;
        else if (recompute.starts_with("selective per-op")
            || (recompute.starts_with("selective") && job.stack.starts_with("torchtitan")))
            job.recompute = predict::Recompute::PerOperator;
        else if (recompute.starts_with("selective"))
            job.recompute = predict::Recompute::Selective;
        if (recompute.find("sequence parallel") != std::string::npos)
            job.sequenceParallel = true;
        if (has(text("model"), "llemma"))
            job.attention = predict::AttentionKind::Flash;
        job.dropout = job.stack == "korthikanti"
            || (job.stack == "nemo-24.07" && has(text("model"), "gpt3"));
        if (job.stack.starts_with("megatron-bridge"))
            takeBridgeRecipe(job);
        if (job.stack.starts_with("deepseek") && recompute.empty())
            takeDeepSeekRecipe(job);
        if (isFineTuning() && job.stack == "nemo-24.07")
            job.packedSample = kPackedSample;
    }

    [[nodiscard]] bool isMlPerf() const {
        return m_habits != nullptr && m_habits->stack.starts_with("mlperf");
    }

    // Adapters of the benchmark's rules, which its results do not repeat. Its submissions exchange
    // heads for tokens (cp_comm_type a2a of their configuration).
    void takeMlPerfRules(Job& job) const {
        if (job.workload == Workload::Lora) {
            job.adapters = analysis::adaptersFrom("16:qkv+out").valueOr(job.adapters);
            job.execution.context = predict::ContextExchange::AllToAll;
        }
        job.execution.attention8
            = has(text("notes"), "fp8 attention") && predict::bytesOf(job.precision) <= 1.0;
    }

    // Takes the software that the row names, and whether it was compiled.
    void takeSoftware(Job& job) const {
        if (const std::string stack = lowered(trimmed(text("stack")));
            predict::RateTable::builtIn().hasStack(stack))
            job.stack = stack;
        const std::string compiled = lowered(trimmed(text("compiled")));
        const bool isCompiled = compiled == "1" || compiled == "true" || compiled == "yes";
        if (isCompiled && job.kernels() == analysis::Kernels::Eager)
            job.stack = predict::kCompiledStack;
    }

    // Takes recomputation and offloading of its recipes, which are not in its tables.
    void takeBridgeRecipe(Job& job) const {
        const std::string& gpu = job.machine.gpu.name;
        const bool hasMoreMemory = gpu.find("300") != std::string::npos;
        const bool isSharded = job.layout.sharding && job.layout.sharding->zeroStage >= 3;
        if (job.model.experts > 1) {
            job.recompute = predict::Recompute::Selective;
            const bool isDeepSeek = has(text("model"), "deepseek");
            const bool isGptOss = has(text("model"), "gpt oss") && !hasMoreMemory;
            job.recomputedParts = {.attentionCore = false,
                .latentProjections = job.model.hasLatentAttention(),
                .norms = isGptOss,
                .expertFunction = isGptOss || isDeepSeek,
                .denseMlp = isDeepSeek && !hasMoreMemory};
        } else if (isSharded && has(text("model"), "70b")) {
            job.offload.layers = gpu.find("GB200") != std::string::npos ? 40 : 20;
        } else if (isSharded && has(text("model"), "8b")) {
            job.recompute = predict::Recompute::Full;
            job.recomputedLayers = 5;
        }
    }

    // As its report says (arXiv 2412.19437, sections 3.2.3 and 3.3.3).
    static void takeDeepSeekRecipe(Job& job) {
        job.recompute = predict::Recompute::Selective;
        job.recomputedParts = {.attentionCore = false,
            .latentProjections = job.model.hasLatentAttention(),
            .norms = true,
            .expertFunction = true};
    }

    static bool fits(const Job& job) {
        const auto capacity = job.machine.gpu.memoryBytes;
        return !capacity
            || analysis::fullestOf(analysis::stageNeedsOf(predict::memoryRequestOf(job)))
                   .fits(*capacity);
    }

    // The row's run was made, so its memory sufficed: what it leaves open is taken as one of the
    // usual ways, one after the other until it fits. A job that does not fit then stays as it is.
    void assumeWhatFits(Job& job) {
        if (job.isInference() || fits(job))
            return;
        Job tried = job;
        std::vector<std::string> words;
        for (const auto take : {&RowReader::shareOptimizer, &RowReader::reduceEach,
                 &RowReader::halveGradients, &RowReader::narrowFunction, &RowReader::redoFunction,
                 &RowReader::offloadLayers, &RowReader::redoLayers}) {
            const std::string_view way = (this->*take)(tried);
            if (way.empty())
                continue;
            words.emplace_back(way);
            if (!fits(tried))
                continue;
            job = std::move(tried);
            m_row.assumed = std::move(words);
            return;
        }
    }

    std::string_view shareOptimizer(Job& job) const {
        const int ranks = job.layout.grid.groupSize(layout::CommunicatorKind::DataContext);
        if (!text("fsdp_zero_stage").empty() || ranks == 1 || isMlPerf())
            return {};
        job.layout.sharding = layout::Sharding{1, ranks, 1};
        return "an optimizer that data-parallel ranks share";
    }

    // As Llama 3 had FSDP in its pipeline (arXiv 2407.21783, section 3.3.2).
    std::string_view reduceEach(Job& job) const {
        constexpr int kGradients = 2;
        if (!job.layout.sharding || job.layout.sharding->zeroStage <= kGradients
            || job.layout.grid.degrees().pipeline == 1)
            return {};
        job.layout.sharding->zeroStage = kGradients;
        return "gradients that are reduced with each micro-batch";
    }

    std::string_view halveGradients(Job& job) const {
        constexpr double kHalf = 2.0; // B
        if (!job.kept.isUsual() || job.workload == Workload::Lora
            || (job.layout.sharding && job.layout.sharding->zeroStage >= 3))
            return {};
        job.kept.gradients = kHalf;
        return "gradients in 16 bits";
    }

    // FP8_ACT and CPU_OFFLOADING of MLPerf's configurations, which say 20 layers unless told more.
    std::string_view narrowFunction(Job& job) const {
        if (!isMlPerf() || predict::bytesOf(job.precision) > 1.0 || job.kept.function)
            return {};
        job.kept.function = predict::bytesOf(job.precision);
        return "inputs of MLPs' functions in 8 bits";
    }

    std::string_view offloadLayers(Job& job) const {
        constexpr int kLayers = 20;
        if (!isMlPerf() || job.workload != Workload::Lora)
            return {};
        job.offload.layers = kLayers;
        return "activations of 20 layers in the host's memory";
    }

    std::string_view redoFunction(Job& job) const {
        if (job.recompute != predict::Recompute::None || job.workload == Workload::Lora)
            return {};
        job.recompute = predict::Recompute::Selective;
        job.recomputedParts
            = {.attentionCore = false, .expertFunction = true, .denseFunction = true};
        return "functions of MLPs made again by a fused kernel";
    }

    std::string_view redoLayers(Job& job) const {
        if (!trimmed(text("recompute")).empty())
            return {};
        job.recompute = predict::Recompute::Full;
        return "full recomputation";
    }

    [[nodiscard]] std::string configurationOf(const Job& job, int gpus) const {
        return fmt::format("{} {} {} {} {} {} {} {} {} {} {}", job.machine.gpu.name, text("model"),
            gpus, text("tp"), text("pp"), text("cp"), text("ep"), job.sequence,
            toString(job.precision), text("recompute"), text("fsdp_zero_stage"));
    }

    const NamedRow& m_cells;
    const catalogue::ModelCatalogue& m_catalogue;
    const SourceHabits* m_habits = nullptr;
    Workload m_workload = Workload::Training;
    TableRow m_row;
};

} // namespace
} // namespace trainscope::importers::trainingtable

namespace trainscope::importers {

std::optional<double> TableRow::measuredSeconds() const {
    if (measured.seconds)
        return measured.seconds;
    if (!job || !measured.tokensPerSecondPerGpu || *measured.tokensPerSecondPerGpu <= 0.0)
        return std::nullopt;
    return job->tokensPerStep() / (*measured.tokensPerSecondPerGpu * job->gpus());
}

Result<std::vector<TableRow>> readTrainingTable(
    std::string_view csv, const catalogue::ModelCatalogue& catalogue) {
    std::vector<TableRow> rows;
    std::optional<TableHeader> head;
    CellSplitter splitter;
    while (!csv.empty()) {
        const std::size_t end = csv.find('\n');
        std::string_view line = csv.substr(0, end);
        csv.remove_prefix(end == std::string_view::npos ? csv.size() : end + 1);
        if (line.ends_with('\r'))
            line.remove_suffix(1);
        if (line.empty())
            continue;
        if (!head) {
            head.emplace(line, ',');
            if (!head->hasAll({"model", "gpu", "n_gpus"}))
                return Error{ErrorCode::Unrecognised,
                    "This is no table of training runs: a CSV file is expected whose head names at "
                    "least model, gpu and n_gpus.",
                    {}};
            continue;
        }
        const NamedRow row(*head, splitter.split(line, ','));
        rows.push_back(
            trainingtable::RowReader(row, catalogue).read(static_cast<int>(rows.size())));
    }
    if (!head)
        return Error{ErrorCode::Unrecognised, "The table is empty.", {}};
    return rows;
}

} // namespace trainscope::importers
