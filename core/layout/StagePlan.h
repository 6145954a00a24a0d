#pragma once
// The layers that lie on each pipeline stage. With virtual stages (interleaving) the model is cut
// into stages × virtual stages chunks; chunk c of stage s is the (c · stages + s)-th piece of the
// model, as in Megatron-LM.

#include "core/model/Result.h"

#include <string_view>
#include <vector>

namespace trainscope::layout {

struct StageChunk {
    int stage = 0;
    int chunk = 0; // 0 .. virtual stages - 1
    int firstLayer = 0; // counts from 0
    int layers = 0;

    bool operator==(const StageChunk&) const = default;
};

struct StageRequest {
    int stages = 1;
    int virtualStages = 1;
    int layers = 0; // 0: not said; then stageLayers says it, or all pieces are equal
    // Per stage, or per piece of the model (stages × virtual stages of them, in the model's order);
    // empty: equal pieces.
    std::vector<int> stageLayers;
    // Megatron-LM's account-for-embedding / -loss-in-pipeline-split: they count as one layer each,
    // of the first and of the last piece.
    bool embeddingCounts = false;
    bool lossCounts = false;
};

// The chunks in the model's order, stages × virtual stages of them; empty where the number of
// layers is not known. Usage error that says which numbers do not fit.
Result<std::vector<StageChunk>> planStages(const StageRequest& request);

// The layers of all chunks of a stage.
int layersOf(const std::vector<StageChunk>& chunks, int stage);

// "19,21,21,19". Usage error for anything but positive whole numbers.
Result<std::vector<int>> stageLayersFromString(std::string_view text);

} // namespace trainscope::layout
