// Actions of the user on the whole timeline: keys, clicks, jumps, and requests of other views.
#include "app/viewmodels/timeline/TimelineController.h"

#include <algorithm>
#include <utility>

namespace trainscope::app {
namespace {

constexpr double kDoubleClickZoom = 0.4;
constexpr double kPanStep = 0.15; // of the window
constexpr double kCursorStep = 0.02;
constexpr double kFineCursorStep = 0.002;
constexpr double kLaneStep = 16.0; // px, of a lane's height

} // namespace

void TimelineController::clickAt(double x, double y) {
    if (!m_context.isDrawn())
        return;
    const TimelineHit hit = m_context.hitAt(x, y);
    if (hit.group)
        return m_span.select(hit);
    m_span.clear();
    if (hit.capture)
        return m_selection.set(hit.capture->stretch);
    m_selection.clear();
}

void TimelineController::openMenuAt(double x, double y) {
    if (!m_context.isDrawn())
        return;
    const auto capture = m_context.hitAt(x, y).capture;
    if (!capture || capture->isPhase || m_views == nullptr)
        return;
    m_captures = {m_context.runs[capture->run].id, {capture->name}};
    for (const Capture& one : m_context.drawn->captures[capture->run]) {
        if (one.name != capture->name)
            m_captures.captures.push_back(one.name);
    }
    Q_EMIT captureMenuWanted();
}

QString TimelineController::captureName() const {
    return m_captures.captures.empty() ? QString()
                                       : QString::fromStdString(m_captures.captures.front());
}

QStringList TimelineController::otherCaptures() const {
    QStringList names;
    for (std::size_t i = 1; i < m_captures.captures.size(); ++i)
        names.append(QString::fromStdString(m_captures.captures[i]));
    return names;
}

void TimelineController::compareCapture(int other) {
    const auto& all = m_captures.captures;
    const auto place = static_cast<std::size_t>(other) + 1;
    if (m_views == nullptr || all.size() < 2 || other >= static_cast<int>(all.size()) - 1)
        return;
    m_views->compare(other < 0 ? m_captures : ToCompare{m_captures.run, {all[0], all[place]}});
}

void TimelineController::doubleClickAt(double x, double y) {
    if (!m_context.isDrawn())
        return;
    const TimelineHit hit = m_context.hitAt(x, y);
    const auto& selection = m_context.selection;
    if (hit.group) {
        const TimeNs origin = m_context.runs[hit.run].origin;
        TimeWindow target = m_context.window;
        target.frame({hit.group->range.begin - origin, hit.group->range.end - origin});
        m_navigation.setWindow(target.window());
    } else if (hit.capture) {
        TimeWindow target = m_context.window;
        target.frame(hit.capture->stretch);
        m_navigation.setWindow(target.window());
    } else if (selection && selection->begin <= hit.time && hit.time < selection->end) {
        m_navigation.setWindow(*selection);
    } else {
        m_navigation.zoomAt(kDoubleClickZoom, x);
    }
}

void TimelineController::fitSelection() {
    TimeWindow target = m_context.window;
    if (m_context.selection)
        target.set(*m_context.selection);
    else if (const auto stretch = m_span.stretch())
        target.frame(*stretch);
    else
        target.showAll();
    if (target.window() == m_context.window.window())
        return m_navigation.showAll();
    m_navigation.setWindow(target.window());
}

bool TimelineController::handleKey(int key, int modifiers) {
    const Qt::KeyboardModifiers held(modifiers);
    const auto command = timelineCommand(key, held);
    if (!command || !isReady())
        return false;
    perform(*command, held.testFlag(Qt::ShiftModifier));
    return true;
}

void TimelineController::moveCursor(DurationNs time, bool selects) {
    if (selects)
        m_selection.extendTo(time);
    m_navigation.reveal(time);
    m_cursor.forgetHover();
    m_cursor.moveTo(time, std::nullopt);
}

void TimelineController::step(SpanTarget::Step direction, bool selects) {
    if (m_span.isSelected() && !selects)
        return m_span.step(direction, m_lanes.current());
    const double by = direction == SpanTarget::Step::Next ? kCursorStep : -kCursorStep;
    moveCursor(m_context.window.beside(m_context.point(), by), selects);
}

// To where power rises above its limit, before or behind the cursor.
void TimelineController::goToCrossing(int direction) {
    const auto* overlays = m_overlays.known();
    const DurationNs from = m_context.point();
    std::optional<DurationNs> nearest;
    const std::size_t count
        = overlays == nullptr ? 0 : std::min(overlays->size(), m_context.runs.size());
    for (std::size_t run = 0; run < count; ++run) {
        for (const TimeRange& stay : (*overlays)[run].aboveLimit) {
            const DurationNs at = stay.begin - m_context.runs[run].origin;
            const bool isThere = direction > 0 ? at > from : at < from;
            const bool isNearer = !nearest || (direction > 0 ? at < *nearest : at > *nearest);
            if (isThere && isNearer)
                nearest = at;
        }
    }
    if (nearest)
        moveCursor(*nearest, false);
}

void TimelineController::perform(TimelineCommand command, bool selects) {
    using C = TimelineCommand;
    using Step = SpanTarget::Step;
    const int lane = m_lanes.current();
    const TimeWindow& window = m_context.window;
    switch (command) {
    case C::ZoomIn:
        return m_navigation.zoomIn();
    case C::ZoomOut:
        return m_navigation.zoomOut();
    case C::PanLeft:
        return m_navigation.panByWindows(-kPanStep);
    case C::PanRight:
        return m_navigation.panByWindows(kPanStep);
    case C::StepLeft:
        return step(Step::Previous, selects);
    case C::StepRight:
        return step(Step::Next, selects);
    case C::FineLeft:
        return moveCursor(window.beside(m_context.point(), -kFineCursorStep), selects);
    case C::FineRight:
        return moveCursor(window.beside(m_context.point(), kFineCursorStep), selects);
    case C::ViewBegin:
        return moveCursor(window.window().begin, selects);
    case C::ViewEnd:
        return moveCursor(window.window().end, selects);
    case C::WholeBegin:
        return moveCursor(window.limits().begin, selects);
    case C::WholeEnd:
        return moveCursor(window.limits().end, selects);
    case C::PreviousSpan:
        return m_span.step(Step::Previous, lane);
    case C::NextSpan:
        return m_span.step(Step::Next, lane);
    case C::LaneUp:
        return m_lanes.setCurrent(std::max(0, lane - 1));
    case C::LaneDown:
        return m_lanes.setCurrent(lane + 1);
    case C::MoveLaneUp:
        return m_lanes.move(lane, lane - 1);
    case C::MoveLaneDown:
        return m_lanes.move(lane, lane + 1);
    case C::LowerLane:
        return m_lanes.resizeBy(lane, -kLaneStep);
    case C::HigherLane:
        return m_lanes.resizeBy(lane, kLaneStep);
    case C::FitSelection:
        return fitSelection();
    case C::ShowAll:
        return m_navigation.showAll();
    case C::Mark:
        return m_marks.mark();
    case C::PreviousMark:
        return m_marks.step(-1);
    case C::NextMark:
        return m_marks.step(1);
    case C::RemoveMark:
        return m_marks.removeAtCursor();
    case C::PreviousCrossing:
        return goToCrossing(-1);
    case C::NextCrossing:
        return goToCrossing(1);
    case C::Search:
        Q_EMIT searchRequested();
        return;
    case C::Clear:
        return clearAll();
    case C::Undo:
        return m_navigation.undo();
    case C::Redo:
        return m_navigation.redo();
    }
}

void TimelineController::clearAll() {
    m_search.clear();
    m_span.clear();
    m_selection.clear();
}

void TimelineController::jumpTo(const SearchHit& hit) {
    if (hit.kind == SearchHit::Kind::Mark)
        return m_marks.jumpTo(static_cast<int>(hit.mark));
    if (hit.kind == SearchHit::Kind::Lane)
        return m_lanes.find(hit.lane);
    const DurationNs half{hit.span.duration.ns / 2};
    m_span.select({hit.run, hit.track, hit.span.start + half, hit.span.depth,
                      SpanTarget::Step::Here, DurationNs{1}},
        true);
}

// The first of those that are shown, and the one that was asked for last.
std::vector<plot::ShownRun> TimelineController::runsToDraw() const {
    auto runs
        = m_context.workspace ? m_context.workspace->shownRuns() : std::vector<plot::ShownRun>();
    if (runs.size() <= kMostRuns)
        return runs;
    const auto asked = std::find_if(runs.begin() + kMostRuns, runs.end(),
        [this](const plot::ShownRun& run) { return run.id == m_revealed; });
    if (asked != runs.end())
        std::swap(runs[kMostRuns - 1], *asked);
    runs.resize(kMostRuns);
    return runs;
}

// The GPU alone, where its run is shown: the cursor's readouts and the inspector follow.
void TimelineController::selectEvidence(const Evidence& evidence) {
    if (evidence.rank && isReady() && findRun(m_context.runs, evidence.run) != nullptr)
        m_cursor.place(m_context.cursor.value_or(m_context.window.window().begin), *evidence.rank);
}

// For views that follow the window or the selection.
void TimelineController::shareStretches() {
    if (!m_views || !isReady())
        return;
    std::vector<ShownStretch> stretches;
    for (const auto& run : m_context.runs) {
        const auto absolute = [&run](const plot::ViewWindow& window) {
            return TimeRange{run.origin + window.begin, run.origin + window.end};
        };
        ShownStretch& stretch = stretches.emplace_back();
        stretch.run = run.id;
        stretch.window = absolute(m_context.window.window());
        stretch.clocks = run.clocks;
        if (m_context.selection)
            stretch.selection = absolute(*m_context.selection);
    }
    m_views->setStretches(std::move(stretches));
}

void TimelineController::reveal(const Evidence& evidence) {
    if (!m_context.workspace)
        return;
    m_evidence = evidence;
    m_revealed = evidence.run;
    if (findRun(m_context.workspace->shownRuns(), evidence.run) == nullptr)
        m_context.workspace->setShown({evidence.run});
    else if (findRun(m_context.runs, evidence.run) == nullptr)
        reloadRuns();
    else if (!m_isOpening)
        showEvidence();
}

void TimelineController::showEvidence() {
    if (!m_evidence || !isReady())
        return;
    const auto* run = findRun(m_context.runs, m_evidence->run);
    if (run == nullptr)
        return;
    const Evidence evidence = *std::exchange(m_evidence, std::nullopt);
    TimeWindow target = m_context.window;
    DurationNs begin = m_context.cursor.value_or(target.window().begin);
    if (evidence.range && !evidence.range->isEmpty()) {
        const plot::ViewWindow stretch{
            evidence.range->begin - run->origin, evidence.range->end - run->origin};
        begin = stretch.begin;
        target.frame(stretch);
        m_selection.set(stretch);
    } else if (!evidence.range) {
        target.showAll();
    }
    m_navigation.setWindow(target.window());
    m_lanes.choose([&evidence](const plot::LaneSpec& lane) {
        const bool kernels = evidence.metric.empty() && lane.style == plot::LaneStyle::Kernels;
        const bool metric = !evidence.metric.empty() && lane.metric == evidence.metric;
        const bool rank = !lane.rank || !evidence.rank || *lane.rank == *evidence.rank;
        return (kernels || metric) && rank;
    });
    m_cursor.moveTo(begin, evidence.rank);
}

} // namespace trainscope::app
