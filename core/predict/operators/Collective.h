#pragma once
// Collective: one exchange of a group of GPUs, and the seconds it takes. Pure; any thread.

#include "core/analysis/traces/CollectiveKind.h"
#include "core/layout/RankGrid.h"
#include "core/predict/Job.h"

namespace trainscope::predict {

using analysis::CollectiveKind; // those from AllReduce to SendRecv

struct Collective {
    CollectiveKind kind = CollectiveKind::AllReduce;
    // AllReduce: the tensor that every rank has. AllGather, ReduceScatter: the whole of what the
    // ranks' shards make. AllToAll, SendRecv: what one rank sends.
    double bytes = 0.0;
    int ranks = 1;
    int ranksPerNode = 1; // ranks of a node, or of a domain of links where these reach over nodes
    // AllToAll: of `bytes`, those that leave the node; absent: as evenly as ranks lie.
    std::optional<double> networkBytes = std::nullopt;

    [[nodiscard]] int nodes() const { return (ranks + ranksPerNode - 1) / ranksPerNode; }
    bool operator==(const Collective&) const = default;
};

// Immutable; any thread.
class CollectiveCosts {
public:
    virtual ~CollectiveCosts() = default;
    [[nodiscard]] virtual double secondsOf(const Collective& exchange) const = 0;
};

// RankGroup: GPUs that exchange with each other, and how many of them share a node or a domain of
// links that reach over nodes. Pure; any thread.

// The group of rank 0. Its ranks lie `stride` apart where ranks are counted in Megatron-LM's order,
// tp-cp-ep-dp-pp, in that decomposition of them.
struct RankGroup {
    int ranks = 1;
    int stride = 1;
    layout::Decomposition decomposition = layout::Decomposition::Dense;

    // Cut into consecutive shards: the first of these, and the ranks that hold what rank 0 does.
    [[nodiscard]] RankGroup shard(int most) const;
    [[nodiscard]] RankGroup acrossShards(int most) const;
};

// Ranks that hold the same parameters before these are sharded: outside of experts, and in experts.
RankGroup denseReplicas(const Job& job);
RankGroup expertReplicas(const Job& job);

// Ranks of the group that lie where rank 0 does, in the order that the job's layout counts in.
int ranksInside(const Job& job, const RankGroup& group);

} // namespace trainscope::predict
