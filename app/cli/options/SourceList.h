#pragma once
// The sources of an import as the user typed them: folders, and files; files of one folder belong
// together, so that the traces of several ranks given by name join one run as they would when their
// folder is given.

#include "core/model/Result.h"
#include "importers/common/Source.h"

#include <memory>
#include <string>
#include <vector>

namespace trainscope::cli {

struct OpenedSource {
    std::unique_ptr<importers::SourceTree> tree;
    bool isNamedFiles = false; // files given by name, not a folder
};

struct SourceList {
    std::vector<OpenedSource> sources;
    std::vector<Error> failures; // sources that cannot be opened
};

// Cancelled by the progress, which sees archives being listed.
Result<SourceList> openSources(const std::vector<std::string>& paths, const Progress& progress);

} // namespace trainscope::cli
