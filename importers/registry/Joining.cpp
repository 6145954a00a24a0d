#include "importers/registry/PlanSteps.h"

#include "importers/common/RunFolders.h"
#include "importers/launch/LaunchFiles.h"
#include "importers/registry/Registry.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace trainscope::importers {

namespace {

const Format& formatOf(const ImportUnit& unit) {
    static constexpr Format kUnknown{};
    const Importer* importer = findImporter(unit.importer);
    return importer == nullptr ? kUnknown : importer->format;
}

// Names of the units' runs with files in the folder or below. Descriptions of machines are no runs.
std::set<std::string> runsInside(const std::vector<ImportUnit>& units, std::string_view folder) {
    std::set<std::string> names;
    for (const ImportUnit& unit : units) {
        if (!unit.machine && !unit.files.empty() && isInside(unit.files.front(), folder))
            names.insert(unit.runName);
    }
    return names;
}

struct RunsOfFolder {
    std::string folder;
    std::vector<std::string> runs;
};

// Runs of the folder that it lies in; inside a run that is the run's folder.
RunsOfFolder describedRuns(
    const RunFolders& runs, const std::vector<ImportUnit>& units, const ImportUnit& unit) {
    const std::string folder
        = runs.folderOf(unit.path).value_or(std::string(folderPart(unit.path)));
    const auto names = runsInside(units, folder);
    return {folder, {names.begin(), names.end()}};
}

void noteMachine(ImportUnit& unit) {
    const auto& runs = unit.machine->runs;
    if (runs.empty())
        unit.notes.emplace_back(
            "Describes the machine of a run, and none lies in its folder: say of which.");
    else if (runs.size() == 1)
        unit.notes.emplace_back("Describes the machine of the run that lies beside it.");
    else
        unit.notes.push_back("Describes the machines of those of the " + std::to_string(runs.size())
            + " runs beside it whose GPUs are of its kind and number.");
}

} // namespace

void attachLaunchFiles(const SourceTree& tree, std::vector<ImportUnit>& units) {
    const RunFolders runs(tree);
    launch::RunsByPlace places;
    for (const ImportUnit& unit : units) {
        for (const std::string& file : unit.machine ? std::vector<std::string>() : unit.files) {
            places[file].insert(unit.runName);
            places[std::string(folderPart(file))].insert(unit.runName);
        }
    }
    const launch::LaunchFiles files(tree, std::move(places));
    for (ImportUnit& unit : units) {
        if (formatOf(unit).launch != LaunchSettings::Beside || unit.files.empty())
            continue;
        const std::string& first = unit.files.front();
        launch::LaunchMatch match = files.find(
            runs.folderOf(first).value_or(std::string(folderPart(first))), unit.runName);
        if (!match.paths.empty())
            unit.notes.push_back("Launch configuration: " + match.config.origin + ".");
        if (!match.note.empty())
            unit.notes.push_back(match.note);
        unit.launchFiles = std::move(match.paths);
    }
}

void joinMachinesToRuns(const SourceTree& tree, std::vector<ImportUnit>& units) {
    const RunFolders folders(tree);
    std::vector<std::pair<std::size_t, std::size_t>> order; // depth of the folder, unit
    for (std::size_t i = 0; i < units.size(); ++i) {
        if (!units[i].machine)
            continue;
        RunsOfFolder found = describedRuns(folders, units, units[i]);
        units[i].machine->runs = std::move(found.runs);
        order.emplace_back(found.folder.size(), i);
    }
    // The deeper folder is the nearer one; of equally near ones the better informed wins.
    std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
        return a.first != b.first
            ? a.first > b.first
            : units[a.second].machine->hasSpeeds > units[b.second].machine->hasSpeeds;
    });
    std::map<std::string, std::string> described; // run → by which file
    for (const auto& [depth, i] : order) {
        ImportUnit& unit = units[i];
        auto& runs = unit.machine->runs;
        const std::string before = runs.empty() ? std::string() : runs.front();
        std::string other;
        std::erase_if(runs, [&](const std::string& run) {
            const auto known = described.find(run);
            if (known == described.end())
                return false;
            other = known->second;
            return true;
        });
        if (!other.empty() && runs.empty()) {
            unit.enabled = false;
            runs = {before};
            unit.notes.push_back("Not imported: " + other + " describes the same machine.");
            continue;
        }
        for (const std::string& run : runs)
            described.emplace(run, unit.path);
        noteMachine(unit);
    }
}

} // namespace trainscope::importers
