#include "core/analysis/schedule/PassOrder.h"

#include <cmath>
#include <map>
#include <set>
#include <tuple>

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

class OrderFit {
public:
    OrderFit(const OrderRequest& request, ScheduleKind kind, int microbatches, StagePasses& stages)
        : m_stages(stages)
        , m_orders(ordersOf(request, kind, microbatches)) { }

    // True where all traced stages match their order from its begin, or such that they end with it.
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
        isCounted ? known : request.microbatches, request.virtualStages, {}};
    for (const auto& passes : stages) {
        auto& numbers = order.numbers.emplace_back(passes.size());
        std::array<int, 3> next{}; // by kind
        for (std::size_t i = 0; isCounted && i < passes.size(); ++i)
            numbers[i].microbatch = next[static_cast<std::size_t>(*passes[i].kind)]++;
    }
    return order;
}

// Pieces of the model that a stage has, in its order, where its passes say pieces.
std::map<int, int> chunksOfPieces(const std::vector<Pass>& passes) {
    std::set<int> pieces;
    for (const Pass& pass : passes) {
        if (pass.piece)
            pieces.insert(*pass.piece);
    }
    std::map<int, int> chunks;
    for (const int piece : pieces)
        chunks.emplace(piece, static_cast<int>(chunks.size()));
    return chunks;
}

class Numbering {
public:
    Numbering(const OrderRequest& request, const StagePasses& stages)
        : m_request(request)
        , m_stages(stages) { }

    std::optional<PassOrder> run() {
        for (const auto& passes : m_stages) {
            if (!takeStage(passes))
                return std::nullopt;
        }
        m_order.microbatches = m_request.microbatches;
        if (m_most >= m_request.microbatches)
            m_order.microbatches = m_most + 1;
        m_order.extent = extent();
        if (m_order.extent != PassExtent::Whole && m_request.microbatches == 0)
            m_order.microbatches = 0; // there may have been more of them
        if (m_order.extent == PassExtent::Whole)
            m_order.kind = kind();
        return std::move(m_order);
    }

private:
    // False where a pass is done twice.
    bool takeStage(const std::vector<Pass>& passes) {
        const auto chunks = chunksOfPieces(passes);
        auto& numbers = m_order.numbers.emplace_back();
        std::set<std::tuple<TaskKind, int, int>> seen;
        for (const Pass& pass : passes) {
            const int chunk = pass.piece ? chunks.at(*pass.piece) : pass.chunk.value_or(0);
            const int microbatch = pass.microbatch.value_or(-1);
            if (microbatch >= 0 && !seen.insert({*pass.kind, chunk, microbatch}).second)
                return false;
            numbers.push_back({chunk, microbatch});
            m_most = std::max(m_most, microbatch);
            m_order.virtualStages = std::max(m_order.virtualStages, chunk + 1);
        }
        return true;
    }

    [[nodiscard]] std::int64_t done(std::size_t stage, TaskKind kind, int microbatch) const {
        std::int64_t count = 0;
        for (std::size_t i = 0; i < m_stages[stage].size(); ++i)
            count += m_stages[stage][i].kind == kind
                    && (microbatch < 0 || m_order.numbers[stage][i].microbatch == microbatch)
                ? 1
                : 0;
        return count;
    }

    // The step begins with the first micro-batch's forward passes and ends with the last one's
    // backward passes.
    [[nodiscard]] PassExtent extent() const {
        bool isWhole = true;
        bool hasBegin = true;
        bool hasEnd = true;
        const int last = m_order.microbatches - 1;
        const std::int64_t all = std::int64_t{m_order.microbatches} * m_order.virtualStages;
        for (std::size_t stage = 0; stage < m_stages.size(); ++stage) {
            if (m_stages[stage].empty())
                continue;
            isWhole = isWhole && done(stage, TaskKind::Forward, -1) == all
                && done(stage, TaskKind::Backward, -1) == all;
            hasBegin = hasBegin && done(stage, TaskKind::Forward, 0) == m_order.virtualStages;
            hasEnd = hasEnd && done(stage, TaskKind::Backward, last) == m_order.virtualStages;
        }
        if (isWhole)
            return PassExtent::Whole;
        if (hasBegin)
            return PassExtent::Begin;
        return hasEnd && m_request.microbatches > 0 ? PassExtent::End : PassExtent::Part;
    }

    [[nodiscard]] std::optional<ScheduleKind> kind() const {
        OrderRequest request = m_request;
        request.virtualStages = m_order.virtualStages;
        for (const ScheduleKind kind : candidateKinds(request, hasWeightPasses(m_stages))) {
            const auto orders = ordersOf(request, kind, m_order.microbatches);
            bool isSame = !orders.empty();
            for (std::size_t stage = 0; isSame && stage < m_stages.size(); ++stage)
                isSame = m_stages[stage].empty() || isOrder(stage, orders[stage]);
            if (isSame)
                return kind;
        }
        return std::nullopt;
    }

    [[nodiscard]] bool isOrder(std::size_t stage, const std::vector<WorkItem>& order) const {
        const auto& passes = m_stages[stage];
        const auto& numbers = m_order.numbers[stage];
        if (passes.size() != order.size())
            return false;
        for (std::size_t i = 0; i < order.size(); ++i) {
            const bool isSame = passes[i].kind == order[i].kind
                && numbers[i].chunk == order[i].chunk
                && numbers[i].microbatch == order[i].microbatch;
            if (!isSame)
                return false;
        }
        return true;
    }

    const OrderRequest& m_request;
    const StagePasses& m_stages;
    PassOrder m_order;
    int m_most = -1;
};

using layout::PieceTimes;
using layout::Schedule;
using layout::ScheduleKind;
using layout::ScheduleTask;
using layout::TaskKind;

// The same work of every stage in another number of pieces. Pieces are equal then.
std::vector<PieceTimes> timesInPieces(const DoneStep& done, ScheduleKind kind, int pieces) {
    const int now = done.schedule.virtualStages;
    if (pieces == now)
        return done.times;
    const int stages = done.schedule.stages;
    std::vector<PieceTimes> times(static_cast<std::size_t>(stages * pieces));
    for (int stage = 0; stage < stages; ++stage) {
        PieceTimes sum{0.0, 0.0, 0.0};
        for (int chunk = 0; chunk < now; ++chunk) {
            const auto& one = done.times[static_cast<std::size_t>(
                pieceOf(done.schedule.kind, stages, stage, chunk))];
            sum.forward += one.forward / pieces;
            sum.inputGradient += one.inputGradient / pieces;
            sum.weightGradient += one.weightGradient / pieces;
        }
        for (int chunk = 0; chunk < pieces; ++chunk)
            times[static_cast<std::size_t>(pieceOf(kind, stages, stage, chunk))] = sum;
    }
    return times;
}

using Key = std::tuple<TaskKind, int, int>; // chunk, micro-batch

// Pairs of neighbours' ranks that are out of order, by merging.
std::int64_t inversions(std::vector<std::size_t>& ranks) {
    if (ranks.size() < 2)
        return 0;
    const auto middle = ranks.begin() + static_cast<std::ptrdiff_t>(ranks.size() / 2);
    std::vector<std::size_t> left(ranks.begin(), middle);
    std::vector<std::size_t> right(middle, ranks.end());
    std::int64_t count = inversions(left) + inversions(right);
    std::size_t l = 0;
    std::size_t r = 0;
    for (std::size_t& rank : ranks) {
        if (r == right.size() || (l < left.size() && left[l] <= right[r])) {
            rank = left[l++];
            continue;
        }
        count += static_cast<std::int64_t>(left.size() - l);
        rank = right[r++];
    }
    return count;
}

std::optional<double> sameOrder(const Schedule& done, const Schedule& plan) {
    if (done.virtualStages != plan.virtualStages)
        return std::nullopt;
    std::map<std::pair<int, Key>, std::size_t> places; // stage
    for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
        const ScheduleTask& task = plan.tasks[i];
        places[{task.stage, {task.kind, task.chunk, task.microbatch}}] = i;
    }
    std::vector<std::vector<std::size_t>> ranks(static_cast<std::size_t>(done.stages));
    for (const ScheduleTask& task : done.tasks) {
        const auto found = places.find({task.stage, {task.kind, task.chunk, task.microbatch}});
        if (found != places.end())
            ranks[static_cast<std::size_t>(task.stage)].push_back(found->second);
    }
    double pairs = 0.0;
    std::int64_t wrong = 0;
    for (auto& one : ranks) {
        const auto count = static_cast<double>(one.size());
        pairs += count * (count - 1.0) / 2.0;
        wrong += inversions(one);
    }
    return pairs > 0.0 ? std::optional(1.0 - static_cast<double>(wrong) / pairs) : std::nullopt;
}

} // namespace

bool hasWeightPasses(const StagePasses& stages) {
    return std::ranges::any_of(
        stages, [](const auto& passes) { return countOf(passes, TaskKind::WeightGradient) > 0; });
}

std::vector<ScheduleKind> candidateKinds(const OrderRequest& request, bool hasWeights) {
    const bool isInterleaved = request.virtualStages > 1;
    if (hasWeights)
        return isInterleaved ? std::vector<ScheduleKind>() : std::vector{ScheduleKind::ZeroBubble};
    if (isInterleaved)
        return {ScheduleKind::Interleaved};
    if (request.kind == ScheduleKind::GPipe)
        return {ScheduleKind::GPipe, ScheduleKind::OneForwardOneBackward};
    return {ScheduleKind::OneForwardOneBackward, ScheduleKind::GPipe};
}

std::vector<std::vector<WorkItem>> ordersOf(
    const OrderRequest& request, ScheduleKind kind, int microbatches) {
    OrderRequest plan = request;
    plan.kind = kind;
    plan.microbatches = microbatches;
    plan.times = {{1.0, 1.0, 1.0}};
    if (kind != ScheduleKind::Interleaved)
        plan.virtualStages = 1;
    return layout::checkSchedule(plan).hasValue() ? workOrders(plan)
                                                  : std::vector<std::vector<WorkItem>>{};
}

PassOrder orderOfPasses(const OrderRequest& request, StagePasses& stages) {
    const int known
        = request.microbatches > 0 ? request.microbatches : countedMicrobatches(request, stages);
    const auto kinds = candidateKinds(request, hasWeightPasses(stages));
    const auto found
        = [&](PassExtent extent, ScheduleKind kind, int count, const OrderFit& fit, bool isKnown) {
              return PassOrder{extent, kind, count, request.virtualStages,
                  fit.number(extent == PassExtent::End, isKnown)};
          };
    for (const ScheduleKind kind : kinds) {
        const OrderFit fit(request, kind, known, stages);
        if (known > 0 && fit.matches(false, true))
            return found(PassExtent::Whole, kind, known, fit, true);
    }
    const bool isKnown = request.microbatches > 0;
    const int count = isKnown ? request.microbatches : manyMicrobatches(request, stages);
    for (const bool fromEnd : {false, true}) {
        for (const ScheduleKind kind : kinds) {
            const OrderFit fit(request, kind, count, stages);
            if (fit.matches(fromEnd, false))
                return found(fromEnd ? PassExtent::End : PassExtent::Begin, kind,
                    request.microbatches, fit, !fromEnd || isKnown);
        }
    }
    return counted(request, known, stages);
}

std::optional<PassOrder> orderByNames(const OrderRequest& request, const StagePasses& stages) {
    return Numbering(request, stages).run();
}

Result<Schedule> planOf(const DoneStep& done, ScheduleKind kind) {
    const int pieces
        = kind == ScheduleKind::Interleaved ? std::max(2, done.schedule.virtualStages) : 1;
    const bool keepsGroup
        = kind == ScheduleKind::Interleaved && pieces == done.schedule.virtualStages;
    return layout::makeSchedule({kind, done.schedule.stages, done.schedule.microbatches, pieces,
        timesInPieces(done, kind, pieces), 0.0, keepsGroup ? done.microbatchGroup : 0});
}

std::vector<PlanFit> fitPlans(const DoneStep& done) {
    std::vector<PlanFit> fits;
    const bool isSplit = std::ranges::any_of(done.schedule.tasks,
        [](const ScheduleTask& task) { return task.kind == TaskKind::WeightGradient; });
    for (const ScheduleKind kind : layout::kAllSchedules) {
        if (kind == ScheduleKind::DualPipe && done.schedule.kind != kind)
            continue; // it holds the model twice
        const auto plan = planOf(done, kind);
        if (!plan.hasValue())
            continue;
        fits.push_back({kind, plan.value().makespan, plan.value().bubbleFraction,
            isSplit == splitsBackward(kind) ? sameOrder(done.schedule, plan.value())
                                            : std::nullopt});
    }
    std::ranges::stable_sort(fits, [&](const PlanFit& a, const PlanFit& b) {
        constexpr double kNotComparable = -1.0;
        const auto distance
            = [&](const PlanFit& fit) { return std::abs(fit.makespan - done.schedule.makespan); };
        return std::pair(-a.sameOrder.value_or(kNotComparable), distance(a))
            < std::pair(-b.sameOrder.value_or(kNotComparable), distance(b));
    });
    return fits;
}

} // namespace trainscope::analysis
