// The part of TimelineController that arranges lanes and places their overlays.
#include "app/viewmodels/lanes/LaneEditing.h"
#include "app/viewmodels/lanes/LaneIdentity.h"
#include "app/viewmodels/lanes/LaneSummary.h"
#include "app/viewmodels/timeline/TimelineController.h"

#include <algorithm>
#include <cmath>

namespace trainscope::app {

void TimelineController::setArrangement(plot::Arrangement arrangement, ViewChange change) {
    if (arrangement == m_arrangement)
        return;
    m_arrangement = std::move(arrangement);
    m_customised = true;
    record(change);
    saveView();
    requestData();
    if (m_cursor)
        startProbe();
    Q_EMIT lanesChanged();
    Q_EMIT stateChanged();
    Q_EMIT repaintNeeded();
}

void TimelineController::addLane(int choice) {
    if (!m_catalogue || choice < 0 || choice >= static_cast<int>(m_catalogue->choices.size()))
        return;
    const auto& lane = m_catalogue->choices[static_cast<std::size_t>(choice)].lane;
    const auto& shown = m_arrangement.lanes;
    const auto there = std::find_if(
        shown.begin(), shown.end(), [&lane](const auto& other) { return sameLane(lane, other); });
    if (there == shown.end())
        setArrangement(withLane(m_arrangement, lane, shown.size()), ViewChange::Lanes);
    const auto at = std::find_if(m_arrangement.lanes.begin(), m_arrangement.lanes.end(),
        [&lane](const auto& other) { return sameLane(lane, other); });
    showLane(static_cast<int>(at - m_arrangement.lanes.begin()));
}

void TimelineController::removeLane(int lane) {
    if (m_currentLane >= static_cast<int>(m_arrangement.lanes.size()) - 1)
        setCurrentLane(m_currentLane - 1);
    if (lane >= 0)
        setArrangement(
            withoutLane(m_arrangement, static_cast<std::size_t>(lane)), ViewChange::Lanes);
}

void TimelineController::moveLane(int lane, int to) {
    const int last = static_cast<int>(m_arrangement.lanes.size()) - 1;
    if (lane < 0 || lane > last || last < 1)
        return;
    const int target = std::clamp(to, 0, last);
    m_lanes.moveRow(lane, target);
    if (m_currentLane == lane)
        m_currentLane = target;
    setArrangement(withLaneMoved(m_arrangement, static_cast<std::size_t>(lane),
                       static_cast<std::size_t>(target)),
        ViewChange::Lanes);
    showLane(target);
    Q_EMIT currentLaneChanged();
}

void TimelineController::setCurrentLane(int lane) {
    const int last = static_cast<int>(m_arrangement.lanes.size()) - 1;
    const int next = std::clamp(lane, -1, last);
    if (next == m_currentLane)
        return;
    m_currentLane = next;
    showLane(next);
    Q_EMIT currentLaneChanged();
}

void TimelineController::resizeLane(int lane, double height) {
    if (lane >= 0)
        setArrangement(
            withLaneHeight(m_arrangement, static_cast<std::size_t>(lane), std::round(height)),
            ViewChange::Resize);
}

void TimelineController::resizeLaneBy(int lane, double pixels) {
    if (lane >= 0 && lane < static_cast<int>(m_arrangement.lanes.size()))
        resizeLane(lane, m_arrangement.lanes[static_cast<std::size_t>(lane)].height + pixels);
}

void TimelineController::setLaneStyle(int lane, int style) {
    if (lane >= 0)
        setArrangement(withLaneStyle(m_arrangement, static_cast<std::size_t>(lane),
                           static_cast<plot::LaneStyle>(style)),
            ViewChange::Lanes);
}

void TimelineController::splitLane(int lane) {
    if (lane >= 0)
        setArrangement(withLaneSplit(m_arrangement, static_cast<std::size_t>(lane), ranks()),
            ViewChange::Lanes);
}

void TimelineController::mergeLane(int lane) {
    if (lane >= 0)
        setArrangement(
            withLanesMerged(m_arrangement, static_cast<std::size_t>(lane)), ViewChange::Lanes);
}

void TimelineController::resetLanes() {
    if (!m_catalogue)
        return;
    setArrangement(m_catalogue->defaults, ViewChange::Lanes);
    m_customised = false;
    saveView();
}

int TimelineController::laneAt(double y) const {
    const auto& rows = m_lanes.rows();
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (y < rows[i].y + rows[i].height)
            return static_cast<int>(i);
    }
    return static_cast<int>(rows.size()) - 1;
}

void TimelineController::showLane(int lane) {
    double top = 0.0;
    for (int i = 0; i < lane && i < static_cast<int>(m_arrangement.lanes.size()); ++i)
        top += m_arrangement.lanes[static_cast<std::size_t>(i)].height;
    if (lane < 0 || lane >= static_cast<int>(m_arrangement.lanes.size()))
        return;
    const double height = m_arrangement.lanes[static_cast<std::size_t>(lane)].height;
    const double visible = m_height - m_lanesTop;
    // A lane that was just added is not laid out yet.
    m_contentHeight = std::max(m_contentHeight, top + height);
    if (top < m_scroll)
        setScroll(top);
    else if (top + height > m_scroll + visible)
        setScroll(std::min(top, top + height - visible));
}

QStringList TimelineController::laneChoices() const {
    QStringList titles;
    if (m_catalogue) {
        for (const auto& choice : m_catalogue->choices)
            titles.append(QString::fromStdString(choice.title));
    }
    return titles;
}

QStringList TimelineController::laneStyles() const {
    return {tr("Lines"), tr("Band"), tr("Heat")};
}

std::vector<int> TimelineController::ranks() const {
    std::vector<int> ranks;
    if (!m_catalogue)
        return ranks;
    for (const auto& run : m_catalogue->tables.runs) {
        for (const auto& gpu : run.gpus)
            ranks.push_back(gpu.rank);
    }
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
}

void TimelineController::placeLanes() {
    m_axis.x = m_geometry->plot.x;
    m_axis.width = m_geometry->plot.width;
    m_axis.window = m_window.window();
    m_lanesTop = m_geometry->plot.y;
    const auto known = m_lanes.rows();
    const bool several = ranks().size() > 1;
    std::vector<LaneRow> rows;
    double y = m_lanesTop - m_scroll;
    for (std::size_t i = 0; i < m_drawn->lanes.size(); ++i) {
        const plot::LaneData& lane = m_drawn->lanes[i];
        LaneRow row;
        row.title = QString::fromStdString(lane.title);
        row.subtitle = QString::fromStdString(lane.subtitle);
        row.y = y;
        row.height = lane.spec.height;
        row.style = static_cast<int>(lane.spec.style);
        row.hasStyles = hasStyles(lane.spec);
        row.canSplit = several && !lane.spec.rank;
        row.canMerge = lane.spec.rank.has_value() && lane.spec.style != plot::LaneStyle::Thread;
        row.summary
            = i < known.size() && known[i].title == row.title ? known[i].summary : row.title;
        y += row.height;
        rows.push_back(std::move(row));
    }
    m_contentHeight = y + m_scroll - m_lanesTop;
    m_lanes.setLanes(std::move(rows));
    m_marks.layOut(m_runs, m_axis);
    placeSpan();
    clampScroll();
    Q_EMIT geometryChanged();
    Q_EMIT cursorChanged();
    Q_EMIT selectionChanged();
}

void TimelineController::updateSummaries() {
    if (!m_drawn)
        return;
    QStringList all;
    auto rows = m_lanes.rows();
    for (std::size_t i = 0; i < rows.size() && i < m_drawn->lanes.size(); ++i) {
        rows[i].summary = laneSummary(m_drawn->lanes[i], m_drawn->window, m_window.window());
        all.append(rows[i].summary);
    }
    m_lanes.setLanes(std::move(rows));
    m_summary = tr("Timeline from %1 to %2. %3")
                    .arg(textOfTime(m_window.window().begin), textOfTime(m_window.window().end),
                        all.join(QStringLiteral(". ")));
    Q_EMIT summaryChanged();
}

} // namespace trainscope::app
