#pragma once
// SampledCollectives: seconds of exchanges from the measured curves of a fabric, and how samples
// become a curve. Immutable; any thread.
//
// Interpolated in the logarithm of the bytes, constant seconds per byte beyond the ends. An
// arrangement of GPUs that was not sampled is answered by the bus bandwidth of the nearest one, a
// kind that was not by that of a related one (a reduce-scatter as half an all-reduce).

#include "core/predict/profile/Profile.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace trainscope::predict {

class SampledCollectives : public CollectiveCosts {
public:
    // Exchanges of which no sample tells anything (inside a node, where all samples are between
    // nodes) go to `otherwise`.
    SampledCollectives(FabricProfile fabric, std::shared_ptr<const CollectiveCosts> otherwise);

    [[nodiscard]] double secondsOf(const Collective& exchange) const override;

private:
    [[nodiscard]] const CollectiveCurve* nearest(
        CollectiveKind kind, int nodes, int gpusPerNode) const;

    FabricProfile m_fabric;
    std::shared_ptr<const CollectiveCosts> m_otherwise;
};

// The running median of seconds for each byte, of rows sorted by bytes, at each of up to `window`
// rows around it; fewer at the ends, and where sizes are far apart: a row of another size, by more
// than a half, tells nothing of the rate.
std::vector<double> runningMedian(const std::vector<TimedExchange>& rows, std::size_t window);

// Curve through rows that are sorted by bytes; at least one row.
CollectiveCurve curveOf(const CollectiveTimings& timings);
double secondsOn(const CollectiveCurve& curve, double bytes);

} // namespace trainscope::predict
