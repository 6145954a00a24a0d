#pragma once
// Operators, with their shapes, and exchanges that one GPU does for a layer, the embedding and the
// loss in one micro-batch. Shapes follow Megatron-LM (Shoeybi et al. 2019; sequence parallelism:
// Korthikanti et al. 2022), with grouped queries, gated feed-forward, experts in groups of their
// own, and latent attention (DeepSeek-V2). Pure; any thread.
//
// An exchange of tensor parallelism may lie behind a product of its block, in that product's pieces
// (user buffers of Transformer Engine):
//
//   forward    gathered inputs          behind the first product, of what is there already
//              scattered (or reduced) outputs   behind the last product, of what is not done yet
//   backward   gathered gradients       behind the last product's, of its inputs
//              scattered (or reduced) gradients   behind the first product's, of its weights
//
// Context parallelism, n of n GPUs' tokens, keys and values of K B a rank:
//
//   ring         (n − 1) steps of K forward, twice as many backward (gradients go along), each
//                behind the attention to what was there before
//   all-to-all   queries, keys and values there, and outputs back; no rank has less than one
//                head of keys; nothing lies before them
//   gather       n · K gathered forward; the same backward, and their gradients scattered

#include "core/predict/operators/Collective.h"
#include "core/predict/operators/Operator.h"

namespace trainscope::predict {

enum class ExchangeKind { Tensor, Context, Expert };

struct Exchange {
    ExchangeKind kind = ExchangeKind::Tensor;
    Collective collective;
    double forward = 0.0; // times in a forward pass
    double backward = 0.0; // times in a backward pass, without what is recomputed
    // The products beside an exchange of tensor parallelism; empty: they are not known.
    std::string_view besideForward = {};
    std::string_view besideBackward = {};
};

// The tokens that go through: all of a sample, of inference those of the prompt; or one more of
// each, which attends to those in the cache, half of the generated ones in the mean.
enum class Pass { Whole, Decode };

struct LayerWork {
    std::vector<Operator> operators;
    std::vector<Exchange> exchanges;
    double parameters = 0.0; // on this GPU, without experts
    double expertParameters = 0.0; // on this GPU
    double adapterParameters = 0.0; // on this GPU, of LoRA: all that is trained
    bool hasExperts = false;
};

// A transformer layer with or without experts.
LayerWork layerWork(const Job& job, bool hasExperts, Pass pass = Pass::Whole);
LayerWork embeddingWork(const Job& job, Pass pass = Pass::Whole); // on the first stage
// Last norm, logits and loss, of the last stage; of inference those of each sample's last token,
// and the choice of the next.
LayerWork lossWork(const Job& job, Pass pass = Pass::Whole);
Operator optimizerWork(const Job& job, double parameters); // `parameters`: the GPU updates so many

} // namespace trainscope::predict
