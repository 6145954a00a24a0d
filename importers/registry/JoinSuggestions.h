#pragma once
// Runs of a plan that could be one, and how a user makes them one.

#include "importers/common/Importer.h"

namespace trainscope::importers {

// Runs that are alike by name, folder and time, and do not contradict each other; at most 20. Joins
// nothing. Reads logs that were not read for the plan.
std::vector<JoinSuggestion> suggestJoins(
    const SourceTree& tree, std::vector<ImportUnit>& units, const Progress& progress);

// Makes one run of those, under the name of the first. Ranks that two of them have at one time, of
// other processes, become others behind those of the first. Suggestions that this settles go. Fails
// with Usage where the plan has no run of a name.
Status joinRuns(const SourceTree& tree, ImportPlan& plan, const std::vector<std::string>& names);

} // namespace trainscope::importers
