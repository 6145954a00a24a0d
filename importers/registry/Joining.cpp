#include "importers/registry/Joining.h"

#include "importers/common/RunFolders.h"

#include <map>
#include <set>
#include <string>

namespace trainscope::importers {

namespace {

constexpr std::string_view kLogs = "nvsmi";

std::string logFolder(const ImportUnit& unit) {
    return std::string(folderPart(unit.files.front()));
}

// Names of the runs with a unit in that folder or below.
std::set<std::string> runsBelow(const std::vector<ImportUnit>& units, std::string_view folder) {
    std::set<std::string> names;
    for (const ImportUnit& unit : units) {
        if (unit.importer != kLogs && !unit.machine && !unit.files.empty()
            && isInside(unit.files.front(), folder))
            names.insert(unit.runName);
    }
    return names;
}

void propose(ImportUnit& unit, const std::string& run) {
    if (unit.runName == run)
        return;
    unit.runName = run;
    unit.notes.push_back("Proposed as part of run \"" + run + "\", which lies beside it.");
}

} // namespace

void joinLogsToRuns(const SourceTree& tree, std::vector<ImportUnit>& units) {
    std::map<std::string, int> logsIn;
    for (const ImportUnit& unit : units) {
        if (unit.importer == kLogs)
            ++logsIn[logFolder(unit)];
    }
    if (logsIn.empty())
        return;
    const RunFolders folders(tree);
    for (ImportUnit& unit : units) {
        if (unit.importer != kLogs || logsIn[logFolder(unit)] != 1)
            continue;
        const auto runFolder = folders.folderOf(unit.files.front());
        const auto runs = runsBelow(units, runFolder ? *runFolder : logFolder(unit));
        if (runFolder && runs.contains(folders.nameOf(*runFolder)))
            propose(unit, folders.nameOf(*runFolder));
        else if (runs.size() == 1)
            propose(unit, *runs.begin());
    }
}

} // namespace trainscope::importers
