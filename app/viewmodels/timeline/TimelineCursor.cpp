#include "app/viewmodels/timeline/TimelineCursor.h"

#include "app/viewmodels/text/Texts.h"
#include "core/model/WholeNumber.h"
#include "core/plot/timeline/TraceClock.h"

namespace trainscope::app {

namespace {

using Overlays = std::vector<plot::RunOverlay>;

QString causeText(std::string_view cause) {
    if (cause == "thermal")
        return QStringLiteral("by heat");
    if (cause == "power")
        return QStringLiteral("by its power limit");
    return QStringLiteral("for another reason");
}

QString lostText(double seconds) {
    return durationText(DurationNs{nearestWhole<std::int64_t>(seconds * 1e9)});
}

QString titleOf(const plot::TimelineData& data, NameId name) {
    const auto found = data.names.find(name);
    return found == data.names.end() ? QString() : QString::fromStdString(found->second.text);
}

QString basisText(const plot::RunOverlay& overlay) {
    return overlay.isFromClocks ? QStringLiteral(", as clocks tell") : QString();
}

// Under the label of a clock lane.
QString throttleText(
    const TimelineContext& context, const Overlays* overlays, const TimelineHit& hit) {
    const auto& lane = context.drawn->lanes[static_cast<std::size_t>(hit.lane)];
    if (overlays == nullptr || hit.run >= overlays->size() || lane.spec.metric != "sm_clock"
        || hit.rank < 0)
        return {};
    const auto marks = plot::throttlesAt(
        (*overlays)[hit.run], context.runs[hit.run].origin + hit.time, hit.rank);
    if (marks.empty())
        return {};
    const auto& mark = marks.front();
    return QLatin1Char('\n')
        + QStringLiteral("throttled %1 for %2%3; %4 of clock lost")
              .arg(causeText(mark.cause), durationText(mark.range.length()),
                  basisText((*overlays)[hit.run]), lostText(mark.lostSeconds));
}

// Under the label of a power lane.
QString aboveLimitText(
    const TimelineContext& context, const Overlays* overlays, const TimelineHit& hit) {
    const auto& lane = context.drawn->lanes[static_cast<std::size_t>(hit.lane)];
    if (overlays == nullptr || hit.run >= overlays->size() || lane.limits.empty())
        return {};
    const TimeNs time = context.runs[hit.run].origin + hit.time;
    const auto& stays = (*overlays)[hit.run].aboveLimit;
    const auto next = std::ranges::upper_bound(stays, time, {}, &TimeRange::begin);
    if (next == stays.begin() || std::prev(next)->end <= time)
        return {};
    return QLatin1Char('\n')
        + QStringLiteral("above the power limit for %1")
              .arg(durationText(std::prev(next)->length()));
}

// Under the label of a lane that is drawn as a band; also without one.
QString bandText(const TimelineContext& context, const TimelineHit& hit) {
    const auto& lane = context.drawn->lanes[static_cast<std::size_t>(hit.lane)];
    const auto band = std::ranges::find(lane.bands, hit.run, &plot::LaneBand::run);
    if (band == lane.bands.end())
        return {};
    const auto column = plot::columnAt(band->median.low.size(), context.drawn->window, hit.time);
    if (!column || std::isnan(band->median.low[*column]))
        return {};
    const auto text = [&](float si) {
        return decimalText(static_cast<double>(si) * lane.displayScale, 'g', 4);
    };
    return QStringLiteral("median %1, 5–95 % %2 to %3 %4")
        .arg(text(band->median.low[*column]), text(band->most.low[*column]),
            text(band->most.high[*column]), QString::fromStdString(lane.unit));
}

QString throttledText(const plot::RunOverlay& overlay, TimeNs time) {
    const auto marks = plot::throttlesAt(overlay, time, std::nullopt);
    std::map<std::string_view, int> causes;
    double lost = 0.0;
    for (const auto& mark : marks) {
        ++causes[mark.cause];
        lost += mark.lostSeconds;
    }
    QStringList lines{overlay.gpus > 1
            ? QStringLiteral("%1 of %2 GPUs throttled").arg(marks.size()).arg(overlay.gpus)
            : marks.empty() ? QStringLiteral("The GPU is not throttled")
                            : QStringLiteral("The GPU is throttled")};
    lines.front() += basisText(overlay);
    for (const auto& [cause, count] : causes)
        lines.append(overlay.gpus > 1 ? QStringLiteral("%1 %2").arg(count).arg(causeText(cause))
                                      : causeText(cause));
    if (!marks.empty())
        lines.append(QStringLiteral("%1 of clock lost in these episodes").arg(lostText(lost)));
    return lines.join(QLatin1Char('\n'));
}

// Over the strips of the head.
QString stripText(
    const TimelineContext& context, const Overlays* overlays, DurationNs time, double y) {
    if (overlays == nullptr || !context.geometry)
        return {};
    for (const auto& strip : context.geometry->strips) {
        const bool isOver = strip.kind == plot::StretchKind::Throttle && y >= strip.rect.y
            && y < strip.rect.bottom();
        if (isOver && strip.run < std::min(overlays->size(), context.runs.size()))
            return throttledText((*overlays)[strip.run], context.runs[strip.run].origin + time);
    }
    return {};
}

bool isBetweenCaptures(const TimelineContext& context, const TimelineHit& hit, TimeNs own) {
    return context.catalogue && hit.run < context.catalogue->runs.size()
        && context.catalogue->facts(hit.run).isBetweenCaptures(hit.rank, own);
}

QString stretchText(const StretchHit& stretch) {
    const QString text = QStringLiteral("%1, %2 long\nClick selects it, Shift+click all up to it, "
                                        "a double click zooms to it.")
                             .arg(stretchName(stretch), durationText(stretch.stretch.length()));
    return stretch.kind == plot::StretchKind::Capture
        ? text + QStringLiteral(" The right button compares it with others.")
        : text;
}

} // namespace

QString stretchName(const StretchHit& stretch, bool isPlural) {
    const QString name = QString::fromStdString(stretch.name);
    switch (stretch.kind) {
    case plot::StretchKind::Phase:
        return (isPlural ? QStringLiteral("Phases %1") : QStringLiteral("Phase %1")).arg(name);
    case plot::StretchKind::Capture:
        return (isPlural ? QStringLiteral("Captures %1") : QStringLiteral("Capture %1")).arg(name);
    case plot::StretchKind::Throttle:
        return QStringLiteral("Throttling of rank %1").arg(name);
    case plot::StretchKind::Iteration:
        break;
    }
    return (isPlural ? QStringLiteral("Iterations %1") : QStringLiteral("Iteration %1")).arg(name);
}

SpanReport throttleReport(
    const TimelineContext& context, const plot::RunOverlay& overlay, const StretchHit& stretch) {
    const plot::ThrottleMark& mark = overlay.throttles[stretch.item];
    SpanReport report;
    report.run = stretch.run;
    report.rank = mark.rank;
    report.title = QStringLiteral("Throttling");
    report.name = stretchName(stretch).toStdString();
    report.span.kind = SpanKind::Other;
    report.facts = {{QStringLiteral("Cause"), causeText(mark.cause) + basisText(overlay)},
        {QStringLiteral("Start"), context.textOf(stretch.stretch.begin)},
        {QStringLiteral("Duration"), durationText(mark.range.length())},
        {QStringLiteral("Clock lost"), lostText(mark.lostSeconds)},
        {QStringLiteral("Run"), QString::fromStdString(context.runs[stretch.run].name)},
        {QStringLiteral("Rank"), QString::number(mark.rank)}};
    return report;
}

QPointF tipPlace(const QSizeF& tip, const QPointF& pointer, const QRectF& about,
    const QRectF& selected, const QRectF& view) {
    constexpr double kBeside = 12.0; // px from the pointer
    constexpr double kApart = 6.0; // px from the bars
    const auto within = [](double at, double length, double begin, double end) {
        return std::max(begin, std::min(at, end - length));
    };
    const double right = pointer.x() + kBeside;
    const double x
        = within(right + tip.width() <= view.right() ? right : pointer.x() - kBeside - tip.width(),
            tip.width(), view.left(), view.right());
    std::vector<double> tops{about.bottom() + kApart, about.top() - kApart - tip.height()};
    if (!selected.isEmpty()) {
        tops.push_back(selected.bottom() + kApart);
        tops.push_back(selected.top() - kApart - tip.height());
    }
    for (const double top : tops) {
        const QRectF place({x, top}, tip);
        const bool isSeen = top >= view.top() && place.bottom() <= view.bottom();
        if (isSeen && !place.intersects(about) && !place.intersects(selected))
            return place.topLeft();
    }
    // A view too low for it: beside both, as far as there is room.
    const QRectF both = about.united(selected);
    const double left = both.left() - kApart - tip.width();
    return {left >= view.left() ? left : both.right() + kApart,
        within(about.top(), tip.height(), view.top(), view.bottom())};
}

QString hoverText(const TimelineContext& context, const std::vector<plot::RunOverlay>* overlays,
    const TimelineHit& hit, const QString& readout, double y) {
    if (y < context.lanesTop) {
        const QString strip = stripText(context, overlays, hit.time, y);
        return !hit.stretch   ? strip
            : strip.isEmpty() ? stretchText(*hit.stretch)
                              : strip + QLatin1Char('\n') + stretchText(*hit.stretch);
    }
    // Other runs may be shown than those that are drawn yet.
    if (hit.lane < 0 || !context.drawn || hit.run >= context.runs.size())
        return {};
    const QString band = bandText(context, hit);
    if (hit.item < 0)
        return band;
    const auto& lane = context.drawn->lanes[static_cast<std::size_t>(hit.lane)];
    const auto item = static_cast<std::size_t>(hit.item);
    if (lane.spans.empty()) {
        QString label = QString::fromStdString(lane.series[item].label);
        if (context.runs.size() > 1)
            label = QStringLiteral("%1 · %2").arg(
                QString::fromStdString(context.runs[hit.run].name), label);
        if (!readout.isEmpty())
            label = QStringLiteral("%1: %2").arg(label, readout);
        return label + (band.isEmpty() ? band : QLatin1Char('\n') + band)
            + throttleText(context, overlays, hit) + aboveLimitText(context, overlays, hit);
    }
    const QString track = QString::fromStdString(lane.spans[item].label);
    if (!hit.group) {
        const auto& run = context.drawn->runs[hit.run];
        const TimeNs own = plot::ownTime(run, hit.rank, run.origin + hit.time);
        return (isBetweenCaptures(context, hit, own) ? QStringLiteral("%1: not traced here")
                                                     : QStringLiteral("%1: nothing recorded here"))
            .arg(track);
    }
    const QString name = titleOf(*context.drawn, hit.group->name);
    if (hit.group->count > 1)
        return QStringLiteral("%1 spans, longest: %2\n%3")
            .arg(wholeText(hit.group->count), name.left(80), track);
    // Times are on the rank's own clock, as in the inspector.
    const TimeRange own = plot::ownRange(context.drawn->runs[hit.run], hit.rank, hit.group->range);
    return QStringLiteral("%1\n%2 · %3")
        .arg(name.left(120), exactDurationText(own.length()), track);
}

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

} // namespace trainscope::app
