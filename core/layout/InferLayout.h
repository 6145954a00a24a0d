#pragma once
// The layout that makes the process groups of a run's traces: degrees and rank order such that
// every group is one that the layout makes. Groups that say what they are for (Megatron-LM's
// descriptions, "tp", "mesh_dp", hybrid sharding's "dp_shard" with "dp_replicate") fix it; others
// must fit some kind of group. Dimensions that no group shows are taken for data parallelism. Pure,
// thread-safe.

#include "core/layout/ProcessGroup.h"
#include "core/layout/RankGrid.h"

namespace trainscope::layout {

struct InferredLayout {
    Degrees degrees; // expertTensor filled in
    RankOrder order;
    std::string wording; // "the 24 process groups of the traces; rank order …", what is assumed
};

// NotFound where there are no groups of more than one rank, or none of the layouts of that many
// ranks has them all; the message names a group that does not fit.
Result<InferredLayout> inferLayout(const std::vector<ProcessGroup>& groups, int worldSize);

// Those that contradict the layout: they say what they are for, and it has no such group.
std::vector<ProcessGroup> contradictions(
    const std::vector<ProcessGroup>& groups, const RankGrid& grid);

// Data-parallel groups of hybrid sharding, which device meshes name in two parts: "dp_shard" and
// "dp_replicate"; with CP "dp_shard_cp", of experts "dp_shard_mod_ep".
//
// The groups, but each pair of such parts that have a rank in common becomes the group of their
// common mesh: for dp_shard {0, 1} and dp_replicate {0, 4} that is dp {0, 1, 4, 5}. A group that
// names only one of the parts stays as it is.
std::vector<ProcessGroup> withJoinedShards(const std::vector<ProcessGroup>& groups);

std::vector<int> divisorsOf(int number); // ascending

// Ranks of a shard group, with CP; absent where not both parts are named.
std::optional<int> shardSizeOf(const std::vector<ProcessGroup>& groups);

} // namespace trainscope::layout
