// The part of TimelineController that moves the window: zoom, pan, scroll, undo and the keyboard.
#include "app/viewmodels/timeline/TimelineController.h"

#include <algorithm>
#include <cmath>

namespace trainscope::app {
namespace {

constexpr double kZoomStep = 0.7; // of a key press
constexpr double kPanStep = 0.15; // of the window
constexpr double kSmallPanStep = 0.03;
constexpr double kLaneStep = 16.0; // px, of a lane's height
constexpr double kLaneMargin = 16.0; // free space under the last lane, px

} // namespace

void TimelineController::zoomAt(double factor, double x) {
    if (!isReady())
        return;
    m_window.zoom(factor, m_axis.toTime(std::clamp(x, m_axis.x, m_axis.right())));
    windowMoved(ViewChange::Zoom);
}

void TimelineController::zoomIn() {
    zoomStep(kZoomStep);
}

void TimelineController::zoomOut() {
    zoomStep(1.0 / kZoomStep);
}

void TimelineController::zoomStep(double factor) {
    zoomAt(factor, anchorX());
}

double TimelineController::anchorX() const {
    return cursorVisible() ? cursorX() : m_axis.x + m_axis.width / 2.0;
}

void TimelineController::panBy(double pixels) {
    if (!isReady() || m_axis.width <= 0.0)
        return;
    const auto length = static_cast<double>(m_window.window().length().ns);
    m_window.pan(DurationNs{std::llround(pixels / m_axis.width * length)});
    windowMoved(ViewChange::Pan);
}

plot::ViewWindow TimelineController::framed() const {
    TimeWindow target = m_window;
    if (m_selection)
        target.set(*m_selection);
    else if (m_span && m_span->run < m_runs.size()) {
        const DurationNs begin = m_span->span.start - m_runs[m_span->run].origin;
        target.frame({begin, begin + m_span->span.duration});
    } else
        target.showAll();
    return target.window();
}

void TimelineController::fitSelection() {
    const plot::ViewWindow target = framed();
    if (target == m_window.window())
        return showAll();
    setWindow(target);
}

void TimelineController::showAll() {
    setWindow(m_window.limits());
}

void TimelineController::setWindow(plot::ViewWindow window, ViewChange change) {
    if (!isReady())
        return;
    m_window.set(window);
    windowMoved(change);
}

void TimelineController::setBrush(double begin, double end) {
    const auto length = static_cast<double>(m_window.limits().length().ns);
    const auto at = [&](double fraction) {
        return m_window.limits().begin + DurationNs{std::llround(fraction * length)};
    };
    setWindow({at(begin), at(end)}, ViewChange::Pan);
}

void TimelineController::beginPinch(double x) {
    m_pinchScale = 1.0;
    pinch(1.0, x);
}

void TimelineController::pinch(double scale, double x) {
    if (!(scale > 0.0))
        return;
    if (scale != m_pinchScale)
        zoomAt(m_pinchScale / scale, x);
    m_pinchScale = scale;
}

void TimelineController::windowMoved(ViewChange change) {
    m_axis.window = m_window.window();
    if (m_axis.x <= 0.0)
        m_axis.x = kNameWidth;
    record(change);
    requestData();
    m_hoverText.clear();
    m_marks.layOut(m_runs, m_axis);
    placeSpan();
    m_summaryTimer.start();
    if (!m_selection)
        scheduleStatistics();
    Q_EMIT windowChanged();
    Q_EMIT cursorChanged();
    Q_EMIT selectionChanged();
    Q_EMIT repaintNeeded();
}

void TimelineController::record(ViewChange change) {
    m_history.record({m_window.window(), m_arrangement}, change, m_clock.elapsed());
    Q_EMIT historyChanged();
}

void TimelineController::undo() {
    if (m_history.canUndo())
        restore(m_history.undo());
}

void TimelineController::redo() {
    if (m_history.canRedo())
        restore(m_history.redo());
}

void TimelineController::restore(const ViewState& state) {
    const ViewState target = state;
    if (target.arrangement != m_arrangement) {
        m_arrangement = target.arrangement;
        m_customised = true;
        saveView();
        Q_EMIT lanesChanged();
    }
    m_window.set(target.window);
    windowMoved(ViewChange::Jump);
}

void TimelineController::scrollBy(double pixels) {
    setScroll(m_scroll + pixels);
}

void TimelineController::setScroll(double scroll) {
    const double before = m_scroll;
    m_scroll = scroll;
    clampScroll();
    if (m_scroll == before)
        return;
    Q_EMIT repaintNeeded();
}

void TimelineController::clampScroll() {
    const double visible = std::max(0.0, m_height - m_lanesTop);
    m_scroll = std::clamp(m_scroll, 0.0, std::max(0.0, m_contentHeight + kLaneMargin - visible));
}

double TimelineController::scrollPosition() const {
    return m_contentHeight > 0.0 ? m_scroll / (m_contentHeight + kLaneMargin) : 0.0;
}

double TimelineController::scrollSize() const {
    const double visible = std::max(0.0, m_height - m_lanesTop);
    return m_contentHeight > 0.0 ? std::min(1.0, visible / (m_contentHeight + kLaneMargin)) : 1.0;
}

void TimelineController::setScrollPosition(double position) {
    setScroll(position * (m_contentHeight + kLaneMargin));
}

bool TimelineController::handleKey(int key, int modifiers) {
    const auto command = timelineCommand(key, Qt::KeyboardModifiers(modifiers));
    if (!command || !isReady())
        return false;
    perform(*command);
    return true;
}

void TimelineController::perform(TimelineCommand command) {
    using C = TimelineCommand;
    switch (command) {
    case C::ZoomIn:
        return zoomIn();
    case C::ZoomOut:
        return zoomOut();
    case C::PanLeft:
        return panBy(-kPanStep * m_axis.width);
    case C::PanRight:
        return panBy(kPanStep * m_axis.width);
    case C::StepLeft:
        return m_span ? stepSpan(SpanTarget::Step::Previous) : panBy(-kSmallPanStep * m_axis.width);
    case C::StepRight:
        return m_span ? stepSpan(SpanTarget::Step::Next) : panBy(kSmallPanStep * m_axis.width);
    case C::PreviousSpan:
        return stepSpan(SpanTarget::Step::Previous);
    case C::NextSpan:
        return stepSpan(SpanTarget::Step::Next);
    case C::LaneUp:
        return setCurrentLane(std::max(0, m_currentLane - 1));
    case C::LaneDown:
        return setCurrentLane(m_currentLane + 1);
    case C::MoveLaneUp:
        return moveLane(m_currentLane, m_currentLane - 1);
    case C::MoveLaneDown:
        return moveLane(m_currentLane, m_currentLane + 1);
    case C::LowerLane:
        return resizeLaneBy(m_currentLane, -kLaneStep);
    case C::HigherLane:
        return resizeLaneBy(m_currentLane, kLaneStep);
    case C::FitSelection:
        return fitSelection();
    case C::ShowAll:
        return showAll();
    case C::Mark:
        return mark();
    case C::PreviousMark:
        return stepMark(-1);
    case C::NextMark:
        return stepMark(1);
    case C::RemoveMark:
        return removeMarkAtCursor();
    case C::Search:
        Q_EMIT searchRequested();
        return;
    case C::Clear:
        return clearAll();
    case C::Undo:
        return undo();
    case C::Redo:
        return redo();
    }
}

double TimelineController::brushBegin() const {
    const auto length = static_cast<double>(m_window.limits().length().ns);
    return static_cast<double>((m_window.window().begin - m_window.limits().begin).ns) / length;
}

double TimelineController::brushEnd() const {
    const auto length = static_cast<double>(m_window.limits().length().ns);
    return static_cast<double>((m_window.window().end - m_window.limits().begin).ns) / length;
}

} // namespace trainscope::app
