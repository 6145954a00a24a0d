#pragma once
// An import from what a user gives to runs in a database, for the window and the command line
// alike: planGiven() opens the paths as one tree and says what is in them; the caller lets its user
// change the plan; importPlanned() carries it out. Both run on the caller's thread.

#include "app/importing/GivenPaths.h"
#include "app/importing/ImportFields.h"
#include "app/importing/ImportRunner.h"
#include "importers/registry/MachineEvidence.h"

namespace trainscope::app {

// Brings the sources of an import to the runs that a database has of the same machine and time, as
// they are brought to each other.

// `units`: of all plans of the import. Nothing of the database is looked at where it is not there
// or cannot be read, which its import tells. Cancelled by progress.
void joinRunsThere(std::vector<importers::PlannedUnit> units, const std::filesystem::path& database,
    const Progress& progress);

struct ImportSources {
    std::vector<std::string> paths; // files, folders and run databases
    std::string format = {}; // id of an importer; empty: by content
    SaidOfAll said = {};
    // The database whose runs the sources may be of; empty, or not there: of none.
    std::filesystem::path database = {};
};

struct SaidMachine {
    std::string gpuModel; // empty: as recorded, else inferred
    std::vector<int> airflow; // local indices from front to rear; empty: as temperatures tell
};

struct PlannedImport {
    GivenPaths given;
    importers::ImportPlan plan; // run databases behind all else
    // The same units as parts of the runs that ImportSources::database has; empty: it is not there.
    std::vector<importers::ImportUnit> unitsThere;
    std::map<std::string, SaidMachine> machines; // as the user says, by run
};

// Fails where nothing can be planned at all, and when it is cancelled; paths that cannot be opened
// are among given.failures.
Result<PlannedImport> planGiven(const ImportSources& sources, const Progress& progress);

// Edits of a plan.
// Topologies that lie beside no run are of all runs of the import whose GPUs they fit.
void describeAllRuns(std::vector<importers::ImportUnit>& units);
// Renames the runs: to `name` where there is one, else to name/run.
void nameRuns(PlannedImport& planned, const std::string& name);

// As runImport(); then states the machines of the runs of which something was imported, whose
// errors are remarks in their reports.
Result<std::vector<UnitOutcome>> importPlanned(const PlannedImport& planned,
    const std::filesystem::path& database, const ImportListener& listener);

} // namespace trainscope::app
