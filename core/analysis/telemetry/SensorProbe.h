#pragma once
// Update period of a sensor, from its own samples: the time for which the same value comes again. A
// sensor that is read more often than it measures repeats itself for about its update period; where
// the repeated stretches have no common length (plateaus, coarse rounding) nothing is concluded.

#include "core/store/Store.h"

#include <unordered_set>

namespace trainscope::analysis {

struct UpdatePeriod {
    std::optional<double> seconds; // absent: not known
    double errorS = 0.0; // standard error
    bool isAtMost = false; // new at (nearly) every sample: at most `seconds`
    // Most changes are to a value that was not there before. Otherwise the period may be that of
    // work which rests on a few levels.
    bool isCertain = false;
};

// Feed the samples of one series in time order; pure.
class UpdateProbe {
public:
    void add(std::span<const TimeNs> times, std::span<const double> values);
    // samplingPeriod: between two samples.
    [[nodiscard]] UpdatePeriod result(DurationNs samplingPeriod) const;
    [[nodiscard]] std::size_t samples() const { return m_samples; }

private:
    std::vector<std::int64_t> m_stretches; // ns from one change of the value to the next
    std::size_t m_samples = 0;
    std::size_t m_repeated = 0;
    std::unordered_set<double> m_seen;
    std::optional<double> m_value;
    std::optional<TimeNs> m_changed;
    bool m_isWhole = false; // the stretch since m_changed has no hole so far
};

// The sensors of one metric of a run.
struct Sensor {
    Metric metric;
    SensorKind kind = SensorKind::Unknown; // as the source says
    std::optional<double> averagingS; // averaging window, s; averaging kinds only
    std::optional<double> samplingPeriodS; // median over the series; absent: each was read once
    UpdatePeriod update; // median over the probed series
    int probed = 0;
    std::string wording; // "an average over 1 s, read every 0.1 s, new every 0.1 s"
};

// A power that NVML averages is one over 1 s (NVML_FI_DEV_POWER_AVERAGE, and power.draw on Ampere
// but GA100 and newer).
inline constexpr double kNvmlAveragingS = 1.0;

// Gauges of GPUs and nodes by metric; up to 8 series of each are probed, and 20,000 samples of
// each.
Result<std::vector<Sensor>> probeSensors(
    const store::Store& store, const std::vector<Series>& series, const Progress& progress = {});

// The sampling of a power, and whether its sensor is updated as often.

// Derived from the median sampling period and the update period, by one pass over the series.
struct PowerSampling {
    DurationNs gapLimit; // 10 sampling periods, as for the energy of the summary
    double maxW = 0.0;
    // A reading is often the one before again, not a new one of the same value: the sensor is
    // certain to be updated more rarely than it is read (SensorProbe.h).
    bool isRepeating = false;
};

// Absent for a series with less than two samples.
Result<std::optional<PowerSampling>> powerSamplingOf(
    const store::Store& store, const Series& series);

} // namespace trainscope::analysis
