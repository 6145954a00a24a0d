// The part of TimelineController that keeps the selected stretch and its statistics.
#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/timeline/TimelineController.h"

#include <algorithm>
#include <cmath>

namespace trainscope::app {
namespace {

constexpr double kEdgeReach = 5.0; // px

} // namespace

void TimelineController::selectBetween(double fromX, double toX) {
    if (!isReady())
        return;
    const auto at
        = [this](double x) { return m_axis.toTime(std::clamp(x, m_axis.x, m_axis.right())); };
    const DurationNs a = at(std::min(fromX, toX));
    const DurationNs b = at(std::max(fromX, toX));
    if (a == b)
        return;
    m_selection = plot::ViewWindow{a, b};
    scheduleStatistics();
    Q_EMIT selectionChanged();
}

void TimelineController::clearSelection() {
    if (!m_selection)
        return;
    m_selection.reset();
    scheduleStatistics();
    Q_EMIT selectionChanged();
}

int TimelineController::selectionEdgeAt(double x) const {
    if (!m_selection)
        return 0;
    if (std::abs(m_axis.toX(m_selection->begin) - x) <= kEdgeReach)
        return -1;
    return std::abs(m_axis.toX(m_selection->end) - x) <= kEdgeReach ? 1 : 0;
}

void TimelineController::moveSelectionEdge(int edge, double x) {
    if (m_selection)
        selectBetween(m_axis.toX(edge < 0 ? m_selection->end : m_selection->begin), x);
}

void TimelineController::scheduleStatistics() {
    m_statisticsTimer.start();
}

void TimelineController::startStatistics() {
    if (!isReady())
        return;
    const plot::ViewWindow stretch = m_selection.value_or(m_window.window());
    const QString title = m_selection ? tr("Selection · %1") : tr("In view · %1");
    m_inspector.startStatistics(title.arg(durationText(stretch.length())));
    using Statistics = std::vector<RunStatistics>;
    m_statisticsTask.start(
        m_workspace->readers(),
        [catalogue = m_catalogue, runs = m_runs, stretch](
            const store::Store& store, const TaskStage<Statistics>& stage) {
            stage.publish(
                selectionStatistics(store, *catalogue, runs, stretch, stage.cancelCheck()));
        },
        [this](const Result<Statistics>& result) { m_inspector.showStatistics(result); });
}

double TimelineController::selectionX() const {
    return m_selection ? std::clamp(m_axis.toX(m_selection->begin), m_axis.x, m_axis.right()) : 0.0;
}

double TimelineController::selectionWidth() const {
    return m_selection
        ? std::clamp(m_axis.toX(m_selection->end), m_axis.x, m_axis.right()) - selectionX()
        : 0.0;
}

bool TimelineController::selectionVisible() const {
    return isReady() && m_selection && m_selection->begin < m_window.window().end
        && m_window.window().begin < m_selection->end;
}

QString TimelineController::selectionText() const {
    return m_selection ? durationText(m_selection->length()) : QString();
}

} // namespace trainscope::app
