#include "core/predict/search/WhatIf.h"

#include "core/catalogue/GpuModel.h"
#include "core/model/Try.h"
#include "core/predict/power/ThermalNetwork.h"
#include "core/predict/prediction/RunRequest.h"

#include <cmath>

namespace trainscope::predict {
namespace {

std::optional<int> wholeTimes(int number, double factor) {
    const double product = number * factor;
    const double whole = std::round(product);
    if (whole < 1.0 || std::abs(product - whole) > 1e-9 * product)
        return std::nullopt;
    return static_cast<int>(whole);
}

double powerLimitOf(const Job& job) {
    return job.machine.powerLimitW.value_or(gpuPowerOf(job.machine.gpu).limitW);
}

bool scaleBatch(Job& job, double factor) {
    const auto microbatches = wholeTimes(job.microbatches(), factor);
    if (!microbatches)
        return false;
    job.globalBatch = job.globalBatch / job.microbatches() * *microbatches;
    job.layout.microbatches = *microbatches;
    return true;
}

bool scaleMicroBatch(Job& job, double factor) {
    const auto size = wholeTimes(job.microBatch, factor);
    const auto microbatches = wholeTimes(job.microbatches(), 1.0 / factor);
    if (!size || !microbatches)
        return false;
    job.microBatch = *size;
    job.layout.microbatches = *microbatches;
    return true;
}

bool scaleSequence(Job& job, double factor) {
    const auto sequence = wholeTimes(job.sequence, factor);
    const auto generated = job.generated > 0 ? wholeTimes(job.generated, factor) : std::optional(0);
    const int context = job.layout.grid.degrees().context;
    if (!sequence || !generated || (context > 1 && *sequence % (2 * context) != 0))
        return false;
    job.sequence = *sequence;
    job.generated = *generated;
    return true;
}

bool scale(std::optional<double>& value, double factor) {
    if (value)
        *value *= factor;
    return value.has_value();
}

// One of the things that may be otherwise: its unit, its value and the way to another.
struct Changeable {
    WhatIf what;
    std::string_view unit;
    std::optional<double> (*valueOf)(const Job& job, const Rates& rates);
    bool (*scale)(Job& job, double factor); // false where it cannot be so
};

using Value = std::optional<double>;

constexpr std::array kChangeables{
    Changeable{WhatIf::LinkBandwidth, "B/s",
        [](const Job&, const Rates& rates) -> Value { return rates.link; },
        [](Job& job, double factor) {
            job.machine.linkFactor *= factor;
            return true;
        }},
    Changeable{WhatIf::NetworkBandwidth, "B/s",
        [](const Job&, const Rates& rates) -> Value { return rates.network; },
        [](Job& job, double factor) {
            job.machine.networkFactor *= factor;
            return true;
        }},
    Changeable{WhatIf::MemoryBandwidth, "B/s",
        [](const Job& job, const Rates&) { return job.machine.gpu.memoryBandwidth; },
        [](Job& job, double factor) { return scale(job.machine.gpu.memoryBandwidth, factor); }},
    Changeable{WhatIf::MemorySize, "B",
        [](const Job& job, const Rates&) { return job.machine.gpu.memoryBytes; },
        [](Job& job, double factor) { return scale(job.machine.gpu.memoryBytes, factor); }},
    Changeable{WhatIf::GlobalBatch, "sample",
        [](const Job& job, const Rates&) -> Value { return job.globalBatch; }, scaleBatch},
    Changeable{WhatIf::MicroBatch, "sample",
        [](const Job& job, const Rates&) -> Value { return job.microBatch; }, scaleMicroBatch},
    Changeable{WhatIf::Sequence, "token",
        [](const Job& job, const Rates&) -> Value { return job.sequence; }, scaleSequence},
    Changeable{WhatIf::PowerLimit, "W",
        [](const Job& job, const Rates&) -> Value { return powerLimitOf(job); },
        [](Job& job, double factor) {
            job.machine.powerLimitW = factor * powerLimitOf(job);
            return true;
        }},
};

const Changeable& changeableOf(WhatIf what) {
    return kChangeables[static_cast<std::size_t>(what)];
}

constexpr const char* kNotPredicted = "It is not predicted.";

analysis::GpuFacts gpuFactsOf(const catalogue::GpuModel& gpu) {
    analysis::GpuFacts facts{gpu.name, "asked for", gpu.memoryBytes, {}, gpu.powerLimitW, {}};
    facts.bf16Flops = gpu.bf16Flops ? gpu.bf16Flops : gpu.fp16Flops;
    facts.links = gpu.scaleUp;
    return facts;
}

analysis::RunMeasures emptyMeasures(const Run& run, const catalogue::GpuModel& gpu) {
    analysis::RunMeasures measures;
    measures.run = run;
    measures.gpu = gpuFactsOf(gpu);
    measures.gpus = run.gpuCount;
    measures.nodes = run.nodeCount;
    measures.cluster = catalogue::gpusText(run.gpuCount, gpu.name);
    measures.wording = "a predicted step";
    const std::size_t quantities = analysis::comparedQuantities().size();
    measures.values.assign(quantities, std::nullopt);
    measures.absentWhy.assign(quantities, kNotPredicted);
    return measures;
}

void set(analysis::RunMeasures& measures, std::string_view key, double value) {
    const std::size_t at = analysis::quantityIndex(key).value();
    measures.values[at] = analysis::Measure{value, std::nullopt};
    measures.absentWhy[at].clear();
}

Run runOf(const std::string& name, const ClusterRequest& cluster) {
    Run run;
    run.name = name;
    run.kind = RunKind::Predicted;
    run.gpuModel = cluster.gpu.name;
    run.gpuCount = run.worldSize = cluster.gpus();
    run.nodeCount = cluster.nodes;
    return run;
}

const char* whyNone(const SearchResult& found) {
    if (found.leastPowerW)
        return "No layout keeps the limit of power.";
    return found.nearest ? "No layout fits its memory." : "No layout is possible.";
}

// Measures of a cluster that no layout fits.
analysis::RunMeasures withoutLayout(const SearchRequest& request, const ClusterRequest& cluster,
    const std::string& name, const SearchResult& found) {
    Run run = runOf(name, cluster);
    run.status = found.nearest ? RunStatus::Oom : RunStatus::Ok;
    run.launch.model = request.model.name;
    run.launch.globalBatch = request.globalBatch;
    run.launch.sequenceLength = request.sequence;
    run.launch.precision = std::string(toString(request.precision));
    run.launch.workload = request.workload;
    analysis::RunMeasures measures = emptyMeasures(run, cluster.gpu);
    measures.absentWhy.assign(measures.values.size(), whyNone(found));
    return measures;
}

} // namespace

std::string_view unitOf(WhatIf what) {
    return changeableOf(what).unit;
}

std::optional<Job> withFactor(const Job& job, WhatIf what, double factor) {
    Job other = job;
    return changeableOf(what).scale(other, factor) ? std::optional(std::move(other)) : std::nullopt;
}

Result<std::vector<WhatIfRow>> whatIfsOf(const Job& job, const Predictor& predictor) {
    ASSIGN_OR_RETURN(const auto rates, predictor.ratesOf(job));
    RETURN_IF_ERROR(predictor.predict(job));
    std::vector<WhatIfRow> all;
    for (const Changeable& one : kChangeables) {
        WhatIfRow row{one.what, one.valueOf(job, rates), {}};
        for (const double factor : kWhatIfFactors) {
            const auto other = withFactor(job, one.what, factor);
            if (!other)
                continue;
            // Interleaved schedules refuse fewer micro-batches than stages.
            auto made = predictor.predict(*other);
            if (!made.hasValue())
                continue;
            row.points.push_back({factor, std::move(made).value(), {}});
            row.points.back().made.step.schedule = {};
        }
        all.push_back(std::move(row));
    }
    return all;
}

Result<WhatIfRow> memoryWhatIf(
    const SearchRequest& request, const Predictor& predictor, const Progress& progress) {
    WhatIfRow row{WhatIf::MemorySize, request.cluster.gpu.memoryBytes, {}};
    if (!row.value)
        return row;
    for (const double factor : kWhatIfFactors) {
        SearchRequest other = request;
        other.cluster.gpu.memoryBytes = factor * *row.value;
        other.top = 1;
        ASSIGN_OR_RETURN(auto found, searchLayouts(other, predictor, progress));
        WhatIfPoint& point = row.points.emplace_back();
        point.factor = factor;
        point.made.isOom = found.top.empty();
        if (!found.top.empty()) {
            point.best = found.top.front().choice;
            point.made = std::move(found.top.front().prediction);
        }
    }
    return row;
}

void takeMemory(const WhatIfRow& memory, std::vector<WhatIfRow>& rows) {
    if (memory.points.empty())
        return;
    for (WhatIfRow& row : rows) {
        if (row.what == memory.what)
            row = memory;
    }
}

analysis::RunMeasures measuresOf(
    const Job& job, const Prediction& prediction, const std::string& name) {
    ClusterRequest cluster;
    cluster.gpu = job.machine.gpu;
    cluster.nodes = job.layout.nodes;
    cluster.gpusPerNode = job.layout.gpusPerNode;
    Run run = runOf(name, cluster);
    run.gpuCount = run.worldSize = job.gpus();
    run.launch = launchOf(job);
    if (prediction.isOom)
        run.status = RunStatus::Oom;
    analysis::RunMeasures measures = emptyMeasures(run, job.machine.gpu);
    measures.layout = job.layout;
    measures.layoutWording = "predicted with it";
    measures.tokensPerStep = job.tokensPerStep();
    const double seconds = prediction.seconds;
    const double gpus = job.gpus();
    const Outlook& outlook = prediction.outlook;
    set(measures, "step_time_s", seconds);
    set(measures, "samples_per_s", job.globalBatch / seconds);
    set(measures, "tokens_per_s", job.tokensPerStep() / seconds);
    set(measures, analysis::kTokensPerGpu, prediction.tokensPerSecondPerGpu);
    set(measures, "mfu", prediction.mfu);
    set(measures, "peak_memory_used_b", prediction.memoryB);
    if (prediction.energyJ > 0.0) {
        set(measures, analysis::kTokensPerJoule, job.tokensPerStep() / prediction.energyJ);
        set(measures, "energy_per_step_j", prediction.energyJ);
        set(measures, "energy_per_token_j", prediction.energyJ / job.tokensPerStep());
        set(measures, "mean_power_w", outlook.meanW * gpus);
        set(measures, "peak_power_w", outlook.peakW * gpus);
        set(measures, "peak_gpu_power_w", outlook.peakW);
        set(measures, "mean_sm_clock_hz", outlook.clockHz);
        set(measures, "peak_temperature_c", outlook.hottestC);
    }
    const Breakdown& parts = prediction.step.breakdown;
    double exposed = 0.0;
    for (const StepPart part : {StepPart::TensorParallel, StepPart::ContextParallel,
             StepPart::ExpertParallel, StepPart::Sharding, StepPart::DataParallel})
        exposed += parts[part];
    set(measures, "exposed_communication_fraction", exposed / prediction.step.seconds);
    set(measures, "bubble_fraction", parts[StepPart::Bubble] / prediction.step.seconds);
    return measures;
}

Result<ScaleComparison> compareScales(const SearchRequest& request, const ClusterRequest& other,
    const Predictor& predictor, const Progress& progress) {
    const std::array<ClusterRequest, 2> clusters{request.cluster, other};
    const bool areNamedAlike = textOf(clusters[0]) == textOf(clusters[1]);
    ScaleComparison comparison;
    auto& measures = comparison.measures;
    for (std::size_t side = 0; side < clusters.size(); ++side) {
        SearchRequest asked = request;
        asked.cluster = clusters[side];
        ASSIGN_OR_RETURN(comparison.searches[side], searchLayouts(asked, predictor, progress));
        const SearchResult& found = comparison.searches[side];
        const std::string name
            = textOf(clusters[side]) + (areNamedAlike ? (side == 0 ? " (a)" : " (b)") : "");
        measures[side] = found.top.empty()
            ? withoutLayout(request, clusters[side], name, found)
            : measuresOf(found.top.front().job, found.top.front().prediction, name);
    }
    comparison.verdict = analysis::verdictOf(measures[0], measures[1]);
    return comparison;
}

} // namespace trainscope::predict
