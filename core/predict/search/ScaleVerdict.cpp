#include "core/predict/search/ScaleVerdict.h"

#include "core/catalogue/GpuModel.h"
#include "core/model/Try.h"
#include "core/predict/prediction/RunRequest.h"

namespace trainscope::predict {

namespace {

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
