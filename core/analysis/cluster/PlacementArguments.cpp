#include "core/analysis/cluster/Placement.h"
#include "core/analysis/cluster/PlacementText.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace trainscope::analysis {

namespace {

// Layers of each piece of the model in its order: with virtual stages those of a stage are shared
// by its pieces, the first ones get what is left over.
std::vector<int> piecesOf(const Placement& placement) {
    const int stages = static_cast<int>(placement.stages.size());
    std::vector<int> pieces;
    for (int chunk = 0; chunk < placement.virtualStages; ++chunk) {
        for (int stage = 0; stage < stages; ++stage) {
            const int layers = placement.stages[static_cast<std::size_t>(stage)].layersAfter;
            pieces.push_back(layers / placement.virtualStages
                + (chunk < layers % placement.virtualStages ? 1 : 0));
        }
    }
    return pieces;
}

// "Et*21|t*19|t*19|t*21,L": E embedding, t a layer, L loss.
std::string pipelineLayout(const std::vector<int>& pieces) {
    std::string text = "E";
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        text += i > 0 ? "|" : "";
        if (pieces[i] > 0)
            text += fmt::format("t*{}", pieces[i]);
    }
    return text + (pieces.back() > 0 ? ",L" : "L");
}

// Where all stages but the first and the last have equally many.
bool differsAtEndsOnly(const std::vector<int>& layers) {
    return layers.size() > 2 && std::all_of(layers.begin() + 1, layers.end() - 1, [&](int one) {
        return one == layers[1];
    });
}

std::string layerArguments(const Placement& placement) {
    const auto pieces = piecesOf(placement);
    const auto layers = placement.layersAfter();
    const std::string list = pipelineLayout(pieces);
    std::string text = fmt::format("# Layers of the pipeline stages: {} (before: {})\n",
        layerList(layers, ","), layerList(placement.layersBefore(), ","));
    text += "# Megatron-LM\n";
    const bool isPlain = placement.virtualStages == 1;
    if (isPlain && differsAtEndsOnly(layers))
        text += fmt::format("--decoder-first-pipeline-num-layers {} "
                            "--decoder-last-pipeline-num-layers {}\n# or\n",
            layers.front(), layers.back());
    if (isPlain && layers.size() == 2)
        text += fmt::format("--decoder-first-pipeline-num-layers {}\n# or\n", layers.front());
    text += fmt::format("--pipeline-model-parallel-layout \"{}\"\n", list);
    text += "# NeMo and Megatron Bridge (model configuration)\n";
    if (isPlain && differsAtEndsOnly(layers))
        text += fmt::format("num_layers_in_first_pipeline_stage={}\n"
                            "num_layers_in_last_pipeline_stage={}\n# or\n",
            layers.front(), layers.back());
    if (isPlain && layers.size() == 2)
        text += fmt::format("num_layers_in_first_pipeline_stage={}\n# or\n", layers.front());
    return text + fmt::format("pipeline_model_parallel_layout=\"{}\"\n", list);
}

// The GPUs of each node in the order of its ranks, where every node keeps its ranks.
std::map<int, std::vector<int>> devicesByNode(const Placement& placement) {
    std::map<int, std::map<int, int>> byRank; // node → rank → local
    for (const GpuPlace& gpu : placement.gpus)
        byRank[gpu.node][gpu.rankAfter] = gpu.local;
    std::map<int, std::vector<int>> devices;
    for (const auto& [node, ranks] : byRank) {
        for (const auto& [rank, local] : ranks)
            devices[node].push_back(local);
    }
    return devices;
}

bool nodesKeepTheirRanks(const Placement& placement) {
    std::map<int, int> nodeBefore;
    for (const GpuPlace& gpu : placement.gpus)
        nodeBefore[gpu.rankBefore] = gpu.node;
    return std::all_of(placement.gpus.begin(), placement.gpus.end(),
        [&](const GpuPlace& gpu) { return nodeBefore[gpu.rankAfter] == gpu.node; });
}

std::string rankArguments(const Placement& placement) {
    if (!placement.movesRanks)
        return "# Ranks stay on their GPUs.\n";
    std::string text;
    if (nodesKeepTheirRanks(placement)) {
        text = "# Ranks stay on their nodes and change GPUs there: set on each node\n";
        for (const auto& [node, devices] : devicesByNode(placement))
            text += fmt::format(
                "CUDA_VISIBLE_DEVICES={} # node {}\n", layerList(devices, ","), node);
        return text;
    }
    text = "# Ranks change nodes. A line per rank: rank, node, GPU (CUDA_VISIBLE_DEVICES). As a\n"
           "# Slurm host file: the nodes in this order in SLURM_HOSTFILE, "
           "--distribution=arbitrary.\n"
           "# rank node gpu\n";
    auto gpus = placement.gpus;
    std::sort(gpus.begin(), gpus.end(),
        [](const GpuPlace& a, const GpuPlace& b) { return a.rankAfter < b.rankAfter; });
    for (const GpuPlace& gpu : gpus)
        text += fmt::format("{} {} {}\n", gpu.rankAfter, gpu.node, gpu.local);
    return text;
}

} // namespace

std::string launchArguments(const Placement& placement) {
    std::string text = "# " + placement.headline + "\n# " + placement.reason + '\n';
    if (!placement.helps)
        return text + "# Launch it as before.\n";
    text += "# An estimate: nothing of it was run.\n";
    return text + layerArguments(placement) + rankArguments(placement);
}

} // namespace trainscope::analysis
