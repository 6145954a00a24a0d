#pragma once
// The pictures of a report's comparisons.

#include "app/reporting/ReportBody.h"
#include "core/plot/PlotScene.h"
#include "core/plot/Theme.h"

namespace trainscope::app {

// One panel, as high as it wants.
plot::PlotScene drawPicture(
    const ComparisonPicture& picture, const plot::Theme& theme, double width);

} // namespace trainscope::app
