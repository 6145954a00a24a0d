#include "core/predict/power/PowerBasis.h"

#include <algorithm>

namespace trainscope::predict {

namespace {

// Between readings of one kind of GPU in different machines: idle of eight H100 112 to 121 W.
constexpr double kMeasuredWatts = 0.05;
constexpr double kMeasuredResistance = 0.1;

} // namespace

NodeAir PowerBasis::airOf(std::size_t gpus) const {
    return air.value_or(usualAir(gpus, gpu.limitW));
}

PowerBasis powerBasisOf(const catalogue::GpuModel& model) {
    PowerBasis basis{gpuPowerOf(model)};
    const auto isMeasured = [&model](const char* key) {
        const auto& measured = model.power.measured;
        return std::find(measured.begin(), measured.end(), key) != measured.end();
    };
    if (isMeasured("idle_w"))
        basis.spread.idle = kMeasuredWatts;
    if (isMeasured("gemm_w"))
        basis.spread.product = 2.0 * kMeasuredWatts;
    if (isMeasured("resistance_k_per_w"))
        basis.spread.resistance = kMeasuredResistance;
    return basis;
}

} // namespace trainscope::predict
