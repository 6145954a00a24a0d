#include "core/analysis/findings/RunFacts.h"

#include "core/analysis/findings/Rules.h"
#include "core/analysis/iterations/PowerPeriod.h"
#include "core/analysis/iterations/RunDetail.h"
#include "core/analysis/operators/CallTrees.h"
#include "core/analysis/replay/Replay.h"
#include "core/analysis/statistics/Accumulators.h"
#include "core/analysis/statistics/SampleWalk.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/telemetry/UniformSeries.h"
#include "core/analysis/traces/CaptureIterations.h"
#include "core/analysis/traces/DeviceTraces.h"
#include "core/analysis/traces/TraceWindow.h"
#include "core/catalogue/GpuModel.h"
#include "core/model/Try.h"

#include <numeric>

namespace trainscope::analysis {

namespace {

constexpr std::int64_t kSettlingSamples = 40; // fewer cannot tell (Temperature.h)

// Without warm-up and what came before the temperatures settled. Open at the end: a trace's last
// kernels run on when its last step has ended on the host.
Result<SteadyTraces> tracesBehindWarmup(const RunStudy& study, RunFacts& facts) {
    const SteadyState& steady = facts.steadyState;
    const bool isAllSteady = steady.basis == SteadyBasis::Iterations
        && steady.warmupIterations + steady.unsettledIterations == 0;
    if (isAllSteady)
        return countedTraces(study);
    ASSIGN_OR_RETURN(auto part, steadyTraces(study));
    if (part.window == kAllTime)
        return part;
    facts.tracedPart = part.wording;
    part.window.end = kAllTime.end;
    part.windowOf = [closed = std::move(part.windowOf)](int rank) {
        return TimeRange{closed(rank).begin, kAllTime.end};
    };
    return part;
}

TracedDevice tracedDeviceOf(const DeviceActivity& activity) {
    const WindowPhases& all = activity.phases;
    TracedDevice traced{activity.rank, all.window, all.traced.seconds(),
        all.time[Phase::Idle].seconds(), all.time[Phase::CommunicationExposed].seconds(),
        activity.launches.hostBound.seconds(), {}, all.time[Phase::Copy].seconds(), {}};
    for (const auto& [direction, kind] : activity.copies)
        traced.copiesS[direction] = kind.time.seconds();
    for (const auto& [kind, time] : activity.exposedByKind)
        traced.exposedByKindS[kind] = time.seconds();
    return traced;
}

Status addTraces(const RunStudy& study, const std::optional<StageMap>& stages,
    const RankWindow& windowOf, RunFacts& facts) {
    ASSIGN_OR_RETURN(auto traces,
        deviceTraces(study, KernelCategories::builtIn(), windowOf,
            {facts.iterations.everyOne(), std::nullopt}));
    std::vector<DeviceActivity> activities;
    for (DeviceTrace& trace : traces) {
        if (trace.activity.phases.traced.ns > 0)
            facts.traced.push_back(tracedDeviceOf(trace.activity));
        activities.push_back(std::move(trace.activity));
    }
    facts.pipeline = stages ? pipelineOf(*stages, activities) : std::nullopt;
    return {};
}

Status addOperators(const RunStudy& study, const RankWindow& windowOf, RunFacts& facts) {
    if (facts.traced.empty())
        return {};
    ASSIGN_OR_RETURN(const auto tree, callTree(study, windowOf));
    if (tree.hasHost)
        facts.operators = operatorFacts(tree, catalogue::findAccelerator(facts.run.gpuModel));
    return {};
}

// The kernels above the limit take another pass over the traces.
Status addAboveLimit(const RunStudy& study, TimeRange window, RunFacts& facts) {
    ASSIGN_OR_RETURN(facts.aboveLimit, aboveLimits(study, window, KeepSteps::Yes));
    const auto all = together(facts.aboveLimit);
    if (!all || all->share < kAboveLimitFraction)
        return {};
    ASSIGN_OR_RETURN(
        const auto devices, kernelsAboveLimit(study, KernelCategories::builtIn(), window));
    facts.kernelsAbove = together(devices);
    return {};
}

// The run, its iterations and the part that speaks for it.
Status choosePart(
    const RunStudy& study, const std::optional<CaptureWindows>& capture, RunFacts& facts) {
    if (capture) {
        ASSIGN_OR_RETURN(auto captured, captureIterations(study, *capture));
        ASSIGN_OR_RETURN(facts.efficiency, efficiencyOf(study, captured));
        facts.iterations = std::move(captured.iterations);
        facts.steadyState = std::move(captured.state);
        facts.capture = facts.tracedPart = capture->wording();
        ASSIGN_OR_RETURN(facts.whole, summarise(study, capture->window));
        facts.steady = facts.whole;
        return {};
    }
    ASSIGN_OR_RETURN(facts.iterations, iterationsOf(study));
    ASSIGN_OR_RETURN(facts.changes, iterationChangesOf(study));
    ASSIGN_OR_RETURN(facts.efficiency, efficiencyOf(study));
    ASSIGN_OR_RETURN(facts.whole, summarise(study));
    ASSIGN_OR_RETURN(facts.steadyState, steadyStateOf(study));
    facts.steady = facts.whole;
    if (facts.steadyState.isWholeRun)
        return {};
    const SummaryScope scope{
        facts.steadyState.window, {"gpu_power", "gpu_temperature", "sm_clock", "gpu_utilization"}};
    ASSIGN_OR_RETURN(facts.steady, summarise(study, scope));
    return {};
}

// Adds the bytes and the seconds of the window in which the GPU was busy.
Status measureLink(const store::Store& store, const Series& link, SeriesId utilization,
    TimeRange window, BusyTraffic& sums) {
    SampleWalk busy(store, utilization, kAllTime.begin);
    CounterTotal total(link.description);
    const bool isCounter = link.description.metric.kind == MetricKind::Counter;
    std::optional<TimeNs> last;
    double lastValue = 0.0;
    SampleCursor cursor(store, link.id, window);
    RETURN_IF_ERROR(cursor.start());
    while (!cursor.atEnd()) {
        const TimeNs time = cursor.time();
        const double value = cursor.value();
        RETURN_IF_ERROR(cursor.next());
        if (isCounter && std::isnan(value))
            continue;
        const double before = total.total().value_or(0.0);
        if (isCounter)
            total.add(std::span(&time, 1), std::span(&value, 1));
        if (last && time > *last && !std::isnan(lastValue)) {
            RETURN_IF_ERROR(busy.to(*last));
            ASSIGN_OR_RETURN(const auto work, busy.to(time));
            if (work.held.mean().value_or(0.0) >= kBusyUtilization) {
                const double seconds = (time - *last).seconds();
                sums.busyS += seconds;
                sums.bytes
                    += isCounter ? total.total().value_or(0.0) - before : lastValue * seconds;
            }
        }
        last = time;
        lastValue = value;
    }
    return {};
}

// GPUs without both link and utilisation, or never busy, are left out. By metric, then rank.
Result<std::vector<BusyTraffic>> busyTraffic(const store::Store& store,
    const std::map<int, GpuSeries>& gpus, TimeRange window, const Progress& progress) {
    std::vector<BusyTraffic> result;
    for (const char* metric :
        {metric::kNvlinkRx, metric::kNvlinkTx, metric::kPcieRx, metric::kPcieTx}) {
        for (const auto& [rank, gpu] : gpus) {
            if (progress && !progress({"Looking at links", 0, 0}))
                return cancelled();
            const auto utilization = gpu.find(metric::kGpuUtilization);
            auto link = gpu.find(metric);
            if (link == gpu.end())
                link = gpu.find(std::string(metric) + "_rate");
            if (utilization == gpu.end() || link == gpu.end())
                continue;
            BusyTraffic sums{rank, metric, 0.0, 0.0};
            RETURN_IF_ERROR(measureLink(store, link->second, utilization->second.id, window, sums));
            if (sums.busyS > 0.0)
                result.push_back(std::move(sums));
        }
    }
    return result;
}

Status addTelemetry(const RunStudy& study, const std::map<int, GpuSeries>& gpus, TimeRange window,
    RunFacts& facts) {
    facts.power = gpuSeriesOf(gpus, "gpu_power");
    ASSIGN_OR_RETURN(
        facts.traffic, busyTraffic(study.store, gpus, facts.steadyState.window, study.progress));
    ASSIGN_OR_RETURN(auto detail,
        detailOf(study, facts.iterations,
            {.window = window, .withIterations = false, .withSettling = false}));
    facts.throttling = std::move(detail.throttling);
    if (detail.airflow.origin == AirflowOrigin::Inferred)
        facts.airflowEvidence = std::move(detail.airflow.evidence);
    facts.airflow = std::move(detail.airflow.order);
    RETURN_IF_ERROR(addAboveLimit(study, window, facts));
    facts.burst = detail.burst;
    facts.spectrum = std::move(detail.spectrum);
    if (facts.capture.empty() && !facts.steadyState.isWholeRun) {
        ASSIGN_OR_RETURN(auto steady, powerSpectrumOf(study, false, facts.spectrum.size()));
        if (steady && !steady->state.isWholeRun) {
            facts.spectrum = std::move(steady->lines);
            facts.isSpectrumSteady = true;
        }
    }
    if (const Sensor* sensor = detail.powerSensor(); sensor != nullptr)
        facts.powerSensor = *sensor;
    const auto temperatures = gpuSeriesOf(gpus, "gpu_temperature");
    const bool canTellSettling = window == kAllTime && !temperatures.empty()
        && std::ranges::all_of(
            temperatures, [](const Series& series) { return series.count >= kSettlingSamples; });
    if (canTellSettling) {
        ASSIGN_OR_RETURN(facts.settling, runSettling(study));
    }
    return {};
}

// Finding the causes takes another pass over the traces.
bool isWaitingWorthACause(const RunFacts& facts) {
    double waitS = 0.0;
    for (const RankCommunication& rank : facts.communication->ranks)
        waitS += rank.waitS;
    return waitS >= kStragglerWait * facts.tracedS();
}

// A path through the host, for which no GPU waits: what held the host was not recorded.
bool leadsAstray(const StepReplay& replay, const RunFacts& facts) {
    constexpr double most = 0.5; // share of the path
    constexpr double least = 0.02; // share of the traced time
    double hostBoundS = 0.0;
    for (const TracedDevice& device : facts.traced)
        hostBoundS += device.hostBoundS;
    return replay.path.hostS > most * replay.path.seconds && hostBoundS < least * facts.tracedS();
}

// The critical path, where there are traces of steps.
Status addReplay(const RunStudy& study, const std::string& capture, RunFacts& facts) {
    if (facts.traced.empty())
        return {};
    auto replay = replayOf(study, {capture, {}, false, {}, true});
    if (replay.hasValue() && leadsAstray(replay.value(), facts))
        return {};
    if (replay.hasValue())
        facts.replay = std::make_shared<const StepReplay>(std::move(replay).value());
    else if (!isNotReplayable(replay.error()))
        return replay.error();
    return {};
}

} // namespace

double RunFacts::tracedS() const {
    return std::accumulate(traced.begin(), traced.end(), 0.0,
        [](double sum, const TracedDevice& device) { return sum + device.windowS; });
}

Result<RunFacts> collectFacts(const RunStudy& study, const FindingsOptions& options) {
    RunFacts facts;
    facts.run = study.run;
    std::optional<CaptureWindows> capture;
    if (!options.capture.empty()) {
        ASSIGN_OR_RETURN(capture, captureWindows(study, options.capture));
    }
    const TimeRange window = capture ? capture->window : kAllTime;
    RETURN_IF_ERROR(choosePart(study, capture, facts));
    ASSIGN_OR_RETURN(const auto all, study.store.series(study.run.id));
    ASSIGN_OR_RETURN(facts.unreached, unreachedCollectives(study));
    ASSIGN_OR_RETURN(facts.allocators, allocatorRecordsOf(study));
    std::erase_if(facts.unreached,
        [window](const UnreachedCollective& one) { return !one.range.overlaps(window); });
    ASSIGN_OR_RETURN(const auto stages, stagesOf(study));
    if (stages)
        facts.stageOf = stages->stageOf;
    RETURN_IF_ERROR(addTelemetry(study, gpuSeriesByRank(all), window, facts));
    SteadyTraces part;
    if (capture) {
        part.window = capture->closed();
        part.windowOf = [&capture](int rank) { return capture->of(rank); };
    } else {
        ASSIGN_OR_RETURN(part, tracesBehindWarmup(study, facts));
    }
    RETURN_IF_ERROR(addTraces(study, stages, part.windowOf, facts));
    RETURN_IF_ERROR(addOperators(study, part.windowOf, facts));
    RETURN_IF_ERROR(addReplay(study, options.capture, facts));
    if (facts.traced.size() > 1) {
        ASSIGN_OR_RETURN(facts.communication,
            communicationOf(study, {true, options.networkBandwidth, part.window}));
        if (isWaitingWorthACause(facts)) {
            ASSIGN_OR_RETURN(
                facts.causes, waitCauses(study, facts.communication->clocks, part.window));
        }
    }
    if (!capture) {
        ASSIGN_OR_RETURN(
            facts.plausibility, plausibilityOf(study, facts.aboveLimit, facts.iterations));
        ASSIGN_OR_RETURN(facts.past, pastOf(study));
    }
    if (capture)
        facts.run.range = capture->window; // evidence shows there
    return facts;
}

Result<RunFacts> factsOf(const RunStudy& study) {
    return study.once<RunFacts>([](const RunStudy& of) { return collectFacts(of); });
}

} // namespace trainscope::analysis
