#include "app/viewmodels/timeline/ViewHistory.h"

#include <utility>

namespace trainscope::app {
namespace {

bool isContinuous(ViewChange change) {
    return change == ViewChange::Zoom || change == ViewChange::Pan || change == ViewChange::Resize;
}

} // namespace

void ViewHistory::reset(const ViewState& state) {
    m_states.assign(1, state);
    m_position = 0;
    m_inGesture = false;
}

void ViewHistory::shift(DurationNs by) {
    for (ViewState& state : m_states)
        state.window = {state.window.begin + by, state.window.end + by};
}

void ViewHistory::record(ViewState state, ViewChange change, std::int64_t nowMs) {
    if (m_states[m_position] == state)
        return;
    const bool sameGesture = m_inGesture && isContinuous(change) && change == m_lastChange
        && nowMs - m_lastMs <= kGestureMs && !canRedo();
    m_lastChange = change;
    m_lastMs = nowMs;
    m_inGesture = true;
    if (sameGesture) {
        m_states[m_position] = std::move(state);
        return;
    }
    m_states.resize(m_position + 1);
    m_states.push_back(std::move(state));
    if (m_states.size() > kMost)
        m_states.erase(m_states.begin());
    m_position = m_states.size() - 1;
}

const ViewState& ViewHistory::undo() {
    m_inGesture = false;
    return m_states[--m_position];
}

const ViewState& ViewHistory::redo() {
    m_inGesture = false;
    return m_states[++m_position];
}

} // namespace trainscope::app
