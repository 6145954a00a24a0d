#include "core/analysis/findings/RunFacts.h"

#include "core/analysis/iterations/RunDetail.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/telemetry/UniformSeries.h"
#include "core/analysis/traces/DeviceActivity.h"
#include "core/analysis/traces/DeviceWalk.h"
#include "core/analysis/traces/Pipeline.h"
#include "core/model/Metric.h"
#include "core/model/Result.h"
#include "core/model/Try.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace trainscope::analysis {

namespace {

constexpr std::int64_t kSettlingSamples = 40; // fewer cannot tell (Settling.h)
constexpr double kCovered = 0.9; // of an iteration by the traces

// How long each kind of collective ran on a device while no compute kernel did. Where several ran
// at once, each counts.
class ExposedByKind : public DeviceVisitor {
public:
    Status piece(TimeRange range, std::span<const ActiveKernel> running) override {
        const bool computes = std::any_of(running.begin(), running.end(),
            [](const ActiveKernel& kernel) { return !kernel.isCommunication; });
        if (computes)
            return {};
        std::set<std::string_view> kinds;
        for (const ActiveKernel& kernel : running) {
            if (kernel.category != nullptr && kinds.insert(*kernel.category).second) {
                DurationNs& time = m_times[*kernel.category];
                time = time + range.length();
            }
        }
        return {};
    }
    // By category ("all_reduce").
    [[nodiscard]] const std::map<std::string, DurationNs>& times() const { return m_times; }

private:
    std::map<std::string, DurationNs> m_times;
};

class Collector {
public:
    Collector(const store::Store& store, const Run& run, const FindingsOptions& options,
        const Progress& progress)
        : m_store(store)
        , m_options(options)
        , m_progress(progress) {
        m_facts.run = run;
    }

    Result<RunFacts> collect() {
        for (auto step : {&Collector::addSummaries, &Collector::addSeries, &Collector::addDetail,
                 &Collector::addEfficiency, &Collector::addTraces, &Collector::addCommunication}) {
            RETURN_IF_ERROR((this->*step)());
        }
        return std::move(m_facts);
    }

private:
    Status addSummaries() {
        const Run& run = m_facts.run;
        ASSIGN_OR_RETURN(m_facts.whole, summarise(m_store, run, m_progress));
        ASSIGN_OR_RETURN(m_facts.iterations, iterationsOf(m_store, run, m_progress));
        ASSIGN_OR_RETURN(
            m_facts.steadyState, steadyStateOf(m_store, run, m_facts.iterations, m_progress));
        if (m_facts.steadyState.isWholeRun) {
            m_facts.steady = m_facts.whole;
            return {};
        }
        const SummaryScope scope{m_facts.steadyState.window,
            {metric::kGpuPower, metric::kGpuTemperature, metric::kSmClock,
                metric::kGpuUtilization}};
        return assign(summarise(m_store, run, scope, m_progress), m_facts.steady);
    }

    Status addSeries() {
        ASSIGN_OR_RETURN(const auto all, m_store.series(m_facts.run.id));
        const auto gpus = gpuSeriesByRank(all);
        m_facts.power = gpuSeriesOf(gpus, metric::kGpuPower);
        m_temperatures = gpuSeriesOf(gpus, metric::kGpuTemperature);
        ASSIGN_OR_RETURN(
            m_facts.traffic, busyTraffic(m_store, gpus, m_facts.steadyState.window, m_progress));
        ASSIGN_OR_RETURN(m_stages, stagesOf(m_store, m_facts.run, m_progress));
        if (m_stages)
            m_facts.stageOf = m_stages->stageOf;
        return {};
    }

    Status addDetail() {
        ASSIGN_OR_RETURN(
            auto detail, detailOf(m_store, m_facts.run, m_facts.iterations, {}, m_progress));
        m_facts.throttling = std::move(detail.throttling);
        m_facts.airflow = std::move(detail.airflow);
        m_facts.burst = detail.burst;
        m_facts.spectrum = std::move(detail.spectrum);
        if (const Sensor* sensor = detail.powerSensor(); sensor != nullptr)
            m_facts.powerSensor = *sensor;
        const bool canTell = !m_temperatures.empty()
            && std::all_of(m_temperatures.begin(), m_temperatures.end(),
                [](const Series& series) { return series.count >= kSettlingSamples; });
        return canTell ? assign(runSettling(m_store, m_temperatures, m_progress), m_facts.settling)
                       : Status();
    }

    Status addEfficiency() {
        return assign(efficiencyOf(m_store, m_facts.run, m_facts.iterations, kAllTime, m_progress),
            m_facts.efficiency);
    }

    Status addTraces() {
        ASSIGN_OR_RETURN(const auto devices, tracedDevices(m_store, m_facts.run));
        std::vector<DeviceActivity> activities;
        const IterationChoice choice{tracedIterations(devices), std::nullopt};
        for (const DeviceTracks& device : devices)
            RETURN_IF_ERROR(addDevice(device, choice, activities));
        const auto pipeline
            = m_stages ? pipelineOf(*m_stages, activities) : std::optional<Pipeline>();
        if (pipeline)
            m_facts.pipeline = TracedPipeline{pipeline->stageCount, pipeline->bubbleFraction,
                pipeline->idealBubbleFraction, pipeline->isOfIterations};
        return {};
    }

    // Those that the traces cover: of others most would seem idle.
    [[nodiscard]] std::vector<Iteration> tracedIterations(
        const std::vector<DeviceTracks>& devices) const {
        const TimeRange extent = extentOf(devices);
        std::vector<Iteration> covered;
        for (const Iteration& one : m_facts.iterations.iterations) {
            const TimeRange part = shared(one.range, extent);
            if (!part.isEmpty()
                && part.length().seconds() >= kCovered * one.range.length().seconds())
                covered.push_back(one);
        }
        return covered;
    }

    Status addDevice(const DeviceTracks& device, const IterationChoice& choice,
        std::vector<DeviceActivity>& activities) {
        const auto shown = traceWindow(device.rank, device.extent, kAllTime, choice);
        if (!shown)
            return {};
        PhaseMeter phases(*shown);
        LaunchMeter launches(device, *shown);
        ExposedByKind exposed;
        const std::array<DeviceVisitor*, 3> visitors{&phases, &launches, &exposed};
        ASSIGN_OR_RETURN(
            const auto evidence, walkDevice(m_store, device, shown->range, visitors, m_progress));
        const WindowPhases all = phases.all(evidence);
        const LaunchStatistics launched = launches.result(all.window);
        TracedDevice traced{device.rank, all.window, all.window.length().seconds(),
            all.time[Phase::Idle].seconds(), all.time[Phase::CommunicationExposed].seconds(),
            launched.hostBound.seconds(), {}};
        for (const auto& [kind, time] : exposed.times())
            traced.exposedByKindS[kind] = time.seconds();
        if (traced.windowS > 0.0)
            m_facts.traced.push_back(std::move(traced));
        activities.push_back(
            {device.rank, device.device, all, phases.iterations(evidence), evidence, launched, {}});
        return {};
    }

    Status addCommunication() {
        if (m_facts.traced.size() < 2)
            return {};
        return assign(communicationOf(m_store, m_facts.run,
                          {true, m_options.networkBandwidth, kAllTime}, m_progress),
            m_facts.communication);
    }

    const store::Store& m_store;
    const FindingsOptions& m_options;
    const Progress& m_progress;
    RunFacts m_facts;
    std::vector<Series> m_temperatures;
    std::optional<StageMap> m_stages;
};

} // namespace

Result<RunFacts> collectFacts(const store::Store& store, const Run& run,
    const FindingsOptions& options, const Progress& progress) {
    return Collector(store, run, options, progress).collect();
}

} // namespace trainscope::analysis
