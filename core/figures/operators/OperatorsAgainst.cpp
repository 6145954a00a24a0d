#include "core/figures/operators/OperatorsFigure.h"

#include "core/analysis/operators/CallTrees.h"
#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/TraceWindow.h"
#include "core/figures/runs/FigureRuns.h"

#include <cmath>

namespace trainscope::figures {

using namespace plot;

namespace {

// Iterations of a rank, on its clock.
struct RankIterations {
    int rank = -1;
    std::vector<Iteration> iterations; // in order of time
};

Result<RankIterations> iterationsOf(const analysis::RunStudy& study, std::optional<int> rank) {
    RankIterations found;
    ASSIGN_OR_RETURN(const auto ranks, analysis::tracedRanks(study));
    if (ranks.empty())
        return found;
    ASSIGN_OR_RETURN(const auto recorded, study.store.iterations(study.run.id));
    found.rank = rank.value_or(ranks.front());
    found.iterations = analysis::iterationsOfRank(recorded, found.rank);
    return found;
}

struct IterationNumbers {
    std::int64_t first = 0;
    std::int64_t last = 0;

    [[nodiscard]] std::string words() const {
        return first == last ? fmt::format("iteration {}", first)
                             : fmt::format("iterations {} to {}", first, last);
    }
};

// Those of which the better part lies in the window.
std::optional<IterationNumbers> heldIn(
    const std::vector<Iteration>& iterations, const TimeRange& window) {
    std::optional<IterationNumbers> held;
    for (const Iteration& one : iterations) {
        const bool isHeld = one.range.overlaps(window)
            && 2 * analysis::shared(one.range, window).length().ns >= one.range.length().ns;
        if (!isHeld)
            continue;
        held = held
            ? IterationNumbers{std::min(held->first, one.index), std::max(held->last, one.index)}
            : IterationNumbers{one.index, one.index};
    }
    return held;
}

const Iteration* numbered(const std::vector<Iteration>& iterations, std::int64_t index) {
    const auto found = std::ranges::find(iterations, index, &Iteration::index);
    return found == iterations.end() ? nullptr : &*found;
}

// A window on the clock of a rank, on the one that all ranks are compared by.
Status putOnOneClock(const analysis::RunStudy& study, int rank, OperatorsQuery& query) {
    ASSIGN_OR_RETURN(query.clocks, analysis::differingClocks(study));
    const auto* const clock = query.clocks ? query.clocks->find(rank) : nullptr;
    if (clock == nullptr)
        query.clocks.reset();
    else
        query.window = clock->onReference(query.window);
    return {};
}

// Names the part of a run that is compared; empty: all of it.
std::string partText(const OperatorsReading& reading, const std::string& window) {
    std::string words
        = reading.query.rank ? fmt::format("rank {}", *reading.query.rank) : std::string();
    if (!window.empty())
        words += (words.empty() ? "" : ", ") + window;
    return words;
}

void addKernels(const plot::CalledWork& work, std::int64_t steps,
    std::optional<analysis::ComparedSide> analysis::ComparedTimes::*side,
    std::map<std::string, analysis::ComparedOperator>& kernels) {
    for (const analysis::CallNode& node : work.tree.nodes) {
        if (!analysis::isWork(node.kind))
            continue;
        analysis::ComparedOperator& one = kernels[work.tree.names[node.name]];
        one.kind = node.kind;
        one.name = work.tree.names[node.name];
        auto& sums = one.times.*side;
        if (!sums)
            sums.emplace();
        sums->seconds += node.sums.time.seconds() / static_cast<double>(steps);
        sums->calls += static_cast<double>(node.sums.works) / static_cast<double>(steps);
        sums->works += node.sums.works;
    }
}

// By the size of the difference, largest first.
std::vector<analysis::ComparedOperator> comparedKernels(const plot::CalledWork& a,
    const plot::CalledWork& b, const analysis::TreeDifference& difference) {
    const bool isPerStep = difference.isPerStep();
    std::map<std::string, analysis::ComparedOperator> kernels;
    addKernels(a, isPerStep ? difference.stepsA : 1, &analysis::ComparedTimes::a, kernels);
    addKernels(b, isPerStep ? difference.stepsB : 1, &analysis::ComparedTimes::b, kernels);
    std::vector<analysis::ComparedOperator> made;
    for (auto& [name, one] : kernels)
        made.push_back(std::move(one));
    std::ranges::stable_sort(
        made, std::greater<>(), [](const auto& one) { return std::abs(one.times.difference()); });
    return made;
}

} // namespace

Result<OperatorsAgainst> partAgainst(
    const store::Store& store, const OperatorsQuery& first, RunId other, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto runA, runOf(store, first.run));
    ASSIGN_OR_RETURN(const auto runB, runOf(store, other));
    ASSIGN_OR_RETURN(const auto ranks, analysis::tracedRanks({store, runB}));
    OperatorsAgainst made;
    made.query.run = other;
    made.query.ofSteps = first.isOfAll();
    const bool hasRank = first.rank && std::ranges::find(ranks, *first.rank) != ranks.end();
    if (hasRank)
        made.query.rank = first.rank;
    made.query.iteration = first.iteration;
    if (first.window == kAllTime)
        return made;
    ASSIGN_OR_RETURN(const auto ofA, iterationsOf({store, runA}, first.rank));
    ASSIGN_OR_RETURN(const auto ofB, iterationsOf({store, runB}, made.query.rank));
    const auto held
        = heldIn(ofA.iterations, analysis::ownWindow(first.clocks, ofA.rank, first.window));
    const auto* const begin = held ? numbered(ofB.iterations, held->first) : nullptr;
    const auto* const end = held ? numbered(ofB.iterations, held->last) : nullptr;
    if (begin == nullptr || end == nullptr) {
        made.part = held ? fmt::format("the whole run, since it has no {}", held->words())
                         : "the whole run, since the part of A holds no iteration";
        return made;
    }
    made.query.window = {begin->range.begin, end->range.end};
    made.part = held->words() + ", which A holds";
    if (!made.query.rank && ranks.size() > 1)
        RETURN_IF_ERROR(putOnOneClock({store, runB, progress}, ofB.rank, made.query));
    return made;
}

plot::DifferenceFigureData differenceOf(const OperatorsReading& a, const OperatorsReading& b,
    ComparedBy by, const std::string& partOfB) {
    plot::DifferenceFigureData data;
    data.head.run = b.query.run;
    data.head.runName = b.runName;
    data.head.rank = b.query.rank;
    const bool isOfCaptures = a.query.run == b.query.run;
    data.nameA = isOfCaptures ? a.query.capture : a.runName;
    data.nameB = isOfCaptures ? b.query.capture : b.runName;
    data.head.title = fmt::format("{} · {} and {}",
        by == ComparedBy::Kernel ? "Kernels" : "Operators", data.nameA, data.nameB);
    data.head.emptyText = a.emptyText().empty() ? b.emptyText() : a.emptyText();
    if (!a.work || !b.work)
        return data;
    if (a.work->tree.isOfHost != b.work->tree.isOfHost) {
        data.head.emptyText
            = fmt::format("The trace of \"{}\" has only the host, that of \"{}\" a GPU: "
                          "their times are not of the same work.",
                a.work->tree.isOfHost ? a.runName : b.runName,
                a.work->tree.isOfHost ? b.runName : a.runName);
        return data;
    }
    data.difference = analysis::treeDifference(a.work->tree, b.work->tree);
    data.operators = by == ComparedBy::Kernel ? comparedKernels(*a.work, *b.work, data.difference)
        : by == ComparedBy::Name              ? analysis::byName(data.difference.operators)
                                              : data.difference.operators;
    data.head.caption = a.work->tree.isOfHost ? "Host self time of operators"
        : by == ComparedBy::Kernel            ? "Time of kernels, matched by name"
                                              : "Kernel time of what operators launch themselves";
    if (by != ComparedBy::Kernel)
        data.head.caption += ", matched by their callers, then by name";
    data.head.caption += "; the largest differences first.";
    if (data.difference.isPerStep())
        data.head.caption += fmt::format(
            " Of one step: A has {}, B {}; work before the first and behind the last is left out.",
            data.difference.stepsA, data.difference.stepsB);
    const std::string partA = partText(a, a.windowText);
    std::string partB = partText(b, partOfB.empty() ? b.windowText : partOfB);
    if (a.query.rank && !b.query.rank)
        partB = fmt::format("all ranks, since it has no rank {}", *a.query.rank)
            + (partB.empty() ? "" : ", " + partB);
    if (!partA.empty() || !partB.empty())
        data.head.caption += fmt::format(" A: {}. B: {}.", partA.empty() ? "the whole run" : partA,
            partB.empty() ? "the whole run" : partB);
    return data;
}

} // namespace trainscope::figures
