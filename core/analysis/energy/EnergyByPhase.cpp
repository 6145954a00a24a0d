#include "core/analysis/energy/EnergyByPhase.h"

#include "core/analysis/energy/EnergyMeter.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/telemetry/SensorProbe.h"
#include "core/analysis/traces/Pipeline.h"
#include "core/catalogue/GpuModel.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

namespace trainscope::analysis {

namespace {

constexpr double kInstantWindowNs = 25e6;
constexpr double kAveragedWindowNs = kNvmlAveragingS * 1e9;
constexpr double kLongestResponseNs = 3e9; // of a sensor: readings so far outside still tell of it
constexpr std::size_t kMostReadings = std::size_t{1} << 19U;

// The readings that the estimate is made of. Of a sensor that repeats itself each value counts
// once; beyond kMostReadings every second one is left out, again and again.
class ReadingList {
public:
    explicit ReadingList(bool isRepeating = false)
        : m_isRepeating(isRepeating) { }

    void add(DurationNs at, double watts) {
        if (std::exchange(m_last, watts) == watts && m_isRepeating)
            return;
        if (m_count++ % m_stride != 0)
            return;
        m_readings.push_back({static_cast<double>(at.ns), watts});
        if (m_readings.size() < kMostReadings)
            return;
        for (std::size_t i = 0; 2 * i < m_readings.size(); ++i)
            m_readings[i] = m_readings[2 * i];
        m_readings.resize((m_readings.size() + 1) / 2);
        m_stride *= 2;
    }
    [[nodiscard]] std::span<const PowerReading> readings() const { return m_readings; }

private:
    bool m_isRepeating = false;
    std::optional<double> m_last;
    std::size_t m_count = 0;
    std::size_t m_stride = 1;
    std::vector<PowerReading> m_readings;
};

// A GPU whose model is not known may draw the most that any known one may.
double powerLimit(const std::string& model) {
    const catalogue::GpuModel* const known = catalogue::findGpuModel(model);
    if (known != nullptr && known->powerLimitW)
        return *known->powerLimitW;
    double highest = 0.0;
    for (const catalogue::GpuModel& one : catalogue::gpuModels())
        highest = std::max(highest, one.powerLimitW.value_or(0.0));
    return highest;
}

struct PowerSource {
    Series series;
    std::string model;
};

Result<std::map<int, PowerSource>> powerByRank(const store::Store& store, const Run& run) {
    ASSIGN_OR_RETURN(const auto series, store.series(run.id));
    ASSIGN_OR_RETURN(const auto gpus, store.gpus(run.id));
    std::map<int, PowerSource> result;
    for (const auto& [rank, gpu] : gpuSeriesByRank(series)) {
        const auto power = gpu.find(metric::kGpuPower);
        if (power != gpu.end() && rank >= 0)
            result.emplace(rank, PowerSource{power->second, run.gpuModel});
    }
    for (const Gpu& gpu : gpus) {
        const auto found = result.find(gpu.rank);
        if (found != result.end() && !gpu.model.empty())
            found->second.model = gpu.model;
    }
    return result;
}

// One GPU: its trace walked, its power integrated beside.
class GpuAttribution {
public:
    GpuAttribution(const store::Store& store, const DeviceTracks& device, TraceWindow shown,
        PowerSource power, std::optional<PowerLag> lag, double alignmentNs)
        : m_store(store)
        , m_device(device)
        , m_shown(std::move(shown))
        , m_power(std::move(power))
        , m_known(lag)
        , m_lag(lag ? lag->lag : DurationNs{})
        , m_alignmentNs(lag ? lag->errorNs : alignmentNs)
        , m_extent(m_shown.fixed.value_or(device.extent)) { }

    // Absent where power was not recorded at that time.
    Result<std::optional<GpuEnergy>> run(const Progress& progress) {
        ASSIGN_OR_RETURN(const auto sampling, powerSamplingOf(m_store, m_power.series));
        const TimeRange recorded{
            m_power.series.range.begin - m_lag, m_power.series.range.end - m_lag};
        if (!sampling || !recorded.overlaps(m_extent))
            return std::optional<GpuEnergy>();
        m_sampling = *sampling;
        m_reach = {windowNs(), std::max(m_sampling.periodNs, m_sampling.updateNs), m_alignmentNs,
            std::max(powerLimit(m_power.model), m_sampling.maxW)};
        m_facts = {knownWindowNs(), m_known.has_value(), m_reach.highestW, std::nullopt};
        SensorBlur blur(m_extent, m_reach);
        EnergyMeter meter(m_store, m_extent, m_shown.iterations, integral(m_extent), blur, blur);
        RETURN_IF_ERROR(readPower(meter));
        const std::array<DeviceVisitor*, 1> visitors{&meter};
        ASSIGN_OR_RETURN(
            const auto evidence, walkDevice(m_store, m_device, m_shown.range, visitors, progress));
        return finish(meter, evidence);
    }

private:
    [[nodiscard]] double windowNs() const {
        return m_power.series.description.sensor == SensorKind::Instant ? kInstantWindowNs
                                                                        : kAveragedWindowNs;
    }
    // Of a sensor of which nothing is said, the readings tell.
    [[nodiscard]] double knownWindowNs() const {
        return m_power.series.description.sensor == SensorKind::Unknown ? 0.0 : windowNs();
    }
    [[nodiscard]] PowerIntegral integral(TimeRange window) const {
        return {m_store, m_power.series, m_sampling.gapLimitNs, window, m_lag};
    }

    Status readPower(EnergyMeter& meter) {
        TimeRange around = m_extent;
        for (const Iteration& iteration : m_shown.iterations)
            around = spanned(around, iteration.range);
        const DurationNs margin{
            static_cast<std::int64_t>(std::max(3.0 * m_reach.reachNs(), kLongestResponseNs))};
        m_readings = ReadingList(m_sampling.isRepeating());
        return m_store.forEachSample(m_power.series.id,
            {around.begin + m_lag - margin, around.end + m_lag + margin},
            [&](auto times, auto values) {
                for (std::size_t i = 0; i < times.size(); ++i) {
                    if (std::isnan(values[i]))
                        continue;
                    meter.addReading(times[i] - m_lag, values[i]);
                    m_readings.add(times[i] - m_lag - m_extent.begin, values[i]);
                }
                return true;
            });
    }

    Result<std::optional<GpuEnergy>> finish(EnergyMeter& meter, const MarkEvidence& evidence) {
        GpuEnergy result;
        result.rank = m_device.rank;
        result.window = meter.window();
        if (result.window.isEmpty() || meter.covered().ns == 0)
            return std::optional<GpuEnergy>();
        result.coverage = static_cast<double>(meter.covered().ns)
            / static_cast<double>(result.window.length().ns);
        result.sensorWindowS = m_reach.windowNs * 1e-9;
        result.sensorPeriodS = m_reach.periodNs * 1e-9;
        result.lag = m_known;
        result.energy = meter.result(evidence);
        for (std::size_t i = 0; i < m_shown.iterations.size(); ++i)
            RETURN_IF_ERROR(complete(i, result.energy.iterations[i], meter));
        result.estimatedSensor
            = meter.estimate(evidence, m_readings.readings(), m_facts, result.energy);
        std::erase_if(result.energy.iterations,
            [](const IterationEnergy& iteration) { return iteration.coverage <= 0.0; });
        return std::optional(std::move(result));
    }

    // Before its first kernel and after its last an iteration is idle.
    Status complete(std::size_t number, IterationEnergy& iteration, EnergyMeter& meter) {
        const TimeRange range = m_shown.iterations[number].range;
        ASSIGN_OR_RETURN(const auto whole, integral(range).to(range.end));
        iteration.gpus = 1;
        iteration.coverage
            = static_cast<double>(whole.covered.ns) / static_cast<double>(range.length().ns);
        iteration.phases[Phase::Idle] += whole.joules - iteration.total.joules;
        iteration.total = {whole.joules, meter.boundOfRange(range), std::nullopt};
        meter.completeIteration(number, range, whole.covered);
        return {};
    }

    const store::Store& m_store;
    const DeviceTracks& m_device;
    TraceWindow m_shown;
    PowerSource m_power;
    std::optional<PowerLag> m_known;
    DurationNs m_lag;
    double m_alignmentNs;
    TimeRange m_extent;
    PowerSampling m_sampling;
    SensorReach m_reach;
    SensorFacts m_facts;
    ReadingList m_readings;
};

template <typename Map>
void addMaps(Map& sums, const Map& more) {
    for (const auto& [key, value] : more)
        sums[key] += value;
}

// A sum is estimated where all that is in it is.
void addEstimate(
    bool isFirst, std::optional<EstimatedEnergy>& sum, const std::optional<EstimatedEnergy>& more) {
    if (isFirst)
        sum = more;
    else if (sum && more)
        *sum += *more;
    else
        sum.reset();
}

void addIterations(std::vector<IterationEnergy>& sums, const std::vector<IterationEnergy>& more) {
    for (const IterationEnergy& one : more) {
        const auto place = std::lower_bound(sums.begin(), sums.end(), one.index,
            [](const IterationEnergy& sum, std::int64_t index) { return sum.index < index; });
        if (place == sums.end() || place->index != one.index) {
            sums.insert(place, one);
            continue;
        }
        place->coverage
            = (place->coverage * place->gpus + one.coverage * one.gpus) / (place->gpus + one.gpus);
        place->gpus += one.gpus;
        place->total += one.total;
        for (const Phase phase : kAllPhases) {
            place->phases[phase] += one.phases[phase];
            place->estimatedPhases[phase] += one.estimatedPhases[phase];
        }
    }
}

} // namespace

BoundedEnergy& BoundedEnergy::operator+=(const BoundedEnergy& more) {
    if (more.isNothing())
        return *this;
    addEstimate(isNothing(), estimate, more.estimate);
    joules += more.joules;
    bound += more.bound;
    return *this;
}

CollectiveEnergy& CollectiveEnergy::operator+=(const CollectiveEnergy& more) {
    if (more.exposed != 0.0)
        addEstimate(exposed == 0.0, exposedEstimate, more.exposedEstimate);
    if (more.hidden != 0.0)
        addEstimate(hidden == 0.0, hiddenEstimate, more.hiddenEstimate);
    exposed += more.exposed;
    hidden += more.hidden;
    return *this;
}

AttributedEnergy& AttributedEnergy::operator+=(const AttributedEnergy& more) {
    total += more.total;
    for (const Phase phase : kAllPhases)
        phases[phase] += more.phases[phase];
    addMaps(categories, more.categories);
    addMaps(collectives, more.collectives);
    addMaps(communicators, more.communicators);
    addIterations(iterations, more.iterations);
    return *this;
}

Result<EnergyByPhase> energyByPhase(const store::Store& store, const Run& run,
    const EnergyOptions& options, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto devices, tracedDevices(store, run));
    const IterationChoice iterations = tracedIterations(options.iterations, tracedOf(devices));
    ASSIGN_OR_RETURN(auto power, powerByRank(store, run));
    std::map<int, int> devicesOfRank;
    for (const DeviceTracks& device : devices)
        ++devicesOfRank[device.rank];
    ASSIGN_OR_RETURN(const auto stages, stagesOf(store, run, progress));
    EnergyByPhase result;
    for (const DeviceTracks& device : devices) {
        const auto source = power.find(device.rank);
        const auto shown = traceWindow(device.rank, device.captures, options.window, iterations);
        if (source == power.end() || devicesOfRank[device.rank] > 1 || !shown)
            continue;
        const auto lag = options.lags.find(device.rank);
        ASSIGN_OR_RETURN(auto gpu,
            GpuAttribution(store, device, *shown, source->second,
                lag == options.lags.end() ? std::nullopt : std::optional(lag->second),
                options.alignmentNs)
                .run(progress));
        if (!gpu)
            continue;
        result.sum += gpu->energy;
        if (stages && stages->stageOf.contains(device.rank))
            result.stages[stages->stageOf.at(device.rank)] += gpu->energy.total;
        result.gpus.push_back(std::move(*gpu));
    }
    return result;
}

} // namespace trainscope::analysis
