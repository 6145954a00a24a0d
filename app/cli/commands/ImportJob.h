#pragma once
// `trainscope-cli import` around the import itself (app/importing/Import.h): from options to a
// plan, and what came of it.

#include "app/cli/console/Console.h"
#include "app/importing/ImportFields.h"
#include "app/importing/ImportRunner.h"
#include "importers/common/Importer.h"
#include "importers/registry/TracedGpus.h"

namespace CLI {
class App;
}

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

// Sources that are no files. A program with a network stack gives one
// (app/drawing/RemoteEngines.cpp); one without it reads files alone.
class RemoteSources {
public:
    RemoteSources() = default;
    RemoteSources(const RemoteSources&) = delete;
    RemoteSources& operator=(const RemoteSources&) = delete;
    virtual ~RemoteSources() = default;

    // Options beside the address; their values are kept until the import runs.
    virtual void addOptions(CLI::App& command) = 0;
    // The part of the help that is about them, before the examples; and their examples.
    [[nodiscard]] virtual const char* help() const = 0;
    [[nodiscard]] virtual const char* examples() const = 0;
    // Usage for options without an address, those of files with one, addresses beside files, and a
    // time that is missing.
    [[nodiscard]] virtual Status check(const ImportRequest& request) const = 0;
    // Fails as runImportJob() does, or where nothing could be had.
    [[nodiscard]] virtual Result<ImportOutcome> run(
        const ImportRequest& request, const Console& console) const = 0;
};

} // namespace trainscope::cli
