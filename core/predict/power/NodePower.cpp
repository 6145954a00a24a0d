#include "core/predict/power/NodePower.h"

namespace trainscope::predict {

double nodePower(double gpuWatts, std::size_t gpus, const NodeOverhead& overhead) {
    return static_cast<double>(gpus) * overhead.hostW + overhead.perGpuWatt * gpuWatts;
}

} // namespace trainscope::predict
