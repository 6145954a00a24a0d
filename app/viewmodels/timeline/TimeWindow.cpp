#include "app/viewmodels/timeline/TimeWindow.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trainscope::app {
namespace {

using plot::ViewWindow;

// Rounds to whole nanoseconds without leaving the range of the type.
std::int64_t roundedNs(double value) {
    constexpr double kLimit = 4.0e18;
    return static_cast<std::int64_t>(std::llround(std::clamp(value, -kLimit, kLimit)));
}

bool isContinuous(ViewChange change) {
    return change == ViewChange::Zoom || change == ViewChange::Pan || change == ViewChange::Resize;
}

} // namespace

void TimeWindow::setLimits(ViewWindow limits) {
    if (limits.length() < kShortest)
        limits.end = limits.begin + kShortest;
    m_limits = limits;
    m_window = clamped(m_window);
}

void TimeWindow::set(ViewWindow window) {
    if (window.end < window.begin)
        std::swap(window.begin, window.end);
    m_window = clamped(window);
}

void TimeWindow::showAll() {
    m_window = m_limits;
}

void TimeWindow::zoom(double factor, DurationNs anchor) {
    if (!(factor > 0.0))
        return;
    const double length = static_cast<double>(m_window.length().ns);
    const DurationNs wanted{roundedNs(length * factor)};
    const DurationNs next = std::clamp(wanted, kShortest, m_limits.length());
    const double place = static_cast<double>((anchor - m_window.begin).ns) / length;
    const DurationNs begin = anchor - DurationNs{roundedNs(place * static_cast<double>(next.ns))};
    m_window = clamped({begin, begin + next});
}

void TimeWindow::pan(DurationNs by) {
    m_window = clamped({m_window.begin + by, m_window.end + by});
}

void TimeWindow::reveal(DurationNs time) {
    if (time < m_window.begin)
        pan(time - m_window.begin);
    else if (m_window.end < time)
        pan(time - m_window.end);
}

DurationNs TimeWindow::beside(DurationNs time, double windows) const {
    const std::int64_t share = roundedNs(windows * static_cast<double>(m_window.length().ns));
    const DurationNs step{share != 0 ? share : windows < 0.0 ? -1 : 1};
    return std::clamp(time + step, m_limits.begin, m_limits.end);
}

void TimeWindow::centreOn(DurationNs time) {
    const DurationNs begin = time - DurationNs{m_window.length().ns / 2};
    m_window = clamped({begin, begin + m_window.length()});
}

void TimeWindow::frame(ViewWindow stretch) {
    const DurationNs margin{stretch.length().ns / 10};
    set({stretch.begin - margin, stretch.end + margin});
}

ViewWindow TimeWindow::clamped(ViewWindow window) const {
    const DurationNs length = std::clamp(window.length(), kShortest, m_limits.length());
    const DurationNs centred = window.begin + DurationNs{(window.length() - length).ns / 2};
    const DurationNs begin = std::clamp(centred, m_limits.begin, m_limits.end - length);
    return {begin, begin + length};
}

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
