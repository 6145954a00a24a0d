#pragma once
// Breakdown: seconds by what they are spent on. Plain values.

#include "core/model/ByEnum.h"
#include "core/model/EnumNames.h"

namespace trainscope::predict {

enum class StepPart {
    Gemm,
    Attention,
    Elementwise, // norms, activations, residuals, positions, casts
    Loss, // logits and cross-entropy
    Embedding,
    Recomputation,
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
constexpr auto namesOf(StepPart) {
    return enumNames("gemm", "attention", "elementwise", "loss", "embedding", "recompute",
        "tensor_parallel", "context_parallel", "expert_parallel", "sharding", "gap", "bubble",
        "data_parallel", "optimizer", "jitter");
}
constexpr auto titlesOf(StepPart) {
    return enumNames("GEMM", "Attention", "Elementwise", "Logits and loss", "Embedding",
        "Recomputation", "Tensor parallel", "Context parallel", "Expert parallel",
        "Shards gathered", "Waiting for the host", "Bubble", "Data parallel", "Optimizer",
        "Jitter");
}
using trainscope::titleOf;
inline constexpr auto kAllStepParts = allValues<StepPart>();
inline constexpr std::size_t kStepParts = kAllStepParts.size();

class Breakdown : public ByEnum<StepPart, kStepParts, double> {
public:
    [[nodiscard]] double total() const {
        double sum = 0.0;
        for (const StepPart part : kAllStepParts)
            sum += (*this)[part];
        return sum;
    }
    void add(const Breakdown& other, double factor) {
        for (const StepPart part : kAllStepParts)
            (*this)[part] += other[part] * factor;
    }
    Breakdown& operator+=(const Breakdown& other) {
        add(other, 1.0);
        return *this;
    }
    [[nodiscard]] Breakdown times(double factor) const {
        Breakdown result;
        result.add(*this, factor);
        return result;
    }
};

// Share of the launches of a host that is in the forward pass; traced in PyTorch.
inline constexpr double kForwardLaunches = 1.0 / 3.0;

// One micro-batch on one piece of the model.
struct PieceCost {
    Breakdown forward;
    Breakdown backward; // with what is recomputed
    double weightGradient = 0.0; // part of the backward pass, the gradients of the weights
    double movedLoss
        = 0.0; // part of both passes, in Loss, bound by memory: the loss in plain PyTorch
    double hostSeconds = 0.0; // in which the host launches both passes; 0: never the longer
    double unrepeated = 0.0; // part of the forward pass that full recomputation leaves out
    // Exchanges of experts behind the pass of the other direction (DualPipe), in no part above.
    double hiddenForward = 0.0;
    double hiddenBackward = 0.0;
};

} // namespace trainscope::predict
