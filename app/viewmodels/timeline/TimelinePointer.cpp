// The part of TimelineController that follows the pointer: cursor and spans.
#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/timeline/TimelineController.h"
#include "core/plot/timeline/TraceClock.h"

#include <algorithm>
#include <cmath>

namespace trainscope::app {
namespace {

constexpr double kDoubleClickZoom = 0.4;
constexpr double kReadableSpan = 8.0; // px: narrower spans are zoomed to when jumped at
constexpr std::int64_t kJumpLengths = 40; // window in lengths of the span
constexpr std::int64_t kReachPixels = 3;

QString titleOf(const plot::TimelineData& data, NameId name) {
    const auto found = data.names.find(name);
    return found == data.names.end() ? QString() : QString::fromStdString(found->second.text);
}

} // namespace

void TimelineController::hoverAt(double x, double y) {
    if (!isReady() || m_axis.width <= 0.0)
        return;
    // The names of the lanes are no place in time.
    if (x < m_axis.x || x > m_axis.right())
        return leave();
    TimelineHit hit;
    hit.time = m_axis.toTime(x);
    if (m_drawn && m_geometry && y >= m_lanesTop)
        hit = hitTest(*m_drawn, *m_geometry, m_axis, {x, y});
    m_hoverText = y < m_lanesTop ? stripText(hit.time, y) : hoverTextOf(hit);
    m_hoverY = y;
    moveCursor(hit.time, hit.rank >= 0 ? hit.rank : m_focusRank);
}

void TimelineController::leave() {
    m_hoverText.clear();
    Q_EMIT cursorChanged();
}

void TimelineController::moveCursor(DurationNs time, int rank) {
    if (placeCursor(time, rank))
        shareCursor();
}

bool TimelineController::placeCursor(DurationNs time, int rank) {
    const bool moved = m_cursor != time || m_focusRank != rank;
    m_cursor = time;
    m_focusRank = rank;
    Q_EMIT cursorChanged();
    if (moved)
        startProbe();
    return moved;
}

void TimelineController::shareCursor() {
    if (!m_views || !m_cursor)
        return;
    std::vector<CursorPlace> places;
    for (const auto& run : m_runs)
        places.push_back({run.id, run.origin + *m_cursor});
    m_views->setCursor(std::move(places));
}

// Another view has moved it. The first run that it tells counts: the others are aligned to it.
void TimelineController::takeCursor() {
    if (!isReady())
        return;
    for (const auto& run : m_runs) {
        const auto time = m_views->cursorOf(run.id);
        if (!time)
            continue;
        if (m_cursor != *time - run.origin) {
            m_cursor = *time - run.origin;
            Q_EMIT cursorChanged();
            startProbe();
        }
        return;
    }
}

QString TimelineController::hoverTextOf(const TimelineHit& hit) const {
    if (hit.item < 0 || !m_drawn)
        return {};
    const auto& lane = m_drawn->lanes[static_cast<std::size_t>(hit.lane)];
    const auto item = static_cast<std::size_t>(hit.item);
    if (lane.spans.empty()) {
        const QString label = QString::fromStdString(lane.series[item].label);
        return (m_runs.size() > 1 ? QStringLiteral("%1 · %2").arg(
                    QString::fromStdString(m_runs[hit.run].name), label)
                                  : label)
            + throttleText(hit);
    }
    const QString track = QString::fromStdString(lane.spans[item].label);
    if (!hit.group)
        return track;
    const QString name = titleOf(*m_drawn, hit.group->name);
    if (hit.group->count > 1)
        return tr("%1 spans, longest: %2\n%3")
            .arg(wholeText(hit.group->count), name.left(80), track);
    return QStringLiteral("%1\n%2 · %3")
        .arg(name.left(120), exactDurationText(hit.group->range.length()), track);
}

void TimelineController::startProbe() {
    if (!m_cursor || !isReady())
        return;
    const ProbeRequest request{m_catalogue, m_runs, m_arrangement, *m_cursor, m_focusRank};
    m_probeTask.ask(
        m_workspace->readers(),
        [request](const store::Store& store, const TaskStage<ProbeResult>& stage) {
            stage.publish(probe(store, request, stage.cancelCheck()));
        },
        [this](Result<ProbeResult> result) {
            if (result.hasValue()) {
                m_lanes.setReadouts(result.value().lanes);
                m_inspector.showCursor(result.value());
            }
        });
}

void TimelineController::clickAt(double x, double y) {
    if (!isReady() || !m_drawn || !m_geometry)
        return;
    const TimelineHit hit = hitTest(*m_drawn, *m_geometry, m_axis, {x, y});
    if (!hit.group) {
        takeSpan(std::nullopt, false);
        return clearSelection();
    }
    SpanTarget target;
    target.run = hit.run;
    target.track = m_drawn->lanes[static_cast<std::size_t>(hit.lane)]
                       .spans[static_cast<std::size_t>(hit.item)]
                       .track;
    const TimeRange& range = hit.group->range;
    const TimeNs pointed = m_runs[hit.run].origin + hit.time;
    const TimeNs shown
        = hit.group->count == 1 ? range.begin + DurationNs{range.length().ns / 2} : pointed;
    target.time = plot::ownTime(m_runs[hit.run], hit.rank, shown);
    target.depth = hit.group->depth;
    target.reach = {std::max(range.length().ns, pixelLength().ns * kReachPixels)};
    startSpan(target, false);
}

void TimelineController::doubleClickAt(double x, double y) {
    if (!isReady() || !m_drawn || !m_geometry)
        return;
    const TimelineHit hit = hitTest(*m_drawn, *m_geometry, m_axis, {x, y});
    if (hit.group) {
        TimeWindow target = m_window;
        const TimeNs origin = m_runs[hit.run].origin;
        target.frame({hit.group->range.begin - origin, hit.group->range.end - origin});
        return setWindow(target.window());
    }
    const bool inSelection
        = m_selection && m_selection->begin <= hit.time && hit.time < m_selection->end;
    if (inSelection)
        return setWindow(*m_selection);
    zoomAt(kDoubleClickZoom, x);
}

void TimelineController::startSpan(const SpanTarget& target, bool reveal) {
    using Report = std::optional<SpanReport>;
    // The job must not follow a pointer into this object.
    plot::TimeContext context = timeContext();
    context.iterations = nullptr;
    SpanTarget asked = target;
    if (target.run < m_runs.size()) {
        context.origin = m_runs[target.run].origin;
        asked.clocks = m_runs[target.run].clocks;
    }
    m_spanTask.start(
        m_workspace->readers(),
        [target = std::move(asked), context, catalogue = m_catalogue](
            const store::Store& store, const TaskStage<Report>& stage) {
            plot::TimeContext own = context;
            own.iterations = &catalogue->tables.runs[target.run].iterations;
            stage.publish(lookUpSpan(store, *catalogue, target, own, stage.cancelCheck()));
        },
        [this, reveal](Result<Report> report) {
            if (!report.hasValue()) {
                m_error = QString::fromStdString(report.error().describe());
                Q_EMIT stateChanged();
                return;
            }
            if (report.value() || !reveal)
                takeSpan(std::move(report).value(), reveal);
        });
}

void TimelineController::stepSpan(SpanTarget::Step step) {
    if (!m_span)
        return;
    SpanTarget target;
    target.run = m_span->run;
    target.track = m_span->track;
    target.depth = m_span->span.depth;
    target.step = step;
    const bool next = step == SpanTarget::Step::Next;
    const DurationNs length{std::max<std::int64_t>(m_span->span.duration.ns, 1)};
    target.time = next ? m_span->span.start + length : m_span->span.start;
    startSpan(target, true);
}

void TimelineController::takeSpan(std::optional<SpanReport> report, bool reveal) {
    m_span = std::move(report);
    m_inspector.showSpan(m_span);
    if (m_span && reveal && m_span->run < m_runs.size()) {
        const DurationNs begin = shownBegin(*m_span);
        const DurationNs length = m_span->span.duration;
        const DurationNs middle = begin + DurationNs{length.ns / 2};
        const auto pixels = static_cast<double>(length.ns) / static_cast<double>(pixelLength().ns);
        TimeWindow target = m_window;
        if (pixels < kReadableSpan) {
            const DurationNs half{std::max<std::int64_t>(length.ns, 1) * kJumpLengths / 2};
            target.set({middle - half, middle + half});
        } else if (begin < target.window().begin || target.window().end < begin + length) {
            target.centreOn(middle);
        }
        if (target.window() != m_window.window())
            setWindow(target.window());
        moveCursor(begin, m_span->rank >= 0 ? m_span->rank : m_focusRank);
    }
    placeSpan();
    Q_EMIT selectionChanged();
}

DurationNs TimelineController::shownBegin(const SpanReport& report) const {
    const plot::ShownRun& run = m_runs[report.run];
    return plot::shownTime(run, report.rank, report.span.start) - run.origin;
}

void TimelineController::placeSpan() {
    m_spanPlace.reset();
    if (!m_span || !m_drawn || !m_geometry || m_span->run >= m_runs.size())
        return;
    const DurationNs begin = shownBegin(*m_span);
    const double left = std::max(m_axis.x, m_axis.toX(begin));
    const double right = std::min(m_axis.right(), m_axis.toX(begin + m_span->span.duration));
    if (right < m_axis.x || left > m_axis.right())
        return;
    const std::size_t lanes = std::min(m_drawn->lanes.size(), m_geometry->lanes.size());
    for (std::size_t i = 0; i < lanes; ++i) {
        const auto& lane = m_drawn->lanes[i];
        for (const auto& row : m_geometry->lanes[i].rows) {
            if (row.item >= lane.spans.size() || lane.spans[row.item].track != m_span->track)
                continue;
            const bool nested = lane.spec.style == plot::LaneStyle::Thread;
            const int levels = nested ? std::max(1, lane.spans[row.item].depth) : 1;
            const double height = row.rect.height / levels;
            const double y = row.rect.y + (nested ? height * m_span->span.depth : 0.0);
            if (y >= m_lanesTop && y + height <= m_height)
                m_spanPlace = plot::Rect{left, y, std::max(2.0, right - left), height};
            return;
        }
    }
}

void TimelineController::clearAll() {
    m_search.clear();
    takeSpan(std::nullopt, false);
    clearSelection();
}

void TimelineController::jumpTo(const SearchHit& hit) {
    if (hit.kind == SearchHit::Kind::Mark)
        return jumpToMark(static_cast<int>(hit.mark));
    if (hit.kind == SearchHit::Kind::Span) {
        const DurationNs half{hit.span.duration.ns / 2};
        return startSpan({hit.run, hit.track, hit.span.start + half, hit.span.depth,
                             SpanTarget::Step::Here, DurationNs{1}},
            true);
    }
    const auto& lanes = m_arrangement.lanes;
    const auto lane = std::find_if(lanes.begin(), lanes.end(), [&hit](const auto& shown) {
        return shown.metric == hit.lane.metric
            && (!shown.metric.empty() || shown.style == hit.lane.style);
    });
    if (lane != lanes.end())
        return showLane(static_cast<int>(lane - lanes.begin()));
    const auto& choices = m_catalogue->choices;
    const auto choice = std::find_if(choices.begin(), choices.end(),
        [&hit](const auto& other) { return other.lane == hit.lane; });
    addLane(static_cast<int>(choice - choices.begin()));
}

bool TimelineController::cursorVisible() const {
    return isReady() && m_cursor && m_window.window().begin <= *m_cursor
        && *m_cursor <= m_window.window().end;
}

double TimelineController::cursorX() const {
    return m_cursor ? m_axis.toX(*m_cursor) : 0.0;
}

QString TimelineController::cursorText() const {
    return m_cursor ? textOfTime(*m_cursor) : QString();
}

QString TimelineController::windowText() const {
    return isReady() ? tr("%1 in view").arg(durationText(m_window.window().length())) : QString();
}

QString TimelineController::limitsBeginText() const {
    return isReady() ? textOfLimit(m_window.limits().begin) : QString();
}

QString TimelineController::limitsEndText() const {
    return isReady() ? textOfLimit(m_window.limits().end) : QString();
}

void TimelineController::setTimeDisplay(int display) {
    const auto chosen = static_cast<plot::TimeDisplay>(std::clamp(display, 0, 3));
    if (chosen == m_display)
        return;
    m_display = chosen;
    saveView();
    Q_EMIT timeDisplayChanged();
    Q_EMIT windowChanged();
    Q_EMIT cursorChanged();
    Q_EMIT repaintNeeded();
}

QStringList TimelineController::timeDisplays() const {
    return {tr("Relative"), tr("UTC"), tr("Local"), tr("Iteration")};
}

} // namespace trainscope::app
