#pragma once
// `trainscope-cli figure` for the layout of a run.

#include "app/cli/console/Console.h"
#include "app/cli/figures/FigureRequest.h"
#include "app/painting/FigureExport.h"

#include <QStringList>

#include <string_view>

namespace trainscope::cli {

bool isLayoutKind(std::string_view kind); // "layout", "layout-grid" (the logical diagram alone)

// Writes the figure and its CSV (arguments.csv; empty: beside the figure, which fills it in). The
// value are warnings for the user.
Result<QStringList> writeLayoutFigure(
    FigureArguments& arguments, const app::FigureOptions& options, const Console& console);

} // namespace trainscope::cli
