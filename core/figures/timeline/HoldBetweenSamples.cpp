#include "core/figures/timeline/LaneLoad.h"

#include <cmath>
#include <limits>

namespace trainscope::figures {

using namespace plot;

void fill(Bucket& bucket, float value) {
    bucket.first = value;
    bucket.last = value;
    bucket.min = value;
    bucket.max = value;
    bucket.mean = value;
}

void holdBetweenSamples(
    std::vector<Bucket>& buckets, const Series& series, TimeRange window, double heldAtStart) {
    constexpr float kNoSample = std::numeric_limits<float>::quiet_NaN();
    const double length = static_cast<double>(window.length().ns);
    const auto count = static_cast<double>(buckets.size());
    float held = static_cast<float>(heldAtStart);
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        Bucket& bucket = buckets[i];
        if (bucket.count > 0) {
            held = bucket.last;
            continue;
        }
        const double offset = length * static_cast<double>(i) / count;
        const bool ended = window.begin + DurationNs{std::llround(offset)} >= series.range.end;
        if (bucket.gap || ended)
            held = kNoSample;
        fill(bucket, held);
    }
}

} // namespace trainscope::figures
