#pragma once
// The visible stretch of the shared time axis and its arithmetic, in whole nanoseconds of view time
// (see core/plot/timeline/Timeline.h). Plain values; any thread.

#include "core/plot/timeline/Timeline.h"

namespace trainscope::app {

// The window never leaves the limits and is never shorter than kShortest.
class TimeWindow {
public:
    static constexpr DurationNs kShortest{20};

    [[nodiscard]] const plot::ViewWindow& limits() const { return m_limits; }
    [[nodiscard]] const plot::ViewWindow& window() const { return m_window; }
    [[nodiscard]] bool showsAll() const { return m_window == m_limits; }

    // `time` moved by that share of the window, a nanosecond at least, within the limits.
    [[nodiscard]] DurationNs beside(DurationNs time, double windows) const;

    // Limits shorter than kShortest are widened to it. The window keeps its place as far as they
    // allow.
    void setLimits(plot::ViewWindow limits);
    void set(plot::ViewWindow window);
    void showAll();
    // The length is multiplied by `factor` (below 1: zooms in); `anchor` stays at its place on the
    // screen.
    void zoom(double factor, DurationNs anchor);
    void pan(DurationNs by);
    // Moves just so far that `time` is in view.
    void reveal(DurationNs time);
    // Moves, without zooming, so that `time` is in the middle.
    void centreOn(DurationNs time);
    // Shows the stretch with a margin of 10 % of it on both sides.
    void frame(plot::ViewWindow stretch);

private:
    [[nodiscard]] plot::ViewWindow clamped(plot::ViewWindow window) const;

    plot::ViewWindow m_limits{{0}, kShortest};
    plot::ViewWindow m_window{{0}, kShortest};
};

} // namespace trainscope::app
