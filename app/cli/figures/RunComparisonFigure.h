#pragma once
// `trainscope-cli figure` for the kinds that set chosen runs side by side: comparison and its
// parts.

#include "app/cli/console/Console.h"
#include "app/cli/figures/FigureRequest.h"
#include "app/painting/FigureExport.h"

#include <QStringList>

#include <string>
#include <string_view>

namespace trainscope::cli {

// "comparison, comparison-breakdown, …".
std::string runComparisonKinds();
bool isRunComparison(std::string_view kind);

// Writes the figure and its CSV (arguments.csv; empty: beside the figure, which fills it in). The
// value are warnings for the user.
Result<QStringList> writeRunComparison(
    FigureArguments& arguments, const app::FigureOptions& options, const Console& console);

} // namespace trainscope::cli
