#pragma once
// Order statistics of weighted values in linear time: the values are counted into buckets by the
// leading bits in which they differ, and only the buckets that hold an answer are looked at more
// closely. Never NaN; -0 and 0 are one value. Pure; any thread.

#include <cstdint>
#include <span>
#include <vector>

namespace trainscope::analysis {

struct WeightedValue {
    double value = 0.0;
    std::int64_t weight = 0; // > 0
};

// found[i]: the smallest value v such that the values ≤ v weigh at least wanted[i]. `wanted` is in
// ascending order, each in 1 … total weight; `values` is not empty.
void selectByWeight(std::span<const WeightedValue> values, std::span<const std::int64_t> wanted,
    std::span<double> found);

// In ascending order of value; linear beyond a few thousand.
void sortByValue(std::vector<WeightedValue>& values);

} // namespace trainscope::analysis
