#pragma once
// How long a step takes, and what of. Each stage's layers are summed from their operators and
// exchanges; the pipeline's schedule is simulated; gradients, optimizer and jitter follow.
//
//   piece      Σ layers (operators + exposed exchanges + gap); recomputation repeats forward work
//              in the backward pass
//   sharded    parameters are gathered before and gradients scattered after each layer of each
//              micro-batch while the layer before computes: max(C + κ·A, A), C the layer's compute,
//              A its exchange, κ what the exchange costs compute (Rates::shardedSlowdown)
//   schedule   core/layout/Schedule.h with these durations
//   gradients  max(share · D, D − hidden · last backward pass), D the reduction
//   step       (schedule + gradients + optimizer + parameters) · (1 + jitter)
//
// The breakdown's parts add up to the step: what the slowest stage does in all its micro-batches,
// and the rest of the schedule as its bubble. Any thread.

#include "core/layout/Schedule.h"
#include "core/model/Result.h"
#include "core/predict/cost/Collective.h"
#include "core/predict/cost/Rates.h"
#include "core/predict/work/Layer.h"

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace trainscope::predict {

enum class StepPart {
    Gemm,
    Attention,
    Elementwise, // norms, activations, residuals, positions, casts
    Loss, // logits and cross-entropy
    Embedding,
    Recompute,
    TensorParallel, // exposed
    ContextParallel, // exposed
    ExpertParallel, // exposed
    Sharding, // exposed gathering and scattering of sharded parameters
    Gap, // the GPU waits for its host
    Bubble, // the pipeline fills, drains, sends, or waits for a slower stage
    DataParallel, // exposed
    Optimizer,
    Jitter,
};
inline constexpr std::size_t kStepParts = 15;
std::string_view toString(StepPart part); // "gemm", "tensor_parallel", …

class Breakdown {
public:
    double& operator[](StepPart part) { return m_seconds[static_cast<std::size_t>(part)]; }
    double operator[](StepPart part) const { return m_seconds[static_cast<std::size_t>(part)]; }
    [[nodiscard]] double total() const;
    Breakdown& operator+=(const Breakdown& other);
    [[nodiscard]] Breakdown times(double factor) const;

private:
    std::array<double, kStepParts> m_seconds{};
};

// One micro-batch on one piece of the model.
struct PieceCost {
    Breakdown forward;
    Breakdown backward; // with what is recomputed
    double weightGradient = 0.0; // of the backward pass, the gradients of the weights
};

struct Step {
    double seconds = 0.0;
    Breakdown breakdown; // of the slowest stage; adds up to `seconds`
    std::vector<PieceCost> pieces; // in the model's order
    layout::Schedule schedule; // seconds; empty tasks where it was not simulated
    int slowestStage = 0;
    double spread = 0.0; // standard deviation of the logarithm, of the operators' costs
};

// `simulate`: the schedule task by task; else by its closed form, for searches. Usage where the
// schedule does not work with so many micro-batches.
Result<Step> predictStep(const Job& job, const Rates& rates, const OperatorCosts& operators,
    const CollectiveCosts& collectives, bool simulate = true);
// With costs by formula.
Result<Step> predictStep(const Job& job, const Rates& rates, bool simulate = true);

} // namespace trainscope::predict
