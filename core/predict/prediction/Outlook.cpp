#include "core/predict/prediction/Prediction.h"

#include "core/predict/power/ThermalNetwork.h"

#include <algorithm>
#include <utility>

namespace trainscope::predict {

namespace {

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

layout::Cluster clusterOf(const Job& job) {
    layout::ClusterFacts facts;
    facts.gpuModel = job.machine.gpu.name;
    facts.gpusPerCard = job.machine.gpu.gpusPerCard;
    for (int rank = 0; rank < job.gpus(); ++rank)
        facts.gpus.push_back(
            {rank, job.layout.nodeOf(rank), job.layout.localOf(rank), job.machine.gpu.name, {}});
    return layout::makeCluster(facts);
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

} // namespace trainscope::predict
