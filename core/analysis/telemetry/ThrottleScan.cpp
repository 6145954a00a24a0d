#include "core/analysis/telemetry/Throttling.h"
#include "core/model/Metric.h"

#include "core/analysis/statistics/Accumulators.h"
#include "core/analysis/statistics/Distribution.h"
#include "core/analysis/statistics/SeriesStatistics.h"
#include "core/analysis/telemetry/UniformSeries.h"
#include "core/catalogue/GpuModel.h"
#include "core/model/Try.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace trainscope::analysis {

namespace {

constexpr double kReferenceQuantile = 0.95;
constexpr std::int64_t kSamplesPerQuestion = 4096;

struct Reason {
    std::uint64_t bit;
    const char* name;
};
// NVML, nvmlClocksEventReasons.
constexpr std::array<Reason, 9> kReasons{{{0x1, "gpu_idle"}, {0x2, "applications_clocks_setting"},
    {0x4, "sw_power_cap"}, {0x8, "hw_slowdown"}, {0x10, "sync_boost"},
    {0x20, "sw_thermal_slowdown"}, {0x40, "hw_thermal_slowdown"}, {0x80, "hw_power_brake_slowdown"},
    {0x100, "display_clock_setting"}}};

const Series* find(const GpuSeries& gpu, const char* metric) {
    const auto found = gpu.find(metric);
    return found == gpu.end() || found->second.count == 0 ? nullptr : &found->second;
}

bool canThrottle(const GpuSeries& gpu) {
    return find(gpu, metric::kSmClock) != nullptr && find(gpu, metric::kGpuUtilization) != nullptr;
}

// A sensor that may not be there.
class Sensor {
public:
    Sensor(const store::Store& store, const Series* series) {
        if (series != nullptr)
            m_held.emplace(SampleCursor(store, series->id));
    }
    Status start() { return m_held ? m_held->start() : Status(); }
    Result<double> at(TimeNs moment) {
        return m_held ? m_held->at(moment) : Result<double>(std::nan(""));
    }

private:
    std::optional<HeldValue> m_held;
};

// The clock samples of one GPU with what its other sensors hold.
class GpuWalk {
public:
    GpuWalk(const store::Store& store, const GpuSeries& gpu, TimeRange window)
        : m_clock(store, find(gpu, metric::kSmClock)->id, window)
        , m_utilization(store, find(gpu, metric::kGpuUtilization))
        , m_temperature(store, find(gpu, metric::kGpuTemperature))
        , m_power(store, find(gpu, metric::kGpuPower))
        , m_reasons(store, find(gpu, metric::kThrottleReasons)) { }

    template <typename Take>
    Status run(const Take& take, const std::function<bool()>& keepGoing) {
        RETURN_IF_ERROR(start());
        for (std::int64_t i = 1; !m_clock.atEnd(); ++i) {
            if (i % kSamplesPerQuestion == 0 && !keepGoing())
                return cancelled();
            ASSIGN_OR_RETURN(auto moment, current());
            take(moment);
            RETURN_IF_ERROR(m_clock.next());
        }
        return {};
    }

private:
    Status start() {
        RETURN_IF_ERROR(m_clock.start());
        for (Sensor* sensor : {&m_utilization, &m_temperature, &m_power, &m_reasons})
            RETURN_IF_ERROR(sensor->start());
        return {};
    }

    Result<GpuMoment> current() {
        const TimeNs time = m_clock.time();
        GpuMoment moment{time, m_clock.value(), 0.0, 0.0, 0.0, std::nullopt};
        ASSIGN_OR_RETURN(moment.utilization, m_utilization.at(time));
        ASSIGN_OR_RETURN(moment.temperatureC, m_temperature.at(time));
        ASSIGN_OR_RETURN(moment.powerW, m_power.at(time));
        ASSIGN_OR_RETURN(const auto reasons, m_reasons.at(time));
        if (reasons >= 0.0)
            moment.reasons = static_cast<std::uint64_t>(reasons);
        return moment;
    }

    SampleCursor m_clock;
    Sensor m_utilization;
    Sensor m_temperature;
    Sensor m_power;
    Sensor m_reasons;
};

// Time held under each of a GPU's reasons.
class ReasonClock {
public:
    explicit ReasonClock(std::int64_t holeNs)
        : m_holeNs(holeNs) { }
    void add(const GpuMoment& moment) {
        const std::int64_t held = m_last ? (moment.time - m_last->time).ns : 0;
        if (m_last && m_last->reasons && held <= m_holeNs) {
            for (const Reason& reason : kReasons) {
                if ((*m_last->reasons & reason.bit) != 0)
                    m_heldNs[reason.name] += held;
            }
        }
        m_last = moment;
    }
    void addTo(std::map<std::string, double>& seconds) const {
        for (const auto& [name, held] : m_heldNs)
            seconds[name] += static_cast<double>(held) * 1e-9;
    }

private:
    std::int64_t m_holeNs;
    std::optional<GpuMoment> m_last;
    std::map<std::string, std::int64_t> m_heldNs;
};

class ThrottleScan {
public:
    ThrottleScan(const store::Store& store, const Run& run, const std::map<int, GpuSeries>& gpus,
        TimeRange window, const std::function<bool()>& keepGoing)
        : m_store(store)
        , m_run(run)
        , m_gpus(gpus)
        , m_window(window)
        , m_keepGoing(keepGoing) {
        if (const auto* model = catalogue::findGpuModel(run.gpuModel))
            m_found.slowdownTemperatureC = model->slowdownC;
    }

    Result<std::optional<Throttling>> run(DurationNs duration) {
        RETURN_IF_ERROR(findReference());
        if (!(m_found.referenceClockHz > 0.0))
            return std::optional<Throttling>();
        double throttled = 0.0;
        for (const auto& [rank, gpu] : m_gpus) {
            if (!canThrottle(gpu))
                continue;
            ASSIGN_OR_RETURN(const auto seconds, addGpu(rank, gpu));
            throttled += seconds;
        }
        const double all = duration.seconds() * static_cast<double>(m_gpus.size());
        m_found.fraction = all > 0.0 ? throttled / all : 0.0;
        std::stable_sort(m_found.episodes.begin(), m_found.episodes.end(),
            [](const RankEpisode& a, const RankEpisode& b) {
                return a.episode.range.begin < b.episode.range.begin;
            });
        return std::optional<Throttling>(std::move(m_found));
    }

private:
    Status findReference() {
        Distribution clocks;
        for (const auto& [rank, gpu] : m_gpus) {
            if (!canThrottle(gpu))
                continue;
            ASSIGN_OR_RETURN(auto statistics,
                seriesStatistics(m_store, *find(gpu, metric::kSmClock), m_keepGoing));
            clocks.add(std::move(statistics.distribution));
        }
        m_found.referenceClockHz = clocks.quantile(kReferenceQuantile).value_or(0.0);
        return {};
    }

    ThrottleLimits limitsOf(const GpuSeries& gpu) {
        ThrottleLimits limits;
        limits.referenceClockHz = m_found.referenceClockHz;
        limits.slowdownTemperatureC = m_found.slowdownTemperatureC;
        if (const auto limit = powerLimitOf(m_run, gpu)) {
            limits.powerLimitW = limit->watts;
            m_found.powerLimitW = std::max(m_found.powerLimitW.value_or(0.0), limit->watts);
            m_found.powerLimitOrigin = limit->isRecorded ? "recorded" : "catalogue";
        }
        limits.holeNs = static_cast<std::int64_t>(EnergyIntegral::kGapPeriods
            * static_cast<double>(samplingPeriod(*find(gpu, metric::kSmClock)).ns));
        return limits;
    }

    // Its throttled seconds.
    Result<double> addGpu(int rank, const GpuSeries& gpu) {
        const ThrottleLimits limits = limitsOf(gpu);
        ThrottleDetector detector(limits);
        ReasonClock reasons(limits.holeNs);
        const auto take = [&](const GpuMoment& moment) {
            detector.add(moment);
            reasons.add(moment);
        };
        RETURN_IF_ERROR(GpuWalk(m_store, gpu, m_window).run(take, m_keepGoing));
        reasons.addTo(m_found.reasonSeconds);
        double seconds = 0.0;
        for (const ThrottleEpisode& episode : detector.finish()) {
            const double length = episode.range.length().seconds();
            seconds += length;
            m_found.lostGpuSeconds += episode.lostSeconds;
            ThrottleSum& sum = m_found.causes[episode.cause];
            ++sum.episodes;
            sum.gpuSeconds += length;
            sum.lostGpuSeconds += episode.lostSeconds;
            m_found.episodes.push_back({rank, episode});
        }
        return seconds;
    }

    const store::Store& m_store;
    const Run& m_run;
    const std::map<int, GpuSeries>& m_gpus;
    TimeRange m_window;
    const std::function<bool()>& m_keepGoing;
    Throttling m_found;
};

} // namespace

std::optional<PowerLimit> powerLimitOf(const Run& run, const GpuSeries& gpu) {
    const Series* recorded = find(gpu, metric::kPowerLimit);
    if (recorded != nullptr && recorded->mean > 0.0)
        return PowerLimit{recorded->mean, true};
    const auto* model = catalogue::findGpuModel(run.gpuModel);
    if (model == nullptr || !model->powerLimitW)
        return std::nullopt;
    return PowerLimit{*model->powerLimitW, false};
}

Result<std::optional<Throttling>> scanThrottling(const store::Store& store, const Run& run,
    const std::map<int, GpuSeries>& gpus, TimeRange window, DurationNs duration,
    const std::function<bool()>& keepGoing) {
    return ThrottleScan(store, run, gpus, window, keepGoing).run(duration);
}

} // namespace trainscope::analysis
