#pragma once
// The explicit list of formats, and the first step of an import: what is in this folder?
// Thread-safe: no state.

#include "importers/common/Importer.h"

namespace trainscope::importers {

// Those that describe machines stand behind those that make the runs.
const std::vector<const Importer*>& registry();
const Importer* findImporter(std::string_view id); // nullptr: there is none
// One of the words that the formats say of themselves, of each: "charllm, kineto".
std::string formatList(std::string_view Format::*words);
Status checkFormat(std::string_view format); // Usage for an id that no format has; empty: any

// Sniffs every file of the tree and lets each importer group its own. `onlyFormat` restricts to one
// importer. Cancelled by progress. Nothing usable at all is still a plan: all files in
// `unrecognised`.
Result<ImportPlan> planImport(
    const SourceTree& tree, const Progress& progress, std::string_view onlyFormat = {});

} // namespace trainscope::importers
