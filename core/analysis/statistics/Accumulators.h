#pragma once
// Sums over the samples of a series: statistics of a gauge weighted by time, the total of a
// counter, the energy of a power.

#include "core/analysis/statistics/Distribution.h"
#include "core/analysis/statistics/Means.h"
#include "core/model/CounterRule.h"
#include "core/model/SamplingPeriod.h"

namespace trainscope::analysis {

// Statistics of a gauge or rate: each sample holds until the next, and an
// interval that starts at a missing sample (NaN) is left out. The last sample holds for no time: it
// counts in minimum, maximum and number only. In a window, the value at its begin counts in all
// but the number. If no time passes at all (one sample, or all at
// one stamp) the samples count equally.
//
// Feed the samples once, in time order, in blocks of any size. For a window, say the value where it
// begins and where it ends. Values in, values out: no unit is assumed.
class TimeWeighted {
public:
    // Before the first sample: what holds since before then; no sample of its own.
    void enter(TimeNs begin, double held);
    void add(std::span<const TimeNs> times, std::span<const double> values);
    // The last sample holds until then, where there is one.
    void leave(TimeNs end);

    // Absent when every sample is missing, and nothing held before.
    [[nodiscard]] std::optional<double> mean() const;
    [[nodiscard]] std::optional<double> min() const;
    [[nodiscard]] std::optional<double> max() const;
    [[nodiscard]] std::int64_t samples() const { return m_samples; } // missing included
    [[nodiscard]] std::int64_t missing() const { return m_samples - m_present; }

    // The values that hold first and last, those that are missing left out.
    [[nodiscard]] std::optional<double> first() const { return m_first; }
    [[nodiscard]] std::optional<double> last() const { return m_last; }

    // Values weighted by the ns they held, for quantiles.
    [[nodiscard]] Distribution takeDistribution() &&;

private:
    // Sums over values that hold for no time; used only while none has held.
    struct Instant {
        CompensatedSum sum;
        Distribution distribution;
    };
    struct Extremes {
        double min = std::numeric_limits<double>::infinity();
        double max = -std::numeric_limits<double>::infinity();

        void include(double value) {
            min = value < min ? value : min;
            max = value > max ? value : max;
        }
        [[nodiscard]] bool isEmpty() const { return min > max; }
    };

    // True where the last value holds until the next.
    [[nodiscard]] bool isOpen() const { return m_samples > 0 || m_hasEntered; }
    void holdUntil(TimeNs time);
    void addInstants(std::span<const double> values);
    void takeEnds(std::span<const double> values);

    TimeSum m_held;
    Distribution m_heldValues;
    Instant m_instant;
    Extremes m_extremes;
    std::int64_t m_samples = 0;
    std::int64_t m_present = 0;
    bool m_hasEntered = false;
    TimeNs m_lastTime;
    double m_lastValue = 0.0;
    std::optional<double> m_first;
    std::optional<double> m_last;
};

// The total of a running counter: the sum of what it counted between neighbouring non-missing
// samples, by the rule of CounterRule.h.
//
// Feed the samples once, in time order, in SI units, in blocks of any size.

class CounterTotal {
public:
    explicit CounterTotal(const SeriesDescription& description);

    void add(std::span<const TimeNs> times, std::span<const double> values);

    // Absent when every sample is missing; 0 for a single one.
    [[nodiscard]] std::optional<double> total() const;
    [[nodiscard]] std::int64_t samples() const { return m_samples; }
    [[nodiscard]] std::int64_t missing() const { return m_samples - m_present; }
    [[nodiscard]] std::int64_t wraps() const { return m_wraps; }
    [[nodiscard]] std::int64_t resets() const { return m_resets; }

private:
    [[nodiscard]] double increment(std::int64_t ns, double from, double to);

    CounterRule m_rule;
    CompensatedSum m_total;
    std::int64_t m_samples = 0;
    std::int64_t m_present = 0;
    std::int64_t m_wraps = 0;
    std::int64_t m_resets = 0;
    TimeNs m_lastTime;
    double m_lastValue = 0.0;
};

// Energy: the trapezoid over the non-missing samples of a power series, in
// watts; a gap longer than 10 periods is not bridged. The period is the median time between
// neighbouring non-missing samples, but for readings that come in groups
// (core/model/SamplingPeriod.h); times of 0 ns (repeated stamps) do not count.
//
// The period is known only at the end, so the first pass bridges everything; where longest() >
// gapLimit() the series is fed a second time to EnergyIntegral(gapLimit()). Time order, blocks of
// any size.
class EnergyIntegral {
public:
    static constexpr double kGapPeriods = trainscope::kGapPeriods;

    EnergyIntegral() = default;
    explicit EnergyIntegral(double gapLimitNs); // bridges what is not longer

    void add(std::span<const TimeNs> times, std::span<const double> watts);

    [[nodiscard]] double joules() const { return m_line.integral(); }
    [[nodiscard]] DurationNs covered() const { return m_line.length(); } // bridged
    [[nodiscard]] std::int64_t present() const { return m_present; } // samples that are not missing
    [[nodiscard]] double longest() const { return static_cast<double>(m_longestNs); } // ns
    [[nodiscard]] double gapLimit() const; // ns; infinite while there is no period

private:
    void bridge(std::int64_t ns, double from, double to);

    double m_gapLimitNs = std::numeric_limits<double>::infinity();
    TimeSum m_line; // bridged
    Distribution m_periods;
    std::int64_t m_longestNs = 0;
    std::int64_t m_present = 0;
    TimeNs m_lastTime;
    double m_lastWatts = 0.0;
};

} // namespace trainscope::analysis
