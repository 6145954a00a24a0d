#pragma once
// The job of a run that was made, as it would be asked for: from its launch configuration, its
// layout and its GPUs. Any thread that owns the store. And a predicted job as a run would have it.

#include "core/analysis/RunStudy.h"
#include "core/predict/prediction/JobRequest.h"

namespace trainscope::predict {

// A fact without which there is no prediction, and nothing is taken in its place.
enum class JobFact { Model, Gpu, Gpus, Layout, MicroBatch, GlobalBatch, Sequence };
constexpr auto titlesOf(JobFact) {
    return enumNames("model", "kind of GPU", "number of GPUs", "layout", "micro-batch",
        "global batch", "sequence length");
}

struct RunRequest {
    JobRequest request;
    std::vector<JobFact> unknown; // the request has any value in their place
    std::vector<std::string> notes; // assumptions where the run says nothing
    // "run-3 does not say its model and its micro-batch, as a prediction needs."; empty: it says
    // all.
    std::string unknownText;
    std::string problem; // reason that what the run says of a fact cannot be
};

// As far as the run tells it. Errors are those of the database.
Result<RunRequest> knownRequestOf(const analysis::RunStudy& study);
// NotFound names what is not known of the run, or says that its GPUs do not divide over its nodes.
Result<RunRequest> requestOf(const analysis::RunStudy& study);

// A launch configuration that describes the job; requestOf() reads it back.
LaunchConfig launchOf(const Job& job);

} // namespace trainscope::predict
