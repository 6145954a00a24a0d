#pragma once
// Duration of a step and its parts. Each stage's layers are summed from their operators and
// exchanges; the pipeline's schedule is simulated; gradients, optimizer and jitter follow.
//
//   piece      Σ layers (operators + exposed exchanges + gap); recomputation repeats forward work
//              in the backward pass
//   sharded    parameters are gathered before and gradients scattered after each layer of each
//              micro-batch while the layer before computes: max(C + κ·A, A), C the layer's compute,
//              A its exchange, κ what the exchange costs compute (Rates::shardedSlowdown);
//              stages of a pipeline do so once a step, as with ZeRO 1
//   schedule   core/layout/Schedule.h with these durations
//   gradients  max(share · D, D − hidden · last passes), D the reduction; of FSDP within groups
//              that hold the same (hybrid sharding) that of the shards over the groups. The last
//              passes are a micro-batch, with v pieces on each of p stages p·(v − 1)/v of them
//   optimizer  a pass over its numbers; what is offloaded is done by the host, behind nothing
//   step       (schedule + gradients + optimizer + parameters) · (1 + jitter)
//
// The breakdown's parts add up to the step: what the slowest stage does in all its micro-batches,
// and the rest of the schedule as its bubble. Any thread.

#include "core/layout/Schedule.h"
#include "core/predict/cost/Rates.h"
#include "core/predict/operators/Collective.h"
#include "core/predict/step/LayerCosts.h"

namespace trainscope::predict {

// Times of inference, before jitter.
struct InferenceTimes {
    int inFlight = 1; // micro-batches that go through the pipeline together
    double firstTokenSeconds = 0.0; // from their prompts until all of them have a token
    double tokenSeconds = 0.0; // from a sample's token to its next; 0 where none follows
    double prefillSeconds = 0.0; // the step's
    double decodeSeconds = 0.0;
    Breakdown decodeParts; // the slowest stage's, in the step
    std::vector<PieceCost> decodePieces; // one micro-batch's, in the model's order
};

struct Step {
    double seconds = 0.0;
    Breakdown breakdown; // the slowest stage's; adds up to `seconds`
    std::vector<PieceCost> pieces; // in the model's order; of inference the prompt's, forward alone
    layout::Schedule schedule; // seconds; empty tasks where it was not simulated
    std::optional<InferenceTimes> inference; // absent for other workloads
    int slowestStage = 0;
    double balance = 1.0; // work of a stage in the mean, over that of the slowest
    Breakdown forward; // one micro-batch's on the slowest stage
    // Estimates only: seconds that no schedule of the job is below. A stage waits for its first
    // micro-batch and works on all of them. After its last backward pass those of the pieces before
    // it are left, unless it has gradients of weights to do meanwhile.
    double least = 0.0;
    double spread = 0.0; // standard deviation of the logarithm, of the operators' costs
};

// `simulate`: the schedule task by task; else by its closed form, for searches. Usage where the
// schedule does not work with so many micro-batches.
Result<Step> predictStep(const Job& job, const Rates& rates, const OperatorCosts& operators,
    const CollectiveCosts& collectives, bool simulate = true);
// With costs by formula.
Result<Step> predictStep(const Job& job, const Rates& rates, bool simulate = true);

// By the closed form from costs of layers and shares of stages that are at hand, without pieces:
// for searches. The job's layout has chunks.
Step estimateStep(const Job& job, const std::vector<ModelShare>& shares, const Rates& rates,
    const LayerCosts& layers, const OperatorCosts& operators, const CollectiveCosts& collectives);

} // namespace trainscope::predict
