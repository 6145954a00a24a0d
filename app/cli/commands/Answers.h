#pragma once
// The object that a command prints with --json and no other option, for one run: what a page shows.
// Cancelled by the studies' progress. Thread: the studies'.

#include "app/cli/text/Json.h"
#include "core/analysis/RunStudy.h"

namespace trainscope::cli {

Result<Json> overviewAnswer(const analysis::RunStudies& studies, const Run& run);
Result<Json> kernelsAnswer(const analysis::RunStudies& studies, const Run& run);
Result<Json> summaryAnswer(const analysis::RunStudies& studies, const Run& run); // no "runs" around
                                                                                 // it
} // namespace trainscope::cli
