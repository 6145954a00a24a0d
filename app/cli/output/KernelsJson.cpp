#include "app/cli/output/KernelsOutput.h"
#include "core/report/RunTables.h"

#include "app/cli/output/EnergyOutput.h"
#include "core/analysis/energy/OperatorEnergy.h"

#include <algorithm>
#include <string>

namespace trainscope::cli {

namespace {

using analysis::CategoryTime;
using analysis::TimeBreakdown;
using report::shareOf;

Json countJson(const CategoryTime& time) {
    return {{"count", time.count}, {"time_us", microseconds(time.time)}};
}

// Adds to an object what every window has.
void addTimes(Json& json, const TimeBreakdown& times) {
    add(json,
        {{"window_us", microseconds(times.traced)}, {"kernel_count", times.kernelCount},
            {"kernel_time_us", microseconds(times.kernelTime)},
            {"busy_us", microseconds(times.busy)}, {"compute_us", microseconds(times.compute)},
            {"communication_us", microseconds(times.communication)},
            {"exposed_communication_us", microseconds(times.exposedCommunication)},
            {"overlap_us", microseconds(times.overlap)}, {"copy_us", microseconds(times.copy)},
            {"idle_us", microseconds(times.idle)}, {"copies", countJson(times.copies)},
            {"memsets", countJson(times.sets)},
            {"categories", objectOf(times.categories, [](const auto& one) {
                 return Member(one.first, countJson(one.second));
             })}});
}

void addPhases(Json& json, const analysis::WindowPhases& phases) {
    json["phases"] = objectOf(analysis::kAllPhases, [&](analysis::Phase phase) {
        return Member(std::string(toString(phase)) + "_us", microseconds(phases.time[phase]));
    });
}

void addBubble(Json& json, const analysis::WindowPhases& phases) {
    add(json,
        {{"bubble_us", microseconds(phases.waiting())},
            {"bubble_fraction", shareOf(phases.waiting(), phases.traced)}});
}

Json evidenceJson(const analysis::MarkEvidence& evidence) {
    return {{"launch", evidence.launches}, {"stream_annotation", evidence.streamAnnotations},
        {"host_annotation", evidence.hostAnnotations}, {"kernel_name", evidence.names},
        {"none", evidence.none}, {"none_counts_as", std::string(toString(evidence.unmarked()))}};
}

std::optional<Json> delayJson(const std::optional<analysis::DelayStatistics>& delay) {
    if (!delay)
        return std::nullopt;
    return Json{{"mean", delay->meanNs / 1e3}, {"median", delay->medianNs / 1e3},
        {"p99", delay->p99Ns / 1e3}, {"max", static_cast<double>(delay->maxNs) / 1e3}};
}

Json launchJson(const analysis::LaunchStatistics& launches, DurationNs window) {
    Json json{{"joined", launches.joined}, {"unjoined", launches.unjoined},
        {"before_call", launches.early}};
    if (launches.joined == 0)
        return json;
    add(json,
        {{"delay_us", delayJson(launches.delay)},
            {"delay_after_return_us", delayJson(launches.afterReturn)},
            {"host_bound_us", microseconds(launches.hostBound)},
            {"host_bound_fraction", shareOf(launches.hostBound, window)},
            {"queues", listOf(launches.queues, [](const auto& queue) {
                 return Json{{"stream", queue.stream}, {"mean_depth", queue.meanDepth},
                     {"max_depth", queue.maxDepth}};
             })}});
    return json;
}

Json copiesJson(const analysis::CopyStatistics& kinds) {
    return objectOf(kinds, [](const auto& one) {
        const auto& [name, kind] = one;
        return Member(name,
            object({{"count", kind.count}, {"time_us", microseconds(kind.time)},
                {"bytes", when(kind.withBytes > 0, kind.bytes)},
                {"bandwidth_b_per_s", kind.bandwidth()}}));
    });
}

Json iterationJson(const analysis::IterationBreakdown& iteration,
    const analysis::IterationPhases* phases, bool hasPipeline) {
    Json json{{"index", iteration.index}, {"start_ns", iteration.window.begin.ns},
        {"warmup", iteration.warmup}};
    addTimes(json, iteration);
    if (phases != nullptr)
        addPhases(json, *phases);
    if (phases != nullptr && hasPipeline)
        addBubble(json, *phases);
    return json;
}

void addActivity(Json& json, const analysis::DeviceActivity& activity, bool hasPipeline) {
    json["copies"]["kinds"] = copiesJson(activity.copies);
    addPhases(json, activity.phases);
    json["phase_evidence"] = evidenceJson(activity.evidence);
    json["launch"] = launchJson(activity.launches, activity.phases.traced);
    if (hasPipeline)
        addBubble(json, activity.phases);
}

Json deviceJson(const KernelsReport& report, const analysis::DeviceBreakdown& device) {
    Json json{{"rank", device.rank}, {"device", device.device}};
    addTimes(json, device);
    const analysis::DeviceActivity* const activity = activityOf(report, device);
    const bool hasPipeline = report.pipeline.has_value();
    if (activity != nullptr)
        addActivity(json, *activity, hasPipeline);
    const analysis::AttributedEnergy* const energy = energyOf(report, device);
    json["kernels"] = listOf(device.kernels, [energy](const auto& kernel) {
        Json row{{"name", kernel.name}, {"count", kernel.count},
            {"time_us", microseconds(kernel.time)}, {"category", kernel.category}};
        if (energy != nullptr)
            addEnergy(row, analysis::energyOfName(energy->kernels, kernel.name).energy);
        return row;
    });
    if (energy != nullptr) {
        addEnergy(json, energy->total);
        for (const auto& [category, part] : energy->categories) {
            if (json["categories"].contains(category))
                addEnergy(json["categories"][category], part);
        }
        addEnergy(json["copies"], energy->phases[analysis::Phase::Copy]);
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
    return object({{"stage_count", pipeline.stageCount}, {"origin", pipeline.origin},
        {"basis", pipeline.isOfIterations ? "iterations" : "trace"},
        {"bubble_fraction", pipeline.bubbleFraction},
        {"ideal_bubble_fraction", pipeline.idealBubbleFraction},
        {"microbatches", pipeline.microbatches}, {"virtual_stages", pipeline.virtualStages},
        {"stages", listOf(pipeline.stages, [](const auto& stage) {
             return Json{{"stage", stage.stage}, {"ranks", stage.ranks},
                 {"window_us", stage.windowNs / 1e3}, {"compute_us", stage.computeNs / 1e3},
                 {"exposed_communication_us", stage.exposedNs / 1e3},
                 {"copy_us", stage.copyNs / 1e3}, {"idle_us", stage.idleNs / 1e3},
                 {"bubble_us", stage.bubbleNs / 1e3}, {"bubble_fraction", stage.bubbleFraction()}};
         })}});
}

} // namespace

const analysis::DeviceActivity* activityOf(
    const KernelsReport& report, const analysis::DeviceBreakdown& device) {
    const auto found = std::find_if(report.activities.begin(), report.activities.end(),
        [&](const auto& one) { return one.rank == device.rank && one.device == device.device; });
    return found == report.activities.end() ? nullptr : &*found;
}

const analysis::AttributedEnergy* energyOf(
    const KernelsReport& report, const analysis::DeviceBreakdown& device) {
    const auto found = std::find_if(report.energy.gpus.begin(), report.energy.gpus.end(),
        [&](const auto& one) { return one.rank == device.rank; });
    return found == report.energy.gpus.end() ? nullptr : &found->energy;
}

Json kernelsJson(const KernelsReport& report) {
    Json json = object({{"run", report.run.name}, {"window", given(report.windowText)}});
    if (report.early)
        json["early_work"] = object({{"kernels", report.early->kernels},
            {"copies", report.early->copies}, {"kernel_time_s", report.early->time.seconds()},
            {"before_s", report.early->gap.seconds()}});
    json["ranks"]
        = listOf(report.devices, [&](const auto& device) { return deviceJson(report, device); });
    if (report.pipeline)
        json["pipeline"] = pipelineJson(*report.pipeline);
    return json;
}

} // namespace trainscope::cli
