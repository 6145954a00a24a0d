#pragma once
// When a temperature has settled: the first moment from which on its moving mean (over 5 % of the
// record) stays within a tolerance of its final level (the mean of the last quarter). The tolerance
// is 1 °C, or 5 % of the way from the first moving mean to the final level where that is more.

#include "core/analysis/telemetry/UniformSeries.h"

#include <optional>
#include <vector>

namespace trainscope::analysis {

inline constexpr double kSettledWithinC = 1.0;
inline constexpr double kSettledWithinRise = 0.05;

// Absent where it never settles before the last quarter, or fewer than 40 steps are known.
std::optional<TimeNs> settledFrom(const UniformSeries& temperature);

// Of a run: when the last of its GPUs has settled.
struct RunSettling {
    std::optional<TimeNs> from; // absent where one of them never does, or there are none
    int gpus = 0;
    int unsettled = 0; // of these
};
// temperatures: one series of each GPU.
Result<RunSettling> runSettling(const store::Store& store, const std::vector<Series>& temperatures,
    const Progress& progress = {});

} // namespace trainscope::analysis
