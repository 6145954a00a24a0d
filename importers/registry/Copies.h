#pragma once
// Finds sources that are there twice: files of the same bytes, and logs whose lines are those of
// another one, with prefixes or further lines around them, as a container's runtime keeps them.

#include "importers/common/Importer.h"

namespace trainscope::importers {

// Switches off those that are copies of other units (copyOf), each with a note that says so; of two
// logs the one with more readings stays. Attempts that repeat another one of their folder are
// attempts no longer. Reads files in step, in 4 MB of memory. False: stopped by progress.
bool leaveOutCopies(const SourceTree& tree, ImportPlan& plan, const Progress& progress);

} // namespace trainscope::importers
