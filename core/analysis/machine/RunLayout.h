#pragma once
// The layout of a run, from what knows it best: what was entered by hand, else its launch
// configuration, else the process groups of its traces, else its name. The origin is always told.

#include "core/analysis/RunStudy.h"
#include "core/layout/Cluster.h"
#include "core/layout/Layout.h"
#include "core/layout/ProcessGroup.h"
#include "core/layout/Topology.h"

namespace trainscope::analysis {

enum class LayoutOrigin { Launch, ProcessGroups, Name, Entered };
constexpr auto namesOf(LayoutOrigin) {
    return enumNames("launch", "process_groups", "name", "entered");
}

struct RunLayout {
    layout::LayoutRequest request; // for makeLayout(), with the cluster of the run
    LayoutOrigin origin = LayoutOrigin::Launch;
    std::string wording; // "launch configuration config.yaml"
    std::vector<std::string> notes; // contradictions, assumptions
};

// NotFound where nothing says it; the message tells what would.
Result<RunLayout> runLayout(const RunStudy& study);

// A layout that was told and fits the ranks.
struct FittingLayout {
    RunLayout told;
    layout::Layout layout;
};
// Absent where nothing tells one, or what is told cannot be. Errors are those of the database.
Result<std::optional<FittingLayout>> fittingLayout(const RunStudy& study);

// runLayout() without what was entered by hand.
Result<RunLayout> recordedLayout(const RunStudy& study);

// Keeps it as the layout entered by hand; absent takes that back. Usage error for one that cannot
// be (makeLayout), with what is known of the run in place of what it leaves open.
Status enterLayout(
    store::Store& store, const Run& run, const std::optional<layout::LayoutRequest>& request);

// Machine of a run: the facts that its user or its sources state, before the usual ones for its
// GPUs. Any thread that owns the store.

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
