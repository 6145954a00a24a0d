#pragma once
// The visible stretch of the shared time axis and its arithmetic, in whole nanoseconds of view time
// (see core/plot/timeline/Timeline.h), and its undo and redo together with arrangement and marks.
// Plain values; any thread.

#include "app/viewmodels/workspace/ViewFile.h"
#include "core/plot/timeline/Timeline.h"

#include <cstdint>
#include <vector>

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

struct ViewState {
    plot::ViewWindow window;
    plot::Arrangement arrangement;
    std::vector<Mark> marks = {};
    bool operator==(const ViewState&) const = default;
};

enum class ViewChange { Jump, Zoom, Pan, Resize, Lanes };

class ViewHistory {
public:
    static constexpr std::size_t kMost = 200;
    static constexpr std::int64_t kGestureMs = 700;

    // Forgets everything; `state` is where undo ends.
    void reset(const ViewState& state);
    // All windows, where the runs are aligned otherwise.
    void shift(DurationNs by);
    // The state after a change. Zoom, pan and resize steps of the same kind within kGestureMs
    // replace one another.
    void record(ViewState state, ViewChange change, std::int64_t nowMs);

    [[nodiscard]] bool canUndo() const { return m_position > 0; }
    [[nodiscard]] bool canRedo() const { return m_position + 1 < m_states.size(); }
    // The state to return to. Only after canUndo(), canRedo().
    const ViewState& undo();
    const ViewState& redo();

private:
    std::vector<ViewState> m_states{ViewState{}};
    std::size_t m_position = 0;
    ViewChange m_lastChange = ViewChange::Jump;
    std::int64_t m_lastMs = 0;
    bool m_inGesture = false;
};

} // namespace trainscope::app
