#include "app/viewmodels/timeline/RunAlignment.h"

#include "core/plot/timeline/TraceClock.h"

#include <algorithm>

namespace trainscope::app {
namespace {

constexpr DurationNs kAroundAnInstant{500'000'000};

TimeRange rangeOf(
    const TimelineCatalogue& catalogue, std::size_t run, const plot::ShownRun& shown) {
    const TimeRange& whole = catalogue.runs[run].range;
    return shown.clocks ? plot::extentOf(catalogue.tables.runs[run], shown).value_or(whole) : whole;
}

TimeNs earliestOf(const TimelineCatalogue& catalogue, const std::vector<plot::ShownRun>& shown) {
    TimeNs earliest = kAllTime.end;
    for (std::size_t i = 0; i < std::min(shown.size(), catalogue.runs.size()); ++i) {
        const TimeRange range = rangeOf(catalogue, i, shown[i]);
        if (!range.isEmpty())
            earliest = std::min(earliest, range.begin);
    }
    return earliest;
}

TimeNs originOf(const TimelineCatalogue& catalogue, std::size_t run, const plot::ShownRun& shown,
    const RunAlignment& alignment, TimeNs earliest) {
    const RunFacts facts = catalogue.facts(run);
    TimeNs origin = rangeOf(catalogue, run, shown).begin;
    if (alignment.mode == RunAlignment::Mode::Clock && earliest != kAllTime.end)
        origin = earliest;
    if (alignment.mode == RunAlignment::Mode::Iteration) {
        if (const Iteration* iteration = facts.findIteration(alignment.iteration))
            origin = plot::shownTime(shown, iteration->rank, iteration->range.begin);
    }
    const auto moved = alignment.moved.find(facts.run.id);
    return moved == alignment.moved.end() ? origin : origin - moved->second;
}

} // namespace

std::vector<plot::ShownRun> alignedRuns(std::vector<plot::ShownRun> shown,
    const TimelineCatalogue& catalogue, const RunAlignment& alignment) {
    const std::size_t count = std::min(shown.size(), catalogue.runs.size());
    for (std::size_t i = 0; i < count; ++i) {
        const auto known = alignment.clocks.find(shown[i].id);
        const bool differ = known != alignment.clocks.end() && !known->second->agree;
        shown[i].clocks = alignment.onOneClock && differ ? known->second : nullptr;
    }
    const TimeNs earliest = earliestOf(catalogue, shown);
    for (std::size_t i = 0; i < count; ++i)
        shown[i].origin = originOf(catalogue, i, shown[i], alignment, earliest);
    return shown;
}

plot::ViewWindow viewLimits(
    const std::vector<plot::ShownRun>& runs, const TimelineCatalogue& catalogue) {
    plot::ViewWindow limits;
    bool first = true;
    const std::size_t count = std::min(runs.size(), catalogue.runs.size());
    for (std::size_t i = 0; i < count; ++i) {
        const TimeRange range = rangeOf(catalogue, i, runs[i]);
        if (range.isEmpty())
            continue;
        const plot::ViewWindow own{range.begin - runs[i].origin, range.end - runs[i].origin};
        limits.begin = first ? own.begin : std::min(limits.begin, own.begin);
        limits.end = first ? own.end : std::max(limits.end, own.end);
        first = false;
    }
    if (!first && limits.length().ns <= 1)
        return {limits.begin - kAroundAnInstant, limits.begin + kAroundAnInstant};
    return limits;
}

} // namespace trainscope::app
