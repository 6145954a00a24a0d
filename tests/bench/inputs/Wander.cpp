#include "bench/inputs/Wander.h"

#include <algorithm>
#include <cmath>

namespace trainscope::bench {

double next(std::mt19937& random, const Wander& wander, double value) {
    const double part = static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
    if (wander.isCounter) {
        const double grown = value + std::floor(part * wander.step);
        return grown > wander.high ? grown - wander.high - 1.0 : grown;
    }
    return std::clamp(value + (2.0 * part - 1.0) * wander.step, wander.low, wander.high);
}

} // namespace trainscope::bench
