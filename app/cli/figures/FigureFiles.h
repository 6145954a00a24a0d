#pragma once
// What the kinds of figures have in common: how the command gets at the run of a figure, and how a
// figure and the numbers behind it become files.

#include "app/cli/console/Console.h"
#include "app/cli/figures/FigureRequest.h"
#include "app/painting/FigureExport.h"
#include "core/model/Import.h"
#include "core/store/Store.h"

#include <QStringList>

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::cli {

struct FigureContent {
    std::string title;
    std::vector<std::pair<RunId, std::string>> runs; // that it shows
    // Draws it to a file, with the description in the options. The value are warnings.
    std::function<Result<QStringList>(const QString& path, const app::FigureOptions& options)> draw;
    std::string csv;
};

// Writes the figure (arguments.out) and its numbers (arguments.csv; empty: beside the figure, which
// fills it in). The value are warnings for the user.
Result<QStringList> writeFigureFiles(const FigureContent& content, const store::Store& store,
    FigureArguments& arguments, const app::FigureOptions& options);

// Of a figure that shows one run; Usage where several are given, or none of several.
Result<Run> runOfFigure(const FigureArguments& arguments, const store::Store& store);

Error noSuchStatistic(const std::string& given);

// Goes on until the user cancels. The console must outlive it.
Progress untilCancelled(const Console& console);

} // namespace trainscope::cli
