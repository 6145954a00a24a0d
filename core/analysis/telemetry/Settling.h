#pragma once
// When a temperature has settled: the first moment from which on its moving mean (over 5 % of the
// record) stays within a tolerance of its final level (the mean of the last quarter). The tolerance
// is 1 °C, or 5 % of the way from the first moving mean to the final level where that is more.

#include "core/analysis/telemetry/UniformSeries.h"

#include <optional>

namespace trainscope::analysis {

inline constexpr double kSettledWithinC = 1.0;
inline constexpr double kSettledWithinRise = 0.05;

// Absent where it never settles before the last quarter, or fewer than 40 steps are known.
std::optional<TimeNs> settledFrom(const UniformSeries& temperature);

} // namespace trainscope::analysis
