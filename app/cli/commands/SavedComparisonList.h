#pragma once
// `compare --list`: the comparisons that a database keeps by name.

#include "app/cli/console/Console.h"
#include "core/store/Store.h"

namespace trainscope::cli {

ExitStatus printSavedComparisons(const store::Store& store, bool json, const Console& console);

} // namespace trainscope::cli
