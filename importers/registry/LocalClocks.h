#pragma once
// The zone of clocks that do not say theirs, from another source of the same run or folder that
// knows its machine's: traces keep their start in UTC and in local time.

#include "importers/common/Importer.h"

#include <vector>

namespace trainscope::importers {

// Fills utcOffsetSeconds of units with ClockKind::Local that have none, where a unit in UTC says
// its machine's, and the two then begin within an hour of each other. Each gets a note that says
// so.
void findLocalClocks(std::vector<ImportUnit>& units);

} // namespace trainscope::importers
