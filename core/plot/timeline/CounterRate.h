#pragma once
// The rate of change of a counter beyond the columns of a window. SI per second; any thread with
// its own Store.

#include "core/model/Result.h"
#include "core/model/Series.h"
#include "core/store/Store.h"

namespace trainscope::plot {

// The rate that the last sample at or before `time` brought, which holds until the next; NaN
// outside the recording, before the second sample and behind a hole.
Result<double> counterRateAt(const store::Store& store, const Series& counter, TimeNs time);

struct RateBounds {
    double low = 0.0; // NaN where there is no rate at all
    double high = 0.0;
};
// Over the whole recording.
Result<RateBounds> counterRateBounds(const store::Store& store, const Series& counter);

} // namespace trainscope::plot
