#pragma once
// The explicit list of importers, and the two steps of an import: plan (what is in this folder?)
// and run (read one unit into a database session). Thread-safe: no state.

#include "importers/common/Importer.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace trainscope::importers {

const std::vector<std::unique_ptr<Importer>>& registry();
const Importer* findImporter(std::string_view id);

// Sniffs every file of the tree and lets each importer group its own. `onlyFormat` restricts to one
// importer. Cancelled by progress. Nothing usable at all is still a plan: all files in
// `unrecognised`.
Result<ImportPlan> planImport(
    const SourceTree& tree, const Progress& progress, std::string_view onlyFormat = {});

// Hash of the unit's files (names, sizes, contents' XXH3), as kept with the source.
Result<std::string> hashUnit(
    const SourceTree& tree, const ImportUnit& unit, const Progress& progress);

} // namespace trainscope::importers
