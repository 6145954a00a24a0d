#include "core/analysis/machine/RunMachine.h"

#include "core/analysis/telemetry/Airflow.h"
#include "core/catalogue/GpuModel.h"
#include "core/model/Gather.h"
#include "core/model/Try.h"

namespace trainscope::analysis {

namespace {

using layout::PathKind;
using layout::ScaleUpLink;

PathKind kindOf(const std::string& link) {
    if (link == "PCIe")
        return PathKind::Phb;
    return link == "xGMI" ? PathKind::Xgmi : PathKind::NvLink;
}

void takeUsual(const Run& run, layout::ClusterFacts& facts) {
    const auto* model = catalogue::findGpuModel(run.gpuModel);
    if (model == nullptr)
        return;
    facts.pcieBandwidth = model->pcieBandwidth;
    facts.linkDomain = model->linkDomain;
    facts.gpusPerCard = model->gpusPerCard;
    facts.linksFrom = "hardware catalogue, " + model->name;
    if (model->scaleUp.empty())
        return;
    const bool isPcie = model->scaleUp == "PCIe";
    facts.scaleUp = ScaleUpLink{model->scaleUp, kindOf(model->scaleUp),
        model->scaleUp == "NVSwitch", isPcie ? model->pcieBandwidth : model->linkBandwidth};
}

// Facts that the user stated of the machine replace the usual ones.
Status takeSaid(const RunStudy& study, layout::ClusterFacts& facts) {
    ASSIGN_OR_RETURN(const auto said, machineOf(study));
    facts.nodesPerRack = said.nodesPerRack;
    facts.networkBandwidth = said.networkBandwidth;
    if (said.linkDomain)
        facts.linkDomain = said.linkDomain;
    facts.topology = said.topology;
    if (facts.topology)
        facts.linksFrom = said.topologyFrom;
    return {};
}

// Ranks of the layout of which there are no data.
void addMissing(const layout::Layout& layout, std::vector<Gpu>& gpus) {
    const std::set<int> known = setOf(gpus, &Gpu::rank);
    for (int rank = 0; rank < layout.grid.worldSize(); ++rank) {
        if (!known.contains(rank))
            gpus.push_back({rank, layout.nodeOf(rank), layout.localOf(rank), {}, {}});
    }
}

} // namespace

Result<layout::MachineFacts> machineOf(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto text, study.store.machine(study.run.id));
    if (!text)
        return layout::MachineFacts{};
    return layout::machineFromJson(*text);
}

Result<std::optional<int>> linkDomainOf(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto said, machineOf(study));
    if (said.linkDomain)
        return said.linkDomain;
    const auto* model = catalogue::findGpuModel(study.run.gpuModel);
    return model == nullptr ? std::optional<int>() : model->linkDomain;
}

int nodesOfDomain(const std::optional<int>& gpus, int gpusPerNode) {
    const bool isWhole
        = gpus && gpusPerNode > 0 && *gpus >= gpusPerNode && *gpus % gpusPerNode == 0;
    return isWhole ? *gpus / gpusPerNode : 1;
}

layout::Layout domainsAsNodes(const layout::Layout& layout, const std::optional<int>& domain) {
    const int nodes = nodesOfDomain(domain, layout.gpusPerNode);
    layout::Layout joined = layout;
    joined.gpusPerNode *= nodes;
    joined.nodes = (layout.nodes + nodes - 1) / nodes;
    return joined;
}

Result<RunOfDomains> domainsAsNodes(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto domain, linkDomainOf(study));
    ASSIGN_OR_RETURN(auto gpus, study.store.gpus(study.run.id));
    RunOfDomains joined{study.run, std::move(gpus)};
    int perNode = study.run.launch.gpusPerNode.value_or(0);
    for (const Gpu& gpu : joined.gpus)
        perNode = std::max(perNode, gpu.local + 1);
    const int nodes = nodesOfDomain(domain, perNode);
    if (nodes == 1)
        return joined;
    joined.run.launch.gpusPerNode = nodes * perNode;
    for (Gpu& gpu : joined.gpus) {
        gpu.local += gpu.node % nodes * perNode;
        gpu.node /= nodes;
    }
    return joined;
}

Result<layout::Cluster> clusterOf(const RunStudy& study, const layout::Layout* layout) {
    ASSIGN_OR_RETURN(auto gpus, study.store.gpus(study.run.id));
    ASSIGN_OR_RETURN(auto airflow, airflowOf(study));
    layout::ClusterFacts facts;
    facts.gpus = std::move(gpus);
    facts.airflow = std::move(airflow.order);
    if (airflow.origin == AirflowOrigin::Inferred)
        facts.airflowEvidence = std::move(airflow.evidence);
    facts.gpuModel = study.run.gpuModel;
    if (layout != nullptr)
        addMissing(*layout, facts.gpus);
    if (facts.gpus.empty())
        return Error{ErrorCode::NotFound, "The run names no GPUs, so there is nothing to place.",
            study.run.name};
    takeUsual(study.run, facts);
    RETURN_IF_ERROR(takeSaid(study, facts));
    return layout::makeCluster(facts);
}

} // namespace trainscope::analysis
