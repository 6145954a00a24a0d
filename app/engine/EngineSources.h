#pragma once
// Entries of an engine's copy among the sources of a database, one per part, and the search for
// parts that are there already.

#include "app/engine/EngineImport.h"
#include "core/store/Store.h"
#include "importers/engine/Parts.h"

#include <set>
#include <string>
#include <vector>

namespace trainscope::app {

// "prom+http://host:9090/?match={job="dcgm"}&run=job 12": without the node.
std::string sourceBase(const EngineRequest& request, const std::string& runName);
std::string sourceOf(const std::string& base, const std::string& node);

// Facts that all parts of a copy share; kept with each of them.
struct CopyFacts {
    std::string asked; // "-2h to now, every sample"
    TimeRange range;
    std::string roster; // short text that names ranks: equal texts mean the same ranks
    std::size_t parts = 0;

    void write(ImportReport& report) const;
    static std::optional<CopyFacts> read(const ImportReport& report);
};
std::string askedText(const EngineRequest& request);
std::string rosterText(const importers::engine::Roster& roster);

// An earlier call of the same import that has not come to its end.
struct Unfinished {
    CopyFacts facts;
    std::string runName;
    std::set<std::string> complete; // paths of its sources
};
Result<std::optional<Unfinished>> unfinishedCopy(
    const store::Store& store, const EngineRequest& request);

} // namespace trainscope::app
