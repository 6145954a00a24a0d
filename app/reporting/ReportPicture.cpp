#include "app/reporting/ReportPicture.h"

#include "app/painting/ScenePainter.h"
#include "core/plot/comparison/ComparisonGeometry.h"

namespace trainscope::app {

plot::PlotScene drawPicture(
    const ComparisonPicture& picture, const plot::Theme& theme, double width) {
    plot::ComparisonStyle style;
    style.theme = &theme;
    style.width = width;
    style.measure = measureWith(theme);
    style.panels = {picture.panel};
    style.stacked = picture.comparison.request.stacked;
    style.perStage = picture.comparison.request.perStage;
    style.title = false;
    style.notes = false;
    return std::move(plot::buildComparison(*picture.comparison.data, style).scene);
}

} // namespace trainscope::app
