#include "core/analysis/schedule/CutByOrder.h"

#include "core/analysis/schedule/StageFit.h"

#include <algorithm>
#include <numeric>

namespace trainscope::analysis {

namespace {

using layout::ScheduleKind;

// Of the cuts, those that must lie between passes where less is known than usual.
constexpr double kSureShare = 0.8;

struct Evidence {
    bool isUsable = true; // detail everywhere, and no annotations
    bool isTold = false; // some kernel
    std::size_t lastTraced = 0; // stage
};

Evidence evidenceOf(const StagePasses& stages) {
    Evidence evidence;
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
        for (const Pass& pass : stages[stage]) {
            evidence.isUsable = evidence.isUsable && !pass.isAnnotated && pass.hasDetail();
            evidence.isTold = evidence.isTold || pass.kind.has_value();
            evidence.lastTraced = stage;
        }
    }
    return evidence;
}

struct Explained {
    StagePasses passes;
    double found = 1.0; // of the worst stage
    double met = 1.0;

    // How well it does both.
    [[nodiscard]] double agreement() const {
        return found > 0.0 && met > 0.0 ? 2.0 * found * met / (found + met) : 0.0;
    }
};

// Absent where some stage is not explained.
std::optional<Explained> explained(
    const OrderRequest& request, ScheduleKind kind, int microbatches, const StagePasses& stages) {
    const auto orders = ordersOf(request, kind, microbatches);
    if (orders.empty())
        return std::nullopt;
    Explained result;
    result.passes.resize(stages.size());
    // The first stage hands no gradient on: only the later ones tell where weights begin.
    std::size_t weights = 0;
    for (std::size_t stage = stages.size(); stage-- > 0;) {
        if (stages[stage].empty())
            continue;
        const StageFit fit(orders[stage], stages[stage]);
        const auto best = fit.best(weights);
        if (!best)
            return std::nullopt;
        weights = best->sizes[static_cast<std::size_t>(layout::TaskKind::WeightGradient)];
        result.passes[stage] = fit.passes(best->sizes);
        result.found = std::min(result.found, best->found);
        result.met = std::min(result.met, best->met);
    }
    return result;
}

std::vector<ScheduleKind> kindsToTry(const OrderRequest& request, const Evidence& evidence) {
    std::vector<ScheduleKind> kinds;
    if (!evidence.isTold)
        kinds = candidateKinds(request, false);
    // The first stage alone looks the same with weight gradients of their own or without.
    const bool isZero = request.kind == ScheduleKind::ZeroBubble;
    if (request.virtualStages == 1 && (isZero || evidence.lastTraced > 0))
        kinds.insert(isZero ? kinds.begin() : kinds.end(), ScheduleKind::ZeroBubble);
    return kinds;
}

// Numbers of micro-batches by which the kernels of all traced stages can be divided.
std::vector<int> possibleCounts(const OrderRequest& request, const StagePasses& stages) {
    std::size_t common = 0;
    for (const auto& passes : stages) {
        std::size_t kernels = 0;
        for (const Pass& pass : passes)
            kernels += pass.detail.size();
        common = std::gcd(common, kernels);
    }
    constexpr std::size_t kMost = 4096;
    const auto pieces = static_cast<std::size_t>(request.virtualStages);
    std::vector<int> counts;
    for (std::size_t count = 1; count * pieces * 2 <= common && count <= kMost; ++count) {
        if (common % (count * pieces) == 0)
            counts.push_back(static_cast<int>(count));
    }
    return counts;
}

} // namespace

std::optional<OrderCut> cutByOrder(const OrderRequest& request, StagePasses& stages) {
    const Evidence evidence = evidenceOf(stages);
    if (!evidence.isUsable)
        return std::nullopt;
    const bool isKnown = request.microbatches > 0;
    const auto counts
        = isKnown ? std::vector{request.microbatches} : possibleCounts(request, stages);
    std::optional<Explained> best;
    OrderCut cut;
    for (const ScheduleKind kind : kindsToTry(request, evidence)) {
        for (const int count : counts) {
            auto made = explained(request, kind, count, stages);
            const bool mustBeSure = !isKnown || evidence.isTold;
            if (!made || (mustBeSure && made->found < kSureShare))
                continue;
            // The simpler and likelier kinds come first: a later one must be better.
            if (best && made->agreement() <= best->agreement() + 1e-9)
                continue;
            best = std::move(made);
            cut = {kind, count, !isKnown};
        }
    }
    constexpr double kLeastMet = 0.4; // not every change of passes comes with a transfer
    if (!best || (!isKnown && best->met < kLeastMet))
        return std::nullopt;
    stages = std::move(best->passes);
    return cut;
}

} // namespace trainscope::analysis
