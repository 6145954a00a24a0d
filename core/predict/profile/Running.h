#pragma once
// The running median and mean of a list. Pure.

#include <cstddef>
#include <vector>

namespace trainscope::predict {

double medianOf(std::vector<double> values); // NaN of none
// At each place, of up to `window` values around it; fewer at the ends.
std::vector<double> runningMedian(const std::vector<double>& values, std::size_t window);
std::vector<double> runningMean(const std::vector<double>& values, std::size_t window);

} // namespace trainscope::predict
