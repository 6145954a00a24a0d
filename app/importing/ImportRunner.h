#pragma once
// One import from end to end, for the window and the command line alike: units of a plan into a run
// database, one transaction each. Runs on the caller's thread; call it from a worker.

#include "importers/registry/Registry.h"

namespace trainscope::app {

// ImportUnit::importer of a run database, whose runs are merged. Its runName is empty where these
// keep their names or join those of the same job or machine; "name/" stands before each, and any
// other name is that of them all.
inline constexpr std::string_view kRunDatabase = "run database";
inline bool isRunDatabase(const importers::ImportUnit& unit) {
    return unit.importer == kRunDatabase;
}

struct UnitOutcome {
    importers::ImportUnit unit; // a run database's has the names that its runs got
    std::vector<std::string> runs = {}; // names of those that got something
    std::optional<ImportReport> report = {}; // absent when it failed
    std::optional<Error> error = {};
};

struct ImportProgress {
    std::size_t unit = 0; // index into the plan's units
    std::string phase;
    std::uint64_t unitBytesDone = 0; // read, as on disk
    std::uint64_t unitBytesTotal = 0;
    std::uint64_t bytesDone = 0; // over all enabled units
    std::uint64_t bytesTotal = 0;
    // Share of the unit's work, 0 to 1 and never falling; work goes on when everything is read.
    double unitFraction = 0.0;
    double fraction = 0.0; // over all enabled units
};
// True for an error of the database that takes the import: going on makes no sense.
bool isOfDatabase(const Error& error);

// Returns false to stop: the unit under way is undone, finished ones stay.
using ImportListener = std::function<bool(const ImportProgress&)>;

// A database that this call created and in which nothing was kept is removed again, unless another
// program has it open.
// Outcomes of the enabled units, in order, those without dates behind the telemetry that they are
// placed by, then run databases, and descriptions of machines behind the runs. Stops early only
// when the database itself fails or on cancel (then the last outcome carries ErrorCode::Cancelled).
Result<std::vector<UnitOutcome>> runImport(const importers::SourceTree& tree,
    const importers::ImportPlan& plan, const std::filesystem::path& database,
    const ImportListener& listener);

} // namespace trainscope::app
