#pragma once
// `trainscope-cli import prom+http://…` as plain steps: from options to a copy or a link, and what
// came of it as the outcome of an import.

#include "app/cli/commands/ImportJob.h"

#include <string>
#include <vector>

namespace trainscope::cli {

// Options of the command line besides the address.
struct EngineOptions {
    std::string match;
    std::string from;
    std::string to = "now";
    std::string step;
    bool link = false;
    std::string mapFile;
    std::string tokenFile;
    std::string user;
    std::string passwordFile;
    std::string caFile;
    std::string tenant;
    std::vector<std::string> headers;
    int questions = 4;
};

// Usage for options without an address, those of files with one, addresses beside files, and a time
// that is missing.
Status checkSources(const ImportRequest& request, const EngineOptions& options);
// Fails as runImportJob() does, or where nothing could be had.
Result<ImportOutcome> runEngineJob(
    const ImportRequest& request, const EngineOptions& options, const Console& console);

} // namespace trainscope::cli
