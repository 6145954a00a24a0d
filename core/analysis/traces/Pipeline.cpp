#include "core/analysis/traces/Pipeline.h"

#include "core/analysis/machine/RunLayout.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/model/Try.h"

#include <algorithm>

namespace trainscope::analysis {

namespace {

double nsOf(DurationNs duration) {
    return static_cast<double>(duration.ns);
}

void add(StageTimes& stage, const WindowPhases& phases, DurationNs window) {
    const DurationNs outside = window - phases.window.length();
    stage.windowNs += nsOf(window);
    for (const Phase phase : {Phase::Forward, Phase::Backward, Phase::Optimizer, Phase::Compute,
             Phase::CommunicationHidden})
        stage.computeNs += nsOf(phases.time[phase]);
    stage.exposedNs += nsOf(phases.time[Phase::CommunicationExposed]);
    stage.idleNs += nsOf(phases.time[Phase::Idle] + outside);
    stage.bubbleNs += nsOf(phases.waiting() + outside);
}

// From the first kernel of any rank to the last one of any.
TimeRange commonWindow(const std::vector<DeviceActivity>& devices) {
    TimeRange common = devices.front().phases.window;
    for (const DeviceActivity& device : devices)
        common = spanned(common, device.phases.window);
    return common;
}

} // namespace

Result<std::optional<StageMap>> stagesOf(
    const store::Store& store, const Run& run, const Progress& progress) {
    std::optional<StageMap> none;
    ASSIGN_OR_RETURN(const auto found, fittingLayout(store, run, progress));
    if (!found)
        return none;
    const layout::Layout& layout = found->layout;
    StageMap map;
    for (int rank = 0; rank < layout.grid.worldSize(); ++rank) {
        const int stage = layout.grid.position(rank).pipeline;
        map.stageOf[rank] = stage;
        map.stages = std::max(map.stages, stage + 1);
    }
    if (map.stages < 2)
        return none;
    map.microbatches = layout.microbatches;
    map.virtualStages = layout.virtualStages;
    map.origin = found->told.wording;
    return std::optional(std::move(map));
}

std::optional<double> idealBubbleFraction(int stages, int microbatches, int virtualStages) {
    if (stages < 1 || microbatches < 1 || virtualStages < 1)
        return std::nullopt;
    const double idle = stages - 1;
    return idle / (static_cast<double>(virtualStages) * microbatches + idle);
}

std::optional<Pipeline> pipelineOf(
    const StageMap& map, const std::vector<DeviceActivity>& devices) {
    if (devices.empty())
        return std::nullopt;
    Pipeline pipeline;
    pipeline.stageCount = map.stages;
    pipeline.origin = map.origin;
    pipeline.isOfIterations = std::all_of(devices.begin(), devices.end(),
        [](const DeviceActivity& device) { return !device.iterations.empty(); });
    const TimeRange common = commonWindow(devices);
    std::map<int, StageTimes> stages;
    for (const DeviceActivity& device : devices) {
        const auto stage = map.stageOf.find(device.rank);
        if (stage == map.stageOf.end())
            continue;
        StageTimes& times = stages[stage->second];
        times.stage = stage->second;
        times.ranks.push_back(device.rank);
        if (!pipeline.isOfIterations) {
            add(times, device.phases, common.length());
            continue;
        }
        for (const IterationPhases& iteration : device.iterations)
            add(times, iteration, iteration.window.length());
    }
    double bubble = 0.0;
    double window = 0.0;
    for (auto& [number, times] : stages) {
        bubble += times.bubbleNs;
        window += times.windowNs;
        const auto count = static_cast<double>(times.ranks.size());
        for (double* sum :
            {&times.windowNs, &times.computeNs, &times.exposedNs, &times.idleNs, &times.bubbleNs})
            *sum /= count;
        pipeline.stages.push_back(times);
    }
    if (window <= 0.0)
        return std::nullopt;
    pipeline.bubbleFraction = bubble / window;
    pipeline.virtualStages = map.virtualStages;
    pipeline.microbatches = map.microbatches;
    if (pipeline.microbatches)
        pipeline.idealBubbleFraction = idealBubbleFraction(
            pipeline.stageCount, *pipeline.microbatches, pipeline.virtualStages);
    return pipeline;
}

} // namespace trainscope::analysis
