#include "importers/registry/MachineUnits.h"

#include "importers/common/RunFolders.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace trainscope::importers {

namespace {

struct Found {
    std::string folder;
    std::vector<std::string> runs;
};

Found runsBeside(const std::vector<ImportUnit>& units, const ImportUnit& unit) {
    for (std::string folder(folderPart(unit.path));; folder = folderPart(folder)) {
        const auto runs = runsInside(units, folder);
        if (!runs.empty() || folder.empty())
            return {folder, {runs.begin(), runs.end()}};
    }
}

void describe(ImportUnit& unit) {
    const auto& runs = unit.machine->runs;
    if (runs.empty()) {
        unit.notes.emplace_back(
            "Describes the machine of a run, and none lies beside it: say of which.");
        return;
    }
    unit.notes.push_back(runs.size() == 1 ? "Describes the machine of the run that lies beside it."
                                          : "Describes the machines of the "
                + std::to_string(runs.size()) + " runs that lie beside it.");
}

// Cards with known speeds say more than a matrix of kinds.
bool hasSpeeds(const ImportUnit& unit) {
    return unit.summary.starts_with("NCCL");
}

} // namespace

std::set<std::string> runsInside(const std::vector<ImportUnit>& units, std::string_view folder) {
    std::set<std::string> names;
    for (const ImportUnit& unit : units) {
        if (!unit.machine && !unit.files.empty() && isInside(unit.files.front(), folder))
            names.insert(unit.runName);
    }
    return names;
}

void joinMachinesToRuns(std::vector<ImportUnit>& units) {
    std::vector<std::pair<std::size_t, std::size_t>> order; // depth of the folder, unit
    for (std::size_t i = 0; i < units.size(); ++i) {
        if (!units[i].machine)
            continue;
        Found found = runsBeside(units, units[i]);
        units[i].machine->runs = std::move(found.runs);
        order.emplace_back(found.folder.size(), i);
    }
    // The deeper folder is the nearer one, of files with as much in them.
    std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first
                                  : hasSpeeds(units[a.second]) > hasSpeeds(units[b.second]);
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
        describe(unit);
    }
}

} // namespace trainscope::importers
