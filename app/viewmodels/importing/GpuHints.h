#pragma once
// What the import sheet can tell of the GPUs of sources before they are read.

#include "app/viewmodels/importing/ImportPlanModel.h"

#include <vector>

namespace trainscope::app {

// Fills gpuHint: what was recorded of the GPUs, else what names tell: of the unit and its files,
// else of what lies in its folder.
void addGpuHints(std::vector<ImportRow>& rows);

} // namespace trainscope::app
