#pragma once
// View time to horizontal position and back: pure functions. Differences are taken in whole
// nanoseconds before they become floating point, so a window of 1 ns is as exact as one of days.

#include "core/plot/timeline/Timeline.h"

namespace trainscope::plot {

struct TimeScale {
    double x = 0.0; // position of window.begin
    double width = 0.0; // the whole window's
    ViewWindow window;

    // Not clamped: times outside the window have positions outside the plot. x for an empty window.
    [[nodiscard]] double toX(DurationNs time) const {
        const double length = static_cast<double>(window.length().ns);
        if (length <= 0.0)
            return x;
        return x + width * (static_cast<double>((time - window.begin).ns) / length);
    }
    // The nearest nanosecond; window.begin for an empty plot.
    [[nodiscard]] DurationNs toTime(double position) const {
        if (width <= 0.0)
            return window.begin;
        const double length = static_cast<double>(window.length().ns);
        return window.begin + DurationNs{std::llround((position - x) / width * length)};
    }
    [[nodiscard]] double right() const { return x + width; }
};

} // namespace trainscope::plot
