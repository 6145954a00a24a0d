#pragma once
// Two clusters that need not exist, as a comparison of the best layout on each. Pure; any thread.

#include "core/plot/comparison/Comparison.h"
#include "core/predict/search/ScaleVerdict.h"

namespace trainscope::figures {

plot::ComparisonData scaleData(const predict::ScaleComparison& comparison);

} // namespace trainscope::figures
