#pragma once
// The layout that makes the process groups of a run's traces: degrees and rank order such that
// every group is one that the layout makes. Groups that say what they are for (Megatron-LM's
// descriptions, "tp", "mesh_dp", hybrid sharding's "dp_shard" with "dp_replicate") fix it; others
// must fit some kind of group. Dimensions that no group shows are taken for data parallelism. Pure,
// thread-safe.

#include "core/layout/ProcessGroup.h"
#include "core/layout/RankGrid.h"

#include <string>
#include <vector>

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

} // namespace trainscope::layout
