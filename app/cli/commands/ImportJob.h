#pragma once
// `trainscope-cli import` around the import itself (app/importing/Import.h): from options to a
// plan, and what came of it.

#include "app/cli/console/Console.h"
#include "app/importing/ImportFields.h"
#include "app/importing/ImportRunner.h"
#include "importers/common/Importer.h"
#include "importers/registry/TracedGpus.h"

#include <set>
#include <string>
#include <vector>

namespace trainscope::cli {

struct ImportRequest {
    std::vector<std::string> sources;
    std::string database;
    std::string name; // name of the run; a prefix where the sources hold several; empty: as found
    bool isOneRun = false; // all that the sources hold is of the run of that name
    importers::RecordedGpus gpus; // the run's GPUs, if it was recorded; each trace is of one
    std::string format; // id of an importer; empty: by content
    app::SaidOfAll said; // fills in the facts that sources leave open
    std::vector<std::string> columns; // table columns, "P_tot=gpu_power[mW]"
    std::vector<std::string> joins; // runs that become one, "A,B"
};

struct ImportOutcome {
    std::vector<app::UnitOutcome> units;
    std::vector<importers::Unrecognised> unrecognised; // absolute paths; attempts among them
    std::vector<importers::JoinSuggestion> suggestions;
    std::vector<importers::ImportUnit> leftOut; // planned but disabled, with notes
    std::vector<Error> failures; // sources that could not be opened or held nothing usable
    bool cancelled = false;
    bool databaseFailed = false; // it could not take what was read
    std::set<std::string> partialRuns; // those marked so
    bool isPartial = false; // a file given by name was not recognised

    [[nodiscard]] std::size_t done() const;
    [[nodiscard]] ExitStatus status() const;
};

// Fails only on wrong usage or when the database is refused; all else is in the outcome.
Result<ImportOutcome> runImportJob(const ImportRequest& request, const Console& console);

} // namespace trainscope::cli
