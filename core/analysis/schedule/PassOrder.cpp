#include "core/analysis/schedule/PassOrder.h"

#include <algorithm>

namespace trainscope::analysis {

namespace {

using layout::ScheduleKind;
using layout::TaskKind;
using layout::WorkItem;

// As many as each traced stage has done; 0 where they differ or forward and backward do.
int countedMicrobatches(const OrderRequest& request, const StagePasses& stages) {
    std::optional<std::int64_t> all;
    for (const auto& passes : stages) {
        if (passes.empty())
            continue;
        const std::int64_t forward = countOf(passes, TaskKind::Forward);
        if (forward != countOf(passes, TaskKind::Backward) || (all && *all != forward))
            return 0;
        all = forward;
    }
    return all && *all % request.virtualStages == 0 ? static_cast<int>(*all / request.virtualStages)
                                                    : 0;
}

// Enough that the begin of a step looks the same whatever the number is.
int manyMicrobatches(const OrderRequest& request, const StagePasses& stages) {
    std::size_t most = 1;
    for (const auto& passes : stages)
        most = std::max(most, passes.size());
    const int rounds = static_cast<int>(most) / request.stages + 2;
    return rounds * request.stages;
}

class Fit {
public:
    Fit(const OrderRequest& request, ScheduleKind kind, int microbatches, StagePasses& stages)
        : m_stages(stages)
        , m_orders(ordersOf(request, kind, microbatches)) { }

    // Where the stage's passes begin in its order: at its begin, or such that they end with it.
    [[nodiscard]] bool matches(bool fromEnd, bool isWhole) const {
        bool any = false;
        for (std::size_t stage = 0; !m_orders.empty() && stage < m_stages.size(); ++stage) {
            if (m_stages[stage].empty())
                continue;
            if (!matchesStage(stage, fromEnd, isWhole))
                return false;
            any = true;
        }
        return any;
    }

    [[nodiscard]] std::vector<std::vector<PassNumber>> number(bool fromEnd, bool isKnown) const {
        std::vector<std::vector<PassNumber>> numbers(m_stages.size());
        for (std::size_t stage = 0; stage < m_stages.size(); ++stage) {
            auto& passes = m_stages[stage];
            const auto& order = m_orders[stage];
            const std::size_t first = fromEnd ? order.size() - passes.size() : 0;
            for (std::size_t i = 0; i < passes.size(); ++i) {
                const WorkItem& item = order[first + i];
                passes[i].kind = item.kind;
                numbers[stage].push_back({item.chunk, isKnown ? item.microbatch : -1});
            }
        }
        return numbers;
    }

private:
    [[nodiscard]] bool matchesStage(std::size_t stage, bool fromEnd, bool isWhole) const {
        const auto& passes = m_stages[stage];
        const auto& order = m_orders[stage];
        if (passes.size() > order.size() || (isWhole && passes.size() != order.size()))
            return false;
        const std::size_t first = fromEnd ? order.size() - passes.size() : 0;
        for (std::size_t i = 0; i < passes.size(); ++i) {
            const bool isOpen = isWhole && !passes[i].kind;
            if (!isOpen && passes[i].kind != order[first + i].kind)
                return false;
        }
        return true;
    }

    StagePasses& m_stages;
    std::vector<std::vector<WorkItem>> m_orders;
};

// The k-th of a kind is of the k-th micro-batch where a stage has one piece of the model.
PassOrder counted(const OrderRequest& request, int known, const StagePasses& stages) {
    const bool isCounted
        = request.virtualStages == 1 && known > 0 && known == countedMicrobatches(request, stages);
    PassOrder order{isCounted ? PassExtent::Whole : PassExtent::Unknown, std::nullopt,
        isCounted ? known : request.microbatches, request.virtualStages, false, {}};
    for (const auto& passes : stages) {
        auto& numbers = order.numbers.emplace_back(passes.size());
        std::array<int, 3> next{}; // by kind
        for (std::size_t i = 0; isCounted && i < passes.size(); ++i)
            numbers[i].microbatch = next[static_cast<std::size_t>(*passes[i].kind)]++;
    }
    return order;
}

} // namespace

bool hasWeightPasses(const StagePasses& stages) {
    return std::any_of(stages.begin(), stages.end(),
        [](const auto& passes) { return countOf(passes, TaskKind::WeightGradient) > 0; });
}

std::vector<ScheduleKind> candidateKinds(const OrderRequest& request, bool hasWeights) {
    if (request.virtualStages > 1)
        return {hasWeights ? ScheduleKind::ZeroBubbleV : ScheduleKind::Interleaved};
    if (hasWeights)
        return {ScheduleKind::ZeroBubble};
    if (request.kind == ScheduleKind::GPipe)
        return {ScheduleKind::GPipe, ScheduleKind::OneForwardOneBackward};
    return {ScheduleKind::OneForwardOneBackward, ScheduleKind::GPipe};
}

std::vector<std::vector<WorkItem>> ordersOf(
    const OrderRequest& request, ScheduleKind kind, int microbatches) {
    const bool hasPieces = kind == ScheduleKind::Interleaved || kind == ScheduleKind::ZeroBubbleV;
    const layout::ScheduleRequest plan{kind, request.stages, microbatches,
        hasPieces ? request.virtualStages : 1, {{1.0, 1.0, 1.0}}, 0.0, request.microbatchGroup};
    return layout::checkSchedule(plan).hasValue() ? workOrders(plan)
                                                  : std::vector<std::vector<WorkItem>>{};
}

PassOrder orderOfPasses(const OrderRequest& request, StagePasses& stages) {
    const int known
        = request.microbatches > 0 ? request.microbatches : countedMicrobatches(request, stages);
    const auto kinds = candidateKinds(request, hasWeightPasses(stages));
    const auto found
        = [&](PassExtent extent, ScheduleKind kind, int count, const Fit& fit, bool isKnown) {
              return PassOrder{extent, kind, count, request.virtualStages, false,
                  fit.number(extent == PassExtent::End, isKnown)};
          };
    for (const ScheduleKind kind : kinds) {
        const Fit fit(request, kind, known, stages);
        if (known > 0 && fit.matches(false, true))
            return found(PassExtent::Whole, kind, known, fit, true);
    }
    const bool isKnown = request.microbatches > 0;
    const int count = isKnown ? request.microbatches : manyMicrobatches(request, stages);
    for (const bool fromEnd : {false, true}) {
        for (const ScheduleKind kind : kinds) {
            const Fit fit(request, kind, count, stages);
            if (fit.matches(fromEnd, false))
                return found(fromEnd ? PassExtent::End : PassExtent::Begin, kind,
                    request.microbatches, fit, !fromEnd || isKnown);
        }
    }
    return counted(request, known, stages);
}

} // namespace trainscope::analysis
