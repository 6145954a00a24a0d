#include "core/analysis/energy/EnergyByPhase.h"

#include "core/analysis/energy/EnergyMeter.h"
#include "core/analysis/statistics/MeasuredEnergy.h"
#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/telemetry/SensorProbe.h"
#include "core/analysis/traces/DevicePass.h"
#include "core/analysis/traces/Pipeline.h"
#include "core/catalogue/GpuModel.h"
#include "core/model/Gather.h"

namespace trainscope::analysis {

namespace {

constexpr double kInstantWindowNs = 25e6;
constexpr double kAveragedWindowNs = kNvmlAveragingS * 1e9;
constexpr double kLongestResponseNs = 3e9; // a sensor's: readings so far outside still tell of it
constexpr std::size_t kMostReadings = std::size_t{1} << 19U;
constexpr DurationNs kFitAround{10'000'000'000}; // beside a window: powers are told by more time
constexpr double kEdgeShare
    = 0.17; // share of a counter's step: how far its energy is known within it
constexpr std::size_t kMostNames = 20; // kernels with a power of their own
constexpr double kLeastNameShare = 0.01; // share of the kernel time

// The readings that the estimate is made of. Each value of a sensor that repeats itself counts
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
    // Their standard deviation.
    [[nodiscard]] double spreadW() const {
        const std::vector<double> watts = vectorOf(m_readings, &PowerReading::watts);
        return populationStd(watts).value_or(0.0);
    }

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
    EnergySeries measures;
    std::string model;
};

Result<std::map<int, PowerSource>> powerByRank(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto series, study.store.series(study.run.id));
    ASSIGN_OR_RETURN(const auto gpus, study.store.gpus(study.run.id));
    std::map<int, PowerSource> result;
    for (const auto& [rank, gpu] : gpuSeriesByRank(series)) {
        const auto power = gpu.find(metric::kGpuPower);
        if (power != gpu.end() && rank >= 0)
            result.emplace(
                rank, PowerSource{power->second, energySeriesOf(gpu), study.run.gpuModel});
    }
    for (const Gpu& gpu : gpus) {
        const auto found = result.find(gpu.rank);
        if (found != result.end() && !gpu.model.empty())
            found->second.model = gpu.model;
    }
    return result;
}

// The names that take the most time, so many of them that each may have a power of its own.
Result<std::unordered_set<NameId>> longestNames(
    const store::Store& store, const DeviceTracks& device, TimeRange range) {
    std::unordered_map<NameId, double> times;
    double all = 0.0;
    for (const Track& stream : device.streams) {
        const auto take = [&](std::span<const Span> spans) {
            for (const Span& span : spans) {
                if (span.kind != SpanKind::Kernel)
                    continue;
                times[span.name] += static_cast<double>(span.duration.ns);
                all += static_cast<double>(span.duration.ns);
            }
            return true;
        };
        RETURN_IF_ERROR(store.forEachSpan(stream.id, range, take));
    }
    std::vector<std::pair<double, NameId>> sorted;
    for (const auto& [name, time] : times) {
        if (time >= kLeastNameShare * all)
            sorted.emplace_back(-time, name);
    }
    std::ranges::sort(sorted);
    sorted.resize(std::min(sorted.size(), kMostNames));
    std::unordered_set<NameId> names;
    for (const auto& [time, name] : sorted)
        names.insert(name);
    return names;
}

// One GPU: its trace walked, its power read beside.
class GpuAttribution {
public:
    GpuAttribution(const store::Store& store, const DeviceTracks& device, TraceWindow shown,
        PowerSource power, std::optional<PowerLag> lag, std::vector<Capture> captures)
        : m_store(store)
        , m_device(device)
        , m_shown(std::move(shown))
        , m_power(std::move(power))
        , m_known(lag)
        , m_lag(lag ? lag->lag : DurationNs{})
        , m_extent(device.extent)
        , m_captures(std::move(captures)) {
        if (m_shown.fixed) {
            m_extent = shared(device.extent,
                {m_shown.fixed->begin - kFitAround, m_shown.fixed->end + kFitAround});
            m_extent = spanned(m_extent, *m_shown.fixed);
        }
        std::erase_if(m_captures,
            [this](const Capture& capture) { return !capture.range.overlaps(m_extent); });
    }

    // False where power was not recorded at that time.
    Result<bool> begin(bool byKernel) {
        ASSIGN_OR_RETURN(const auto sampling, powerSamplingOf(m_store, m_power.series));
        const TimeRange recorded{
            m_power.series.range.begin - m_lag, m_power.series.range.end - m_lag};
        if (!sampling || !recorded.overlaps(m_extent))
            return false;
        m_sampling = *sampling;
        m_facts = {knownWindowNs(), m_known.has_value(),
            std::max(powerLimit(m_power.model), m_sampling.maxW), std::nullopt};
        EnergyMeter::Parts parts{
            m_extent, m_shown.iterations, m_captures, m_shown.fixed, {}, byKernel};
        if (byKernel) {
            ASSIGN_OR_RETURN(parts.kernels, longestNames(m_store, m_device, m_shown.range));
        }
        m_meter.emplace(m_store, std::move(parts), walkFrom(m_extent.begin));
        RETURN_IF_ERROR(readPower());
        return true;
    }
    // To be walked.
    [[nodiscard]] TimeRange range() const { return m_shown.fixed ? m_extent : kAllTime; }
    [[nodiscard]] DeviceVisitor& meter() { return *m_meter; }
    // Absent where the pieces have no power.
    Result<std::optional<GpuEnergy>> finish(const MarkEvidence& evidence) {
        EnergyMeter& meter = *m_meter;
        GpuEnergy result;
        result.rank = m_device.rank;
        result.lag = m_known;
        for (std::size_t i = 0; i < m_shown.iterations.size(); ++i) {
            const TimeRange range = m_shown.iterations[i].range;
            ASSIGN_OR_RETURN(const auto whole, walkFrom(range.begin).to(range.end));
            meter.completeIteration(i, range, whole.line.length());
        }
        RETURN_IF_ERROR(meter.estimate(
            evidence, m_readings.readings(), m_facts,
            [this](const auto& ranges, DurationNs lag) { return counted(ranges, lag); }, result));
        result.window = meter.window();
        result.traced = meter.traced();
        if (result.window.isEmpty() || meter.covered().ns == 0)
            return std::optional<GpuEnergy>();
        result.coverage
            = static_cast<double>(meter.covered().ns) / static_cast<double>(result.traced.ns);
        std::erase_if(result.energy.iterations,
            [](const IterationEnergy& iteration) { return iteration.coverage <= 0.0; });
        return std::optional(std::move(result));
    }

private:
    // Window of the sensor, ns; where the source does not tell its kind, the readings do.
    [[nodiscard]] double knownWindowNs() const {
        const SensorKind kind = m_power.series.description.sensor;
        if (kind == SensorKind::Instant)
            return kInstantWindowNs;
        return kind == SensorKind::Averaged ? kAveragedWindowNs : 0.0;
    }
    [[nodiscard]] SampleWalk walkFrom(TimeNs begin) const {
        return {m_store, m_power.series.id, begin, m_sampling.gapLimit, m_lag};
    }

    Status readPower() {
        TimeRange around = m_extent;
        for (const Iteration& iteration : m_shown.iterations)
            around = spanned(around, iteration.range);
        const DurationNs margin{static_cast<std::int64_t>(kLongestResponseNs)};
        m_readings = ReadingList(m_sampling.isRepeating);
        return m_store.forEachSample(m_power.series.id,
            {around.begin + m_lag - margin, around.end + m_lag + margin},
            [&](auto times, auto values) {
                for (std::size_t i = 0; i < times.size(); ++i) {
                    if (!std::isnan(values[i]))
                        m_readings.add(times[i] - m_lag - m_extent.begin, values[i]);
                }
                return true;
            });
    }

    // Within a step of the counter the power tells, which differs from its mean by `spreadW`.
    Result<std::vector<std::optional<EstimatedEnergy>>> counted(
        const std::vector<TimeRange>& ranges, DurationNs lag) const {
        std::vector<std::optional<EstimatedEnergy>> result(ranges.size());
        if (!m_power.measures.counter)
            return result;
        std::vector<TimeRange> moved;
        for (const TimeRange& range : ranges)
            moved.push_back({range.begin + lag, range.end + lag});
        ASSIGN_OR_RETURN(const auto found, measuredEnergies(m_store, m_power.measures, moved));
        for (std::size_t i = 0; i < ranges.size(); ++i) {
            const bool isResolved = found[i] && found[i]->source == EnergySource::Counter
                && 2.0 * found[i]->resolutionS <= ranges[i].length().seconds();
            if (!isResolved)
                continue;
            const double half = kNormal90 * std::sqrt(2.0) * kEdgeShare * found[i]->resolutionS
                * m_readings.spreadW();
            const double joules = found[i]->joules;
            result[i] = EstimatedEnergy{joules, std::max(0.0, joules - half), joules + half};
        }
        return result;
    }

    const store::Store& m_store;
    const DeviceTracks& m_device;
    TraceWindow m_shown;
    PowerSource m_power;
    std::optional<PowerLag> m_known;
    DurationNs m_lag;
    TimeRange m_extent;
    std::vector<Capture> m_captures;
    PowerSampling m_sampling;
    SensorFacts m_facts;
    ReadingList m_readings;
    std::optional<EnergyMeter> m_meter;
};

template <typename Map>
void addMaps(Map& sums, const Map& more) {
    for (const auto& [key, value] : more)
        sums[key] += value;
}

void addIterations(std::vector<IterationEnergy>& sums, const std::vector<IterationEnergy>& more) {
    for (const IterationEnergy& one : more) {
        const auto place = std::ranges::lower_bound(sums, one.index, {}, &IterationEnergy::index);
        if (place == sums.end() || place->index != one.index) {
            sums.insert(place, one);
            continue;
        }
        place->coverage
            = (place->coverage * place->gpus + one.coverage * one.gpus) / (place->gpus + one.gpus);
        place->gpus += one.gpus;
        place->total += one.total;
        for (const Phase phase : kAllPhases)
            place->phases[phase] += one.phases[phase];
    }
}

// Tells the energy of each device.
class TracedEnergyReader {
public:
    static Result<TracedEnergyReader> open(const RunStudy& study,
        const std::vector<DeviceTracks>& devices, const EnergyOptions& options) {
        TracedEnergyReader reader(options);
        reader.m_iterations = tracedIterations(options.iterations, tracedOf(devices));
        for (const DeviceTracks& device : devices)
            ++reader.m_devicesOfRank[device.rank];
        ASSIGN_OR_RETURN(reader.m_power, powerByRank(study));
        ASSIGN_OR_RETURN(reader.m_stages, stagesOf(study));
        ASSIGN_OR_RETURN(reader.m_captures, study.store.captures(study.run.id));
        if (options.lags) {
            reader.m_lags = *options.lags;
        } else if (!reader.m_power.empty() && !devices.empty()) {
            ASSIGN_OR_RETURN(reader.m_lags, powerLags(study));
        }
        return reader;
    }

    struct Answer {
        std::optional<DeviceTrace> trace; // absent unless categories were given
        std::optional<GpuEnergy> energy;
        std::optional<NoEnergy> unknown;
    };
    // On a worker. categories: of the trace that is wanted with it.
    [[nodiscard]] Result<Answer> read(
        const DeviceReading& reading, const KernelCategories* categories) const {
        const DeviceTracks& device = reading.device;
        const auto shown = traceWindow(device,
            m_options.windowOf ? m_options.windowOf(device.rank) : m_options.window, m_iterations);
        Answer answer;
        if (!shown)
            return answer;
        std::optional<TraceMeter> trace;
        if (categories != nullptr)
            trace.emplace(reading.store, device, *shown, *categories);
        ASSIGN_OR_RETURN(auto energy, attributionOf(reading, *shown, answer));
        if (trace && energy && energy->range() == shown->range) {
            ASSIGN_OR_RETURN(const auto evidence,
                reading.walk(shown->range, trace->phases, trace->account, energy->meter()));
            ASSIGN_OR_RETURN(answer.trace, trace->finish(evidence));
            RETURN_IF_ERROR(takeEnergy(*energy, evidence, answer));
            return answer;
        }
        if (trace) {
            ASSIGN_OR_RETURN(
                const auto evidence, reading.walk(shown->range, trace->phases, trace->account));
            ASSIGN_OR_RETURN(answer.trace, trace->finish(evidence));
        }
        if (energy) {
            ASSIGN_OR_RETURN(const auto evidence, reading.walk(energy->range(), energy->meter()));
            RETURN_IF_ERROR(takeEnergy(*energy, evidence, answer));
        }
        return answer;
    }

    void add(int rank, Answer&& answer, EnergyByPhase& result) const {
        if (answer.unknown)
            result.unknown[rank] = *answer.unknown;
        if (!answer.energy)
            return;
        result.sum += answer.energy->energy;
        if (m_stages && m_stages->stageOf.contains(rank))
            result.stages[m_stages->stageOf.at(rank)] += answer.energy->energy.total;
        result.gpus.push_back(std::move(*answer.energy));
    }

private:
    explicit TracedEnergyReader(const EnergyOptions& options)
        : m_options(options) { }

    static Status takeEnergy(GpuAttribution& energy, const MarkEvidence& evidence, Answer& answer) {
        ASSIGN_OR_RETURN(answer.energy, energy.finish(evidence));
        if (!answer.energy)
            answer.unknown = NoEnergy::NoPower;
        return {};
    }

    // nullptr: the answer says why.
    Result<std::unique_ptr<GpuAttribution>> attributionOf(
        const DeviceReading& reading, const TraceWindow& shown, Answer& answer) const {
        const int rank = reading.device.rank;
        const auto power = m_power.find(rank);
        if (power == m_power.end())
            answer.unknown = NoEnergy::NoPower;
        else if (m_devicesOfRank.at(rank) > 1)
            answer.unknown = NoEnergy::SeveralDevices;
        std::unique_ptr<GpuAttribution> made;
        if (answer.unknown)
            return made;
        std::vector<Capture> ofRank;
        std::ranges::copy_if(m_captures, std::back_inserter(ofRank),
            [rank](const Capture& capture) { return capture.rank == rank; });
        const auto lag = m_lags.find(rank);
        made = std::make_unique<GpuAttribution>(reading.store, reading.device, shown, power->second,
            lag == m_lags.end() ? std::nullopt : std::optional(lag->second), std::move(ofRank));
        ASSIGN_OR_RETURN(const bool hasPower, made->begin(m_options.byKernel));
        if (!hasPower) {
            answer.unknown = NoEnergy::NoPower;
            made.reset();
        }
        return made;
    }

    const EnergyOptions& m_options;
    IterationChoice m_iterations;
    std::map<int, PowerSource> m_power;
    std::map<int, int> m_devicesOfRank;
    std::optional<StageMap> m_stages;
    std::vector<Capture> m_captures;
    std::map<int, PowerLag> m_lags;
};

Result<TracesWithEnergy> readDevices(
    const RunStudy& study, const EnergyOptions& options, const KernelCategories* categories) {
    ASSIGN_OR_RETURN(const auto devices, tracedDevices(study));
    ASSIGN_OR_RETURN(const auto reader, TracedEnergyReader::open(study, devices, options));
    TracesWithEnergy result;
    const auto take = [&](const DeviceTracks& device, TracedEnergyReader::Answer&& answer) {
        if (answer.trace)
            result.devices.push_back(std::move(*answer.trace));
        reader.add(device.rank, std::move(answer), result.energy);
        return Status();
    };
    RETURN_IF_ERROR(forEachDevice(
        study, devices,
        [&](const DeviceReading& reading) { return reader.read(reading, categories); }, take));
    return result;
}

Result<TracesWithEnergy> readAllTraced(const RunStudy& study) {
    return readDevices(study, {}, &KernelCategories::builtIn());
}

} // namespace

CollectiveEnergy& CollectiveEnergy::operator+=(const CollectiveEnergy& more) {
    exposed += more.exposed;
    hidden += more.hidden;
    return *this;
}

KernelEnergy& KernelEnergy::operator+=(const KernelEnergy& more) {
    seconds += more.seconds;
    energy += more.energy;
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
    addMaps(captures, more.captures);
    addMaps(kernels, more.kernels);
    return *this;
}

Result<EnergyByPhase> energyByPhase(const RunStudy& study, const EnergyOptions& options) {
    ASSIGN_OR_RETURN(auto read, readDevices(study, options, nullptr));
    return std::move(read.energy);
}

Result<TracesWithEnergy> tracesWithEnergy(
    const RunStudy& study, const KernelCategories& categories, const EnergyOptions& options) {
    return readDevices(study, options, &categories);
}

Result<TracesWithEnergy> allTraced(const RunStudy& study) {
    return study.once(readAllTraced);
}

void takeTraced(
    const EnergyByPhase& energy, std::size_t gpus, std::vector<IterationFigures>& iterations) {
    const auto find = [](const std::vector<IterationEnergy>& all, std::int64_t index) {
        const auto found = std::ranges::find(all, index, &IterationEnergy::index);
        return found != all.end() && found->total.known ? &*found : nullptr;
    };
    for (IterationFigures& one : iterations) {
        const IterationEnergy* const sum = find(energy.sum.iterations, one.iteration.index);
        if (sum == nullptr || static_cast<std::size_t>(sum->gpus) != gpus)
            continue;
        one.energyJ = sum->total.known->joules;
        one.energyCoverage = sum->coverage;
        for (const GpuEnergy& gpu : energy.gpus) {
            const IterationEnergy* const own = find(gpu.energy.iterations, one.iteration.index);
            if (own != nullptr && one.gpuEnergyJ.contains(gpu.rank))
                one.gpuEnergyJ[gpu.rank] = own->total.known->joules;
        }
    }
}

} // namespace trainscope::analysis
