#include "core/predict/step/Breakdown.h"

#include "core/model/EnumNames.h"

#include <numeric>

namespace trainscope::predict {

namespace {

constexpr auto kPartNames = enumNames<StepPart>({{StepPart::Gemm, "gemm"},
    {StepPart::Attention, "attention"}, {StepPart::Elementwise, "elementwise"},
    {StepPart::Loss, "loss"}, {StepPart::Embedding, "embedding"},
    {StepPart::Recompute, "recompute"}, {StepPart::TensorParallel, "tensor_parallel"},
    {StepPart::ContextParallel, "context_parallel"}, {StepPart::ExpertParallel, "expert_parallel"},
    {StepPart::Sharding, "sharding"}, {StepPart::Gap, "gap"}, {StepPart::Bubble, "bubble"},
    {StepPart::DataParallel, "data_parallel"}, {StepPart::Optimizer, "optimizer"},
    {StepPart::Jitter, "jitter"}});

} // namespace

std::string_view toString(StepPart part) {
    return kPartNames.nameOf(part);
}

double Breakdown::total() const {
    return std::accumulate(m_seconds.begin(), m_seconds.end(), 0.0);
}

Breakdown& Breakdown::operator+=(const Breakdown& other) {
    for (std::size_t i = 0; i < kStepParts; ++i)
        m_seconds[i] += other.m_seconds[i];
    return *this;
}

Breakdown Breakdown::times(double factor) const {
    Breakdown result = *this;
    for (double& seconds : result.m_seconds)
        seconds *= factor;
    return result;
}

} // namespace trainscope::predict
