#pragma once
// Traced passes of each stage of a pipeline in one iteration: those of the rank that speaks for the
// stage, on the clock that all share.

#include "core/analysis/schedule/Pass.h"
#include "core/analysis/schedule/TracedSchedule.h"
#include "core/layout/Layout.h"

namespace trainscope::analysis {

struct StageTrace {
    int rank = -1; // -1: not traced
    TimeRange covered; // part of the iteration that the trace shows, on the reference clock
    std::vector<Pass> passes; // as they were cut, on the reference clock
};

struct StageTraces {
    layout::Layout layout;
    std::vector<StageTrace> stages;
    std::optional<std::int64_t> iteration;
    std::string_view evidence; // source that tells most kernels' passes, for people; empty: none
    std::string layoutWording; // source of the layout
    std::vector<std::string> notes;
};

// Errors as tracedSchedule().
Result<StageTraces> readStageTraces(const RunStudy& study, std::optional<std::int64_t> iteration);

} // namespace trainscope::analysis
