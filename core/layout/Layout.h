#pragma once
// A layout, made from what is said of it: where each rank sits, which ranks talk to each other and
// over how many nodes, which layers each stage has, and how the pipeline is scheduled.

#include "core/layout/LayoutRequest.h"
#include "core/layout/RankGrid.h"
#include "core/layout/Schedule.h"

namespace trainscope::layout {

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
    std::vector<std::string> notes; // assumptions, as sentences
    int microbatchGroup = 0; // 0: the least that works

    [[nodiscard]] int nodeOf(int rank) const { return rank / gpusPerNode; }
    [[nodiscard]] int localOf(int rank) const { return rank % gpusPerNode; }
    [[nodiscard]] int lossStage() const { return grid.degrees().pipeline - 1; }
};

// Places, in the model's order, of the pieces that a stage holds, ascending: as many as it has
// virtual stages, of DualPipe two.
std::vector<int> piecesOn(const Layout& layout, int stage);
// The share of the micro-batches that goes through each of them: half of them with DualPipe.
double shareOfMicrobatches(const Layout& layout);

// The ranks that a launch configuration divides, with data parallelism filling the world; NotFound
// when it says neither tensor nor pipeline parallelism.
Result<RankGrid> gridFromLaunch(const LaunchConfig& launch, int worldSize);

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
// The durations that this plan gives each piece of the model.
std::vector<PieceTimes> pieceTimesOf(const Layout& layout);

enum class LinkClass {
    None, // groups of one rank
    ScaleUp, // all groups lie inside a node: NVLink, xGMI, PCIe
    ScaleOut, // some reach across nodes: InfiniBand, RoCE, Slingshot
    Unknown, // the nodes of traced ranks are not known
};
constexpr auto namesOf(LinkClass) {
    return enumNames("none", "node", "cluster", "unknown");
}
constexpr auto titlesOf(LinkClass) {
    return enumNames("", "inside a node", "across nodes", "");
}

LinkClass linkOf(const Layout& layout, const std::vector<int>& ranks); // slowest among the ranks

// All communicators of one kind, which are equally large.
struct CommunicatorReach {
    CommunicatorKind kind;
    int size = 1;
    int groups = 1;
    int fewestNodes = 1; // nodes that one group reaches over
    int mostNodes = 1;

    [[nodiscard]] LinkClass link() const;
};

CommunicatorReach reachOf(const Layout& layout, CommunicatorKind kind);

// The communicators of one rank, one of every kind in the order of communicatorKinds().
struct Communicator {
    CommunicatorKind kind;
    std::vector<int> ranks;
    LinkClass link = LinkClass::None;
};
std::vector<Communicator> communicatorsOf(const Layout& layout, int rank);

} // namespace trainscope::layout
