#include "core/analysis/machine/ModelWork.h"

#include <algorithm>

namespace trainscope::analysis {

namespace {

using catalogue::TrainingModel;

// Forward FLOP per token, apart from the scores, which depend on the sequence.
struct Forward {
    double weights = 0.0; // projections, feed-forward, router, logits
    double scorePerPosition = 0.0;
};

double attentionWeights(const TrainingModel& model) {
    const double queries = double{1} * model.heads * model.headSize;
    const double keys = double{1} * model.kvHeads * model.headSize;
    return 2.0 * model.hidden * (queries + keys);
}

double expertWeights(const TrainingModel& model) {
    return (model.gatedMlp ? 3.0 : 2.0) * model.hidden * model.ffn;
}

double routerWeights(const TrainingModel& model) {
    return model.experts > 1 ? double{1} * model.hidden * model.experts : 0.0;
}

Forward forwardOf(const TrainingModel& model) {
    const double layer = attentionWeights(model) + routerWeights(model)
        + expertWeights(model) * model.expertsPerToken;
    return {2.0 * (model.layers * layer + double{1} * model.hidden * model.vocabulary),
        4.0 * model.layers * model.heads * model.headSize};
}

ModelWork inferenceWork(const TrainingModel& model, int sequence, int generated) {
    const Forward forward = forwardOf(model);
    const double made = std::clamp(generated, 0, sequence - 1);
    const double prompt = sequence - made;
    // The token made at position i attends to the i before it and to itself.
    const double positions = prompt * prompt + made * prompt + made * (made + 1.0) / 2.0;
    return {forward.weights * sequence + forward.scorePerPosition * positions, double{1} * sequence,
        made > 0 ? "inference: forward pass of the prompt (prefill) and of each generated token "
                   "(decode with a cache of keys and values)"
                 : "inference: forward pass of the prompt (prefill); nothing is said of generated "
                   "tokens"};
}

} // namespace

ModelParameters parametersOf(const TrainingModel& model) {
    const double norms = 2.0 * model.hidden;
    const double shared = attentionWeights(model) + routerWeights(model) + norms;
    const double outside = double{1} * model.hidden
        + (model.tiedEmbeddings ? 1.0 : 2.0) * model.hidden * model.vocabulary;
    const double expert = expertWeights(model);
    return {model.layers * (shared + expert * model.experts) + outside,
        model.layers * (shared + expert * model.expertsPerToken) + outside};
}

ModelWork workOf(const TrainingModel& model, Workload workload, int sequence, int generated) {
    if (workload == Workload::Inference)
        return inferenceWork(model, sequence, generated);
    const Forward forward = forwardOf(model);
    const double tokens = sequence;
    const double scores = forward.scorePerPosition * tokens;
    if (workload == Workload::Lora)
        return {tokens * (2.0 * forward.weights + 3.0 * scores), tokens,
            "LoRA: 2 × forward of the frozen weights + 3 × forward of the attention scores, "
            "without "
            "the adapters; causal attention not halved, recomputation not counted"};
    return {3.0 * tokens * (forward.weights + scores), tokens,
        "training: 3 × forward (Narayanan et al. 2021, eq. 3 without recomputation, with grouped "
        "queries, gated feed-forward and active experts); causal attention not halved"};
}

} // namespace trainscope::analysis
