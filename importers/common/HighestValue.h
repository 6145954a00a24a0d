#pragma once
// Numbers that no reading has. Drivers and exporters give the highest number of an integer where
// they do not know the value, and counters that ran over give shares of thousands of percent
// (github.com/NVIDIA/DCGM/issues/199, github.com/NVIDIA/go-dcgm/issues/75).

#include "core/model/Series.h"

#include <limits>
#include <vector>

namespace trainscope::importers {

// No reading is higher: 2^63, as engines give it that keep 15 digits of a number.
inline constexpr double kHighestReading = 9'223'372'036'854'770'000.0;

// Numbers of the source up to here are readings; those above may be.
double certainlyPossible(const SeriesDescription& what);
bool isPossible(const SeriesDescription& what, double number);

// Numbers from `least` to `most`, with both.
struct NumberRange {
    double least = 0.0;
    double most = std::numeric_limits<double>::infinity();
    [[nodiscard]] bool contains(double number) const { return least <= number && number <= most; }
};
// Numbers of the source for which isPossible() is false.
std::vector<NumberRange> impossibleNumbers(const SeriesDescription& what);

} // namespace trainscope::importers
