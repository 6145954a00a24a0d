#pragma once
// `trainscope-cli figure` for the pipeline schedule of a run.

#include "app/cli/Console.h"
#include "app/cli/FigureRequest.h"
#include "app/painting/FigureExport.h"

#include <QStringList>

namespace trainscope::cli {

// Writes the figure and its CSV (arguments.csv; empty: beside the figure, which fills it in). The
// value are warnings for the user.
Result<QStringList> writeScheduleFigure(
    FigureArguments& arguments, const app::FigureOptions& options, const Console& console);

} // namespace trainscope::cli
