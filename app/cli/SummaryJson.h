#pragma once
// A run's summary in the shape of design section 8. Keys that do not apply are absent.

#include "app/cli/Json.h"
#include "core/analysis/Summary.h"

namespace trainscope::cli {

Json summaryJson(const analysis::RunSummary& summary);

} // namespace trainscope::cli
