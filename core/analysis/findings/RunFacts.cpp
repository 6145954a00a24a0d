#include "core/analysis/findings/RunFacts.h"

#include "core/analysis/findings/Rules.h"
#include "core/analysis/iterations/RunDetail.h"
#include "core/analysis/operators/CallTrees.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/telemetry/UniformSeries.h"
#include "core/analysis/traces/CaptureIterations.h"
#include "core/analysis/traces/CaptureWindows.h"
#include "core/analysis/traces/DeviceAccount.h"
#include "core/analysis/traces/DeviceActivity.h"
#include "core/analysis/traces/DeviceWalk.h"
#include "core/analysis/traces/Pipeline.h"
#include "core/analysis/traces/SteadyWindows.h"
#include "core/model/Try.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

namespace trainscope::analysis {

namespace {

constexpr std::int64_t kSettlingSamples = 40; // fewer cannot tell (Temperature.h)

// Without warm-up and what came before the temperatures settled. Open at the end: a trace's last
// kernels run on when its last step has ended on the host.
Result<SteadyTraces> tracesBehindWarmup(
    const store::Store& store, const Progress& progress, RunFacts& facts) {
    const SteadyState& steady = facts.steadyState;
    const bool isAllSteady = steady.basis == SteadyBasis::Iterations
        && steady.warmupIterations + steady.unsettledIterations == 0;
    if (isAllSteady)
        return SteadyTraces();
    ASSIGN_OR_RETURN(auto part, steadyTraces(store, facts.run, facts.iterations, steady, progress));
    if (part.window == kAllTime)
        return SteadyTraces();
    facts.tracedPart = part.wording;
    part.window.end = kAllTime.end;
    part.windowOf = [closed = std::move(part.windowOf)](int rank) {
        return TimeRange{closed(rank).begin, kAllTime.end};
    };
    return part;
}

Status addTraces(const store::Store& store, const std::optional<StageMap>& stages,
    const RankWindow& windowOf, const Progress& progress, RunFacts& facts) {
    ASSIGN_OR_RETURN(const auto devices, tracedDevices(store, facts.run));
    std::vector<DeviceActivity> activities;
    const IterationChoice choice
        = tracedIterations({facts.iterations.everyOne(), std::nullopt}, tracedOf(devices));
    for (const DeviceTracks& device : devices) {
        const auto shown = traceWindow(device.rank, device.captures, windowOf(device.rank), choice);
        if (!shown || shown->range.isEmpty())
            continue;
        PhaseMeter phases(*shown, PhaseMeter::Divide::ByCategory);
        AccountMeter meter(store, device, *shown);
        const std::array<DeviceVisitor*, 2> visitors{&phases, &meter};
        ASSIGN_OR_RETURN(
            const auto evidence, walkDevice(store, device, shown->range, visitors, progress));
        const WindowPhases all = phases.all(evidence);
        ASSIGN_OR_RETURN(const auto account, meter.finish());
        const LaunchStatistics launched = launchesOf(account, device, all.traced);
        TracedDevice traced{device.rank, all.window, all.traced.seconds(),
            all.time[Phase::Idle].seconds(), all.time[Phase::CommunicationExposed].seconds(),
            launched.hostBound.seconds(), {}, all.time[Phase::Copy].seconds(), {}};
        for (const auto& [direction, kind] : copiesOf(account.sums))
            traced.copiesS[direction] = kind.time.seconds();
        for (const auto& [kind, time] : phases.exposedByKind())
            traced.exposedByKindS[kind] = time.seconds();
        if (traced.windowS > 0.0)
            facts.traced.push_back(std::move(traced));
        activities.push_back(
            {device.rank, device.device, all, phases.iterations(evidence), evidence, launched, {}});
    }
    const auto pipeline = stages ? pipelineOf(*stages, activities) : std::nullopt;
    if (pipeline)
        facts.pipeline = TracedPipeline{pipeline->stageCount, pipeline->bubbleFraction,
            pipeline->idealBubbleFraction, pipeline->isOfIterations};
    return {};
}

Status addOperators(const store::Store& store, const RankWindow& windowOf, const Progress& progress,
    RunFacts& facts) {
    if (facts.traced.empty())
        return {};
    ASSIGN_OR_RETURN(const auto tree, callTree(store, facts.run, windowOf, progress));
    if (tree.hasHost)
        facts.operators = operatorFacts(tree, catalogue::findGpuModel(facts.run.gpuModel));
    return {};
}

// The kernels above the limit take another pass over the traces.
Status addAboveLimit(
    const store::Store& store, TimeRange window, const Progress& progress, RunFacts& facts) {
    ASSIGN_OR_RETURN(
        facts.aboveLimit, aboveLimits(store, facts.run, window, KeepSteps::Yes, progress));
    const auto all = together(facts.aboveLimit);
    if (!all || all->share < kAboveLimitFraction)
        return {};
    ASSIGN_OR_RETURN(const auto devices,
        kernelsAboveLimit(store, facts.run, KernelCategories::builtIn(), window, progress));
    facts.kernelsAbove = together(devices);
    return {};
}

// The run, its iterations and the part that speaks for it.
Status choosePart(const store::Store& store, const std::optional<CaptureWindows>& capture,
    const Progress& progress, RunFacts& facts) {
    ASSIGN_OR_RETURN(facts.iterations, iterationsOf(store, facts.run, progress));
    if (capture) {
        ASSIGN_OR_RETURN(auto captured,
            captureIterations(store, facts.run, *capture, facts.iterations, progress));
        facts.iterations = std::move(captured.iterations);
        facts.steadyState = std::move(captured.state);
        facts.capture = facts.tracedPart = capture->wording();
        ASSIGN_OR_RETURN(facts.whole, summarise(store, facts.run, capture->window, progress));
        facts.steady = facts.whole;
        return {};
    }
    ASSIGN_OR_RETURN(facts.whole, summarise(store, facts.run, progress));
    ASSIGN_OR_RETURN(
        facts.steadyState, steadyStateOf(store, facts.run, facts.iterations, progress));
    facts.steady = facts.whole;
    if (facts.steadyState.isWholeRun)
        return {};
    const SummaryScope scope{
        facts.steadyState.window, {"gpu_power", "gpu_temperature", "sm_clock", "gpu_utilization"}};
    ASSIGN_OR_RETURN(facts.steady, summarise(store, facts.run, scope, progress));
    return {};
}

Status addTelemetry(const store::Store& store, const std::map<int, GpuSeries>& gpus,
    TimeRange window, const Progress& progress, RunFacts& facts) {
    facts.power = gpuSeriesOf(gpus, "gpu_power");
    ASSIGN_OR_RETURN(facts.traffic, busyTraffic(store, gpus, facts.steadyState.window, progress));
    ASSIGN_OR_RETURN(auto detail,
        detailOf(store, facts.run, facts.iterations, {window, std::nullopt, false}, progress));
    facts.throttling = std::move(detail.throttling);
    if (detail.airflow.origin == AirflowOrigin::Inferred)
        facts.airflowEvidence = std::move(detail.airflow.evidence);
    facts.airflow = std::move(detail.airflow.order);
    RETURN_IF_ERROR(addAboveLimit(store, window, progress, facts));
    facts.burst = detail.burst;
    facts.spectrum = std::move(detail.spectrum);
    if (const Sensor* sensor = detail.powerSensor(); sensor != nullptr)
        facts.powerSensor = *sensor;
    const auto temperatures = gpuSeriesOf(gpus, "gpu_temperature");
    const bool canTellSettling = window == kAllTime && !temperatures.empty()
        && std::all_of(temperatures.begin(), temperatures.end(),
            [](const Series& series) { return series.count >= kSettlingSamples; });
    if (canTellSettling) {
        ASSIGN_OR_RETURN(facts.settling, runSettling(store, temperatures, progress));
    }
    ASSIGN_OR_RETURN(
        facts.efficiency, efficiencyOf(store, facts.run, facts.iterations, window, progress));
    return {};
}

// Finding the causes takes another pass over the traces.
bool isWaitingWorthACause(const RunFacts& facts) {
    double waitS = 0.0;
    double tracedS = 0.0;
    for (const RankCommunication& rank : facts.communication->ranks)
        waitS += rank.waitS;
    for (const TracedDevice& device : facts.traced)
        tracedS += device.windowS;
    return waitS >= kStragglerWait * tracedS;
}

} // namespace

Result<RunFacts> collectFacts(const store::Store& store, const Run& run,
    const FindingsOptions& options, const Progress& progress) {
    RunFacts facts;
    facts.run = run;
    std::optional<CaptureWindows> capture;
    if (!options.capture.empty()) {
        ASSIGN_OR_RETURN(capture, captureWindows(store, run, options.capture, progress));
    }
    const TimeRange window = capture ? capture->window : kAllTime;
    RETURN_IF_ERROR(choosePart(store, capture, progress, facts));
    ASSIGN_OR_RETURN(const auto all, store.series(run.id));
    ASSIGN_OR_RETURN(facts.unreached, unreachedCollectives(store, run, progress));
    ASSIGN_OR_RETURN(facts.allocators, allocatorRecordsOf(store, run));
    std::erase_if(facts.unreached,
        [window](const UnreachedCollective& one) { return !one.range.overlaps(window); });
    ASSIGN_OR_RETURN(const auto stages, stagesOf(store, run, progress));
    if (stages)
        facts.stageOf = stages->stageOf;
    RETURN_IF_ERROR(addTelemetry(store, gpuSeriesByRank(all), window, progress, facts));
    SteadyTraces part;
    if (capture) {
        part.window = capture->closed();
        part.windowOf = [&capture](int rank) { return capture->of(rank); };
    } else {
        ASSIGN_OR_RETURN(part, tracesBehindWarmup(store, progress, facts));
    }
    RETURN_IF_ERROR(addTraces(store, stages, part.windowOf, progress, facts));
    RETURN_IF_ERROR(addOperators(store, part.windowOf, progress, facts));
    if (facts.traced.size() > 1) {
        ASSIGN_OR_RETURN(facts.communication,
            communicationOf(store, run, {true, options.networkBandwidth, part.window}, progress));
        if (isWaitingWorthACause(facts)) {
            ASSIGN_OR_RETURN(facts.causes,
                waitCauses(store, run, facts.communication->clocks, part.window, progress));
        }
    }
    if (!capture) {
        ASSIGN_OR_RETURN(facts.plausibility,
            plausibilityOf(store, run, facts.aboveLimit, facts.iterations, progress));
    }
    if (capture)
        facts.run.range = capture->window; // where it shows
    return facts;
}

} // namespace trainscope::analysis
