#pragma once
// Absolute time of each run at view time 0: its start, the start of iteration k, or the start of
// the first run, so that all stand at their own times; each of them moved by hand. Plain values;
// any thread.

#include "app/viewmodels/lanes/TimelineCatalogue.h"
#include "app/viewmodels/workspace/ViewFile.h"

#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace trainscope::app {

struct RunAlignment {
    using Mode = AlignmentMode;
    Mode mode = Mode::Start;
    std::int64_t iteration = 0;
    std::unordered_map<RunId, DurationNs> moved; // to the right, by hand
    bool onOneClock = true; // the traces of a run's ranks, where their clocks are known to differ
    std::unordered_map<RunId, std::shared_ptr<const analysis::RankClocks>> clocks;

    bool operator==(const RunAlignment&) const = default;
};

// The runs with their origins and clocks set. A run without that iteration is aligned by its start.
std::vector<plot::ShownRun> alignedRuns(std::vector<plot::ShownRun> shown,
    const TimelineCatalogue& catalogue, const RunAlignment& alignment);

// From the earliest begin to the latest end of the runs, in view time; a second around a single
// instant, as one scrape of a monitoring engine is; empty without data.
plot::ViewWindow viewLimits(
    const std::vector<plot::ShownRun>& runs, const TimelineCatalogue& catalogue);

} // namespace trainscope::app
