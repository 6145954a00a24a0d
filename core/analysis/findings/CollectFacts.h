#pragma once
// The facts of a run (RunFacts.h), read from the store.

#include "core/analysis/findings/Findings.h"
#include "core/analysis/findings/RunFacts.h"
#include "core/model/Import.h"
#include "core/store/Store.h"

namespace trainscope::analysis {

// Cancelled by progress.
Result<RunFacts> collectFacts(const store::Store& store, const Run& run,
    const FindingsOptions& options = {}, const Progress& progress = {});

} // namespace trainscope::analysis
