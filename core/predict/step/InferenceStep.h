#pragma once
// The step of inference: one global batch from its prompts to its last tokens. Micro-batches go
// through the pipeline together, as many as keep its stages busy (Job::inFlight()), group after
// group:
//
//   prefill    Σ stages + sends + (k − 1) · slowest stage, k micro-batches in flight: a stage
//   begins
//              micro-batch j when the one before is done there and the stage before with it
//   decode     max(k · slowest stage, Σ stages + sends) a token, the token going back to the first
//              stage; a pass's operators have one row a sample, and attention reads the cache as it
//              is in the mean
//   step       (prefill + (generated − 1) · decode of all groups) · (1 + jitter), of the GPUs that
//   a
//              micro-batch needs: others do not wait for them
//
// The prompt gives the first token, so that one pass less than tokens follows. Any thread.

#include "core/predict/step/Step.h"

namespace trainscope::predict {

// Without tasks of the schedule where it is not `detailed`. The job's layout has chunks, one a
// stage.
Step inferenceStep(const Job& job, const Rates& rates, const LayerCosts& layers,
    const CollectiveCosts& collectives, bool detailed);

} // namespace trainscope::predict
