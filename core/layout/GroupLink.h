#pragma once
// Over which link a group of ranks exchanges inside a node: groups that a topology's NVLink or xGMI
// does not join go over PCIe, however fast the links of others are. Pure; any thread.

#include "core/layout/Cluster.h"

#include <vector>

namespace trainscope::layout {

// The worst way between neighbours of the ring that the ranks make; the cluster's own link where no
// topology tells another, and for ranks of several nodes. Named for people: "NVLink", "PCIe between
// CPUs".
ScaleUpLink linkOfGroup(const Cluster& cluster, const std::vector<int>& ranks);

} // namespace trainscope::layout
