#pragma once
// Machine of a run: the facts that its user or its sources state, before the usual ones for its
// GPUs. Any thread that owns the store.

#include "core/analysis/RunStudy.h"
#include "core/layout/Cluster.h"
#include "core/layout/Layout.h"
#include "core/layout/Topology.h"
#include "core/store/Store.h"

namespace trainscope::analysis {

// As said, for Store::setMachine().
Result<layout::MachineFacts> machineOf(const RunStudy& study);

// GPUs that scale-up links join, over nodes; absent where these end at the node.
Result<std::optional<int>> linkDomainOf(const RunStudy& study);

// Nodes of such a domain; 1 where it does not consist of whole nodes.
int nodesOfDomain(const std::optional<int>& gpus, int gpusPerNode);

// The layout with each domain as one node, and the run and its GPUs so: whatever tells links by
// nodes then tells them as they are.
layout::Layout domainsAsNodes(const layout::Layout& layout, const std::optional<int>& domain);
struct RunOfDomains {
    Run run;
    std::vector<Gpu> gpus;
};
Result<RunOfDomains> domainsAsNodes(const RunStudy& study);

// The machine of a run: its GPUs in the order of the air, and their links from what is known of the
// kind of GPU (core/catalogue). Any thread that owns the store.

// `layout`: of the run, nullptr where it is not known; ranks that it has and the run has no data
// of are there too. NotFound for a run without GPUs.
Result<layout::Cluster> clusterOf(const RunStudy& study, const layout::Layout* layout);

} // namespace trainscope::analysis
