#include "core/predict/step/Breakdown.h"

namespace trainscope::predict {

namespace {

struct PartWords {
    std::string_view key;
    std::string_view title;
};
// In the order of StepPart.
constexpr std::array<PartWords, kStepParts> kPartWords{{
    {"gemm", "GEMM"},
    {"attention", "Attention"},
    {"elementwise", "Elementwise"},
    {"loss", "Logits and loss"},
    {"embedding", "Embedding"},
    {"recompute", "Recomputation"},
    {"tensor_parallel", "Tensor parallel"},
    {"context_parallel", "Context parallel"},
    {"expert_parallel", "Expert parallel"},
    {"sharding", "Shards gathered"},
    {"gap", "Waiting for the host"},
    {"bubble", "Bubble"},
    {"data_parallel", "Data parallel"},
    {"optimizer", "Optimizer"},
    {"jitter", "Jitter"},
}};

} // namespace

std::string_view toString(StepPart part) {
    return kPartWords[static_cast<std::size_t>(part)].key;
}

std::string_view titleOf(StepPart part) {
    return kPartWords[static_cast<std::size_t>(part)].title;
}

} // namespace trainscope::predict
