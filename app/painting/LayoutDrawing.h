#pragma once
// Figures of layouts, schedules and placements, each one scene, as files with the painter's fonts.
// Any thread.

#include "app/painting/FigureExport.h"
#include "core/plot/layout/LayoutFigure.h"

#include <functional>
#include <string>

namespace trainscope::app {

using StyledScene = std::function<plot::PlotScene(const plot::FigureStyle&)>;
Result<QStringList> exportScene(const std::string& title, const StyledScene& build,
    const QString& path, const FigureOptions& options);

// Writes the figure; the value are warnings for the user. A title is taken from the data where the
// options' metadata have none.
Result<QStringList> exportLayout(
    const plot::LayoutFigureData& data, const QString& path, const FigureOptions& options);

} // namespace trainscope::app
