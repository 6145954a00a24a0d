#pragma once
// Statistics of a gauge or rate by design section 5: each sample holds until the next, and an
// interval that starts at a missing sample (NaN) is left out. The last sample holds for no time: it
// counts in minimum, maximum and number only. Where no time passes at all (one sample, or all at
// one stamp) the samples count equally.
//
// Feed the samples once, in time order, in blocks of any size. Values in, values out: no unit is
// assumed.

#include "core/analysis/CompensatedSum.h"
#include "core/analysis/Distribution.h"
#include "core/model/Time.h"

#include <cstdint>
#include <optional>
#include <span>

namespace trainscope::analysis {

class TimeWeighted {
public:
    void add(std::span<const TimeNs> times, std::span<const double> values);

    // Absent when every sample is missing.
    [[nodiscard]] std::optional<double> mean() const;
    [[nodiscard]] std::optional<double> min() const;
    [[nodiscard]] std::optional<double> max() const;
    [[nodiscard]] std::int64_t samples() const { return m_samples; } // missing included
    [[nodiscard]] std::int64_t missing() const { return m_samples - m_present; }

    // Values weighted by the ns they held, for quantiles. Changes with the next add().
    Distribution& distribution();

private:
    void hold(std::int64_t ns);

    CompensatedSum m_weightedSum; // value × ns
    CompensatedSum m_plainSum;
    Distribution m_held;
    Distribution m_instant; // used only while nothing has been held
    std::int64_t m_heldNs = 0;
    std::int64_t m_samples = 0;
    std::int64_t m_present = 0;
    double m_min = 0.0;
    double m_max = 0.0;
    TimeNs m_lastTime;
    double m_lastValue = 0.0;
};

} // namespace trainscope::analysis
