#pragma once
// Traces of a training's operations (forward-compute, grads-reduce-scatter) in place of its
// kernels.

namespace trainscope {

// The process of their tracks. A rank's data rank, stage and tensor rank are those of Megatron's
// order in the run's launch configuration; step, chunk of the model and micro-batch are numbers in
// an operation's detail ("step", "model_chunk", "mb_id"; −1 or absent: not said).
inline constexpr const char* kOperationProcess = "operations";

} // namespace trainscope
