#pragma once
// Data-parallel groups of hybrid sharding, which device meshes name in two parts: "dp_shard" and
// "dp_replicate". Pure; any thread.

#include "core/layout/ProcessGroup.h"

#include <vector>

namespace trainscope::layout {

// The groups with each pair of such parts, which have a rank in common, as the group of the mesh
// that they span: for dp_shard {0, 1} and dp_replicate {0, 4} that is dp {0, 1, 4, 5}. Where only
// one of the parts is named, it is all of the group, and is left as it is.
std::vector<ProcessGroup> withJoinedShards(const std::vector<ProcessGroup>& groups);

} // namespace trainscope::layout
