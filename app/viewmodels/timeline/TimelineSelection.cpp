#include "app/viewmodels/timeline/TimelineSelection.h"

#include "app/viewmodels/text/Texts.h"
#include "core/plot/timeline/TraceClock.h"

namespace trainscope::app {
namespace {

constexpr double kEdgeReach = 5.0; // px
constexpr int kStatisticsDelayMs = 150;

plot::ViewWindow unionOf(const plot::ViewWindow& a, const plot::ViewWindow& b) {
    return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

constexpr double kReadableSpan = 8.0; // px: narrower spans are zoomed to when jumped at
constexpr std::int64_t kJumpLengths = 40; // window in lengths of the span
constexpr std::int64_t kSpanReachPixels = 3;

} // namespace

TimelineSelection::TimelineSelection(
    TimelineContext& context, InspectorModel& inspector, QObject* parent)
    : QObject(parent)
    , m_context(context)
    , m_inspector(inspector)
    , m_asked{{{inspector.kernels()->above(), &readAboveLimit},
          {inspector.kernels()->energy(), &readEnergy}, {inspector.memory(), &readMemory},
          {inspector.whatIf(), &readWhatIf}}} {
    m_timer.setSingleShot(true);
    m_timer.setInterval(kStatisticsDelayMs);
    connect(&m_timer, &QTimer::timeout, this, &TimelineSelection::startStatistics);
    connect(m_inspector.kernels(), &KernelFigures::longestWanted, this,
        &TimelineSelection::findLongest);
    for (Asked& asked : m_asked)
        connect(asked.tables, &AskedTables::askedChanged, this, [this, &asked] {
            asked.of = {};
            startAsked(asked);
        });
    connect(&m_inspector, &InspectorModel::spanChanged, m_asked.back().tables,
        &AskedTables::askedChanged);
}

void TimelineSelection::selectBetween(double fromX, double toX) {
    if (!m_context.isReady())
        return;
    const DurationNs a = m_context.timeAt(std::min(fromX, toX));
    const DurationNs b = m_context.timeAt(std::max(fromX, toX));
    if (a != b)
        set(plot::ViewWindow{a, b});
}

DurationNs TimelineSelection::anchor() const {
    const auto& selection = m_context.selection;
    if (selection && m_context.cursor == selection->begin)
        return selection->end;
    if (selection && m_context.cursor == selection->end)
        return selection->begin;
    return m_context.point();
}

void TimelineSelection::extendTo(DurationNs time) {
    const DurationNs from = anchor();
    if (from == time)
        return clear();
    set(plot::ViewWindow{std::min(from, time), std::max(from, time)});
}

void TimelineSelection::clear() {
    if (m_context.selection)
        set(std::nullopt);
}

void TimelineSelection::set(const std::optional<plot::ViewWindow>& stretch) {
    m_chosen.reset();
    m_context.selection = stretch;
    scheduleStatistics();
    Q_EMIT changed();
}

void TimelineSelection::choose(const StretchHit& stretch, bool extends) {
    if (extends && m_context.selection && !m_chosen)
        return cover(stretch.stretch);
    const Chosen chosen{extends && m_chosen ? m_chosen->first : stretch, stretch};
    set(unionOf(chosen.first.stretch, chosen.last.stretch));
    m_chosen = chosen;
    Q_EMIT changed();
}

void TimelineSelection::cover(const plot::ViewWindow& stretch) {
    set(m_context.selection ? unionOf(*m_context.selection, stretch) : stretch);
}

QString TimelineSelection::nameOf(const Chosen& chosen) const {
    const bool isInOrder = chosen.first.stretch.begin <= chosen.last.stretch.begin;
    const StretchHit& from = isInOrder ? chosen.first : chosen.last;
    const StretchHit& to = isInOrder ? chosen.last : chosen.first;
    QString name = stretchName(from);
    const bool isOfOneRun = from.run == to.run;
    if (from.kind != to.kind || from.item != to.item || !isOfOneRun)
        name = from.kind == to.kind && isOfOneRun
            ? QStringLiteral("%1 to %2")
                  .arg(stretchName(from, true), QString::fromStdString(to.name))
            : QStringLiteral("%1 to %2").arg(name, stretchName(to).toLower());
    if (isOfOneRun && m_context.runs.size() > 1 && from.run < m_context.runs.size())
        name += QStringLiteral(" of %1").arg(QString::fromStdString(m_context.runs[from.run].name));
    return name;
}

int TimelineSelection::edgeAt(double x) const {
    const auto& selection = m_context.selection;
    if (!selection)
        return 0;
    if (std::abs(m_context.axis.toX(selection->begin) - x) <= kEdgeReach)
        return -1;
    return std::abs(m_context.axis.toX(selection->end) - x) <= kEdgeReach ? 1 : 0;
}

void TimelineSelection::moveEdge(int edge, double x) {
    const auto& selection = m_context.selection;
    if (!selection || !m_context.isReady())
        return;
    // The other edge may lie outside of the view.
    const DurationNs other = edge < 0 ? selection->end : selection->begin;
    const DurationNs moved = m_context.timeAt(x);
    if (moved != other)
        set(plot::ViewWindow{std::min(moved, other), std::max(moved, other)});
}

void TimelineSelection::startStatistics() {
    if (!m_context.isReady())
        return;
    const plot::ViewWindow stretch = m_context.selection.value_or(m_context.window.window());
    const QString length = durationText(stretch.length());
    const QString of = m_chosen ? nameOf(*m_chosen)
        : m_context.selection   ? QStringLiteral("Selection")
                                : QStringLiteral("In view");
    const QString window = m_chosen ? QStringLiteral("over %1, %2").arg(of, length)
        : m_context.selection       ? QStringLiteral("over the selected %1").arg(length)
                                    : QStringLiteral("over the %1 in view").arg(length);
    m_inspector.startStatistics(QStringLiteral("%1 · %2").arg(of, length), window);
    readStatistics(stretch);
    startKernels();
    for (Asked& asked : m_asked)
        startAsked(asked);
}

void TimelineSelection::startAsked(Asked& asked) {
    if (!m_context.isReady() || !asked.tables->isAsked())
        return asked.task.cancel();
    if (asked.tables->isOfWholeRuns()) {
        const TimelineCatalogue& catalogue = *m_context.catalogue;
        std::pair<std::string, std::vector<RunId>> of(catalogue.uuid, {});
        for (std::size_t i = 0; i < catalogue.runs.size(); ++i)
            of.second.push_back(catalogue.facts(i).run.id);
        if (std::exchange(asked.of, of) == of)
            return;
    }
    asked.tables->showDoing();
    asked.task.ask(
        m_context.readers(),
        [stretch = shownStretch(), read = asked.read](
            const store::Store& store, const TaskStage<AskedReading>& stage) {
            return read(store, stretch, stage.progress());
        },
        [tables = asked.tables](const Result<AskedReading>& reading) { tables->show(reading); });
}

void TimelineSelection::readStatistics(const plot::ViewWindow& stretch) {
    using Statistics = std::vector<RunStatistics>;
    m_task.ask(
        m_context.readers(),
        [catalogue = m_context.catalogue, runs = m_context.runs, stretch,
            engines = m_context.remote, arrangement = m_context.arrangement](
            const store::Store& store, const TaskStage<Statistics>& stage) {
            return selectionStatistics(
                store, *catalogue, runs, stretch, stage.cancelCheck(), engines.get(), arrangement);
        },
        [this](const Result<Statistics>& result) { showStatistics(result); });
}

void TimelineSelection::showStatistics(const Result<std::vector<RunStatistics>>& statistics) {
    const auto isMissing
        = [](const RunStatistics& run) { return run.told && run.told->metrics < run.told->of; };
    m_isWaiting = statistics.hasValue() && std::ranges::any_of(statistics.value(), isMissing);
    m_inspector.showStatistics(statistics);
}

void TimelineSelection::engineAnswered() {
    if (m_isWaiting && m_context.isReady() && !m_timer.isActive())
        readStatistics(m_context.selection.value_or(m_context.window.window()));
}

KernelStretch TimelineSelection::shownStretch() const {
    return {m_context.catalogue, m_context.runs,
        m_context.selection.value_or(m_context.window.window()), m_inspector.shownSpan()};
}

void TimelineSelection::startKernels() {
    m_kernelTask.start(
        m_context.readers(),
        [stretch = shownStretch()](const store::Store& store,
            const TaskStage<KernelReading>& stage) { readKernelFigures(store, stretch, stage); },
        [this](const Result<KernelReading>& reading) { showKernels(reading); });
}

void TimelineSelection::showKernels(const Result<KernelReading>& reading) {
    m_inspector.kernels()->show(reading);
    if (reading.hasValue() && reading.value().doing.isEmpty() && !reading.value().isProgress)
        sum(reading.value().lacking);
}

void TimelineSelection::forget() {
    m_chosen.reset();
    m_task.cancel();
    m_kernelTask.cancel();
    for (Asked& asked : m_asked) {
        asked.task.cancel();
        asked.of = {};
    }
    m_longestTask.cancel();
    m_sumTask.cancel();
    m_summed = {};
}

void TimelineSelection::sum(const std::vector<RunId>& runs) {
    if (runs.empty() || !m_context.isReady())
        return;
    const auto asked = std::pair(m_context.catalogue->uuid, runs);
    if (asked == m_summed)
        return;
    m_summed = asked;
    using KeptOfRuns = std::vector<store::KeptSums>;
    m_sumTask.ask(
        m_context.readers(),
        [catalogue = m_context.catalogue, runs](
            const store::Store& store, const TaskStage<KeptOfRuns>& stage) {
            return sumRuns(store, catalogue, runs, stage.progress());
        },
        [this, uuid = asked.first](Result<KeptOfRuns> made) {
            if (!made.hasValue() || !m_context.workspace)
                return; // the stretches tell what cannot be read
            if (m_context.workspace->uuid() != uuid)
                return; // runs of another database may have the same numbers
            m_context.workspace->change(
                [sums = std::move(made).value()](store::Store& store) {
                    for (const store::KeptSums& one : sums) {
                        if (Status kept = store::keepSums(store, one); !kept.hasValue())
                            return kept;
                    }
                    return Status();
                },
                [self = QPointer(this)](const Status& kept) {
                    // Sums that cannot be kept are read as before, and not tried again.
                    if (self && kept.hasValue())
                        self->m_summed = {};
                });
        });
}

// The figures stay those of the stretch while the window goes to the span.
void TimelineSelection::findLongest(
    analysis::SpanGroup group, std::size_t run, const std::string& name) {
    using Found = std::optional<SpanTarget>;
    if (!m_context.isReady())
        return;
    const KernelStretch stretch = shownStretch();
    if (!m_context.selection)
        set(stretch.stretch);
    m_longestTask.ask(
        m_context.readers(),
        [stretch, group, run, name](const store::Store& store, const TaskStage<Found>& stage) {
            return app::findLongest(store, stretch, group, run, name, stage.progress());
        },
        [this](const Result<Found>& found) {
            if (!found.hasValue())
                Q_EMIT failed(found.error());
            else if (found.value())
                Q_EMIT spanFound(*found.value());
        });
}

double TimelineSelection::clampedX(DurationNs time) const {
    const auto& axis = m_context.axis;
    return std::clamp(axis.toX(time), axis.x, axis.right());
}

bool TimelineSelection::isVisible() const {
    const auto& selection = m_context.selection;
    return m_context.isReady() && selection && selection->begin < m_context.window.window().end
        && m_context.window.window().begin < selection->end;
}

QString TimelineSelection::text() const {
    return m_context.selection ? durationText(m_context.selection->length()) : QString();
}

QString TimelineSelection::description() const {
    const auto& selection = m_context.selection;
    return selection
        ? QStringLiteral("%1 from %2 to %3, %4")
              .arg(m_chosen ? nameOf(*m_chosen) : QStringLiteral("Selection"),
                  m_context.textOf(selection->begin), m_context.textOf(selection->end), text())
        : QString();
}

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
