#pragma once
// The share of the model that a stage, or one of its pieces, has, and the time that a micro-batch
// takes there. Pure; any thread.

#include "core/predict/step/LayerCosts.h"

namespace trainscope::predict {

struct ModelShare {
    int dense = 0; // layers
    int experts = 0;
    bool hasEmbedding = false;
    bool hasLoss = false;

    [[nodiscard]] int layers() const { return dense + experts; }
    ModelShare& operator+=(const ModelShare& other);
    bool operator==(const ModelShare&) const = default;
};

ModelShare shareOf(
    const Job& job, std::size_t piece); // `piece`: its place among the layout's chunks
// By stage. A stage of DualPipe has the piece of the other direction, too; half of the
// micro-batches go through each.
std::vector<ModelShare> stageShares(const Job& job);

// Cost of one micro-batch. `recomputed`: part of what the costs say is recomputed.
PieceCost costOf(
    const Job& job, const PassCosts& layers, const ModelShare& share, double recomputed = 1.0);

// The layers that predict further tokens, each with a loss of its own.
const LayerCost& lastLayerOf(const Job& job, const PassCosts& layers);

// A micro-batch of so many tokens from a stage to the next; 0 of one stage.
double sendSeconds(
    const Job& job, const Rates& rates, const CollectiveCosts& collectives, double tokens);

} // namespace trainscope::predict
