#pragma once
// Data-parallel groups of hybrid sharding, which device meshes name in two parts: "dp_shard" and
// "dp_replicate"; with CP "dp_shard_cp", of experts "dp_shard_mod_ep". Pure; any thread.

#include "core/layout/ProcessGroup.h"

#include <optional>
#include <vector>

namespace trainscope::layout {

// The groups with each pair of such parts, which have a rank in common, as the group of the mesh
// that they span: for dp_shard {0, 1} and dp_replicate {0, 4} that is dp {0, 1, 4, 5}. A group that
// names only one of the parts stays as it is.
std::vector<ProcessGroup> withJoinedShards(const std::vector<ProcessGroup>& groups);

// Ranks of a shard group, with CP; absent where not both parts are named.
std::optional<int> shardSizeOf(const std::vector<ProcessGroup>& groups);

} // namespace trainscope::layout
