#include "core/analysis/traces/TraceWindow.h"

#include "core/analysis/statistics/TimeRanges.h"
#include "core/analysis/traces/DeviceWalk.h"
#include "core/model/Try.h"

#include <iterator>

namespace trainscope::analysis {
namespace {

// Iterations of the whole run may go on where the trace has ended.
bool isTraced(const Iteration& iteration, std::span<const TimeRange> traced, double least) {
    const TimeRange extent{traced.front().begin, traced.back().end};
    if (!iteration.range.overlaps(extent))
        return false;
    return iteration.rank >= 0
        || lengthOf(shared(traced, iteration.range)).seconds()
        >= least * iteration.range.length().seconds();
}

// The numbers of the iterations that begin and end with the window.
std::optional<std::pair<std::int64_t, std::int64_t>> numbersOf(
    const std::vector<Iteration>& iterations, TimeRange window) {
    const auto first = std::ranges::find_if(
        iterations, [&](const Iteration& one) { return one.range.begin == window.begin; });
    const auto last = std::ranges::find_if(
        iterations, [&](const Iteration& one) { return one.range.end == window.end; });
    if (first == iterations.end() || last == iterations.end())
        return std::nullopt;
    return std::pair(first->index, last->index);
}

// Numbers that come again, as where a rank was traced twice, tell no part.
bool isAscending(const std::vector<Iteration>& iterations) {
    return std::ranges::adjacent_find(iterations, std::greater_equal<>(), &Iteration::index)
        == iterations.end();
}

} // namespace

std::vector<Iteration> iterationsOfRank(std::span<const Iteration> iterations, int rank) {
    constexpr int kNobody = std::numeric_limits<int>::max();
    int source = kNobody;
    for (const Iteration& iteration : iterations) {
        if (iteration.rank == rank) {
            source = rank;
            break;
        }
        source = std::min(source, iteration.rank); // -1, the whole run, is the lowest
    }
    std::vector<Iteration> result;
    std::ranges::copy_if(iterations, std::back_inserter(result),
        [&](const Iteration& iteration) { return iteration.rank == source; });
    std::ranges::stable_sort(result, {}, [](const Iteration& one) { return one.range.begin; });
    return result;
}

DurationNs TraceWindow::tracedIn(TimeRange window) const {
    return lengthOf(shared(captures, window));
}

IterationChoice tracedIterations(IterationChoice choice, std::span<const TimeRange> traced) {
    std::erase_if(choice.all, [&](const Iteration& one) {
        return one.rank < 0 && (traced.empty() || !isTraced(one, traced, kCoveredByTrace));
    });
    return choice;
}

std::optional<TraceWindow> traceWindow(int rank, std::span<const TimeRange> captures,
    TimeRange window, const IterationChoice& choice) {
    TraceWindow result;
    result.captures.assign(captures.begin(), captures.end());
    const TimeRange extent{captures.front().begin, captures.back().end};
    if (window != kAllTime) {
        const TimeNs begin = std::max(extent.begin, window.begin);
        result.fixed = {begin, std::max(begin, std::min(extent.end, window.end))};
        result.range = *result.fixed;
        result.captures = shared(captures, *result.fixed);
    }
    for (Iteration iteration : iterationsOfRank(choice.all, rank)) {
        const bool isWanted = !choice.only || iteration.index == *choice.only;
        if (!isWanted || !isTraced(iteration, captures, kCoveredOnDevice)
            || !iteration.range.overlaps(result.range))
            continue;
        iteration.range = shared(iteration.range, window);
        if (iteration.range.begin
            <= iteration.range.end) // else the trace touches it, not the window
            result.iterations.push_back(iteration);
    }
    if (!choice.only)
        return result;
    if (result.iterations.empty())
        return std::nullopt;
    result.fixed = result.iterations.front().range;
    result.range = *result.fixed;
    result.captures = {*result.fixed}; // from its begin on, before any work
    return result;
}

TimeRange ownSteadyWindow(
    const RunIterations& iterations, TimeRange window, const RankClocksPtr& clocks, int rank) {
    if (!clocks || window == kAllTime)
        return window;
    const auto own = iterations.byRank.find(rank);
    // A log numbers iterations in its own way.
    const bool isMarked = own != iterations.byRank.end()
        && iterations.basis == IterationBasis::Recorded && !iterations.byRank.contains(-1);
    const auto numbers = isMarked && isAscending(own->second)
        ? numbersOf(iterations.iterations, window)
        : std::nullopt;
    if (!numbers)
        return ownWindow(clocks, rank, window);
    TimeRange marked = kNoTime;
    for (const Iteration& one : own->second) {
        if (one.index >= numbers->first && one.index <= numbers->second)
            marked = spanned(marked, one.range);
    }
    return marked.isEmpty() ? ownWindow(clocks, rank, window) : marked;
}

Result<SteadyTraces> countedTraces(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto devices, tracedDevices(study));
    std::map<int, TimeNs> countedFrom;
    for (const DeviceTracks& device : devices) {
        TimeNs& from = countedFrom.emplace(device.rank, device.countedFrom).first->second;
        from = std::min(from, device.countedFrom);
    }
    SteadyTraces all;
    all.windowOf = [countedFrom = std::move(countedFrom)](int rank) {
        const auto from = countedFrom.find(rank);
        return TimeRange{from == countedFrom.end() ? kAllTime.begin : from->second, kAllTime.end};
    };
    return all;
}

Result<SteadyTraces> steadyTraces(const RunStudy& study) {
    ASSIGN_OR_RETURN(const auto steady, steadyStateOf(study));
    ASSIGN_OR_RETURN(auto all, countedTraces(study));
    all.wording = steady.wording;
    if (steady.isWholeRun)
        return all;
    ASSIGN_OR_RETURN(const auto clocks, differingClocks(study));
    ASSIGN_OR_RETURN(auto iterations, iterationsOf(study));
    const auto windowOf
        = [iterations = std::make_shared<const RunIterations>(std::move(iterations)), clocks,
              window = steady.window](
              int rank) { return ownSteadyWindow(*iterations, window, clocks, rank); };
    ASSIGN_OR_RETURN(const auto devices, tracedDevices(study));
    const bool isTraced = std::ranges::any_of(devices, [&](const auto& device) {
        return !shared(device.captures, windowOf(device.rank)).empty();
    });
    if (isTraced)
        return SteadyTraces{windowOf, steady.window, steady.wording};
    all.wording = "all of the trace: it has nothing of the steady part of the run";
    return all;
}

Result<RankClocksPtr> differingClocks(const RunStudy& study) {
    ASSIGN_OR_RETURN(auto clocks, alignRanks(study));
    return clocks.agree ? RankClocksPtr() : std::make_shared<const RankClocks>(std::move(clocks));
}

TimeRange ownWindow(const RankClocksPtr& clocks, int rank, TimeRange window) {
    const RankClock* const clock = clocks ? clocks->find(rank) : nullptr;
    if (clock == nullptr)
        return window;
    if (window.begin != kAllTime.begin)
        window.begin = clock->toLocal(window.begin);
    if (window.end != kAllTime.end)
        window.end = clock->toLocal(window.end);
    return window;
}

TimeRange onReference(const RankClocksPtr& clocks, int rank, TimeRange own) {
    const RankClock* const clock = clocks ? clocks->find(rank) : nullptr;
    return clock == nullptr ? own : clock->onReference(own);
}

RankWindow ownWindows(RankClocksPtr clocks, TimeRange window) {
    return
        [clocks = std::move(clocks), window](int rank) { return ownWindow(clocks, rank, window); };
}

} // namespace trainscope::analysis
