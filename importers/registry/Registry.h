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

// Attempts: logs of programs without a single reading, and the errors that ended them.

// Marks files that nobody recognised as attempts where they are a program's log, and makes attempts
// of units with lines of NCCL alone that end by an error.
void findAttempts(const SourceTree& tree, ImportPlan& plan);

// The error that ended a program, of the last lines that it printed: of what ran out of memory, of
// Python, of NCCL and CUDA, of the launcher, in this order. Empty: none shows.
std::string errorThatEnded(std::string_view lastLines);

// The attempts alone, or all else; logs that repeat an attempt's are in neither.
std::vector<Unrecognised> onlyAttempts(std::vector<Unrecognised> files, bool areAttempts);

// A line for each folder with attempts, of upper ones where there are more than ten: "exp/node1: 7
// attempts recorded nothing; 6 ended by: …".
std::vector<std::string> attemptLines(const std::vector<Unrecognised>& files);

} // namespace trainscope::importers
