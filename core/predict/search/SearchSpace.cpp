#include "core/predict/search/SearchParts.h"

#include "core/layout/InferLayout.h"

#include <algorithm>

namespace trainscope::predict {

namespace {

constexpr int kFullShards = 3; // ZeRO stage

std::vector<int> upTo(std::vector<int> values, int most) {
    std::erase_if(values, [most](int value) { return value > most; });
    return values;
}

std::vector<int> chosen(const std::optional<int>& fixed, const std::vector<int>& free) {
    return fixed ? std::vector<int>{*fixed} : free;
}

std::vector<int> powersOfTwo(int most) {
    std::vector<int> all;
    for (std::int64_t power = 1; power <= most; power *= 2)
        all.push_back(static_cast<int>(power));
    return all;
}

int linkDomainOf(const ClusterRequest& cluster) {
    return std::max(cluster.gpusPerNode, cluster.gpu.linkDomain.value_or(0));
}

} // namespace

SearchSpace::SearchSpace(const SearchRequest& request)
    : m_request(request) {
    const std::vector<int> divisors = layout::divisorsOf(request.cluster.gpus());
    const layout::LayoutRequest& fixed = request.layout;
    const int longest = std::max(1, request.sequence / (2 * kLeastChunk));
    m_tensors = chosen(fixed.tensor, upTo(divisors, linkDomainOf(request.cluster)));
    m_contexts = chosen(fixed.context, upTo(divisors, longest));
    const std::vector<int> experts
        = upTo(layout::divisorsOf(std::max(1, request.model.experts)), request.cluster.gpus());
    m_experts = chosen(fixed.expert, experts);
    m_pipelines = chosen(fixed.pipeline, divisors);
    m_microBatches = request.isMicroBatchFixed ? std::vector{request.microBatch}
                                               : powersOfTwo(request.globalBatch);
}

int SearchSpace::largestStage(int pipeline) const {
    const int layers = m_request.model.layers;
    // Embedding and loss then count as a layer each.
    const bool countsEnds = layers % pipeline != 0 && (layers + 2) % pipeline == 0
        && m_request.model.nextTokenLayers == 0;
    return (layers + (countsEnds ? 2 : 0) + pipeline - 1) / pipeline;
}

// DualPipe is made to hide exchanges of experts, by DeepSeek's own software.
bool SearchSpace::goesBothWays() const {
    const std::string& stack = m_request.stack;
    return m_request.model.experts > 1 && (stack.empty() || stack.starts_with("deepseek"));
}

std::vector<LayoutChoice> SearchSpace::flows(const LayoutChoice& choice) const {
    using layout::ScheduleKind;
    const layout::LayoutRequest& fixed = m_request.layout;
    std::vector<LayoutChoice> all;
    const auto add = [&](int virtualStages, ScheduleKind schedule) {
        if (virtualStages != fixed.virtualStages.value_or(virtualStages)
            || schedule != fixed.schedule.value_or(schedule))
            return;
        all.push_back(choice);
        all.back().virtualStages = virtualStages;
        all.back().schedule = schedule;
    };
    add(1, ScheduleKind::OneForwardOneBackward);
    const int pipeline = choice.pipeline;
    const bool isDivided = pipeline > 1 && pipeline <= m_request.model.layers;
    if (isDivided && m_request.workload != Workload::Inference) {
        const bool isTraining = m_request.workload == Workload::Training;
        if (isTraining)
            add(1, ScheduleKind::ZeroBubble);
        for (const int virtualStages : layout::divisorsOf(largestStage(pipeline))) {
            if (virtualStages > 1)
                add(virtualStages, ScheduleKind::Interleaved);
        }
        if (isTraining && pipeline % 2 == 0 && goesBothWays())
            add(1, ScheduleKind::DualPipe);
    }
    return all;
}

std::vector<LayoutChoice> SearchSpace::shardings(const LayoutChoice& choice) const {
    const layout::LayoutRequest& fixed = m_request.layout;
    const bool isTraining = m_request.workload == Workload::Training;
    const std::vector<int> stages = chosen(
        fixed.zeroStage, isTraining ? std::vector<int>{1, 2, kFullShards} : std::vector{0});
    const int ranks
        = std::max(1, m_request.cluster.gpus() / std::max(1, choice.tensor * choice.pipeline));
    std::vector<LayoutChoice> all;
    const auto add = [&](int zeroStage, int group) {
        all.push_back(choice);
        all.back().zeroStage = zeroStage;
        all.back().shard = group;
    };
    for (const int zeroStage : stages) {
        if (ranks == 1 && !all.empty())
            break;
        add(zeroStage, fixed.shardSize.value_or(0));
        if (zeroStage < kFullShards || fixed.shardSize)
            continue;
        for (const int group : layout::divisorsOf(ranks)) {
            if (group > 1 && group < ranks)
                add(zeroStage, group);
        }
    }
    return all;
}

std::vector<LayoutChoice> SearchSpace::recomputations(const LayoutChoice& choice) const {
    std::vector<LayoutChoice> all;
    const auto add = [&](Recompute recompute, int layers) {
        all.push_back(choice);
        all.back().recompute = recompute;
        all.back().recomputedLayers = layers;
    };
    if (m_request.isRecomputeFixed) {
        add(m_request.recompute, m_request.recomputedLayers);
        return all;
    }
    add(Recompute::None, 0);
    if (m_request.workload == Workload::Inference)
        return all;
    if (m_request.attention == AttentionKind::Unfused)
        add(Recompute::Selective, 0);
    if (choice.zeroStage >= kFullShards)
        add(Recompute::PerOperator, 0);
    constexpr int kQuarters = 4;
    int before = 0;
    for (int quarter = 1; quarter < kQuarters; ++quarter) {
        const int layers = largestStage(choice.pipeline) * quarter / kQuarters;
        if (layers > before)
            add(Recompute::Full, layers);
        before = layers;
    }
    add(Recompute::Full, 0);
    return all;
}

std::vector<int> SearchSpace::expertTensors(int tensor) const {
    if (m_request.model.experts <= 1)
        return {0};
    if (m_request.layout.expertTensor)
        return {*m_request.layout.expertTensor};
    return tensor > 1 ? std::vector{1, tensor} : std::vector{1};
}

std::vector<LayoutChoice> SearchSpace::parts() const {
    std::vector<LayoutChoice> all;
    for (const int tensor : m_tensors) {
        for (const int context : m_contexts) {
            for (const int expert : m_experts) {
                for (const int expertTensor : expertTensors(tensor)) {
                    LayoutChoice& part = all.emplace_back();
                    part.tensor = tensor;
                    part.context = context;
                    part.expert = expert;
                    part.expertTensor = expertTensor;
                }
            }
        }
    }
    return all;
}

std::int64_t SearchSpace::combinations(const LayoutChoice& choice) const {
    std::size_t each = 0;
    for (const LayoutChoice& sharding : shardings(choice))
        each += recomputations(sharding).size();
    return static_cast<std::int64_t>(each * flows(choice).size() * m_microBatches.size());
}

std::int64_t SearchSpace::allCombinations(LayoutChoice part) const {
    std::int64_t sum = 0;
    for (const int pipeline : m_pipelines) {
        part.pipeline = pipeline;
        sum += combinations(part);
    }
    return sum;
}

} // namespace trainscope::predict
