#pragma once
// Attempts: logs of programs without a single reading, and the errors that ended them.

#include "importers/common/Importer.h"

namespace trainscope::importers {

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
