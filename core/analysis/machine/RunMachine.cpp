#include "core/analysis/machine/RunMachine.h"

#include "core/catalogue/GpuModel.h"
#include "core/model/Try.h"

#include <algorithm>
#include <utility>

namespace trainscope::analysis {

Result<layout::MachineFacts> machineOf(const store::Store& store, const Run& run) {
    ASSIGN_OR_RETURN(const auto text, store.machine(run.id));
    if (!text)
        return layout::MachineFacts{};
    return layout::machineFromJson(*text);
}

Result<std::optional<int>> linkDomainOf(const store::Store& store, const Run& run) {
    ASSIGN_OR_RETURN(const auto said, machineOf(store, run));
    if (said.linkDomain)
        return said.linkDomain;
    const auto* model = catalogue::findGpuModel(run.gpuModel);
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

Result<RunOfDomains> domainsAsNodes(const store::Store& store, const Run& run) {
    ASSIGN_OR_RETURN(const auto domain, linkDomainOf(store, run));
    ASSIGN_OR_RETURN(auto gpus, store.gpus(run.id));
    RunOfDomains joined{run, std::move(gpus)};
    int perNode = run.launch.gpusPerNode.value_or(0);
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

} // namespace trainscope::analysis
