#pragma once
// The object that a command prints with --json and no other option, for one run: what a page shows.
// Cancelled by the studies' progress. Thread: the studies'.

#include "app/cli/text/Json.h"
#include "core/analysis/RunStudy.h"

namespace trainscope::cli {

Result<Json> overviewAnswer(const analysis::RunStudies& studies, const Run& run);
Result<Json> kernelsAnswer(const analysis::RunStudies& studies, const Run& run);
// The run's own object, without the list of "runs" around it.
Result<Json> summaryAnswer(const analysis::RunStudies& studies, const Run& run);

} // namespace trainscope::cli
