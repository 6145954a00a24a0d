#include "core/predict/prediction/Outlook.h"

#include "core/predict/power/ThermalNetwork.h"

#include <algorithm>
#include <utility>

namespace trainscope::predict {

namespace {

Activity activityOf(const Operator& work) {
    if (isStreamed(work))
        return Activity::Memory;
    switch (work.kind) {
    case OperatorKind::Gemm:
    case OperatorKind::GroupedGemm:
    case OperatorKind::Router:
        return Activity::Gemm;
    case OperatorKind::FlashAttention:
    case OperatorKind::AttentionScores:
    case OperatorKind::AttentionValues:
        return Activity::Attention;
    default:
        return Activity::Memory;
    }
}

void addActivities(const Breakdown& parts, double times, ActivityTimes& into) {
    for (std::size_t i = 0; i < kStepParts; ++i) {
        const auto part = static_cast<StepPart>(i);
        if (part != StepPart::Recompute)
            into[activityOf(part)].seconds += times * parts[part];
    }
}

// What is recomputed is a part of the forward pass, in its proportions.
void addRecomputation(const Breakdown& pass, double again, ActivityTimes& into) {
    const double forward = pass.total();
    if (forward > 0.0 && again > 0.0)
        addActivities(pass, again / forward, into);
}

void addDecoding(const Breakdown& parts, double times, ActivityTimes& into) {
    for (std::size_t i = 0; i < kStepParts; ++i) {
        const auto part = static_cast<StepPart>(i);
        const Activity activity = activityOf(part);
        const bool isProduct = activity == Activity::Gemm || activity == Activity::Attention;
        into[isProduct ? Activity::Memory : activity].seconds += times * parts[part];
    }
}

std::size_t gpusOfNode(const Job& job) {
    return static_cast<std::size_t>(std::min(job.layout.gpusPerNode, job.gpus()));
}

std::vector<int> stagesOf(const Job& job, const layout::ClusterNode& node) {
    std::vector<int> stages;
    for (const layout::ClusterGpu& gpu : node.gpus)
        stages.push_back(job.layout.grid.position(gpu.rank).pipeline);
    return stages;
}

// Nodes one after another often have the same stages, and then the same temperatures.
void addHottestNode(const Job& job, const PowerBasis& basis, Outlook& outlook) {
    std::vector<int> before;
    for (const layout::ClusterNode& node : clusterOf(job).nodes) {
        std::vector<int> stages = stagesOf(job, node);
        if (stages == before)
            continue;
        before = std::move(stages);
        std::vector<GpuOutlook> gpus = nodeOutlook(job, outlook.stageW, basis, node);
        for (const GpuOutlook& gpu : gpus)
            outlook.hottestC = std::max(outlook.hottestC, gpu.celsius);
        const bool hasHottest = std::any_of(gpus.begin(), gpus.end(),
            [&outlook](const GpuOutlook& gpu) { return gpu.celsius == outlook.hottestC; });
        if (hasHottest)
            outlook.node = std::move(gpus);
    }
}

} // namespace

Activity activityOf(StepPart part) {
    switch (part) {
    case StepPart::Gemm:
    case StepPart::Loss:
        return Activity::Gemm;
    case StepPart::Attention:
        return Activity::Attention;
    case StepPart::Elementwise:
    case StepPart::Embedding:
    case StepPart::Optimizer:
    case StepPart::Recompute: // divided by what a forward pass is
        return Activity::Memory;
    case StepPart::TensorParallel:
    case StepPart::ContextParallel:
    case StepPart::ExpertParallel:
    case StepPart::Sharding:
    case StepPart::DataParallel:
        return Activity::Communication;
    case StepPart::Gap:
    case StepPart::Bubble:
    case StepPart::Jitter:
        break;
    }
    return Activity::Waiting;
}

layout::Cluster clusterOf(const Job& job) {
    layout::ClusterFacts facts;
    facts.gpuModel = job.machine.gpu.name;
    facts.gpusPerCard = job.machine.gpu.gpusPerCard;
    for (int rank = 0; rank < job.gpus(); ++rank)
        facts.gpus.push_back(
            {rank, job.layout.nodeOf(rank), job.layout.localOf(rank), job.machine.gpu.name, {}});
    return layout::makeCluster(facts);
}

Surroundings surroundingsOf(const Job& job, const PowerBasis& basis) {
    return {job.machine.powerLimitW, job.machine.clockHz, basis.airOf(gpusOfNode(job)).inletC};
}

ActivityTimes activitiesOf(const Breakdown& pass, const Breakdown& forward) {
    ActivityTimes times;
    addActivities(pass, 1.0, times);
    addRecomputation(forward, pass[StepPart::Recompute], times);
    return times;
}

ActivityTimes decodingOf(const Breakdown& pass) {
    ActivityTimes times;
    addDecoding(pass, 1.0, times);
    return times;
}

ActivityTimes activitiesOf(const Step& step, const Breakdown& forward) {
    ActivityTimes times;
    Breakdown parts = step.breakdown;
    if (step.inference) {
        parts += step.inference->decodeParts.times(-1.0);
        addDecoding(step.inference->decodeParts, 1.0, times);
    }
    addActivities(parts, 1.0, times);
    addRecomputation(forward, parts[StepPart::Recompute], times);
    return times;
}

ActivityTimes activitiesOf(const Job& job, const Step& step, int stage) {
    ActivityTimes times;
    const double microbatches = job.microbatches();
    for (std::size_t i = 0; i < step.pieces.size(); ++i) {
        if (job.layout.chunks[i].stage != stage)
            continue;
        addActivities(step.pieces[i].forward, microbatches, times);
        addActivities(step.pieces[i].backward, microbatches, times);
        addRecomputation(step.pieces[i].forward,
            microbatches * step.pieces[i].backward[StepPart::Recompute], times);
    }
    if (step.inference && job.decodes() > 0)
        addDecoding(step.inference->decodePieces[static_cast<std::size_t>(stage)].forward,
            microbatches * job.decodes(), times);
    times[Activity::Communication].seconds += step.breakdown[StepPart::DataParallel];
    times[Activity::Memory].seconds += step.breakdown[StepPart::Optimizer];
    double busy = 0.0;
    for (const Activity activity : kAllActivities)
        busy += times[activity].seconds;
    times[Activity::Waiting].seconds += std::max(0.0, step.seconds - busy);
    return times;
}

Outlook outlookOf(const Job& job, const Step& step, const PowerBasis& basis) {
    const GpuPower& gpu = basis.gpu;
    const Surroundings around = surroundingsOf(job, basis);
    Outlook outlook;
    const int stages = job.layout.grid.degrees().pipeline;
    double clock = 0.0;
    for (int stage = 0; stage < stages; ++stage) {
        const ActivityTimes times = activitiesOf(job, step, stage);
        // The seconds are those at the clock that the limit leaves.
        const SteadyPower steady = playedPower(gpu, loadsOf(gpu, times), around);
        outlook.stageW.push_back(steady.watts);
        outlook.meanW += steady.watts / stages;
        outlook.peakW = std::max(outlook.peakW, steady.busyW);
        clock += steady.clockHz / stages;
        if (steady.limit != ClockLimit::None)
            outlook.limit = steady.limit;
    }
    outlook.clockHz = clock;
    addHottestNode(job, basis, outlook);
    return outlook;
}

std::vector<GpuOutlook> nodeOutlook(const Job& job, const std::vector<double>& stageW,
    const PowerBasis& basis, const layout::ClusterNode& node) {
    const ThermalNetwork network(
        thermalNodeOf(node, job.machine.gpu.gpusPerCard, basis.gpu, basis.airOf(node.gpus.size())));
    std::vector<double> watts;
    for (const int stage : stagesOf(job, node))
        watts.push_back(stageW[static_cast<std::size_t>(stage)]);
    const std::vector<double> celsius = network.steady(watts);
    std::vector<GpuOutlook> gpus;
    for (std::size_t slot = 0; slot < celsius.size(); ++slot)
        gpus.push_back({static_cast<int>(slot), watts[slot], celsius[slot]});
    return gpus;
}

ByActivity<double> limitFactors(const Job& job, const Step& step, const PowerBasis& basis) {
    return relimited(
        basis.gpu, activitiesOf(job, step, step.slowestStage), surroundingsOf(job, basis))
        .factors;
}

OperatorTime SlowedCosts::timeOf(const Operator& work) const {
    OperatorTime time = m_usual.timeOf(work);
    const double factor = m_factors[activityOf(work)];
    time.forward *= factor;
    time.backward *= factor;
    return time;
}

} // namespace trainscope::predict
