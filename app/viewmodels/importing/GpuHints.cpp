#include "app/viewmodels/importing/GpuHints.h"

#include "app/viewmodels/text/ShownText.h"
#include "core/catalogue/GpuGuess.h"

#include <optional>
#include <string>
#include <utility>

namespace trainscope::app {

namespace {

std::optional<QString> gpuNamedIn(std::vector<std::string> names) {
    catalogue::GpuTraces traces;
    traces.names = std::move(names);
    const auto guess = catalogue::guessGpuModel(traces);
    return guess ? std::optional(QString::fromStdString(catalogue::inferredName(*guess->model)))
                 : std::nullopt;
}

} // namespace

void addGpuHints(std::vector<ImportRow>& rows) {
    for (ImportRow& row : rows) {
        if (!row.unit.gpuModel.empty()) {
            row.gpuHint = shownLine(row.unit.gpuModel);
            continue;
        }
        if (const auto* beside = catalogue::findGpuModel(row.unit.gpuBeside)) {
            row.gpuHint = QString::fromStdString(catalogue::inferredName(*beside));
            continue;
        }
        std::vector<std::string> own{row.unit.runName, row.unit.path};
        own.insert(own.end(), row.unit.files.begin(), row.unit.files.end());
        row.gpuHint = gpuNamedIn(std::move(own)).value_or(QString());
    }
}

} // namespace trainscope::app
