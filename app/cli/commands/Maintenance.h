#pragma once
// What the commands that work on a whole database share.

#include "app/cli/console/Console.h"
#include "app/cli/console/ProgressLine.h"
#include "core/model/Import.h"
#include "core/store/Store.h"
#include "core/store/Writing.h"

#include <string>

namespace trainscope::cli {

// Draws what it is told on the line, and says stop after Ctrl+C. Both must outlive it.
Progress shownOn(ProgressLine& line, const Console& console);

// "The database takes 1.2 GB, 300 MB less than before."
std::string vacuumText(const store::VacuumOutcome& outcome);

} // namespace trainscope::cli
