#include "core/analysis/schedule/SchedulePlans.h"

#include "core/layout/ScheduleOrder.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace trainscope::analysis {

namespace {

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
