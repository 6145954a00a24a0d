#pragma once
// Sums over the traces of a database that lacks them, as older ones and those whose import was
// stopped do.

#include "app/cli/commands/Command.h"

namespace trainscope::cli {

// Computed once, before anything is read, since whoever reads keeps others from writing. If they
// cannot be stored, a message says so, and the traces are read instead.
enum class NeededSums { CallTrees, All };
Status keepMissingSums(const OneRunOptions& options, NeededSums needed, const Console& console,
    const Progress& progress);

} // namespace trainscope::cli
