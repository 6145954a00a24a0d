#pragma once
// LayoutRequest: a layout as it is asked for, by a launch configuration, by the name of a run, or
// by hand, which a database keeps as JSON.

#include "core/layout/RankGrid.h"
#include "core/layout/Schedule.h"
#include "core/model/Run.h"

namespace trainscope::layout {

// Absent fields follow from the others or stay unknown.
struct LayoutRequest {
    std::optional<int> nodes;
    std::optional<int> gpusPerNode;
    std::optional<int> worldSize; // nodes × GPUs per node when absent
    std::optional<int> tensor;
    std::optional<int> context;
    std::optional<int> expert;
    std::optional<int> expertTensor; // as tensor when absent
    std::optional<int> data; // the rest of the world when absent
    std::optional<int> pipeline;
    std::optional<int> virtualStages;
    std::optional<RankOrder> order;
    std::optional<int> zeroStage; // 0..3: nothing, optimizer, + gradients, + parameters sharded
    std::optional<bool> fsdp; // as ZeRO stage 3
    std::optional<int> shardSize; // ranks of one shard group (hybrid sharding); all when absent
    std::optional<int> layers;
    std::vector<int> stageLayers;
    bool embeddingCounts = false; // see StagePlan
    bool lossCounts = false;
    std::optional<int> microbatches; // per data-parallel rank and step
    std::optional<ScheduleKind> schedule;
    std::optional<int> microbatchGroup; // interleaved schedule only, see Schedule.h

    bool operator==(const LayoutRequest&) const = default;
};

// True when it names any degree of parallelism.
bool saysLayout(const LaunchConfig& launch);

// `worldSize`: ranks of the run where known, else nodes × GPUs per node. Experts fold with ETP 1
// where the configuration leaves ETP out and TP × EP does not fit. Usage error for a rank order or
// list of layers that cannot be read.
Result<LayoutRequest> layoutFromLaunch(const LaunchConfig& launch, std::optional<int> worldSize);

// Micro-batches of a step and data-parallel rank: gradient accumulation, else global batch / (micro
// batch × DP). Absent where that is not known, or no whole number.
std::optional<int> microbatchesOf(const LaunchConfig& launch, int dataParallel);

// The degrees that people write into the name of a run: "TP4-PP8", "tp8_pp4", "EP8-TP1-PP4",
// "tp=2,pp=4", "TP8-FSDP". A last resort: nobody checks such names. Absent where the name gives no
// degree of TP, PP, CP, EP or DP. The last path component that gives any counts.
std::optional<LayoutRequest> layoutFromName(std::string_view runName);

// The number that texts call so: tp, pp, cp, ep, etp, dp, vpp, zero, shard; nullptr: none.
std::optional<int>* numberIn(LayoutRequest& request, std::string_view word);
// Takes the numbers that are given.
void takeNumbers(const LayoutRequest& given, LayoutRequest& request);

// One object; what was not said is absent.
std::string requestToJson(const LayoutRequest& request);
// Unrecognised names the key which cannot be understood; unknown keys are passed over.
Result<LayoutRequest> requestFromJson(std::string_view text);

// The layers that lie on each pipeline stage. With virtual stages (interleaving) the model is cut
// into stages × virtual stages chunks; chunk c of stage s is the (c · stages + s)-th piece of the
// model, as in Megatron-LM.

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
