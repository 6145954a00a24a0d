#pragma once
// LayerCostCache: costs of layers that the layouts of one part of a search share. They do not
// depend on how a pipeline is scheduled, but on whether its stages are divided; operators that were
// asked once are remembered, since samples take long to ask. One thread.

#include "core/predict/prediction/Prediction.h"

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace trainscope::predict {

class LayerCostCache {
public:
    // `costs`: of layouts up to ZeRO 1; `shardedCosts`: of those from ZeRO 2 on.
    LayerCostCache(const JobCosts& costs, const JobCosts& shardedCosts);

    // For another number of stages.
    void forget();

    // Its operators are remembered ones.
    [[nodiscard]] const JobCosts& of(const Job& job) const;
    // Recomputed as the job says, nothing sharded; `batch`: the place of the job's micro-batch.
    const LayerCosts& layersOf(const Job& job, std::size_t batch);

private:
    struct Batch {
        std::optional<LayerCosts> plain;
        std::array<std::optional<LayerCosts>, static_cast<std::size_t>(Recompute::Full) + 1>
            recomputed;
    };
    const LayerCosts& plainOf(const Job& job, std::size_t batch);
    Batch& batchOf(const Job& job, std::size_t batch);

    std::array<JobCosts, 2> m_costs; // sharded or not
    std::array<std::array<std::vector<Batch>, 2>, 2> m_batches; // so, and stages divided or not
};

} // namespace trainscope::predict
