#pragma once
// When two runs would be even. Of what a token costs a run (GPU-seconds or joules), a part stays
// and a part shrinks with x: cost(x) = fixed + scaled/x. Estimates: they leave out all but what
// they name. The difference of two such costs changes its sign once at most, so that the verdict
// turns at one x or at none:
//   x = (scaled_b − scaled_a) / (fixed_a − fixed_b).
// x is, for example, how many times as fast the networks between nodes are (scaled: exposed
// transfers between nodes), or how many times as large the global batch is (scaled: what a step
// takes once, whatever its batch).

#include <optional>

namespace trainscope::analysis {

struct TurningSide {
    double fixed = 0.0;
    double scaled = 0.0;

    [[nodiscard]] double cost(double x) const { return fixed + scaled / x; }
};

// x > 0; absent where there is none.
std::optional<double> evenAt(const TurningSide& a, const TurningSide& b);

} // namespace trainscope::analysis
