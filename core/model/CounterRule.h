#pragma once
// Increment of a running counter between two samples. A fall is a wrap, which adds the counter's
// range, unless the rate that a wrap implies is beyond the link's peak: then the counter was reset
// and counts from zero. SI; pure; any thread.

#include "core/model/Series.h"

namespace trainscope {

// The rate per second that no link of that metric can exceed. Generous, so that a true wrap is
// never taken for a reset: NVLink 1.8 TB/s (NVLink 5, both directions), PCIe 128 GB/s (6.0 x16, one
// direction), InfiniBand and other networks 100 GB/s (800 Gb/s). Other counters of bytes as NVLink;
// absent for counters that are not bytes.
std::optional<double> peakRate(const Metric& metric);

struct CounterStep {
    double counted = 0.0;
    bool isWrap = false;
    bool isReset = false;
};

class CounterRule {
public:
    // A counter of that many bits, of which one count is `scale`; 0 bits: it does not wrap. Without
    // a known peak a fall goes the shorter way round.
    CounterRule(int counterBits, double scale, const std::optional<double>& peakRate);
    explicit CounterRule(const SeriesDescription& description);

    // From one value to the next, `ns` later.
    [[nodiscard]] CounterStep step(std::int64_t ns, double from, double to) const;

private:
    [[nodiscard]] bool isWrap(std::int64_t ns, double wrapped) const;

    double m_range = 0.0; // 2^bits in SI; 0: the counter does not wrap
    std::optional<double> m_peak;
};

} // namespace trainscope
