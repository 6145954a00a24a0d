#include "app/viewmodels/timeline/TimelineSpan.h"

#include "core/plot/timeline/TraceClock.h"

namespace trainscope::app {
namespace {

constexpr double kReadableSpan = 8.0; // px: narrower spans are zoomed to when jumped at
constexpr std::int64_t kJumpLengths = 40; // window in lengths of the span
constexpr std::int64_t kSpanReachPixels = 3;

} // namespace

TimelineSpan::TimelineSpan(TimelineContext& context, TimelineNavigation& navigation,
    TimelineCursor& cursor, InspectorModel& inspector, QObject* parent)
    : QObject(parent)
    , m_context(context)
    , m_navigation(navigation)
    , m_cursor(cursor)
    , m_inspector(inspector) { }

void TimelineSpan::select(const TimelineHit& hit) {
    const auto& lane = m_context.drawn->lanes[static_cast<std::size_t>(hit.lane)];
    const plot::ShownRun& run = m_context.runs[hit.run];
    const TimeRange& range = hit.group->range;
    const TimeNs shown = hit.group->count == 1 ? range.begin + DurationNs{range.length().ns / 2}
                                               : run.origin + hit.time;
    SpanTarget target;
    target.run = hit.run;
    target.track = lane.spans[static_cast<std::size_t>(hit.item)].track;
    target.time = plot::ownTime(run, hit.rank, shown);
    target.depth = hit.group->depth;
    target.reach = {std::max(range.length().ns, m_context.pixelLength().ns * kSpanReachPixels)};
    select(target, false);
}

const plot::LaneSpans* TimelineSpan::trackIn(int lane) const {
    if (!m_context.isDrawn() || !m_context.shows(m_context.drawn->runs))
        return nullptr;
    const auto& lanes = m_context.drawn->lanes;
    const auto hasSpans = [](const plot::LaneData& data) { return !data.spans.empty(); };
    auto found = std::ranges::find_if(lanes, hasSpans);
    const auto wanted = static_cast<std::size_t>(lane);
    if (lane >= 0 && wanted < lanes.size() && hasSpans(lanes[wanted]))
        found = lanes.begin() + lane;
    if (found == lanes.end())
        return nullptr;
    const auto& tracks = found->spans;
    const auto pointed = std::ranges::find(tracks, m_context.focusRank, &plot::LaneSpans::rank);
    return pointed == tracks.end() ? &tracks.front() : &*pointed;
}

void TimelineSpan::stepFromCursor(SpanTarget::Step step, int lane) {
    const plot::LaneSpans* track = trackIn(lane);
    if (track == nullptr)
        return;
    const plot::ShownRun& run = m_context.runs[track->run];
    SpanTarget target;
    target.run = track->run;
    target.track = track->track;
    target.time = plot::ownTime(run, track->rank, run.origin + m_context.point());
    target.step = step;
    select(target, true);
}

void TimelineSpan::step(SpanTarget::Step step, int lane) {
    if (!m_span)
        return stepFromCursor(step, lane);
    SpanTarget target;
    target.run = m_span->run;
    target.track = m_span->track;
    target.depth = m_span->span.depth;
    target.step = step;
    const bool next = step == SpanTarget::Step::Next;
    const DurationNs length{std::max<std::int64_t>(m_span->span.duration.ns, 1)};
    target.time = next ? m_span->span.start + length : m_span->span.start;
    select(target, true);
}

void TimelineSpan::select(SpanTarget target, bool isRevealed) {
    using Report = std::optional<SpanReport>;
    if (target.run >= m_context.runs.size())
        return;
    // The job must not follow a pointer into this object.
    plot::TimeContext wording = m_context.wording();
    wording.iterations = nullptr;
    wording.origin = m_context.runs[target.run].origin;
    target.clocks = m_context.runs[target.run].clocks;
    m_task.ask(
        m_context.readers(),
        [target, wording, catalogue = m_context.catalogue](
            const store::Store& store, const TaskStage<Report>& stage) {
            plot::TimeContext own = wording;
            own.iterations = &catalogue->tables.runs[target.run].iterations;
            return lookUpSpan(store, *catalogue, target, own, stage.cancelCheck());
        },
        [this, isRevealed](Result<Report> report) {
            if (!report.hasValue()) {
                Q_EMIT failed(report.error());
                return;
            }
            if (!report.value() && isRevealed)
                return;
            take(std::move(report).value());
            if (m_span && isRevealed)
                reveal();
        });
}

void TimelineSpan::readAgain() {
    if (!m_span)
        return;
    SpanTarget target;
    target.run = m_span->run;
    target.track = m_span->track;
    target.time = m_span->span.start + DurationNs{m_span->span.duration.ns / 2};
    target.depth = m_span->span.depth;
    target.reach = {1};
    select(target, false);
}

void TimelineSpan::clear() {
    m_task.cancel();
    take(std::nullopt);
}

void TimelineSpan::take(std::optional<SpanReport> report) {
    const auto before = launches();
    m_span = std::move(report);
    m_inspector.showSpan(m_span);
    layOut();
    if (before != launches())
        Q_EMIT launchesChanged();
}

std::optional<plot::ViewWindow> TimelineSpan::stretch() const {
    if (!m_span || m_span->run >= m_context.runs.size())
        return std::nullopt;
    const plot::ShownRun& run = m_context.runs[m_span->run];
    const DurationNs begin = plot::shownTime(run, m_span->rank, m_span->span.start) - run.origin;
    return plot::ViewWindow{begin, begin + m_span->span.duration};
}

void TimelineSpan::reveal() {
    const auto shown = stretch();
    if (!shown)
        return;
    const DurationNs length = shown->length();
    const DurationNs middle = shown->begin + DurationNs{length.ns / 2};
    const auto pixels
        = static_cast<double>(length.ns) / static_cast<double>(m_context.pixelLength().ns);
    TimeWindow target = m_context.window;
    if (pixels < kReadableSpan) {
        const DurationNs half{std::max<std::int64_t>(length.ns, 1) * kJumpLengths / 2};
        target.set({middle - half, middle + half});
    } else if (shown->begin < target.window().begin || target.window().end < shown->end) {
        target.centreOn(middle);
    }
    if (target.window() != m_context.window.window())
        m_navigation.setWindow(target.window());
    m_cursor.forgetHover();
    m_cursor.moveTo(shown->begin, m_span->rank >= 0 ? std::optional(m_span->rank) : std::nullopt);
    Q_EMIT revealed();
}

// The row of its track, or of its depth in it; nothing where it is scrolled away.
void TimelineSpan::layOut() {
    const auto shown = stretch();
    m_place = shown && m_context.isDrawn() ? placeOf(*shown) : std::nullopt;
    Q_EMIT changed();
}

std::optional<QRectF> TimelineSpan::placeOf(const plot::ViewWindow& shown) const {
    const auto& axis = m_context.axis;
    const double left = std::max(axis.x, axis.toX(shown.begin));
    const double right = std::min(axis.right(), axis.toX(shown.end));
    if (right < axis.x || left > axis.right())
        return std::nullopt;
    const auto& lanes = m_context.geometry->lanes;
    for (std::size_t i = 0; i < std::min(m_context.drawn->lanes.size(), lanes.size()); ++i) {
        const auto& lane = m_context.drawn->lanes[i];
        for (const auto& row : lanes[i].rows) {
            if (row.item >= lane.spans.size() || lane.spans[row.item].track != m_span->track)
                continue;
            const bool nested = lane.spec.style == plot::LaneStyle::Thread;
            const int levels = nested ? std::max(1, row.depth) : 1;
            const double height = row.rect.height / levels;
            const double y = row.rect.y + (nested ? height * m_span->span.depth : 0.0);
            if (y < m_context.lanesTop || y + height > m_context.height)
                return std::nullopt;
            return QRectF(left, y, std::max(2.0, right - left), height);
        }
    }
    return std::nullopt;
}

} // namespace trainscope::app
