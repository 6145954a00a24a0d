#pragma once
// A layout as asked for or read, and what follows from it: where each rank sits, which ranks talk
// to each other, which layers each stage has, and how the pipeline is scheduled.

#include "core/layout/RankGrid.h"
#include "core/layout/Schedule.h"
#include "core/layout/StagePlan.h"

#include <optional>
#include <string>
#include <vector>

namespace trainscope::layout {

// What was said; the rest follows or stays unknown.
struct LayoutRequest {
    std::optional<int> nodes;
    std::optional<int> gpusPerNode;
    std::optional<int> worldSize; // nodes × GPUs per node when absent
    std::optional<int> tensor;
    std::optional<int> context;
    std::optional<int> expert;
    std::optional<int> expertTensor; // as tensor when absent
    std::optional<int> data; // what remains of the world when absent
    std::optional<int> pipeline;
    std::optional<int> virtualStages;
    std::optional<RankOrder> order;
    std::optional<int> zeroStage; // 0..3: nothing, optimizer, + gradients, + parameters sharded
    std::optional<bool> fsdp; // as ZeRO stage 3
    std::optional<int> shardSize; // ranks of one shard group (hybrid sharding); all when absent
    std::optional<int> layers;
    std::vector<int> stageLayers;
    bool embeddingCounts = false; // see StagePlan.h
    bool lossCounts = false;
    std::optional<int> microbatches; // per data-parallel rank and step
    std::optional<ScheduleKind> schedule;
    std::optional<int> microbatchGroup; // of an interleaved schedule, see Schedule.h

    bool operator==(const LayoutRequest&) const = default;
};

// Over how many ranks of the dp_cp group each kind of state is cut.
struct Sharding {
    int zeroStage = 0;
    int group = 1; // ranks of one shard group
    int replicas = 1; // shard groups that hold the same

    [[nodiscard]] int optimizer() const { return zeroStage >= 1 ? group : 1; }
    [[nodiscard]] int gradients() const { return zeroStage >= 2 ? group : 1; }
    [[nodiscard]] int parameters() const { return zeroStage >= 3 ? group : 1; }
};

struct Layout {
    RankGrid grid;
    int nodes = 1;
    int gpusPerNode = 1;
    int virtualStages = 1;
    std::optional<Sharding> sharding; // absent: not said
    std::vector<StageChunk> chunks; // empty: layers not known
    std::optional<int> microbatches;
    ScheduleKind schedule = ScheduleKind::OneForwardOneBackward;
    std::vector<std::string> notes; // what was assumed
    int microbatchGroup = 0; // 0: the least that works

    [[nodiscard]] int nodeOf(int rank) const { return rank / gpusPerNode; }
    [[nodiscard]] int localOf(int rank) const { return rank % gpusPerNode; }
};

// Usage error that names the product that does not fit.
Result<Layout> makeLayout(const LayoutRequest& request);

// The ranks of each dp_cp group cut into consecutive shard groups, and those at equal places of
// them (hybrid sharding; Megatron-LM's distributed optimizer instances).
RankGroups shardGroups(const RankGrid& grid, const Sharding& sharding);
RankGroups replicaGroups(const RankGrid& grid, const Sharding& sharding);

// The plan of the pipeline, pieces weighted by their layers where these are known and differ (one
// layer: forward 1, backward 2), sending in no time. NotFound where the micro-batches are not
// known, Usage where the schedule does not work with so many.
Result<Schedule> planSchedule(const Layout& layout);
// What that plan gives each piece of the model.
std::vector<PieceTimes> pieceTimesOf(const Layout& layout);

} // namespace trainscope::layout
