#pragma once
// The summary of a run as JSON. Keys that do not apply are absent.

#include "app/cli/text/Json.h"
#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/statistics/Summary.h"

namespace trainscope::cli {

Json summaryJson(const analysis::RunSummary& summary);

// The window that the figures of that object are of.
void addWindow(Json& run, const analysis::SteadyState& steady);

} // namespace trainscope::cli
