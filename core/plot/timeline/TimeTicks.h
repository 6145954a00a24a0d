#pragma once
// The time axis: round steps from days to single nanoseconds, and labels in relative, UTC, local or
// iteration time. All arithmetic is in whole nanoseconds. Labels that would need many digits are
// split: the axis carries a base ("39.604123 s +") and the ticks what is to be added ("200
// ns").

#include "core/model/Run.h"
#include "core/plot/timeline/Timeline.h"

namespace trainscope::plot {

// Meaning of a view time. `iterations` in absolute time, in order, without overlap (see
// mainIterations).
struct TimeContext {
    TimeDisplay display = TimeDisplay::Relative;
    TimeNs origin; // absolute time of view time 0
    std::int64_t utcOffsetSeconds = 0;
    const std::vector<Iteration>* iterations = nullptr;
    DurationNs farthest = {}; // from 0 on the axis, whose form a reading beside it has
};

struct TimeTick {
    DurationNs time; // view time
    std::string label;
};
struct TimeTicks {
    std::string base; // prefix of all labels, or the date; may be empty
    DurationNs step;
    std::vector<TimeTick> ticks; // within the window, in order
};

// Ticks at least `minSpacing` of the window apart (a fraction of its length, e.g. 80 px / 1200 px).
TimeTicks timeTicks(ViewWindow window, double minSpacing, const TimeContext& context);

// One time, to the digits that `resolution` (a pixel, say) resolves: "39.604 s", "10:26:21",
// "12:03:07.250 UTC", "iteration 7 + 1.25 s". For readouts.
std::string timeText(DurationNs time, DurationNs resolution, const TimeContext& context);

// The smallest step of the ladder 1, 2, 5 × 10^k ns, then 1 to 30 s and min, 1 to 12 h, days, that
// is >= least.
DurationNs roundTimeStep(DurationNs least);

// The iterations to show for a run: those of the whole run, else those of its lowest rank; in order
// of time.
std::vector<Iteration> mainIterations(const std::vector<Iteration>& all);

} // namespace trainscope::plot
