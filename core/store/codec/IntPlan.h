#pragma once
// IntPlan: the best prediction for an integer column, which the encoder chooses before it packs
// bits.

#include "core/store/codec/IntColumn.h"

#include <vector>

namespace trainscope::store {

// Base, divisor, prediction as in IntColumn.h, and the residuals that are left.
struct IntPlan {
    Prediction prediction = Prediction::Plain;
    std::uint64_t divisor = 1;
    std::uint64_t base = 0;
    std::uint64_t step = 0; // d(-1)
    std::uint64_t slope = 0;
    std::vector<std::int64_t> residuals;
};

struct IntBounds {
    std::int64_t low = 0;
    std::int64_t high = 0;
    [[nodiscard]] std::uint64_t range() const { return distance(low, high); }
};
IntBounds boundsOf(std::span<const std::int64_t> values); // not empty

// Plans are reused: their memory is. values not empty.
void planInts(std::span<const std::int64_t> values, IntPlan& plan);

} // namespace trainscope::store
