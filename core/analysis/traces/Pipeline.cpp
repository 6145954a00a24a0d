#include "core/analysis/traces/Pipeline.h"

#include "core/analysis/machine/RunLayout.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/model/Gather.h"
#include "core/model/Try.h"

namespace trainscope::analysis {

namespace {

double nsOf(DurationNs duration) {
    return static_cast<double>(duration.ns);
}

// outside: time in which the rank is not traced while others are.
void add(StageTimes& stage, const WindowPhases& phases, DurationNs outside) {
    stage.windowNs += nsOf(phases.traced + outside);
    for (const Phase phase : {Phase::Forward, Phase::Backward, Phase::Optimizer, Phase::Compute,
             Phase::CommunicationHidden})
        stage.computeNs += nsOf(phases.time[phase]);
    stage.exposedNs += nsOf(phases.time[Phase::CommunicationExposed]);
    stage.copyNs += nsOf(phases.time[Phase::Copy]);
    stage.idleNs += nsOf(phases.time[Phase::Idle] + outside);
    stage.bubbleNs += nsOf(phases.waiting() + outside);
}

using Devices = std::vector<const DeviceActivity*>;

// Those of the pipeline that did something.
Devices devicesOf(const StageMap& map, const std::vector<DeviceActivity>& all) {
    Devices devices;
    for (const DeviceActivity& device : all) {
        if (map.stageOf.contains(device.rank) && !device.phases.window.isEmpty())
            devices.push_back(&device);
    }
    return devices;
}

// The devices' windows on one clock.
std::vector<TimeRange> windowsOf(const Devices& devices, const RankClocksPtr& clocks) {
    std::vector<TimeRange> windows;
    for (const DeviceActivity* device : devices)
        windows.push_back(onReference(clocks, device->rank, device->phases.window));
    return windows;
}

DurationNs lengthOfAll(const std::vector<TimeRange>& windows) {
    TimeRange all = kNoTime;
    for (const TimeRange& window : windows)
        all = spanned(all, window);
    return all.length();
}

// By device: the time from the first kernel of any rank to the last one of any without its own.
std::vector<DurationNs> timesOutside(const Devices& devices, const RankClocksPtr& clocks) {
    std::vector<TimeRange> windows = windowsOf(devices, nullptr);
    // Stages work at once: clocks that draw them further apart than they were recorded were
    // compared by messages that only look alike.
    const std::vector<TimeRange> aligned = windowsOf(devices, clocks);
    if (lengthOfAll(aligned) < lengthOfAll(windows))
        windows = aligned;
    const DurationNs all = lengthOfAll(windows);
    return vectorOf(windows, [&](const TimeRange& window) { return all - window.length(); });
}

Result<std::optional<StageMap>> findStages(const RunStudy& study) {
    std::optional<StageMap> none;
    ASSIGN_OR_RETURN(const auto found, fittingLayout(study));
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
    ASSIGN_OR_RETURN(map.clocks, differingClocks(study));
    return std::optional(std::move(map));
}

} // namespace

Result<std::optional<StageMap>> stagesOf(const RunStudy& study) {
    return study.once(findStages);
}

std::optional<double> idealBubbleFraction(int stages, int microbatches, int virtualStages) {
    if (stages < 1 || microbatches < 1 || virtualStages < 1)
        return std::nullopt;
    const double idle = stages - 1;
    return idle / (static_cast<double>(virtualStages) * microbatches + idle);
}

std::optional<Pipeline> pipelineOf(const StageMap& map, const std::vector<DeviceActivity>& all) {
    const Devices devices = devicesOf(map, all);
    if (devices.empty())
        return std::nullopt;
    Pipeline pipeline;
    pipeline.stageCount = map.stages;
    pipeline.origin = map.origin;
    pipeline.isOfIterations = std::ranges::all_of(
        devices, [](const DeviceActivity* device) { return !device->iterations.empty(); });
    const std::vector<DurationNs> outside = timesOutside(devices, map.clocks);
    std::map<int, StageTimes> stages;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        const DeviceActivity& device = *devices[i];
        const int stage = map.stageOf.at(device.rank);
        StageTimes& times = stages[stage];
        times.stage = stage;
        times.ranks.push_back(device.rank);
        if (!pipeline.isOfIterations) {
            add(times, device.phases, outside[i]);
            continue;
        }
        for (const IterationPhases& iteration : device.iterations)
            add(times, iteration, {});
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
