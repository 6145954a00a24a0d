#include "core/analysis/schedule/StageFit.h"

#include "core/analysis/statistics/TimeRanges.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace trainscope::analysis {

namespace {

using layout::TaskKind;
using layout::WorkItem;

// The share of the cuts that transfers make which must lie between passes.
constexpr double kLeastPassShare = 0.7;
// The share of the kernels that may be told otherwise than their pass is.
constexpr double kMostContradicted = 0.01;
constexpr double kUsualForward = 1.0 / 3.0; // of the time of all passes
constexpr double kTie = 1e-3;
// Sizes of three kinds are tried all where that is little work, else those that cuts suggest.
constexpr double kMostTried = 2e6;
constexpr std::size_t kMostOfThree = 1500; // kernels of the passes of a micro-batch

constexpr std::size_t indexOf(TaskKind kind) {
    return static_cast<std::size_t>(kind);
}

using layout::ScheduleKind;

// The share of the cuts which must lie between passes where less is known than usual.
constexpr double kSureShare = 0.8;

struct PassEvidence {
    bool isUsable = true; // detail everywhere, and no annotations
    bool isTold = false; // some kernel
    std::size_t lastTraced = 0; // stage
};

PassEvidence evidenceOf(const StagePasses& stages) {
    PassEvidence evidence;
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

    // Harmonic mean of both.
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

std::vector<ScheduleKind> kindsToTry(const OrderRequest& request, const PassEvidence& evidence) {
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

StageFit::StageFit(const std::vector<WorkItem>& order, const std::vector<Pass>& passes)
    : m_order(order) {
    for (const WorkItem& item : order)
        ++m_rounds[indexOf(item.kind)];
    for (const Pass& pass : passes) {
        if (!m_kernels.empty() && pass.afterTransfer)
            m_cuts.push_back(m_kernels.size());
        m_kernels.insert(m_kernels.end(), pass.detail.begin(), pass.detail.end());
    }
    m_isCut.assign(m_kernels.size() + 1, false);
    for (const std::size_t cut : m_cuts)
        m_isCut[cut] = true;
    m_seconds.push_back(0.0);
    for (auto& told : m_told)
        told.push_back(0);
    for (const PassKernel& kernel : m_kernels) {
        m_seconds.push_back(m_seconds.back() + kernel.range.length().seconds());
        for (std::size_t kind = 0; kind < m_told.size(); ++kind)
            m_told[kind].push_back(
                m_told[kind].back() + (kernel.told && indexOf(*kernel.told) == kind ? 1U : 0U));
    }
}

std::size_t StageFit::toldBetween(TaskKind kind, std::size_t from, std::size_t to) const {
    const auto& told = m_told[indexOf(kind)];
    return told[to] - told[from];
}

std::optional<StageFit::Score> StageFit::scoreOf(const PassSizes& sizes) const {
    Score score;
    std::size_t at = 0;
    std::size_t contradicted = 0;
    double forward = 0.0;
    for (const WorkItem& item : m_order) {
        score.found += m_isCut[at] ? 1U : 0U;
        const std::size_t end = at + sizes[indexOf(item.kind)];
        if (item.kind == TaskKind::Forward)
            forward += m_seconds[end] - m_seconds[at];
        if (item.kind != TaskKind::Backward) // names do not tell gradients of the weights
            contradicted += toldBetween(TaskKind::Backward, at, end);
        if (item.kind != TaskKind::Forward)
            contradicted += toldBetween(TaskKind::Forward, at, end);
        at = end;
    }
    const auto cuts = static_cast<double>(m_cuts.size());
    const double share = m_cuts.empty() ? 1.0 : static_cast<double>(score.found) / cuts;
    const bool isContradicted = static_cast<double>(contradicted)
        > kMostContradicted * static_cast<double>(m_kernels.size());
    if (share < kLeastPassShare || isContradicted)
        return std::nullopt;
    const double all = m_seconds.back();
    score.value = share - kTie * std::abs((all > 0.0 ? forward / all : 0.0) - kUsualForward);
    return score;
}

// All sizes that sum to the kernels there are.
std::vector<PassSizes> StageFit::candidates() const {
    const std::size_t rounds = m_rounds[indexOf(TaskKind::Forward)];
    const std::size_t all = rounds == 0 ? 0 : m_kernels.size() / rounds;
    std::vector<PassSizes> result;
    if (rounds == 0 || m_kernels.size() % rounds != 0)
        return result;
    if (m_rounds[indexOf(TaskKind::WeightGradient)] == 0) {
        for (std::size_t forward = 1; forward < all; ++forward)
            result.push_back({forward, all - forward, 0});
        return result;
    }
    if (all > kMostOfThree)
        return result;
    std::set<std::size_t> lengths; // between neighbouring cuts
    for (std::size_t i = 1; i < m_cuts.size(); ++i)
        lengths.insert(m_cuts[i] - m_cuts[i - 1]);
    const double tries
        = static_cast<double>(all) * static_cast<double>(all) * static_cast<double>(m_order.size());
    const auto isSuggested = [&](std::size_t forward, std::size_t backward) {
        return tries <= kMostTried || lengths.contains(all - forward - backward)
            || (lengths.contains(forward) && lengths.contains(backward));
    };
    for (std::size_t forward = 1; forward + 1 < all; ++forward) {
        for (std::size_t backward = 1; forward + backward < all; ++backward) {
            if (isSuggested(forward, backward))
                result.push_back({forward, backward, all - forward - backward});
        }
    }
    return result;
}

std::optional<StageFit::Best> StageFit::best(std::size_t weights) const {
    std::optional<Best> best;
    double bestValue = 0.0;
    for (const PassSizes& sizes : candidates()) {
        const auto score = scoreOf(sizes);
        if (!score)
            continue;
        const bool isPreferred = weights > 0 && sizes[indexOf(TaskKind::WeightGradient)] == weights;
        const double value = score->value + (isPreferred ? kTie : 0.0);
        if (best && value <= bestValue)
            continue;
        bestValue = value;
        const auto changes = static_cast<double>(m_order.size() - 1);
        const auto cuts = static_cast<double>(m_cuts.size());
        const auto found = static_cast<double>(score->found);
        best = Best{sizes, cuts > 0.0 ? found / cuts : 0.0, changes > 0.0 ? found / changes : 0.0};
    }
    return best;
}

std::vector<Pass> StageFit::passes(const PassSizes& sizes) const {
    std::vector<Pass> result;
    std::size_t at = 0;
    for (const WorkItem& item : m_order) {
        const std::size_t count = sizes[indexOf(item.kind)];
        Pass pass{m_kernels[at].range, item.kind, static_cast<std::int64_t>(count), false,
            m_isCut[at], {}};
        for (std::size_t k = at; k < at + count; ++k)
            pass.range = spanned(pass.range, m_kernels[k].range);
        result.push_back(pass);
        at += count;
    }
    return result;
}

std::optional<OrderCut> cutByOrder(const OrderRequest& request, StagePasses& stages) {
    const PassEvidence evidence = evidenceOf(stages);
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
