#include "core/predict/step/Breakdown.h"

#include "core/model/EnumNames.h"

namespace trainscope::predict {

namespace {

constexpr auto kPartNames = enumNames<StepPart>({{StepPart::Gemm, "gemm"},
    {StepPart::Attention, "attention"}, {StepPart::Elementwise, "elementwise"},
    {StepPart::Loss, "loss"}, {StepPart::Embedding, "embedding"},
    {StepPart::Recomputation, "recompute"}, {StepPart::TensorParallel, "tensor_parallel"},
    {StepPart::ContextParallel, "context_parallel"}, {StepPart::ExpertParallel, "expert_parallel"},
    {StepPart::Sharding, "sharding"}, {StepPart::Gap, "gap"}, {StepPart::Bubble, "bubble"},
    {StepPart::DataParallel, "data_parallel"}, {StepPart::Optimizer, "optimizer"},
    {StepPart::Jitter, "jitter"}});

} // namespace

std::string_view toString(StepPart part) {
    return kPartNames.nameOf(part);
}

} // namespace trainscope::predict
