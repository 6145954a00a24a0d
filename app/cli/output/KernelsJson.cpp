#include "app/cli/output/KernelsOutput.h"

#include <algorithm>
#include <string>

namespace trainscope::cli {

namespace {

using analysis::CategoryTime;
using analysis::TimeBreakdown;

Json countJson(const CategoryTime& time) {
    return {{"count", time.count}, {"time_us", microseconds(time.time)}};
}

// Adds to an object what every window has.
void addTimes(Json& json, const TimeBreakdown& times) {
    json["window_us"] = microseconds(times.window.length());
    json["kernel_count"] = times.kernelCount;
    json["kernel_time_us"] = microseconds(times.kernelTime);
    json["busy_us"] = microseconds(times.busy);
    json["compute_us"] = microseconds(times.compute);
    json["communication_us"] = microseconds(times.communication);
    json["exposed_communication_us"] = microseconds(times.exposedCommunication);
    json["overlap_us"] = microseconds(times.overlap);
    json["idle_us"] = microseconds(times.idle);
    json["copies"] = countJson(times.copies);
    json["memsets"] = countJson(times.sets);
    json["categories"] = Json::object();
    for (const auto& [category, time] : times.categories)
        json["categories"][category] = countJson(time);
}

Json phasesJson(const analysis::WindowPhases& phases) {
    Json json = Json::object();
    for (const analysis::Phase phase : analysis::kAllPhases)
        json[std::string(toString(phase)) + "_us"] = microseconds(phases.time[phase]);
    return json;
}

void addBubble(Json& json, const analysis::WindowPhases& phases) {
    json["bubble_us"] = microseconds(phases.waiting());
    if (!phases.window.isEmpty())
        json["bubble_fraction"] = static_cast<double>(phases.waiting().ns)
            / static_cast<double>(phases.window.length().ns);
}

Json evidenceJson(const analysis::MarkEvidence& evidence) {
    return {{"launch", evidence.launches}, {"stream_annotation", evidence.streamAnnotations},
        {"host_annotation", evidence.hostAnnotations}, {"kernel_name", evidence.names},
        {"none", evidence.none}, {"none_counts_as", std::string(toString(evidence.unmarked()))}};
}

Json delayJson(const analysis::DelayStatistics& delay) {
    return {{"mean", delay.meanNs / 1e3}, {"median", delay.medianNs / 1e3},
        {"p99", delay.p99Ns / 1e3}, {"max", static_cast<double>(delay.maxNs) / 1e3}};
}

Json launchJson(const analysis::LaunchStatistics& launches, TimeRange window) {
    Json json{{"joined", launches.joined}, {"unjoined", launches.unjoined},
        {"before_call", launches.early}};
    if (launches.joined == 0)
        return json;
    if (launches.delay)
        json["delay_us"] = delayJson(*launches.delay);
    if (launches.afterReturn)
        json["delay_after_return_us"] = delayJson(*launches.afterReturn);
    json["host_bound_us"] = microseconds(launches.hostBound);
    if (!window.isEmpty())
        json["host_bound_fraction"]
            = static_cast<double>(launches.hostBound.ns) / static_cast<double>(window.length().ns);
    json["queues"] = Json::array();
    for (const auto& queue : launches.queues) {
        json["queues"].push_back({{"stream", queue.stream}, {"mean_depth", queue.meanDepth},
            {"max_depth", queue.maxDepth}});
    }
    return json;
}

void addCopyKinds(Json& copies, const analysis::CopyStatistics& kinds) {
    copies["kinds"] = Json::object();
    for (const auto& [name, kind] : kinds) {
        Json json{{"count", kind.count}, {"time_us", microseconds(kind.time)}};
        if (kind.withBytes > 0)
            json["bytes"] = kind.bytes;
        setIfPresent(json, "bandwidth_b_per_s", kind.bandwidth());
        copies["kinds"][name] = std::move(json);
    }
}

Json iterationJson(const analysis::IterationBreakdown& iteration,
    const analysis::IterationPhases* phases, bool hasPipeline) {
    Json json{{"index", iteration.index}, {"start_ns", iteration.window.begin.ns},
        {"warmup", iteration.warmup}};
    addTimes(json, iteration);
    if (phases != nullptr)
        json["phases"] = phasesJson(*phases);
    if (phases != nullptr && hasPipeline)
        addBubble(json, *phases);
    return json;
}

Json deviceJson(const KernelsReport& report, const analysis::DeviceBreakdown& device) {
    Json json{{"rank", device.rank}, {"device", device.device}};
    addTimes(json, device);
    const analysis::DeviceActivity* const activity = activityOf(report, device);
    const bool hasPipeline = report.pipeline.has_value();
    if (activity != nullptr) {
        addCopyKinds(json["copies"], activity->copies);
        json["phases"] = phasesJson(activity->phases);
        json["phase_evidence"] = evidenceJson(activity->evidence);
        json["launch"] = launchJson(activity->launches, activity->phases.window);
        if (hasPipeline)
            addBubble(json, activity->phases);
    }
    json["kernels"] = Json::array();
    for (const auto& kernel : device.kernels) {
        json["kernels"].push_back({{"name", kernel.name}, {"count", kernel.count},
            {"time_us", microseconds(kernel.time)}, {"category", kernel.category}});
    }
    json["iterations"] = Json::array();
    for (std::size_t i = 0; i < device.iterations.size(); ++i) {
        const bool isKnown = activity != nullptr && i < activity->iterations.size();
        json["iterations"].push_back(iterationJson(
            device.iterations[i], isKnown ? &activity->iterations[i] : nullptr, hasPipeline));
    }
    return json;
}

Json pipelineJson(const analysis::Pipeline& pipeline) {
    Json json{{"stage_count", pipeline.stageCount}, {"origin", pipeline.origin},
        {"basis", pipeline.isOfIterations ? "iterations" : "trace"},
        {"bubble_fraction", pipeline.bubbleFraction}};
    setIfPresent(json, "ideal_bubble_fraction", pipeline.idealBubbleFraction);
    setIfPresent(json, "microbatches", pipeline.microbatches);
    json["virtual_stages"] = pipeline.virtualStages;
    json["stages"] = Json::array();
    for (const auto& stage : pipeline.stages) {
        json["stages"].push_back({{"stage", stage.stage}, {"ranks", stage.ranks},
            {"window_us", stage.windowNs / 1e3}, {"compute_us", stage.computeNs / 1e3},
            {"exposed_communication_us", stage.exposedNs / 1e3}, {"idle_us", stage.idleNs / 1e3},
            {"bubble_us", stage.bubbleNs / 1e3}, {"bubble_fraction", stage.bubbleFraction()}});
    }
    return json;
}

} // namespace

const analysis::DeviceActivity* activityOf(
    const KernelsReport& report, const analysis::DeviceBreakdown& device) {
    const auto found = std::find_if(report.activities.begin(), report.activities.end(),
        [&](const auto& one) { return one.rank == device.rank && one.device == device.device; });
    return found == report.activities.end() ? nullptr : &*found;
}

Json kernelsJson(const KernelsReport& report) {
    Json json{{"run", report.run.name}};
    if (!report.windowText.empty())
        json["window"] = report.windowText;
    json["ranks"] = Json::array();
    for (const auto& device : report.devices)
        json["ranks"].push_back(deviceJson(report, device));
    if (report.pipeline)
        json["pipeline"] = pipelineJson(*report.pipeline);
    return json;
}

} // namespace trainscope::cli
