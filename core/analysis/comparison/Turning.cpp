#include "core/analysis/comparison/Turning.h"

#include <cmath>

namespace trainscope::analysis {

namespace {

// A positive, finite quotient.
std::optional<double> quotient(double above, double below) {
    if (below == 0.0)
        return std::nullopt;
    const double value = above / below;
    return std::isfinite(value) && value > 0.0 ? std::optional(value) : std::nullopt;
}

} // namespace

std::optional<double> evenBandwidth(const BandwidthSide& a, const BandwidthSide& b) {
    const double restA = a.weight * (a.stepS - a.exposedBetweenNodesS);
    const double restB = b.weight * (b.stepS - b.exposedBetweenNodesS);
    return quotient(
        b.weight * b.exposedBetweenNodesS - a.weight * a.exposedBetweenNodesS, restA - restB);
}

std::optional<double> evenBatch(const BatchSide& a, const BatchSide& b) {
    const double fillA = a.stages - 1.0;
    const double fillB = b.stages - 1.0;
    const double scaleA = a.figure * (a.microbatches + fillA);
    const double scaleB = b.figure * (b.microbatches + fillB);
    return quotient(
        scaleB * fillA - scaleA * fillB, scaleA * b.microbatches - scaleB * a.microbatches);
}

} // namespace trainscope::analysis
