#pragma once
// Statistics of a gauge or rate by design section 5: each sample holds until the next, and an
// interval that starts at a missing sample (NaN) is left out. The last sample holds for no time: it
// counts in minimum, maximum and number only. Where no time passes at all (one sample, or all at
// one stamp) the samples count equally.
//
// Feed the samples once, in time order, in blocks of any size; or feed parts of them to several and
// add those up in order. Of a window, say what holds where it begins and where it ends. Values in,
// values out: no unit is assumed.

#include "core/analysis/statistics/CompensatedSum.h"
#include "core/analysis/statistics/Distribution.h"
#include "core/model/Time.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>

namespace trainscope::analysis {

class TimeWeighted {
public:
    // Before the first sample: what holds since before then; no sample of its own.
    void enter(TimeNs begin, double held);
    void add(std::span<const TimeNs> times, std::span<const double> values);
    // What comes behind the samples so far.
    void add(TimeWeighted&& next);
    // The last sample holds until then, where there is one.
    void leave(TimeNs end);

    // Absent when every sample is missing.
    [[nodiscard]] std::optional<double> mean() const;
    [[nodiscard]] std::optional<double> min() const;
    [[nodiscard]] std::optional<double> max() const;
    [[nodiscard]] std::int64_t samples() const { return m_samples; } // missing included
    [[nodiscard]] std::int64_t missing() const { return m_samples - m_present; }

    // Values weighted by the ns they held, for quantiles.
    [[nodiscard]] Distribution takeDistribution() &&;

private:
    // Of values each of which holds until the next.
    struct Held {
        CompensatedSum sum; // value × ns
        std::int64_t ns = 0;

        void add(double value, std::int64_t duration) {
            ns += duration;
            sum.add(value * static_cast<double>(duration));
        }
    };
    // Of values that hold for no time; used only while none has held.
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
    };

    // Whether the last value holds until the next.
    [[nodiscard]] bool isOpen() const { return m_samples > 0 || m_hasEntered; }
    void holdUntil(TimeNs time);
    void addInstants(std::span<const double> values);

    Held m_held;
    Distribution m_heldValues;
    Instant m_instant;
    Extremes m_extremes;
    std::int64_t m_samples = 0;
    std::int64_t m_present = 0;
    bool m_hasEntered = false;
    TimeNs m_firstTime;
    TimeNs m_lastTime;
    double m_lastValue = 0.0;
};

} // namespace trainscope::analysis
