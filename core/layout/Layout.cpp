#include "core/layout/Layout.h"

#include "core/layout/ScheduleOrder.h"
#include "core/model/Try.h"

#include <fmt/format.h>

namespace trainscope::layout {

namespace {

struct World {
    int nodes = 1;
    int gpusPerNode = 1;
    int ranks = 1;
};

Result<World> worldOf(const LayoutRequest& request) {
    for (const auto& one : {request.nodes, request.gpusPerNode, request.worldSize}) {
        if (one && (*one < 1 || *one > RankGrid::kMaxRanks))
            return usageError(
                fmt::format("Nodes and GPUs must be at least 1 and at most {}, not {}.",
                    RankGrid::kMaxRanks, *one));
    }
    if (!request.worldSize && !(request.nodes && request.gpusPerNode))
        return usageError("It is not known how many GPUs there are: say nodes and GPUs per node.");
    constexpr int kUsualGpusPerNode = 8;
    World world;
    world.gpusPerNode
        = request.gpusPerNode.value_or(request.nodes && *request.worldSize % *request.nodes == 0
                ? *request.worldSize / *request.nodes
                : std::min(kUsualGpusPerNode, request.worldSize.value_or(kUsualGpusPerNode)));
    const auto product = std::int64_t{request.nodes.value_or(1)} * world.gpusPerNode;
    if (!request.worldSize && product > RankGrid::kMaxRanks)
        return usageError(fmt::format("{} nodes × {} GPUs are more than {} ranks.", *request.nodes,
            world.gpusPerNode, RankGrid::kMaxRanks));
    world.ranks = request.worldSize.value_or(static_cast<int>(product));
    world.nodes = (world.ranks + world.gpusPerNode - 1) / world.gpusPerNode;
    if (request.nodes && request.worldSize && *request.nodes < world.nodes)
        return usageError(fmt::format("{} nodes × {} GPUs are fewer than {} ranks.", *request.nodes,
            world.gpusPerNode, world.ranks));
    return world;
}

Result<Degrees> degreesOf(const LayoutRequest& request, int ranks) {
    Degrees degrees;
    degrees.tensor = request.tensor.value_or(1);
    degrees.context = request.context.value_or(1);
    degrees.expert = request.expert.value_or(1);
    degrees.expertTensor = request.expertTensor.value_or(0);
    degrees.pipeline = request.pipeline.value_or(1);
    for (const int degree : {degrees.tensor, degrees.context, degrees.expert, degrees.pipeline,
             request.data.value_or(1), request.expertTensor.value_or(1)}) {
        if (degree < 1 || degree > RankGrid::kMaxRanks)
            return usageError(
                fmt::format("A parallel degree must be at least 1 and at most {}, not {}.",
                    RankGrid::kMaxRanks, degree));
    }
    const std::int64_t model = std::int64_t{degrees.tensor} * degrees.context * degrees.pipeline;
    if (ranks % model != 0)
        return usageError(fmt::format("{} ranks are not divisible by TP {} × CP {} × PP {} = {}.",
            ranks, degrees.tensor, degrees.context, degrees.pipeline, model));
    degrees.data = static_cast<int>(ranks / model);
    if (request.data && *request.data != degrees.data)
        return usageError(fmt::format(
            "TP {} × CP {} × DP {} × PP {} = {} is not the {} ranks there are; DP would be {}.",
            degrees.tensor, degrees.context, *request.data, degrees.pipeline, model * *request.data,
            ranks, degrees.data));
    return degrees;
}

Result<RankGrid> gridOf(const LayoutRequest& request, int ranks) {
    ASSIGN_OR_RETURN(const auto degrees, degreesOf(request, ranks));
    return RankGrid::make(degrees, request.order.value_or(kMegatronOrder));
}

Result<std::optional<Sharding>> shardingOf(const LayoutRequest& request, const RankGrid& grid) {
    const std::optional<Sharding> none;
    const bool isFull = request.fsdp.value_or(false);
    if (!request.zeroStage && !isFull && !request.shardSize)
        return none;
    constexpr int kFullyShardedStage = 3;
    Sharding sharding;
    sharding.zeroStage = request.zeroStage.value_or(isFull ? kFullyShardedStage : 1);
    if (sharding.zeroStage < 0 || sharding.zeroStage > kFullyShardedStage)
        return usageError(fmt::format("There is no ZeRO stage {}: 0 to 3.", sharding.zeroStage));
    const int all = grid.groupSize(CommunicatorKind::DataContext);
    sharding.group = request.shardSize.value_or(all);
    if (sharding.group < 1 || all % sharding.group != 0)
        return usageError(
            fmt::format("Shard groups of {} do not divide the {} ranks of DP {} × CP {}.",
                sharding.group, all, grid.degrees().data, grid.degrees().context));
    sharding.replicas = all / sharding.group;
    return std::optional(sharding);
}

Status takeStages(const LayoutRequest& request, Layout& layout) {
    ASSIGN_OR_RETURN(const auto chunks,
        planStages(
            {layout.grid.degrees().pipeline, layout.virtualStages, request.layers.value_or(0),
                request.stageLayers, request.embeddingCounts, request.lossCounts}));
    layout.chunks = chunks;
    return {};
}

Status takeSchedule(const LayoutRequest& request, Layout& layout) {
    const int stages = layout.grid.degrees().pipeline;
    layout.virtualStages = request.virtualStages.value_or(1);
    if (layout.virtualStages < 1)
        return usageError("Virtual stages must be at least 1.");
    if (layout.virtualStages > 1 && stages == 1)
        return usageError("Virtual stages need pipeline parallelism: PP must be above 1.");
    if (request.microbatches && *request.microbatches < 1)
        return usageError("There must be at least one micro-batch.");
    layout.microbatches = request.microbatches;
    layout.schedule = request.schedule.value_or(
        layout.virtualStages > 1 ? ScheduleKind::Interleaved : ScheduleKind::OneForwardOneBackward);
    if (stages > 1)
        RETURN_IF_ERROR(checkVirtualStages(layout.schedule, layout.virtualStages));
    layout.microbatchGroup = request.microbatchGroup.value_or(0);
    return {};
}

int nodesOf(const Layout& layout, const std::vector<int>& ranks) {
    // Ascending ranks lie on ascending nodes.
    int nodes = 0;
    int last = -1;
    for (const int rank : ranks) {
        nodes += layout.nodeOf(rank) != last ? 1 : 0;
        last = layout.nodeOf(rank);
    }
    return nodes;
}

} // namespace

std::vector<int> piecesOn(const Layout& layout, int stage) {
    const int count = layout.schedule == ScheduleKind::DualPipe ? 2 : layout.virtualStages;
    std::vector<int> pieces;
    for (int chunk = 0; chunk < count; ++chunk)
        pieces.push_back(pieceOf(layout.schedule, layout.grid.degrees().pipeline, stage, chunk));
    std::sort(pieces.begin(), pieces.end());
    return pieces;
}

double shareOfMicrobatches(const Layout& layout) {
    return layout.schedule == ScheduleKind::DualPipe ? 0.5 : 1.0;
}

Result<RankGrid> gridFromLaunch(const LaunchConfig& launch, int worldSize) {
    if (!launch.tensorParallel && !launch.pipelineParallel)
        return Error{ErrorCode::NotFound, "The launch configuration names no parallel layout.",
            launch.origin};
    ASSIGN_OR_RETURN(const auto request, layoutFromLaunch(launch, worldSize));
    return gridOf(request, worldSize);
}

Result<Layout> makeLayout(const LayoutRequest& request) {
    ASSIGN_OR_RETURN(const auto world, worldOf(request));
    ASSIGN_OR_RETURN(const auto grid, gridOf(request, world.ranks));
    Layout layout{grid, world.nodes, world.gpusPerNode, 1, {}, {}, {},
        ScheduleKind::OneForwardOneBackward, {}, 0};
    ASSIGN_OR_RETURN(const auto sharding, shardingOf(request, layout.grid));
    layout.sharding = sharding;
    RETURN_IF_ERROR(takeSchedule(request, layout));
    RETURN_IF_ERROR(takeStages(request, layout));
    return layout;
}

RankGroups shardGroups(const RankGrid& grid, const Sharding& sharding) {
    RankGroups result;
    for (const auto& group : grid.groups(CommunicatorKind::DataContext)) {
        for (auto at = group.begin(); at != group.end(); at += sharding.group)
            result.emplace_back(at, at + sharding.group);
    }
    return result;
}

RankGroups replicaGroups(const RankGrid& grid, const Sharding& sharding) {
    RankGroups result;
    const auto stride = static_cast<std::size_t>(sharding.group);
    for (const auto& group : grid.groups(CommunicatorKind::DataContext)) {
        for (std::size_t first = 0; first < stride; ++first) {
            auto& replicas = result.emplace_back();
            for (std::size_t at = first; at < group.size(); at += stride)
                replicas.push_back(group[at]);
        }
    }
    return result;
}

std::vector<PieceTimes> pieceTimesOf(const Layout& layout) {
    const bool isUneven = std::any_of(layout.chunks.begin(), layout.chunks.end(),
        [&](const StageChunk& chunk) { return chunk.layers != layout.chunks.front().layers; });
    const int pieces = layout.grid.degrees().pipeline * layout.virtualStages;
    std::vector<PieceTimes> times;
    for (int piece = 0; piece < pieces; ++piece) {
        const double each = isUneven ? layout.chunks[static_cast<std::size_t>(piece)].layers
                                     : 1.0 / layout.virtualStages;
        times.push_back({each, each, each});
    }
    return times;
}

Result<Schedule> planSchedule(const Layout& layout) {
    if (!layout.microbatches)
        return Error{
            ErrorCode::NotFound, "The number of micro-batches of a step is not known.", {}};
    return makeSchedule({layout.schedule, layout.grid.degrees().pipeline, *layout.microbatches,
        layout.virtualStages, pieceTimesOf(layout), 0.0, layout.microbatchGroup});
}

LinkClass CommunicatorReach::link() const {
    if (size == 1)
        return LinkClass::None;
    return mostNodes == 1 ? LinkClass::ScaleUp : LinkClass::ScaleOut;
}

LinkClass linkOf(const Layout& layout, const std::vector<int>& ranks) {
    if (ranks.size() < 2)
        return LinkClass::None;
    return nodesOf(layout, ranks) == 1 ? LinkClass::ScaleUp : LinkClass::ScaleOut;
}

CommunicatorReach reachOf(const Layout& layout, CommunicatorKind kind) {
    const auto groups = layout.grid.groups(kind);
    CommunicatorReach span{kind, layout.grid.groupSize(kind), static_cast<int>(groups.size()),
        nodesOf(layout, groups.front()), 1};
    for (const auto& group : groups) {
        const int nodes = nodesOf(layout, group);
        span.fewestNodes = std::min(span.fewestNodes, nodes);
        span.mostNodes = std::max(span.mostNodes, nodes);
    }
    return span;
}

std::vector<Communicator> communicatorsOf(const Layout& layout, int rank) {
    std::vector<Communicator> result;
    for (const auto& info : communicatorKinds()) {
        auto ranks = layout.grid.groupOf(info.kind, rank);
        const LinkClass link = linkOf(layout, ranks);
        result.push_back({info.kind, std::move(ranks), link});
    }
    return result;
}

} // namespace trainscope::layout
