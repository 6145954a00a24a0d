#include "core/analysis/telemetry/ThrottleScan.h"

#include "core/analysis/Distribution.h"
#include "core/analysis/EnergyIntegral.h"
#include "core/analysis/SeriesStatistics.h"
#include "core/analysis/telemetry/SampleCursor.h"
#include "core/analysis/telemetry/UniformSeries.h"
#include "core/catalogue/GpuModel.h"

#include <algorithm>
#include <cmath>

namespace trainscope::analysis {

namespace {

constexpr double kReferenceQuantile = 0.95;
constexpr std::int64_t kSamplesPerQuestion = 4096;

const Series* find(const GpuSeries& gpu, const char* metric) {
    const auto found = gpu.find(metric);
    return found == gpu.end() || found->second.count == 0 ? nullptr : &found->second;
}

bool canThrottle(const GpuSeries& gpu) {
    return find(gpu, "sm_clock") != nullptr && find(gpu, "gpu_utilization") != nullptr;
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
    GpuWalk(const store::Store& store, const GpuSeries& gpu)
        : m_clock(store, find(gpu, "sm_clock")->id)
        , m_utilization(store, find(gpu, "gpu_utilization"))
        , m_temperature(store, find(gpu, "gpu_temperature"))
        , m_power(store, find(gpu, "gpu_power"))
        , m_reasons(store, find(gpu, "throttle_reasons")) { }

    Status run(ThrottleDetector& detector, const std::function<bool()>& keepGoing) {
        if (Status status = start(); !status.hasValue())
            return status;
        for (std::int64_t i = 1; !m_clock.atEnd(); ++i) {
            if (i % kSamplesPerQuestion == 0 && !keepGoing())
                return cancelled();
            auto moment = current();
            if (!moment.hasValue())
                return moment.error();
            detector.add(moment.value());
            if (Status status = m_clock.next(); !status.hasValue())
                return status;
        }
        return {};
    }

private:
    Status start() {
        Status status = m_clock.start();
        for (Sensor* sensor : {&m_utilization, &m_temperature, &m_power, &m_reasons}) {
            if (status.hasValue())
                status = sensor->start();
        }
        return status;
    }

    Result<GpuMoment> current() {
        const TimeNs time = m_clock.time();
        const auto utilization = m_utilization.at(time);
        const auto temperature = m_temperature.at(time);
        const auto power = m_power.at(time);
        const auto reasons = m_reasons.at(time);
        for (const auto* held : {&utilization, &temperature, &power, &reasons}) {
            if (!held->hasValue())
                return held->error();
        }
        GpuMoment moment{time, m_clock.value(), utilization.value(), temperature.value(),
            power.value(), std::nullopt};
        if (reasons.value() >= 0.0)
            moment.reasons = static_cast<std::uint64_t>(reasons.value());
        return moment;
    }

    SampleCursor m_clock;
    Sensor m_utilization;
    Sensor m_temperature;
    Sensor m_power;
    Sensor m_reasons;
};

class ThrottleScan {
public:
    ThrottleScan(const store::Store& store, const Run& run, const std::map<int, GpuSeries>& gpus,
        const std::function<bool()>& keepGoing)
        : m_store(store)
        , m_gpus(gpus)
        , m_keepGoing(keepGoing) {
        if (const auto* model = catalogue::findGpuModel(run.gpuModel)) {
            m_limits.slowdownTemperatureC = model->slowdownC;
            m_limits.powerLimitW = model->powerLimitW;
        }
    }

    Result<std::optional<Throttling>> run(DurationNs duration) {
        if (Status status = findReference(); !status.hasValue())
            return status.error();
        if (!(m_limits.referenceClockHz > 0.0))
            return std::optional<Throttling>();
        double throttled = 0.0;
        for (const auto& [rank, gpu] : m_gpus) {
            if (!canThrottle(gpu))
                continue;
            const auto seconds = addGpu(rank, gpu);
            if (!seconds.hasValue())
                return seconds.error();
            throttled += seconds.value();
        }
        const double all = duration.seconds() * static_cast<double>(m_gpus.size());
        m_found.referenceClockHz = m_limits.referenceClockHz;
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
            auto statistics = seriesStatistics(m_store, *find(gpu, "sm_clock"), m_keepGoing);
            if (!statistics.hasValue())
                return statistics.error();
            clocks.add(std::move(statistics.value().distribution));
        }
        m_limits.referenceClockHz = clocks.quantile(kReferenceQuantile).value_or(0.0);
        return {};
    }

    // Its throttled seconds.
    Result<double> addGpu(int rank, const GpuSeries& gpu) {
        const Series& clock = *find(gpu, "sm_clock");
        m_limits.holeNs = static_cast<std::int64_t>(
            EnergyIntegral::kGapPeriods * static_cast<double>(samplingPeriod(clock).ns));
        ThrottleDetector detector(m_limits);
        if (Status status = GpuWalk(m_store, gpu).run(detector, m_keepGoing); !status.hasValue())
            return status.error();
        double seconds = 0.0;
        for (const ThrottleEpisode& episode : detector.finish()) {
            seconds += episode.range.length().seconds();
            m_found.lostGpuSeconds += episode.lostSeconds;
            m_found.episodes.push_back({rank, episode});
        }
        return seconds;
    }

    const store::Store& m_store;
    const std::map<int, GpuSeries>& m_gpus;
    const std::function<bool()>& m_keepGoing;
    ThrottleLimits m_limits;
    Throttling m_found;
};

} // namespace

Result<std::optional<Throttling>> scanThrottling(const store::Store& store, const Run& run,
    const std::map<int, GpuSeries>& gpus, DurationNs duration,
    const std::function<bool()>& keepGoing) {
    return ThrottleScan(store, run, gpus, keepGoing).run(duration);
}

} // namespace trainscope::analysis
