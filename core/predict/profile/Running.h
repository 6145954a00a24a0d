#pragma once
// The running median and mean of the times of exchanges. Pure.

#include "core/predict/profile/Timings.h"

#include <cstddef>
#include <vector>

namespace trainscope::predict {

// Seconds for each byte. Of rows sorted by bytes, at each of up to `window` rows around it; fewer
// at the ends, and where sizes are far apart: a row of another size, by more than a half, tells
// nothing of the rate.
std::vector<double> runningMedian(const std::vector<TimedExchange>& rows, std::size_t window);
std::vector<double> runningMean(const std::vector<TimedExchange>& rows, std::size_t window);

} // namespace trainscope::predict
