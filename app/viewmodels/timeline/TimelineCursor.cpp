#include "app/viewmodels/timeline/TimelineCursor.h"

#include "app/viewmodels/timeline/TimelineHover.h"

namespace trainscope::app {

TimelineCursor::TimelineCursor(TimelineContext& context, const TimelineOverlays& overlays,
    LaneListModel& lanes, InspectorModel& inspector, QObject* parent)
    : QObject(parent)
    , m_context(context)
    , m_overlays(overlays)
    , m_lanes(lanes)
    , m_inspector(inspector) { }

void TimelineCursor::setViews(Views* views) {
    if (m_views)
        m_views->disconnect(this);
    m_views = views;
    if (views != nullptr)
        connect(views, &Views::cursorMoved, this, &TimelineCursor::take);
}

void TimelineCursor::hoverAt(double x, double y) {
    if (!m_context.isReady() || m_context.axis.width <= 0.0)
        return;
    // The names of the lanes are no place in time.
    if (x < m_context.axis.x || x > m_context.axis.right())
        return leave();
    m_isPointing = true;
    m_hoverX = x;
    m_hoverY = y;
    wordHover();
    moveTo(m_hit.time, m_hit.rank >= 0 ? std::optional(m_hit.rank) : std::nullopt);
}

void TimelineCursor::leave() {
    m_isPointing = false;
    forgetHover();
    Q_EMIT changed();
}

QPointF TimelineCursor::tipAt(double width, double height, const QRectF& selected) const {
    constexpr double kPointer = 8.0; // px: half the height of the pointer's own picture
    const plot::Rect& bar = m_hit.place;
    const QRectF about = bar.width > 0.0
        ? QRectF(bar.x, bar.y, bar.width, bar.height)
        : QRectF(m_hoverX, m_hoverY - kPointer, 1.0, 2.0 * kPointer);
    const QRectF view(m_context.axis.x, 0.0, m_context.axis.width, m_context.height);
    return tipPlace({width, height}, {m_hoverX, m_hoverY}, about, selected, view);
}

void TimelineCursor::forgetHover() {
    m_hit = {};
    m_hoverText.clear();
}

// Other data may lie under the pointer than when it moved last.
void TimelineCursor::wordHover() {
    m_hit = m_context.hitAt(m_hoverX, m_hoverY);
    m_hoverText = app::hoverText(m_context, m_overlays.shown(), m_hit, readout(), m_hoverY);
}

QString TimelineCursor::readout() const {
    const SeriesId id = pointedId();
    return id.isValid() && id == m_probed.pointed ? m_probed.pointedText : QString();
}

const plot::LaneSeries* TimelineCursor::pointedSeries() const {
    if (m_hit.lane < 0 || m_hit.item < 0 || !m_context.drawn)
        return nullptr;
    const auto& lanes = m_context.drawn->lanes;
    const auto lane = static_cast<std::size_t>(m_hit.lane);
    const auto item = static_cast<std::size_t>(m_hit.item);
    const bool isThere = lane < lanes.size() && item < lanes[lane].series.size();
    return isThere ? &lanes[lane].series[item] : nullptr;
}

SeriesId TimelineCursor::pointedId() const {
    const auto* const series = pointedSeries();
    return series == nullptr ? SeriesId() : series->id;
}

int TimelineCursor::pointedNode() const {
    const auto* const series = pointedSeries();
    const bool isOfNode = series != nullptr
        && (series->subject.kind == SubjectKind::Node || series->subject.kind == SubjectKind::Link);
    return isOfNode ? series->subject.node : -1;
}

void TimelineCursor::moveTo(DurationNs time, std::optional<int> rank) {
    if (place(time, rank.value_or(m_context.focusRank)))
        share();
}

bool TimelineCursor::place(DurationNs time, int rank) {
    const bool moved
        = m_context.cursor != time || m_context.focusRank != rank || m_asked != pointedId();
    m_context.cursor = time;
    m_context.focusRank = rank;
    Q_EMIT changed();
    if (moved)
        probe();
    return moved;
}

void TimelineCursor::stop() {
    m_task.cancel();
    m_probed = {};
    m_asked = {};
}

void TimelineCursor::forget() {
    stop();
    m_context.cursor.reset();
    m_inspector.clearCursor();
}

void TimelineCursor::share() {
    if (!m_views || !m_context.cursor)
        return;
    std::vector<CursorPlace> places;
    for (const auto& run : m_context.runs)
        places.push_back({run.id, run.origin + *m_context.cursor});
    m_views->setCursor(std::move(places));
}

// Another view has moved it. The first run that it tells counts: the others are aligned to it.
void TimelineCursor::take() {
    if (!m_context.isReady())
        return;
    for (const auto& run : m_context.runs) {
        if (const auto time = m_views->cursorOf(run.id)) {
            if (m_context.cursor != *time - run.origin)
                place(*time - run.origin, m_context.focusRank);
            return;
        }
    }
}

void TimelineCursor::probe() {
    if (!m_context.cursor || !m_context.isReady())
        return;
    m_asked = pointedId();
    const ProbeRequest request{m_context.catalogue, m_context.runs, m_context.arrangement,
        *m_context.cursor, m_context.focusRank, pointedNode(), m_context.pixelLength(),
        m_context.remote, m_asked};
    m_task.ask(
        m_context.readers(),
        [request](const store::Store& store, const TaskStage<ProbeResult>& stage) {
            return app::probe(store, request, stage.cancelCheck());
        },
        [this](const Result<ProbeResult>& result) {
            if (!result.hasValue())
                return;
            m_probed = result.value();
            std::vector<QString> readouts;
            for (const QStringList& runs : m_probed.lanes)
                readouts.push_back(runs.join(QLatin1Char('\n')));
            m_lanes.setReadouts(readouts);
            m_inspector.showCursor(m_probed);
            if (m_hoverText.isEmpty())
                return;
            wordHover();
            Q_EMIT changed();
        });
}

double TimelineCursor::x() const {
    return m_context.cursor ? m_context.axis.toX(*m_context.cursor) : 0.0;
}

QString TimelineCursor::text() const {
    return m_context.cursor ? m_context.textOf(*m_context.cursor) : QString();
}

} // namespace trainscope::app
