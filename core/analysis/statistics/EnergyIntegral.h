#pragma once
// Energy by design section 5: the trapezoid over the non-missing samples of a power series, in
// watts; a gap longer than 10 median periods is not bridged. A period is the time between
// neighbouring non-missing samples; those of 0 ns (repeated stamps) are no periods.
//
// The median is known only at the end, so the first pass bridges everything; where longest() >
// gapLimit() the series is fed a second time to EnergyIntegral(gapLimit()). Time order, blocks of
// any size; or parts of the samples fed to several, which are added up in order.

#include "core/analysis/statistics/CompensatedSum.h"
#include "core/analysis/statistics/Distribution.h"
#include "core/model/Time.h"
#include "core/model/Units.h"

#include <cstdint>
#include <limits>
#include <span>

namespace trainscope::analysis {

class EnergyIntegral {
public:
    static constexpr double kGapPeriods = 10.0;

    EnergyIntegral() = default;
    explicit EnergyIntegral(double gapLimitNs); // bridges what is not longer

    void add(std::span<const TimeNs> times, std::span<const double> watts);
    // What comes behind the samples so far; made with the same gap limit.
    void add(EnergyIntegral&& next);

    [[nodiscard]] Joules energy() const;
    [[nodiscard]] DurationNs covered() const { return {m_coveredNs}; } // bridged
    [[nodiscard]] std::int64_t present() const { return m_present; } // samples that are not missing
    [[nodiscard]] double longest() const { return static_cast<double>(m_longestNs); } // ns
    [[nodiscard]] double gapLimit() const; // ns; infinite while there is no period

private:
    void bridge(std::int64_t ns, double from, double to);

    double m_gapLimitNs = std::numeric_limits<double>::infinity();
    CompensatedSum m_wattNs; // 2 × W·ns
    Distribution m_periods;
    std::int64_t m_coveredNs = 0;
    std::int64_t m_longestNs = 0;
    std::int64_t m_present = 0;
    TimeNs m_firstTime; // of those present
    double m_firstWatts = 0.0;
    TimeNs m_lastTime;
    double m_lastWatts = 0.0;
};

} // namespace trainscope::analysis
