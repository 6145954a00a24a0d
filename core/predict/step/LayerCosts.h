#pragma once
// LayerCosts: what a micro-batch takes of each part of a model on one GPU: a layer without experts,
// one with them, the embedding and the loss. They follow from TP, CP, EP, what is sharded,
// micro-batch and recomputation, and are the same whichever stage a layer lies on, so that a search
// makes them once for many layouts. Any thread.

#include "core/predict/cost/Rates.h"
#include "core/predict/operators/Collective.h"
#include "core/predict/operators/Layer.h"
#include "core/predict/step/Breakdown.h"

#include <optional>

namespace trainscope::predict {

struct LayerCost {
    PieceCost cost;
    double parameters = 0.0; // on this GPU, without experts
    double expertParameters = 0.0; // on this GPU
    double adapterParameters = 0.0; // on this GPU
};

struct PassCosts {
    LayerCost dense; // nothing where the model has no such layers
    LayerCost expert;
    LayerCost embedding;
    LayerCost loss;
};

struct LayerCosts : PassCosts {
    std::optional<PassCosts>
        decode; // for one token more of each sample, of inference that generates
};

// Shards are exchanged with every micro-batch: from ZeRO 2 on. Stages of a pipeline in training
// keep what they gathered, and reduce gradients once a step (Llama 3, arXiv 2407.21783,
// section 3.3.2; torchtitan's pipelines).
bool exchangesShards(const Job& job);

// All layers recomputed as the job says: Job::recomputedLayers is of a stage and not looked at.
LayerCosts layerCostsOf(const Job& job, const Rates& rates, const OperatorCosts& operators,
    const CollectiveCosts& collectives);

// The same in three steps, of which a search takes the first once for many of the others: nothing
// recomputed and no parameters gathered; then the job's recomputation; then its sharding.
LayerCosts plainCostsOf(const Job& job, const Rates& rates, const OperatorCosts& operators,
    const CollectiveCosts& collectives);
LayerCosts withRecomputation(const LayerCosts& plain, const Job& job, const Rates& rates);
LayerCosts withSharding(const LayerCosts& costs, const Job& job, const Rates& rates,
    const CollectiveCosts& collectives);

} // namespace trainscope::predict
