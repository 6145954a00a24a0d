#include "core/analysis/schedule/PassOrder.h"

#include "core/layout/ScheduleOrder.h"

#include <algorithm>
#include <map>

namespace trainscope::analysis {

namespace {

using layout::ScheduleKind;
using layout::TaskKind;
using layout::WorkItem;
using Stages = std::vector<std::vector<Pass>>;

Mark markOf(TaskKind kind) {
    return kind == TaskKind::Forward ? Mark::Forward : Mark::Backward;
}

std::int64_t countOf(const std::vector<Pass>& passes, Mark mark) {
    return std::count_if(
        passes.begin(), passes.end(), [&](const Pass& pass) { return pass.mark == mark; });
}

// As many as each traced stage has done; 0 where they differ or forward and backward do.
int countedMicrobatches(const OrderRequest& request, const Stages& stages) {
    std::optional<std::int64_t> all;
    for (const auto& passes : stages) {
        if (passes.empty())
            continue;
        const std::int64_t forward = countOf(passes, Mark::Forward);
        if (forward != countOf(passes, Mark::Backward) || (all && *all != forward))
            return 0;
        all = forward;
    }
    return all && *all % request.virtualStages == 0 ? static_cast<int>(*all / request.virtualStages)
                                                    : 0;
}

// Enough that the begin of a step looks the same whatever the number is.
int manyMicrobatches(const OrderRequest& request, const Stages& stages) {
    std::size_t most = 1;
    for (const auto& passes : stages)
        most = std::max(most, passes.size());
    const int rounds = static_cast<int>(most) / request.stages + 2;
    return rounds * request.stages;
}

class Fit {
public:
    Fit(const OrderRequest& request, ScheduleKind kind, int microbatches, Stages& stages)
        : m_stages(stages) {
        const layout::ScheduleRequest plan{kind, request.stages, microbatches,
            kind == ScheduleKind::Interleaved ? request.virtualStages : 1, {}, 0.0,
            request.microbatchGroup};
        m_isPossible = layout::makeSchedule({kind, request.stages, microbatches, plan.virtualStages,
                                                {{0.0, 0.0, 0.0}}, 0.0, request.microbatchGroup})
                           .hasValue();
        for (int stage = 0; m_isPossible && stage < request.stages; ++stage)
            m_orders.push_back(workOrder(plan, stage));
    }

    // Where the stage's passes begin in its order: at its begin, or such that they end with it.
    bool matches(bool fromEnd, bool isWhole) const {
        bool any = false;
        for (std::size_t stage = 0; m_isPossible && stage < m_stages.size(); ++stage) {
            const auto& passes = m_stages[stage];
            const auto& order = m_orders[stage];
            if (passes.empty())
                continue;
            if (passes.size() > order.size() || (isWhole && passes.size() != order.size()))
                return false;
            const std::size_t first = fromEnd ? order.size() - passes.size() : 0;
            for (std::size_t i = 0; i < passes.size(); ++i) {
                const bool isOpen = isWhole && passes[i].mark == Mark::None;
                if (!isOpen && passes[i].mark != markOf(order[first + i].kind))
                    return false;
            }
            any = true;
        }
        return any;
    }

    std::vector<std::vector<PassNumber>> number(bool fromEnd, bool isKnown) const {
        std::vector<std::vector<PassNumber>> numbers(m_stages.size());
        for (std::size_t stage = 0; stage < m_stages.size(); ++stage) {
            auto& passes = m_stages[stage];
            const auto& order = m_orders[stage];
            const std::size_t first = fromEnd ? order.size() - passes.size() : 0;
            for (std::size_t i = 0; i < passes.size(); ++i) {
                const WorkItem& item = order[first + i];
                passes[i].mark = markOf(item.kind);
                numbers[stage].push_back({item.chunk, isKnown ? item.microbatch : -1});
            }
        }
        return numbers;
    }

private:
    Stages& m_stages;
    bool m_isPossible = false;
    std::vector<std::vector<WorkItem>> m_orders;
};

std::vector<ScheduleKind> candidates(const OrderRequest& request) {
    if (request.virtualStages > 1)
        return {ScheduleKind::Interleaved};
    if (request.kind == ScheduleKind::GPipe)
        return {ScheduleKind::GPipe, ScheduleKind::OneForwardOneBackward};
    return {ScheduleKind::OneForwardOneBackward, ScheduleKind::GPipe};
}

// By the count of its kind alone, where no schedule fits.
PassOrder counted(const OrderRequest& request, const Stages& stages) {
    PassOrder order{PassExtent::Unknown, request.kind, request.microbatches, {}};
    for (const auto& passes : stages)
        order.numbers.emplace_back(passes.size());
    return order;
}

} // namespace

PassOrder orderOfPasses(const OrderRequest& request, std::vector<std::vector<Pass>>& stages) {
    const int known
        = request.microbatches > 0 ? request.microbatches : countedMicrobatches(request, stages);
    const auto kinds = candidates(request);
    for (const ScheduleKind kind : kinds) {
        const Fit fit(request, kind, known, stages);
        if (known > 0 && fit.matches(false, true))
            return {PassExtent::Whole, kind, known, fit.number(false, true)};
    }
    for (const ScheduleKind kind : kinds) {
        const int count
            = request.microbatches > 0 ? request.microbatches : manyMicrobatches(request, stages);
        const Fit fit(request, kind, count, stages);
        if (fit.matches(false, false))
            return {PassExtent::Begin, kind, request.microbatches, fit.number(false, true)};
    }
    for (const ScheduleKind kind : kinds) {
        const bool isKnown = request.microbatches > 0;
        const Fit fit(request, kind,
            isKnown ? request.microbatches : manyMicrobatches(request, stages), stages);
        if (fit.matches(true, false))
            return {PassExtent::End, kind, request.microbatches, fit.number(true, isKnown)};
    }
    return counted(request, stages);
}

} // namespace trainscope::analysis
