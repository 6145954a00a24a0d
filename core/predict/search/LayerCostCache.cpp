#include "core/predict/search/LayerCostCache.h"

#include <map>
#include <memory>
#include <string_view>
#include <tuple>
#include <utility>

namespace trainscope::predict {

namespace {

class RememberedCosts : public OperatorCosts {
public:
    explicit RememberedCosts(std::shared_ptr<const OperatorCosts> costs)
        : m_costs(std::move(costs)) { }

    [[nodiscard]] OperatorTime timeOf(const Operator& work) const override {
        const Key key{work.kind, work.name, work.precision, work.isCausal, work.hasFrozenWeights,
            work.batch, work.m, work.n, work.k, work.count};
        const auto found = m_times.find(key);
        if (found != m_times.end())
            return found->second;
        return m_times.emplace(key, m_costs->timeOf(work)).first->second;
    }

private:
    using Key = std::tuple<OperatorKind, std::string_view, Precision, bool, bool, double, double,
        double, double, double>;
    std::shared_ptr<const OperatorCosts> m_costs;
    mutable std::map<Key, OperatorTime> m_times;
};

// Formulas are faster than remembering.
JobCosts remembered(JobCosts costs) {
    if (costs.spread)
        costs.operators = std::make_shared<RememberedCosts>(std::move(costs.operators));
    return costs;
}

// From ZeRO 2 on the usual software is another.
std::size_t shardingPlace(const Job& job) {
    return job.layout.sharding && job.layout.sharding->zeroStage >= 2 ? 1 : 0;
}

} // namespace

LayerCostCache::LayerCostCache(const JobCosts& costs, const JobCosts& shardedCosts)
    : m_costs{remembered(costs), remembered(shardedCosts)} { }

void LayerCostCache::forget() {
    for (auto& sharding : m_batches) {
        for (auto& batches : sharding)
            batches.clear();
    }
}

const JobCosts& LayerCostCache::of(const Job& job) const {
    return m_costs[shardingPlace(job)];
}

LayerCostCache::Batch& LayerCostCache::batchOf(const Job& job, std::size_t batch) {
    auto& batches = m_batches[shardingPlace(job)][job.layout.virtualStages > 1 ? 1 : 0];
    if (batches.size() <= batch)
        batches.resize(batch + 1);
    return batches[batch];
}

const LayerCosts& LayerCostCache::plainOf(const Job& job, std::size_t batch) {
    std::optional<LayerCosts>& plain = batchOf(job, batch).plain;
    if (!plain) {
        const JobCosts& costs = of(job);
        plain = plainCostsOf(job, costs.rates, *costs.operators, *costs.collectives);
    }
    return *plain;
}

const LayerCosts& LayerCostCache::layersOf(const Job& job, std::size_t batch) {
    std::optional<LayerCosts>& made
        = batchOf(job, batch).recomputed[static_cast<std::size_t>(job.recompute)];
    if (!made)
        made = withRecomputation(plainOf(job, batch), job, of(job).rates);
    return *made;
}

} // namespace trainscope::predict
