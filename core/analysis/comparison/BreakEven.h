#pragma once
// Break-even points: how much faster a network, or how much larger a batch, must be for the verdict
// between two runs to change. A token costs a run GPU-seconds or joules: a part of them stays and
// a part shrinks with x: cost(x) = fixed + scaled / x. The difference of two such costs changes its
// sign once at most, so there is one x or none:
//   x = (scaled_b − scaled_a) / (fixed_a − fixed_b).
// x is how many times as fast the networks between nodes are (scaled: exposed transfers between
// nodes), or how many times as large the global batch is (scaled: what a step takes once, whatever
// its batch). Estimates: they leave out all but what they name.

#include <optional>

namespace trainscope::analysis {

struct ShrinkingCost {
    double fixed = 0.0;
    double scaled = 0.0;

    [[nodiscard]] double cost(double x) const { return fixed + scaled / x; }
};

// x > 0; absent where there is none.
std::optional<double> breakEvenAt(const ShrinkingCost& a, const ShrinkingCost& b);

} // namespace trainscope::analysis
