#include "core/analysis/schedule/UnmarkedPasses.h"

#include "core/layout/ScheduleOrder.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace trainscope::analysis {

namespace {

using layout::ScheduleKind;
using layout::TaskKind;
using layout::WorkItem;

// Of the cuts that transfers make, those that must lie between passes.
constexpr double kLeastShare = 0.7;
constexpr double kUsualForward = 1.0 / 3.0; // of the time of both passes

struct Kernels {
    std::vector<TimeRange> times;
    std::set<std::size_t> cuts; // indices of kernels that a cut lies before
};

bool isUnmarked(const std::vector<std::vector<Pass>>& stages) {
    return std::all_of(stages.begin(), stages.end(), [](const auto& passes) {
        return std::all_of(passes.begin(), passes.end(), [](const Pass& pass) {
            return pass.mark == Mark::None
                && static_cast<std::int64_t>(pass.times.size()) == pass.kernels;
        });
    });
}

Kernels kernelsOf(const std::vector<Pass>& passes) {
    Kernels kernels;
    for (const Pass& pass : passes) {
        if (!kernels.times.empty())
            kernels.cuts.insert(kernels.times.size());
        kernels.times.insert(kernels.times.end(), pass.times.begin(), pass.times.end());
    }
    return kernels;
}

class StageFit {
public:
    StageFit(std::vector<WorkItem> order, const std::vector<Pass>& passes)
        : m_order(std::move(order))
        , m_kernels(kernelsOf(passes)) { }

    // The kernels of a forward pass that explain most cuts; of equally good ones that with about a
    // third of the time. 0 where none does.
    [[nodiscard]] std::size_t bestForward() const {
        const std::size_t rounds = m_order.size() / 2; // a forward and a backward pass each
        const std::size_t all = m_kernels.times.size();
        if (rounds == 0 || all % rounds != 0)
            return 0;
        const std::size_t both = all / rounds;
        std::size_t best = 0;
        double bestScore = kLeastShare - kTie;
        for (std::size_t forward = 1; forward < both; ++forward) {
            const double score = shareOfCuts(forward, both)
                - kTie * std::abs(timeShare(forward, both) - kUsualForward);
            if (score > bestScore) {
                bestScore = score;
                best = forward;
            }
        }
        return best;
    }

    [[nodiscard]] std::vector<Pass> passes(std::size_t forward) const {
        const std::size_t both = 2 * m_kernels.times.size() / m_order.size();
        std::vector<Pass> result;
        std::size_t at = 0;
        for (const WorkItem& item : m_order) {
            const bool isForward = item.kind == TaskKind::Forward;
            const std::size_t count = isForward ? forward : both - forward;
            Pass pass{m_kernels.times[at], isForward ? Mark::Forward : Mark::Backward,
                static_cast<std::int64_t>(count), false, m_kernels.cuts.contains(at), {}};
            for (std::size_t k = at; k < at + count; ++k)
                pass.range.end = std::max(pass.range.end, m_kernels.times[k].end);
            result.push_back(pass);
            at += count;
        }
        return result;
    }

private:
    static constexpr double kTie = 1e-3;

    [[nodiscard]] double shareOfCuts(std::size_t forward, std::size_t both) const {
        if (m_kernels.cuts.empty())
            return 1.0;
        std::size_t at = 0;
        std::size_t found = 0;
        for (const WorkItem& item : m_order) {
            found += m_kernels.cuts.contains(at) ? 1U : 0U;
            at += item.kind == TaskKind::Forward ? forward : both - forward;
        }
        return static_cast<double>(found) / static_cast<double>(m_kernels.cuts.size());
    }

    // Of forward passes, of the time of all kernels.
    [[nodiscard]] double timeShare(std::size_t forward, std::size_t both) const {
        double ofForward = 0.0;
        double ofAll = 0.0;
        std::size_t at = 0;
        for (const WorkItem& item : m_order) {
            const bool isForward = item.kind == TaskKind::Forward;
            const std::size_t end = at + (isForward ? forward : both - forward);
            for (; at < end; ++at) {
                const double seconds = m_kernels.times[at].length().seconds();
                ofAll += seconds;
                ofForward += isForward ? seconds : 0.0;
            }
        }
        return ofAll > 0.0 ? ofForward / ofAll : 0.0;
    }

    std::vector<WorkItem> m_order;
    Kernels m_kernels;
};

// Absent where some stage is not explained.
std::optional<std::vector<std::vector<Pass>>> explained(
    const OrderRequest& request, ScheduleKind kind, const std::vector<std::vector<Pass>>& stages) {
    const layout::ScheduleRequest plan{kind, request.stages, request.microbatches,
        request.virtualStages, {}, 0.0, request.microbatchGroup};
    std::vector<std::vector<Pass>> result;
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
        if (stages[stage].empty()) {
            result.emplace_back();
            continue;
        }
        const StageFit fit(workOrder(plan, static_cast<int>(stage)), stages[stage]);
        const std::size_t forward = fit.bestForward();
        if (forward == 0)
            return std::nullopt;
        result.push_back(fit.passes(forward));
    }
    return result;
}

} // namespace

void markByOrder(const OrderRequest& request, std::vector<std::vector<Pass>>& stages) {
    if (request.microbatches < 1 || !isUnmarked(stages))
        return;
    const auto kinds = request.virtualStages > 1
        ? std::vector{ScheduleKind::Interleaved}
        : std::vector{ScheduleKind::OneForwardOneBackward, ScheduleKind::GPipe};
    for (const ScheduleKind kind : kinds) {
        const layout::ScheduleRequest plan{kind, request.stages, request.microbatches,
            request.virtualStages, {{0.0, 0.0, 0.0}}, 0.0, request.microbatchGroup};
        if (!layout::makeSchedule(plan).hasValue())
            continue;
        if (auto passes = explained(request, kind, stages)) {
            stages = std::move(*passes);
            return;
        }
    }
}

} // namespace trainscope::analysis
