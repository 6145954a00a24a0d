#pragma once
// Which column tells the GPUs of a log apart, or how their rows alternate.

#include "importers/nvsmi/Guess.h"
#include "importers/nvsmi/Layout.h"

namespace trainscope::importers::nvsmi {

// Sets gpu, rhythm, clock and the counts of `layout` from the first rows.
void settleIdentity(Layout& layout, const std::vector<Cells>& rows);

} // namespace trainscope::importers::nvsmi
