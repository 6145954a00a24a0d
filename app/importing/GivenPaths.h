#pragma once
// Paths that a user gives to import, on the command line or by dropping them: one source tree whose
// root holds them all, so that what is given together is planned together, and what lies apart lies
// apart there too. Any thread.

#include "importers/common/Importer.h"

namespace trainscope::app {

struct GivenPath {
    std::string path; // in the tree; empty: its root
    bool isFolder = false;
};

// A run database as a source: it is merged, see ImportRunner.h.
struct GivenDatabase {
    std::string path; // as displayPath() takes it; it is none of the tree's files
    std::uint64_t bytes = 0;
    std::vector<std::string> runs; // their names
    std::string problem; // reason that it cannot be read; empty: it can
};

struct GivenPaths {
    std::shared_ptr<const importers::SourceTree> tree;
    std::vector<GivenPath> paths;
    std::vector<GivenDatabase> databases;
    std::vector<Error> failures; // paths that cannot be opened
};

// Usage where there is none; Cancelled by the progress, which sees archives being listed. A single
// folder or file is the tree as openDiskTree() makes it.
Result<GivenPaths> openGiven(const std::vector<std::string>& paths, const Progress& progress = {});

// Names runs as if each of the given paths were alone: below the folder that was given, or that the
// file lies in. Runs that would then have one name keep as much of the folders above as tells them
// apart.
void nameBelowGiven(const GivenPaths& given, std::vector<importers::ImportUnit>& units);

} // namespace trainscope::app
