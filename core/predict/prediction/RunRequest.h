#pragma once
// The job of a run that was made, as it would be asked for: from its launch configuration, its
// layout and its GPUs. Any thread that owns the store. And a predicted job as a run would have it.

#include "core/analysis/RunStudy.h"
#include "core/predict/prediction/JobRequest.h"

#include <string>
#include <vector>

namespace trainscope::predict {

struct RunRequest {
    JobRequest request;
    std::vector<std::string> notes; // assumptions where the run says nothing
};

// NotFound names what is not known of the run: its model, GPU, layout, batch or sequence length; or
// says that its GPUs do not divide over its nodes.
Result<RunRequest> requestOf(const analysis::RunStudy& study);

// A launch configuration that describes the job; requestOf() reads it back.
LaunchConfig launchOf(const Job& job);

} // namespace trainscope::predict
