#include "app/viewmodels/importing/GpuHints.h"

#include "core/catalogue/GpuGuess.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace trainscope::app {

namespace {

std::string folderOf(const importers::ImportUnit& unit) {
    return std::filesystem::path(unit.path).parent_path().string();
}

std::optional<QString> gpuNamedIn(std::vector<std::string> names) {
    catalogue::GpuTraces traces;
    traces.names = std::move(names);
    const auto guess = catalogue::guessGpuModel(traces);
    return guess ? std::optional(QString::fromStdString(catalogue::inferredName(*guess->model)))
                 : std::nullopt;
}

} // namespace

void addGpuHints(std::vector<ImportRow>& rows) {
    std::map<std::string, std::vector<std::string>> folders;
    for (const ImportRow& row : rows)
        folders[folderOf(row.unit)].push_back(row.unit.path);
    std::map<std::string, std::optional<QString>> named;
    for (auto& [folder, names] : folders)
        named[folder] = gpuNamedIn(std::move(names));
    for (ImportRow& row : rows) {
        if (!row.unit.gpuModel.empty()) {
            row.gpuHint = QString::fromStdString(row.unit.gpuModel);
            continue;
        }
        if (const auto* beside = catalogue::findGpuModel(row.unit.gpuBeside)) {
            row.gpuHint = QString::fromStdString(catalogue::inferredName(*beside));
            continue;
        }
        std::vector<std::string> own{row.unit.runName, row.unit.path};
        own.insert(own.end(), row.unit.files.begin(), row.unit.files.end());
        const auto told = gpuNamedIn(std::move(own));
        row.gpuHint = (told ? told : named[folderOf(row.unit)]).value_or(QString());
    }
}

} // namespace trainscope::app
