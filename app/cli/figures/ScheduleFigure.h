#pragma once
// `trainscope-cli figure` for the pipeline of a run: its schedule, and its placement.

#include "app/cli/console/Console.h"
#include "app/cli/figures/FigureRequest.h"
#include "app/painting/FigureExport.h"

#include <QStringList>

namespace trainscope::cli {

// Writes the figure and its CSV (arguments.csv; empty: beside the figure, which fills it in). The
// value are warnings for the user.
Result<QStringList> writeScheduleFigure(
    FigureArguments& arguments, const app::FigureOptions& options, const Console& console);
Result<QStringList> writePlacementFigure(
    FigureArguments& arguments, const app::FigureOptions& options, const Console& console);

} // namespace trainscope::cli
