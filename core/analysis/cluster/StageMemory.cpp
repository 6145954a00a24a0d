#include "core/analysis/cluster/StageMemory.h"

#include "core/analysis/machine/MemoryNeed.h"
#include "core/catalogue/GpuModel.h"
#include "core/model/Metric.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace trainscope::analysis {

namespace {

constexpr double kUsable = 0.95; // of a GPU's memory
constexpr double kNoLimit = 1e6; // layers

std::optional<double> memoryOf(const Run& run) {
    const auto* model = catalogue::findGpuModel(run.gpuModel);
    if (model == nullptr || !model->memoryBytes)
        return std::nullopt;
    return *model->memoryBytes;
}

std::optional<double> usedBy(const layout::Layout& layout, int stage, const RunSummary& summary) {
    std::optional<double> most;
    for (const GpuSummary& gpu : summary.gpus) {
        const int rank = gpu.gpu.rank;
        const auto used = gpu.metrics.find(metric::kMemUsed);
        if (rank < 0 || rank >= layout.grid.worldSize() || used == gpu.metrics.end()
            || !used->second.max || layout.grid.position(rank).pipeline != stage)
            continue;
        most = std::max(most.value_or(0.0), *used->second.max);
    }
    return most;
}

} // namespace

StageMemory stageMemoryOf(const Run& run, const layout::Layout& layout,
    const std::vector<int>& layers, const RunSummary& summary) {
    StageMemory memory;
    const auto capacity = memoryOf(run);
    const int stages = static_cast<int>(layers.size());
    const int all = std::accumulate(layers.begin(), layers.end(), 0);
    bool isKnown = capacity.has_value();
    for (int stage = 0; stage < stages; ++stage) {
        const int now = layers[static_cast<std::size_t>(stage)];
        const auto used = usedBy(layout, stage, summary);
        const auto need = memoryNeedOf(run.launch, layout, stage);
        isKnown = isKnown && used && need;
        if (!isKnown) {
            memory.most.push_back(all);
            continue;
        }
        const double room = std::max(0.0, kUsable * *capacity - *used) / need->perLayer;
        memory.most.push_back(
            std::min(all, now + static_cast<int>(std::floor(std::min(room, kNoLimit)))));
    }
    memory.wording = isKnown
        ? fmt::format(
            "A stage takes more layers only where its GPUs' memory ({:.0f} GB, {:.0f} % of "
            "it usable) has room beside the most it used, weights, optimizer states and "
            "activations of a layer estimated.",
            *capacity * 1e-9, 100.0 * kUsable)
        : "Whether more layers fit into memory was not checked: the memory used, its size or the "
          "model is not known.";
    return memory;
}

} // namespace trainscope::analysis
