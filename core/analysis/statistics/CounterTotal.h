#pragma once
// The total of a running counter by design section 5: the sum of the differences between
// neighbouring non-missing samples. A fall is a wrap, which adds the counter's range, unless the
// rate that a wrap implies is beyond the link's peak: then the counter was reset and counts from
// zero.
//
// Feed the samples once, in time order, in SI units, in blocks of any size; or parts of them to
// several, which are added up in order.

#include "core/analysis/statistics/CompensatedSum.h"
#include "core/model/Series.h"
#include "core/model/Time.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace trainscope::analysis {

// The rate per second that no link of that metric can exceed. Generous, so that a true wrap is
// never taken for a reset: NVLink 1.8 TB/s (NVLink 5, both directions), PCIe 128 GB/s (6.0 x16, one
// direction), InfiniBand and other networks 100 GB/s (800 Gb/s). Other counters of bytes as NVLink;
// absent for counters that are not bytes.
std::optional<double> peakRate(const Metric& metric);

class CounterTotal {
public:
    explicit CounterTotal(const SeriesDescription& description);

    void add(std::span<const TimeNs> times, std::span<const double> values);
    // What comes behind the samples so far, of the same counter.
    void add(const CounterTotal& next);

    // Absent when every sample is missing; 0 for a single one.
    [[nodiscard]] std::optional<double> total() const;
    [[nodiscard]] std::int64_t samples() const { return m_samples; }
    [[nodiscard]] std::int64_t missing() const { return m_samples - m_present; }
    [[nodiscard]] std::int64_t wraps() const { return m_wraps; }
    [[nodiscard]] std::int64_t resets() const { return m_resets; }

private:
    [[nodiscard]] double increment(std::int64_t ns, double from, double to);
    [[nodiscard]] bool isWrap(std::int64_t ns, double wrapped) const;

    double m_range = 0.0; // 2^bits in SI; 0: the counter does not wrap
    std::optional<double> m_peak;
    CompensatedSum m_total;
    std::int64_t m_samples = 0;
    std::int64_t m_present = 0;
    std::int64_t m_wraps = 0;
    std::int64_t m_resets = 0;
    TimeNs m_firstTime; // of those present
    double m_firstValue = 0.0;
    TimeNs m_lastTime;
    double m_lastValue = 0.0;
};

} // namespace trainscope::analysis
