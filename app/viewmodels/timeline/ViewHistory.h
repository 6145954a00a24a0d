#pragma once
// Undo and redo of zoom, arrangement and marks: a line of states with a position on it. Steps of
// one gesture (same kind, close in time) are one step for the user. GUI thread.

#include "app/viewmodels/workspace/ViewFile.h"
#include "core/plot/timeline/Timeline.h"

#include <cstdint>
#include <vector>

namespace trainscope::app {

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
