#include "core/analysis/cluster/PlacementModel.h"

#include "core/analysis/cluster/Placement.h"
#include "core/model/Gather.h"
#include "core/text/NumberMarks.h"
#include "core/text/Times.h"

#include <cmath>

namespace trainscope::analysis {

namespace {

std::string gradientText(const Placement& placement) {
    if (!placement.gradientC)
        return "Which GPUs stand in the rear is not known.";
    if (std::abs(*placement.gradientC) <= placement.gradientNoiseC)
        return fmt::format("Front and rear GPUs differ by {:.1f} °C, no more than the noise of "
                           "{:.1f} °C.",
            text::worded(*placement.gradientC), text::worded(placement.gradientNoiseC));
    return fmt::format("Rear GPUs are {:.1f} °C hotter than front ones (noise {:.1f} °C).",
        text::worded(*placement.gradientC), text::worded(placement.gradientNoiseC));
}

void explainHelp(Placement& placement) {
    const Estimate& step = *placement.stepTime;
    placement.headline = fmt::format("{}{} layers: the step is estimated at {} ({} to {})",
        placement.movesRanks ? "Stages regrouped by heat, " : "",
        layerList(placement.layersAfter(), " · "), text::signedPercent(step.value),
        text::signedPercent(step.low), text::signedPercent(step.high));
    double slow = 1.0;
    double fast = 0.0;
    for (const StagePlacement& stage : placement.stages) {
        slow = std::min(slow, stage.speedAfter);
        fast = std::max(fast, stage.speedAfter);
    }
    placement.reason = gradientText(placement)
        + fmt::format(" The slowest stage loses {} of its clock, the fastest "
                      "{}: layers follow these speeds, now {}.",
            text::percent(1.0 - slow), text::percent(1.0 - fast),
            layerList(placement.layersBefore(), " · "));
}

constexpr double kLeastShown = 5e-4; // a change of the step that one decimal of a percentage shows

void explainNone(Placement& placement, const PlacementVerdict& verdict) {
    placement.headline = "No placement would help";
    placement.reason = gradientText(placement);
    if (verdict.worstLoss <= 0.0)
        placement.reason += " No GPU loses clock, so that all stages are equally "
                            "fast; an uneven split would only slow the step.";
    else if (!verdict.tooSmall)
        placement.reason += verdict.fits
            ? fmt::format(" The slowest GPU loses {} of its clock, too little to "
                          "allow for.",
                text::percent(verdict.worstLoss, 2))
            : std::string(" No split of the layers fits into the GPUs' memory.");
    else if (verdict.tooSmall->value > -kLeastShown)
        placement.reason
            += fmt::format(" The slowest GPU loses {} of its clock; a layer is {} of a "
                           "stage's work, too much to shift for that.",
                text::percent(verdict.worstLoss),
                text::percent(1.0 / std::max(1, placement.stages.front().layersBefore)));
    else
        placement.reason
            += fmt::format(" The slowest GPU loses {} of its clock, but the best split of whole "
                           "layers changes the step by {} only.",
                text::percent(verdict.worstLoss), text::signedPercent(verdict.tooSmall->value));
}

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

// True where all stages but the first and the last have equally many layers.
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

std::string layerList(const std::vector<int>& layers, std::string_view separator) {
    std::string text;
    for (const int one : layers)
        text += (text.empty() ? "" : std::string(separator)) + std::to_string(one);
    return text;
}

void explain(Placement& placement, const PlacementVerdict& verdict) {
    if (placement.helps)
        explainHelp(placement);
    else
        explainNone(placement, verdict);
    const auto assume = [&](const char* text) { placement.assumptions.emplace_back(text); };
    assume("An estimate: nothing of it was run.");
    assume("A stage is as fast as its slowest GPU; a GPU's speed is what it keeps of its "
           "clock while busy, in the settled part of the run.");
    placement.assumptions.push_back(
        fmt::format("The step follows the run's schedule ({}) with these speeds, sending in no "
                    "time; its other parts stay as they are.",
            titleOf(placement.schedule)));
    assume("The range reaches from lost clock that stays as it is to lost clock that follows the "
           "temperature as this run's GPUs show it, and a quarter of the change further for what "
           "the model leaves out.");
    assume("Power above idle follows the work; temperature follows power by the resistance fitted "
           "from this run, and rear GPUs are warmed by the front ones.");
    if (verdict.spansHalves)
        placement.notes.push_back(fmt::format(
            "Tensor groups of {} have front and rear GPUs, which wait for each other in every "
            "layer: no rank order separates them. With tensor parallelism of at most half a node "
            "({}), or an order of GPUs that puts each group into one half, cold and hot GPUs can "
            "be stages of their own.",
            placement.degrees.tensor, std::max(1, placement.gpusPerNode / 2)));
    if (verdict.movingCost)
        placement.notes.push_back(fmt::format(
            "Ranks move between nodes: what their groups exchange then takes {} more of a step, "
            "which is counted in full.",
            text::seconds(*verdict.movingCost)));
    else if (placement.movesRanks && placement.degrees.data > 1)
        placement.notes.emplace_back("Ranks move between nodes: data-parallel groups may reach "
                                     "over more nodes than now, which this estimate leaves out: "
                                     "the bandwidth between nodes, the step's time or the model's "
                                     "shape is not known.");
}

std::vector<int> Placement::layersBefore() const {
    return vectorOf(stages, &StagePlacement::layersBefore);
}

std::vector<int> Placement::layersAfter() const {
    return vectorOf(stages, &StagePlacement::layersAfter);
}

std::string launchArguments(const Placement& placement) {
    std::string text = "# " + placement.headline + "\n# " + placement.reason + '\n';
    if (!placement.helps)
        return text + "# Launch it as before.\n";
    text += "# An estimate: nothing of it was run.\n";
    return text + layerArguments(placement) + rankArguments(placement);
}

} // namespace trainscope::analysis
