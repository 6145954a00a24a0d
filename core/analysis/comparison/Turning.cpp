#include "core/analysis/comparison/Turning.h"

#include <cmath>

namespace trainscope::analysis {

std::optional<double> evenAt(const TurningSide& a, const TurningSide& b) {
    const double below = a.fixed - b.fixed;
    if (below == 0.0)
        return std::nullopt;
    const double x = (b.scaled - a.scaled) / below;
    return std::isfinite(x) && x > 0.0 ? std::optional(x) : std::nullopt;
}

} // namespace trainscope::analysis
