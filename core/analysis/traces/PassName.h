#pragma once
// What the annotation around one pass of a pipeline says of it. Understood are
//   F3, B3.1, W3.1.0     micro-batch, chunk, part of the sequence; W_clear.1: all weight gradients
//                        that are left (NVTX ranges of zero-bubble-pipeline-parallelism)
//   PP:5F3, PP:5I3, PP:5W3, PP:5B3   stage of the model, micro-batch; I is the gradient of the
//                        inputs, W that of the weights, B both (torch.distributed.pipelining)
//   Forward 3, Backward 3   (the same, schedules of one stage per rank)
//   wgrad, weight_grad, backward_weight, backward_dw as part of a name: gradients of the weights
// Pure; any thread.

#include "core/layout/Schedule.h"

#include <optional>
#include <string_view>

namespace trainscope::analysis {

struct PassName {
    layout::TaskKind kind = layout::TaskKind::Forward;
    std::optional<int> microbatch;
    std::optional<int> chunk; // piece of the model on its stage
    std::optional<int> piece; // of the model, as PyTorch counts its stages

    // Names of passes proper: one annotation is one pass, whatever surrounds it.
    [[nodiscard]] bool isNumbered() const { return microbatch || chunk || piece; }
    bool operator==(const PassName&) const = default;
};

std::optional<PassName> passNameOf(std::string_view annotation);

} // namespace trainscope::analysis
