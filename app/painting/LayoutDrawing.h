#pragma once
// The figure of a layout (core/plot/layout) as a file, with the painter's fonts. Any thread.

#include "app/painting/FigureExport.h"
#include "core/plot/layout/LayoutFigure.h"

namespace trainscope::app {

// Writes the figure; the value are warnings for the user. A title is taken from the data where the
// options' metadata have none.
Result<QStringList> exportLayout(
    const plot::LayoutFigureData& data, const QString& path, const FigureOptions& options);

} // namespace trainscope::app
