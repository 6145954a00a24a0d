#include "app/cli/figures/FigureFiles.h"

#include "app/cli/options/RunSelection.h"
#include "app/painting/FigureSources.h"
#include "app/painting/WriteFile.h"

#include <filesystem>

namespace trainscope::cli {

Result<QStringList> writeFigureFiles(const FigureContent& content, const store::Store& store,
    FigureArguments& arguments, const app::FigureOptions& options) {
    app::FigureOptions described = options;
    described.metadata.title = QString::fromStdString(content.title);
    described.metadata = app::describedBy(store, content.runs, described.metadata);
    auto written = content.draw(QString::fromStdString(arguments.out), described);
    if (!written.hasValue())
        return written;
    if (arguments.csv.empty())
        arguments.csv = std::filesystem::path(arguments.out).replace_extension(".csv").string();
    const Status numbers = app::writeFile(
        QString::fromStdString(arguments.csv), QByteArray::fromStdString(content.csv));
    if (!numbers.hasValue())
        return numbers.error();
    return written;
}

Result<Run> runOfFigure(const FigureArguments& arguments, const store::Store& store) {
    if (arguments.runs.size() > 1)
        return Error{ErrorCode::Usage,
            "A figure of the kind " + arguments.kind + " shows one run; give --run once.", {}};
    return selectRunOrOnly(store, arguments.runs.empty() ? std::string() : arguments.runs.front());
}

Error noSuchStatistic(const std::string& given) {
    return {ErrorCode::Usage,
        "There is no statistic '" + given + "'; there are mean, peak, p99, min, total and energy.",
        {}};
}

Progress untilCancelled(const Console& console) {
    return [&console](const ProgressState&) { return !console.isCancelled(); };
}

} // namespace trainscope::cli
