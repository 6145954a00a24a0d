#pragma once
// RankGroup: GPUs that exchange with each other, and how many of them share a node or a domain of
// links that reach over nodes. Pure; any thread.

#include "core/layout/Dimensions.h"
#include "core/predict/Job.h"

namespace trainscope::predict {

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
