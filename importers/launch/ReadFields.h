#pragma once
// The launch configuration that a set of settings states, whatever file they come from: NeMo and
// Hydra, Megatron-LM, DeepSpeed, GPT-NeoX and Hugging Face names. Arithmetic on stated numbers is
// all that is derived: the data-parallel degree (GPUs / (TP × PP × CP)), the micro-batches per step
// (global batch / (micro-batch × DP)), each only where it divides, and the global batch where these
// are stated instead.

#include "core/model/Run.h"
#include "importers/launch/Fields.h"

namespace trainscope::importers::launch {

// Without an origin; equal to LaunchConfig{} where nothing is stated.
LaunchConfig readFields(const Fields& fields);

} // namespace trainscope::importers::launch
