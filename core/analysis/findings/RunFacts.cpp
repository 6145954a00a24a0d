#include "core/analysis/findings/RunFacts.h"

#include "core/analysis/findings/ExposedByKind.h"
#include "core/analysis/iterations/RunDetail.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/telemetry/UniformSeries.h"
#include "core/analysis/traces/DeviceActivity.h"
#include "core/analysis/traces/Pipeline.h"
#include "core/model/Keep.h"
#include "core/model/Try.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

namespace trainscope::analysis {

namespace {

constexpr std::int64_t kSettlingSamples = 40; // fewer cannot tell (Settling.h)
constexpr double kNanosecond = 1e-9;
constexpr double kCovered = 0.9; // of an iteration by the traces

double secondsOf(DurationNs time) {
    return static_cast<double>(time.ns) * kNanosecond;
}

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
        Status status = keep(summarise(m_store, run, m_progress), m_facts.whole);
        if (status.hasValue())
            status = keep(iterationsOf(m_store, run, m_progress), m_facts.iterations);
        if (status.hasValue())
            status = keep(
                steadyStateOf(m_store, run, m_facts.iterations, m_progress), m_facts.steadyState);
        if (!status.hasValue())
            return status;
        if (m_facts.steadyState.isWholeRun) {
            m_facts.steady = m_facts.whole;
            return {};
        }
        const SummaryScope scope{m_facts.steadyState.window,
            {"gpu_power", "gpu_temperature", "sm_clock", "gpu_utilization"}};
        return keep(summarise(m_store, run, scope, m_progress), m_facts.steady);
    }

    Status addSeries() {
        ASSIGN_OR_RETURN(const auto all, m_store.series(m_facts.run.id));
        std::vector<std::string> ignored; // the summary says where sources overlap
        const auto groups = seriesByMetric(all, ignored);
        for (const auto& [metric, group] : groups) {
            for (const Series& series : group) {
                if (series.description.subject.kind != SubjectKind::Gpu
                    || series.count == series.missing)
                    continue;
                if (metric == "gpu_power")
                    m_facts.power.push_back(series);
                if (metric == "gpu_temperature")
                    m_temperatures.push_back(series);
            }
        }
        Status status = keep(
            busyTraffic(m_store, groups, m_facts.steadyState.window, m_progress), m_facts.traffic);
        return status.hasValue() ? addStages() : status;
    }

    Status addStages() {
        Status status = keep(stagesOf(m_store, m_facts.run, m_progress), m_stages);
        if (m_stages)
            m_facts.stageOf = m_stages->stageOf;
        return status;
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
        return canTell ? keep(runSettling(m_store, m_temperatures, m_progress), m_facts.settling)
                       : Status();
    }

    Status addEfficiency() {
        return keep(efficiencyOf(m_store, m_facts.run, m_facts.iterations, kAllTime, m_progress),
            m_facts.efficiency);
    }

    Status addTraces() {
        ASSIGN_OR_RETURN(const auto devices, tracedDevices(m_store, m_facts.run));
        std::vector<DeviceActivity> activities;
        const IterationChoice choice{tracedIterations(devices), std::nullopt};
        for (const DeviceTracks& device : devices) {
            RETURN_IF_ERROR(addDevice(device, choice, activities));
        }
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
        TimeRange extent{kAllTime.end, kAllTime.begin};
        for (const DeviceTracks& device : devices)
            extent = {std::min(extent.begin, device.extent.begin),
                std::max(extent.end, device.extent.end)};
        std::vector<Iteration> covered;
        for (const Iteration& one : m_facts.iterations.iterations) {
            const TimeRange part{
                std::max(one.range.begin, extent.begin), std::min(one.range.end, extent.end)};
            if (!part.isEmpty()
                && secondsOf(part.length()) >= kCovered * secondsOf(one.range.length()))
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
        TracedDevice traced{device.rank, all.window, secondsOf(all.window.length()),
            secondsOf(all.time[Phase::Idle]), secondsOf(all.time[Phase::CommunicationExposed]),
            secondsOf(launched.hostBound), {}};
        for (const auto& [kind, time] : exposed.times())
            traced.exposedByKindS[kind] = secondsOf(time);
        if (traced.windowS > 0.0)
            m_facts.traced.push_back(std::move(traced));
        activities.push_back(
            {device.rank, device.device, all, phases.iterations(evidence), evidence, launched, {}});
        return {};
    }

    Status addCommunication() {
        if (m_facts.traced.size() < 2)
            return {};
        return keep(communicationOf(m_store, m_facts.run,
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

Status ExposedByKind::piece(TimeRange range, std::span<const ActiveKernel> running) {
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

Result<RunFacts> collectFacts(const store::Store& store, const Run& run,
    const FindingsOptions& options, const Progress& progress) {
    return Collector(store, run, options, progress).collect();
}

} // namespace trainscope::analysis
