#pragma once
// The energy between moments, from a power series: straight lines between non-missing samples, gaps
// longer than a limit not bridged. Walks forward, so that the energies of neighbouring intervals
// sum to that of the whole.

#include "core/analysis/statistics/Means.h"
#include "core/analysis/telemetry/UniformSeries.h"

#include <optional>

namespace trainscope::analysis {

struct EnergyPiece {
    double joules = 0.0;
    DurationNs covered; // the part of the interval that has data
};

class PowerIntegral {
public:
    // lag: how much later than the trace's clock the series' stamps are. window: moments asked for.
    PowerIntegral(const store::Store& store, const Series& series, double gapLimitNs,
        TimeRange window, DurationNs lag = {});

    // From the end of the interval before, or the window's begin, to `until`.
    Result<EnergyPiece> to(TimeNs until);

private:
    struct Point {
        TimeNs time;
        double watts = 0.0;
    };
    Status start();
    Status nextPoint(); // right becomes left
    [[nodiscard]] EnergyPiece between(TimeNs begin, TimeNs end) const;

    SampleCursor m_cursor;
    double m_gapLimitNs;
    DurationNs m_lag;
    TimeNs m_now;
    bool m_hasStarted = false;
    std::optional<Point> m_left;
    std::optional<Point> m_right;
};

// Median sampling period and what follows from it, by one pass over the series.
struct PowerSampling {
    double periodNs = 0.0;
    double gapLimitNs = 0.0; // 10 periods, as for the energy of the summary
    // The update period of the sensor, where it is certain (SensorProbe.h); else the median time
    // between changes of the value, where sensors update more rarely than they are read; beyond
    // kRarestUpdateNs a plateau, then 0.
    double updateNs = 0.0;
    double maxW = 0.0;
    bool isUpdateCertain = false;

    // True where a reading is often the one before again, not a new one of the same value.
    [[nodiscard]] bool isRepeating() const { return isUpdateCertain && updateNs > 1.5 * periodNs; }

    static constexpr double kRarestUpdateNs = 250e6;
};
// Absent for a series with less than two samples.
Result<std::optional<PowerSampling>> powerSamplingOf(
    const store::Store& store, const Series& series);

} // namespace trainscope::analysis
