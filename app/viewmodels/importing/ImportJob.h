#pragma once
// The work behind the import sheet, for a worker thread.

#include "app/importing/ImportRunner.h"
#include "app/viewmodels/workspace/WorkBoard.h"
#include "importers/common/Source.h"

#include <filesystem>
#include <memory>
#include <vector>

namespace trainscope::app {

struct PlannedImport {
    std::shared_ptr<const importers::SourceTree> tree;
    importers::ImportPlan plan;
};

struct FinishedImport {
    std::vector<UnitOutcome> outcomes;
    bool wroteAnything = false;
};

Result<PlannedImport> planDropped(
    const std::vector<std::filesystem::path>& paths, WorkBoard& board);

Result<FinishedImport> importPlanned(
    const PlannedImport& planned, const std::filesystem::path& database, WorkBoard& board);

} // namespace trainscope::app
