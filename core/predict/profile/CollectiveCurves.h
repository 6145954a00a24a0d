#pragma once
// CollectiveCurves: from the samples of one exchange to its curve. Pure.

#include "core/predict/profile/Profile.h"

namespace trainscope::predict {

// Curve through rows that are sorted by bytes; at least one row.
CollectiveCurve curveOf(const CollectiveTimings& timings);
double secondsOn(const CollectiveCurve& curve, double bytes);

} // namespace trainscope::predict
