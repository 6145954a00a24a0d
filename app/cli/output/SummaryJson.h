#pragma once
// The summary of a run, and the report of an import, as JSON. Keys that do not apply are absent.

#include "app/cli/text/Json.h"
#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/statistics/Summary.h"
#include "core/model/Import.h"

namespace trainscope::cli {

Json summaryJson(const analysis::RunSummary& summary);

// The window that the figures of that object are of.
void addWindow(Json& run, const analysis::SteadyState& steady);

// The report on a source, in `import --json` and `info --json`.
Json reportJson(const ImportReport& report);

} // namespace trainscope::cli
