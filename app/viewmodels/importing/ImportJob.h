#pragma once
// The work behind the import sheet, for a worker thread.

#include "app/importing/ImportRunner.h"
#include "app/viewmodels/workspace/WorkBoard.h"
#include "importers/common/Source.h"

#include <QString>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace trainscope::app {

struct SaidMachine {
    std::string gpuModel; // empty: as recorded, else inferred
    std::vector<int> airflow; // local indices from front to rear; empty: as temperatures tell
};

struct PlannedImport {
    std::shared_ptr<const importers::SourceTree> tree;
    importers::ImportPlan plan;
    // The same units as parts of the runs that the open database has; empty: none is open.
    std::vector<importers::ImportUnit> openUnits;
    std::map<std::string, SaidMachine> machines; // what the user says of them, by run
    QString openTarget; // the database that was open meanwhile, where it takes runs; empty: none
    QString newTarget; // proposed otherwise
};

struct FinishedImport {
    std::vector<UnitOutcome> outcomes;
    bool wroteAnything = false;
};

// `open`: the database whose runs the sources may be of; empty: none.
Result<PlannedImport> planDropped(const std::vector<std::filesystem::path>& paths,
    const std::filesystem::path& open, WorkBoard& board);

Result<FinishedImport> importPlanned(
    const PlannedImport& planned, const std::filesystem::path& database, WorkBoard& board);

} // namespace trainscope::app
