// The part of TimelineController that keeps marks.
#include "app/viewmodels/timeline/TimelineController.h"

#include <algorithm>

namespace trainscope::app {

void TimelineController::mark() {
    if (!isReady())
        return;
    // What the user looks at where nothing is pointed at.
    const plot::ViewWindow& seen = m_window.window();
    const DurationNs middle = seen.begin + DurationNs{seen.length().ns / 2};
    const DurationNs point = cursorVisible() ? *m_cursor : middle;
    const plot::ViewWindow stretch = m_selection.value_or(plot::ViewWindow{point, point});
    const plot::ShownRun& run = m_runs.front();
    m_marks.add({run.name, {run.origin + stretch.begin, run.origin + stretch.end},
        tr("Mark %1").arg(m_marks.rowCount() + 1)});
    marksChanged();
}

void TimelineController::renameMark(int row, const QString& label) {
    if (row < 0 || label.trimmed().isEmpty())
        return;
    m_marks.rename(static_cast<std::size_t>(row), label.trimmed());
    marksChanged();
}

void TimelineController::removeMark(int row) {
    if (row < 0)
        return;
    m_marks.remove(static_cast<std::size_t>(row));
    marksChanged();
}

void TimelineController::marksChanged() {
    m_marks.layOut(m_runs, m_axis);
    m_search.setMarks(m_marks.marks());
    saveView();
}

void TimelineController::jumpToMark(int row) {
    if (row < 0)
        return;
    const auto window = m_marks.windowOf(static_cast<std::size_t>(row), m_runs);
    if (!window)
        return;
    TimeWindow target = m_window;
    if (window->begin == window->end)
        target.centreOn(window->begin);
    else
        target.frame(*window);
    setWindow(target.window());
    moveCursor(window->begin, m_focusRank);
}

// From the cursor to the nearest mark in that direction.
void TimelineController::stepMark(int step) {
    const DurationNs from = m_cursor.value_or(
        m_window.window().begin + DurationNs{m_window.window().length().ns / 2});
    int best = -1;
    DurationNs bestTime;
    for (int row = 0; row < m_marks.rowCount(); ++row) {
        const auto window = m_marks.windowOf(static_cast<std::size_t>(row), m_runs);
        if (!window || (step > 0 ? window->begin <= from : window->begin >= from))
            continue;
        const bool nearer = step > 0 ? window->begin < bestTime : window->begin > bestTime;
        if (best < 0 || nearer) {
            best = row;
            bestTime = window->begin;
        }
    }
    jumpToMark(best);
}

void TimelineController::removeMarkAtCursor() {
    if (!m_cursor)
        return;
    const DurationNs reach{pixelLength().ns * 6};
    for (int row = 0; row < m_marks.rowCount(); ++row) {
        const auto window = m_marks.windowOf(static_cast<std::size_t>(row), m_runs);
        if (window && window->begin - reach <= *m_cursor && *m_cursor <= window->end + reach)
            return removeMark(row);
    }
}

} // namespace trainscope::app
