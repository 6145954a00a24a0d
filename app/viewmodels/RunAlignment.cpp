#include "app/viewmodels/RunAlignment.h"

#include <algorithm>

namespace trainscope::app {
namespace {

TimeNs originOf(const RunFacts& facts, const RunAlignment& alignment) {
    TimeNs origin = facts.run.range.begin;
    if (alignment.mode == RunAlignment::Mode::Iteration) {
        if (const Iteration* iteration = facts.findIteration(alignment.iteration))
            origin = iteration->range.begin;
    }
    const auto moved = alignment.moved.find(facts.run.id);
    return moved == alignment.moved.end() ? origin : origin - moved->second;
}

} // namespace

std::vector<plot::ShownRun> alignedRuns(std::vector<plot::ShownRun> shown,
    const TimelineCatalogue& catalogue, const RunAlignment& alignment) {
    const std::size_t count = std::min(shown.size(), catalogue.runs.size());
    for (std::size_t i = 0; i < count; ++i)
        shown[i].origin = originOf(catalogue.facts(i), alignment);
    return shown;
}

plot::ViewWindow viewLimits(
    const std::vector<plot::ShownRun>& runs, const TimelineCatalogue& catalogue) {
    plot::ViewWindow limits;
    bool first = true;
    const std::size_t count = std::min(runs.size(), catalogue.runs.size());
    for (std::size_t i = 0; i < count; ++i) {
        const TimeRange& range = catalogue.runs[i].range;
        if (range.isEmpty())
            continue;
        const plot::ViewWindow own{range.begin - runs[i].origin, range.end - runs[i].origin};
        limits.begin = first ? own.begin : std::min(limits.begin, own.begin);
        limits.end = first ? own.end : std::max(limits.end, own.end);
        first = false;
    }
    return limits;
}

} // namespace trainscope::app
