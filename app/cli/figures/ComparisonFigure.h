#pragma once
// `trainscope-cli figure` for the kinds that compare runs: from options to a query, and the files.

#include "app/cli/console/Console.h"
#include "app/cli/figures/FigureRequest.h"
#include "app/painting/FigureExport.h"

#include <QStringList>

namespace trainscope::cli {

// "timeline, heatmap, parallelism-sweep, …".
std::string figureKinds();

// Writes the figure and its CSV (arguments.csv; empty: beside the figure, which fills it in). The
// value are warnings for the user.
Result<QStringList> writeComparison(
    FigureArguments& arguments, const app::FigureOptions& options, const Console& console);

} // namespace trainscope::cli
