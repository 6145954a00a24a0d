#pragma once
// Hints of the import sheet at the GPUs of sources, before these are read.

#include "app/viewmodels/importing/ImportPlanModel.h"

#include <vector>

namespace trainscope::app {

// Fills gpuHint: what was recorded of the GPUs, else what the files beside it agree on, else what
// the names of the unit and of its files tell.
void addGpuHints(std::vector<ImportRow>& rows);

} // namespace trainscope::app
