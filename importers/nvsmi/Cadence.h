#pragma once
// How often a log was written and how often its sensor really gave a new value; holes in between.

#include "core/model/Time.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace trainscope::importers::nvsmi {

// Fed with one series; memory is bounded, medians are those of the first few thousand steps.
class Cadence {
public:
    void add(TimeNs time, double value);

    [[nodiscard]] std::optional<DurationNs> samplingPeriod() const; // median step
    // Median time between changes of the value; absent below 8 changes.
    [[nodiscard]] std::optional<DurationNs> updatePeriod() const;
    // Steps longer than 10 median periods.
    [[nodiscard]] std::int64_t gaps() const;

private:
    std::vector<std::int64_t> m_steps;
    std::vector<std::int64_t> m_changes;
    TimeNs m_last;
    TimeNs m_lastChange;
    double m_value = 0.0;
    bool m_started = false;
    bool m_changed = false;
    std::int64_t m_limit = 0; // 10 medians, once known
    std::int64_t m_laterGaps = 0;
};

} // namespace trainscope::importers::nvsmi
