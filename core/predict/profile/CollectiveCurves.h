#pragma once
// CollectiveCurves: from the samples of one exchange to its curve. Pure.

#include "core/predict/profile/Profile.h"

namespace trainscope::predict {

// Of rows sorted by bytes, at least one.
CollectiveCurve curveOf(const CollectiveTimings& timings);
double secondsOn(const CollectiveCurve& curve, double bytes);

} // namespace trainscope::predict
