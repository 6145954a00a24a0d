#include "app/viewmodels/timeline/TimelineController.h"

#include "app/viewmodels/text/Texts.h"
#include "app/viewmodels/timeline/TimelineCursor.h"
#include "core/store/RunLinks.h"

#include <QStandardPaths>
#include <QtConcurrent>

namespace trainscope::app {
namespace {

constexpr int kSaveDelayMs = 500;
constexpr double kRightMargin = 12.0; // as core/plot leaves it

} // namespace

TimelineController::TimelineController(QObject* parent)
    : Exportable(parent) {
    m_saveTimer.setSingleShot(true);
    m_saveTimer.setInterval(kSaveDelayMs);
    connect(&m_saveTimer, &QTimer::timeout, this, &TimelineController::writeSaved);
    connectParts();
    connectEngines();
}

TimelineController::~TimelineController() {
    disconnectEngines();
    if (m_unsaved > 0 && m_context.catalogue)
        viewFiles().start([saved = saved(), uuid = m_context.catalogue->uuid] {
            static_cast<void>(writeTimeline(viewFolder(), uuid, saved));
        });
    viewFiles().waitForDone();
}

void TimelineController::connectParts() {
    using This = TimelineController;
    connect(&m_loader, &TimelineLoader::dataChanged, this, &This::dataArrived);
    connect(&m_loader, &TimelineLoader::loadingChanged, this, &This::stateChanged);
    connect(&m_loader, &TimelineLoader::failed, this, [this] {
        m_error = m_loader.errorText();
        Q_EMIT stateChanged();
    });
    connect(&m_navigation, &TimelineNavigation::windowMoved, this, &This::windowMoved);
    connect(&m_navigation, &TimelineNavigation::windowChanged, this, &This::shareStretches);
    connect(&m_selection, &TimelineSelection::changed, this, &This::shareStretches);
    connect(this, &This::stateChanged, this, &This::described);
    connect(&m_cursor, &TimelineCursor::changed, this, &This::described);
    connect(&m_selection, &TimelineSelection::changed, this, &This::described);
    connect(&m_lanes, &TimelineLanes::summaryChanged, this, &This::described);
    connect(&m_navigation, &TimelineNavigation::arrangementRestored, &m_lanes,
        &TimelineLanes::restored);
    connect(&m_navigation, &TimelineNavigation::timeDisplayChanged, this, [this] {
        if (!m_alignment.isOfClock() && m_navigation.showsClock())
            m_alignment.alignByClock();
        save();
        Q_EMIT m_cursor.changed();
        Q_EMIT repaintNeeded();
    });
    connect(&m_lanes, &TimelineLanes::arranged, this, &This::lanesArranged);
    connect(&m_lanes, &TimelineLanes::edited, this, &This::save);
    connect(&m_lanes, &TimelineLanes::scrolled, this, &This::repaintNeeded);
    connect(&m_span, &TimelineSpan::failed, this, &This::fail);
    connect(&m_span, &TimelineSpan::launchesChanged, this, &This::repaintNeeded);
    connect(&m_cursor, &TimelineCursor::changed, &m_marks, &MarkListModel::tellDistances);
    connect(&m_span, &TimelineSpan::revealed, this, &This::showLaneOfSpan);
    connect(&m_selection, &TimelineSelection::failed, this, &This::fail);
    connect(&m_selection, &TimelineSelection::spanFound, this,
        [this](const SpanTarget& target) { m_span.select(target, true); });
    connect(&m_marks, &MarkListModel::edited, this, [this] {
        m_search.setMarks(m_marks.marks());
        save();
        Q_EMIT repaintNeeded();
    });
    connect(&m_overlays, &TimelineOverlays::changed, this, &This::repaintNeeded);
    connect(&m_overlays, &TimelineOverlays::edited, this, &This::save);
    connect(this, &This::catalogueChanged, &m_picker, &LanePicker::refresh);
    connect(this, &This::catalogueChanged, &m_deriving, &LaneDeriving::refresh);
    connect(&m_alignment, &AlignmentModel::alignmentChanged, this, &This::applyAlignment);
    connect(&m_alignment, &AlignmentModel::edited, this, &This::save);
    connect(&m_search, &TimelineSearch::jumped, this, &This::jumpTo);
}

void TimelineController::setWorkspace(Workspace* workspace) {
    if (workspace == m_context.workspace)
        return;
    if (m_context.workspace)
        m_context.workspace->disconnect(this);
    m_context.workspace = workspace;
    if (workspace != nullptr) {
        connect(workspace, &Workspace::databaseChanged, this, &TimelineController::reloadDatabase);
        connect(workspace, &Workspace::runsChanged, this, &TimelineController::reloadDatabase);
        connect(workspace, &Workspace::shownRunsChanged, this, &TimelineController::reloadRuns);
        connect(workspace, &Workspace::runsGrew, this, &TimelineController::readGrowth);
        connect(workspace, &Workspace::growingChanged, &m_navigation,
            &TimelineNavigation::growingChanged);
    }
    reloadDatabase();
    Q_EMIT workspaceChanged();
}

void TimelineController::setViews(Views* views) {
    if (views == m_views)
        return;
    if (m_views)
        m_views->disconnect(this);
    m_views = views;
    m_cursor.setViews(views);
    if (views != nullptr) {
        connect(views, &Views::timelineWanted, this, &TimelineController::reveal);
        connect(views, &Views::selected, this, &TimelineController::selectEvidence);
    }
    Q_EMIT workspaceChanged();
}

void TimelineController::reloadDatabase() {
    m_overlays.forget();
    m_loader.invalidate();
    reloadRuns();
}

void TimelineController::showNothing() {
    m_openTask.cancel();
    m_clockTask.cancel();
    m_selection.forget();
    m_span.clear();
    m_cursor.stop();
    m_isOpening = false;
    m_remote.reset();
    m_context.remote.reset();
    m_context.runs.clear();
    m_loader.clear();
    m_inspector.clear();
    m_context.drawn.reset();
    m_context.geometry.reset();
    m_lanes.clear();
    m_picker.refresh();
    Q_EMIT stateChanged();
    Q_EMIT repaintNeeded();
}

void TimelineController::reloadRuns() {
    const auto shown = runsToDraw();
    m_error.clear();
    m_growthTask.cancel();
    if (shown.empty())
        return showNothing();
    m_isOpening = true;
    Q_EMIT stateChanged();
    m_openTask.ask(
        m_context.readers(),
        [shown, agreed = std::exchange(m_agreed, {}), settings = engineSettings()](
            const store::Store& store, const TaskStage<Opened>& stage) -> Result<Opened> {
            if (agreed)
                rememberEngine(*agreed, accessFrom({}).valueOr({}));
            ASSIGN_OR_RETURN(auto catalogue, loadCatalogue(store, shown, stage.cancelCheck()));
            ASSIGN_OR_RETURN(auto remote, EngineLanes::open(store, settings));
            return Opened{
                catalogue, readTimeline(viewFolder(), catalogue->uuid), std::move(remote)};
        },
        [this](const Result<Opened>& opened) {
            m_isOpening = false;
            if (opened.hasValue())
                takeCatalogue(opened.value());
            else
                fail(opened.error());
        });
}

void TimelineController::takeCatalogue(const Opened& opened) {
    if (m_saveTimer.isActive())
        writeSaved();
    auto& context = m_context;
    const bool isOther = !context.catalogue || context.catalogue->uuid != opened.catalogue->uuid;
    const bool showedAll = isOther || context.runs.empty() || context.window.showsAll();
    context.catalogue = opened.catalogue;
    m_remote = opened.remote;
    context.remote = m_remote;
    m_loader.invalidate();
    followEngines();
    if (isOther)
        m_alignment.forget();
    takeRuns(isOther);
    if (isOther)
        takeSaved(opened.saved);
    m_lanes.setUp();
    m_alignment.setScope(context.catalogue, context.runs, m_navigation.showsClock());
    context.runs
        = alignedRuns(std::move(context.runs), *context.catalogue, m_alignment.alignment());
    context.window.setLimits(viewLimits(context.runs, *context.catalogue));
    if (showedAll)
        context.window.showAll();
    const auto ranks = context.ranks();
    if (std::ranges::find(ranks, context.focusRank) == ranks.end())
        context.focusRank = ranks.empty() ? 0 : ranks.front();
    m_search.setMarks(m_marks.marks());
    m_search.setScope(context.readers(), context.catalogue, context.runs);
    if (isOther)
        m_navigation.forgetHistory();
    Q_EMIT catalogueChanged();
    Q_EMIT stateChanged();
    m_navigation.moved(ViewChange::Jump);
    m_selection.scheduleStatistics();
    m_cursor.probe();
    startClocks();
    m_overlays.setRuns(context.readers(), context.catalogue->runs);
    showEvidence();
}

// Restores the state that another database had.
void TimelineController::takeSaved(const SavedTimeline& saved) {
    m_lanes.restore(saved.arrangement);
    m_context.display = saved.display;
    Q_EMIT m_navigation.timeDisplayChanged();
    m_alignment.restore(saved.alignment);
    m_overlays.restore(saved.overlays);
    m_marks.setMarks(saved.marks);
    m_context.selection.reset();
    m_cursor.forget();
    m_span.clear();
}

void TimelineController::setViewSize(double width, double height, double pixelRatio) {
    if (width == m_context.width && height == m_context.height && pixelRatio == m_pixelRatio)
        return;
    m_context.width = width;
    m_context.height = height;
    m_pixelRatio = pixelRatio;
    m_context.axis.width = std::max(0.0, width - TimelineContext::nameWidth() - kRightMargin);
    m_lanes.resized();
    requestData();
    Q_EMIT repaintNeeded();
}

void TimelineController::windowMoved() {
    requestData();
    m_cursor.forgetHover();
    m_span.layOut();
    m_lanes.summariseSoon();
    if (!m_context.selection)
        m_selection.scheduleStatistics();
    Q_EMIT m_cursor.changed();
    Q_EMIT m_selection.changed();
    Q_EMIT repaintNeeded();
}

void TimelineController::lanesArranged(ViewChange change) {
    m_navigation.record(change);
    requestData();
    m_cursor.probe();
    if (change == ViewChange::Lanes)
        m_selection.scheduleStatistics(); // derived lanes are told there
    Q_EMIT stateChanged();
    Q_EMIT repaintNeeded();
}

void TimelineController::requestData() {
    if (!isReady() || m_context.axis.width <= 0.0)
        return;
    LoadRequest request;
    request.readers = &m_context.readers();
    request.runs = m_context.runs;
    request.catalogue = m_context.catalogue;
    request.arrangement = m_context.arrangement;
    request.window = m_context.window.window();
    request.limits = m_context.window.limits();
    request.columns = static_cast<int>(std::lround(m_context.axis.width * m_pixelRatio));
    request.remote = m_remote;
    m_loader.request(std::move(request));
}

void TimelineController::dataArrived() {
    m_error.clear();
    m_lanes.summariseSoon();
    Q_EMIT stateChanged();
    Q_EMIT repaintNeeded();
}

void TimelineController::fail(const Error& error) {
    m_error = shownText(error);
    Q_EMIT stateChanged();
}

std::shared_ptr<const plot::TimelineGeometry> TimelineController::layOut(
    const plot::Theme& theme, const plot::MeasureText& measure) {
    auto& context = m_context;
    context.drawn = m_loader.dataFor(context.window.window());
    if (!isReady() || !context.drawn || context.width <= 0.0 || context.height <= 0.0) {
        context.geometry.reset();
        return nullptr;
    }
    plot::TimelineStyle style;
    style.theme = &theme;
    style.width = context.width;
    style.height = context.height;
    style.sharesHeight = true;
    style.scroll = m_lanes.scroll();
    style.nameWidth = TimelineContext::nameWidth();
    style.columnsPerUnit = m_pixelRatio;
    style.time = context.display;
    style.utcOffsetSeconds = context.wording().utcOffsetSeconds;
    style.measure = measure;
    context.overlays = m_overlays.copy();
    style.overlays = context.overlays.get();
    style.launches = m_span.launches();
    style.marks = m_marks.marks();
    context.geometry = std::make_shared<plot::TimelineGeometry>(
        plot::buildTimeline(*context.drawn, context.window.window(), style));
    context.axis
        = {context.geometry->plot.x, context.geometry->plot.width, context.window.window()};
    context.lanesTop = context.geometry->plot.y;
    m_lanes.layOut();
    m_marks.layOut();
    m_span.layOut();
    Q_EMIT m_navigation.placed();
    Q_EMIT m_cursor.changed();
    Q_EMIT m_selection.changed();
    return context.geometry;
}

void TimelineController::save() {
    ++m_unsaved;
    m_saveTimer.start();
}

SavedTimeline TimelineController::saved() const {
    SavedTimeline saved;
    saved.arrangement = m_lanes.customised();
    saved.marks = m_marks.marks();
    saved.display = m_context.display;
    saved.overlays = m_overlays.isShown();
    // An iteration is of these runs.
    if (m_alignment.chosen() != AlignmentMode::Iteration)
        saved.alignment = m_alignment.chosen();
    return saved;
}

void TimelineController::writeSaved() {
    m_saveTimer.stop();
    if (!m_context.catalogue)
        return;
    QtConcurrent::run(&viewFiles(), [saved = saved(), uuid = m_context.catalogue->uuid] {
        return writeTimeline(viewFolder(), uuid, saved);
    }).then(this, [this, changes = m_unsaved](const Status& written) {
        if (m_unsaved == changes)
            m_unsaved = 0;
        if (!written.hasValue())
            fail(written.error());
    });
}

namespace {

constexpr double kDoubleClickZoom = 0.4;
constexpr double kCursorStep = 0.02;

} // namespace

void TimelineController::clickAt(double x, double y, bool extends) {
    if (!m_context.isDrawn())
        return;
    const TimelineHit hit = m_context.hitAt(x, y);
    if (extends)
        extendTo(hit);
    else if (!hit.group && !hit.stretch)
        m_selection.clear();
    tell(hit, extends);
}

// The inspector says the same of what lies there, however it was clicked.
void TimelineController::tell(const TimelineHit& hit, bool extends) {
    if (hit.group)
        return m_span.select(hit);
    if (!extends || hit.stretch)
        m_span.clear();
    if (hit.stretch)
        choose(*hit.stretch, extends);
}

void TimelineController::choose(const StretchHit& stretch, bool extends) {
    m_selection.choose(stretch, extends);
    const auto* overlays = m_context.overlays.get();
    if (stretch.kind == plot::StretchKind::Throttle && overlays != nullptr)
        m_inspector.showSpan(throttleReport(m_context, (*overlays)[stretch.run], stretch));
}

// From what is selected, a stretch or a span, to the span or the time of the hit.
void TimelineController::extendTo(const TimelineHit& hit) {
    plot::ViewWindow reached{hit.time, hit.time};
    if (hit.group) {
        const TimeNs origin = m_context.runs[hit.run].origin;
        reached = {hit.group->range.begin - origin, hit.group->range.end - origin};
    }
    if (!m_context.selection) {
        const auto span = m_span.stretch();
        if (!span)
            return;
        m_selection.set(span);
    }
    if (!hit.stretch)
        m_selection.cover(reached);
}

void TimelineController::openMenuAt(double x, double y) {
    if (!m_context.isDrawn())
        return;
    const auto capture = m_context.hitAt(x, y).stretch;
    if (!capture || capture->kind != plot::StretchKind::Capture || m_views == nullptr)
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
    tell(hit, !hit.group && !hit.stretch); // a selection stays, to be zoomed to
    if (hit.group) {
        const TimeNs origin = m_context.runs[hit.run].origin;
        m_navigation.frame({hit.group->range.begin - origin, hit.group->range.end - origin});
    } else if (hit.stretch) {
        m_navigation.frame(hit.stretch->stretch);
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
    const Binding* binding = bindingOf(key, held);
    if (binding == nullptr || !isReady())
        return false;
    binding->perform(*this, held.testFlag(Qt::ShiftModifier));
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
    nudge(direction == SpanTarget::Step::Next ? kCursorStep : -kCursorStep, selects);
}

void TimelineController::nudge(double windows, bool selects) {
    moveCursor(m_context.window.beside(m_context.point(), windows), selects);
}

void TimelineController::chooseStretch(
    const plot::StretchStrip& strip, std::size_t item, bool extends) {
    const StretchHit hit = stretchHit(*m_context.drawn, m_context.overlays.get(), strip, item);
    m_span.clear();
    choose(hit, extends);
    TimeWindow target = m_context.window;
    const bool isSeen
        = target.window().begin <= hit.stretch.begin && hit.stretch.end <= target.window().end;
    if (hit.stretch.length() > target.window().length())
        target.frame(hit.stretch);
    else if (!isSeen)
        target.centreOn(hit.stretch.begin + DurationNs{hit.stretch.length().ns / 2});
    if (target.window() != m_context.window.window())
        m_navigation.setWindow(target.window());
    m_cursor.forgetHover();
    m_cursor.moveTo(hit.stretch.begin, std::nullopt);
}

namespace {

// Place of the strip that a stretch is of; absent: it is not among them.
std::optional<std::size_t> stripOf(
    const std::vector<plot::StretchStrip>& strips, const StretchHit* stretch) {
    for (std::size_t i = 0; stretch != nullptr && i < strips.size(); ++i) {
        if (strips[i].run == stretch->run && strips[i].kind == stretch->kind)
            return i;
    }
    return std::nullopt;
}

// The stretch at a time, else the next one in the direction, else the last one there.
std::size_t itemAt(const TimelineContext& context, const plot::StretchStrip& strip, DurationNs time,
    int direction) {
    const std::size_t count = plot::stretchCount(*context.drawn, context.overlays.get(), strip);
    std::size_t behind = 0; // those that end before the time
    for (std::size_t i = 0; i < count; ++i) {
        const StretchHit one = stretchHit(*context.drawn, context.overlays.get(), strip, i);
        if (one.stretch.begin <= time && time < one.stretch.end)
            return i;
        behind += one.stretch.end <= time ? 1U : 0U;
    }
    if (direction < 0 && behind > 0)
        return behind - 1;
    return std::min(behind, count - 1);
}

} // namespace

void TimelineController::stepStretch(int direction, bool extends) {
    if (!m_context.isDrawn() || m_context.geometry->strips.empty()
        || !m_context.shows(m_context.drawn->runs))
        return;
    const auto& strips = m_context.geometry->strips;
    const StretchHit* chosen = m_selection.chosen();
    if (const auto strip = stripOf(strips, chosen)) {
        const std::size_t count
            = plot::stretchCount(*m_context.drawn, m_context.overlays.get(), strips[*strip]);
        const bool isAtEnd = direction < 0 ? chosen->item == 0 : chosen->item + 1 >= count;
        if (!isAtEnd)
            chooseStretch(
                strips[*strip], direction < 0 ? chosen->item - 1 : chosen->item + 1, extends);
        return;
    }
    const auto iterations = std::ranges::find_if(
        strips, [](const auto& strip) { return strip.kind == plot::StretchKind::Iteration; });
    const plot::StretchStrip strip = iterations == strips.end() ? strips.front() : *iterations;
    chooseStretch(strip, itemAt(m_context, strip, m_context.point(), direction), extends);
}

void TimelineController::stepStrip() {
    if (!m_context.isDrawn() || m_context.geometry->strips.empty()
        || !m_context.shows(m_context.drawn->runs))
        return;
    const auto& strips = m_context.geometry->strips;
    const auto current = stripOf(strips, m_selection.chosen());
    const plot::StretchStrip strip = strips[current ? (*current + 1) % strips.size() : 0];
    const DurationNs time = current ? m_selection.chosen()->stretch.begin : m_context.point();
    chooseStretch(strip, itemAt(m_context, strip, time, 1), false);
}

void TimelineController::showLaneOfSpan() {
    const auto track = m_span.track();
    if (!track || !m_context.isDrawn() || !m_context.shows(m_context.drawn->runs))
        return;
    const auto& lanes = m_context.drawn->lanes;
    const auto has = [&track](const plot::LaneData& lane) {
        return std::ranges::any_of(
            lane.spans, [&track](const plot::LaneSpans& spans) { return spans.track == *track; });
    };
    const auto lane = std::ranges::find_if(lanes, has);
    if (lane != lanes.end())
        return m_lanes.show(static_cast<int>(lane - lanes.begin()));
    for (std::size_t run = 0; run < m_context.catalogue->runs.size(); ++run) {
        for (const Track& one : m_context.catalogue->facts(run).tracks) {
            if (one.id == *track)
                return m_lanes.choose([&one](const plot::LaneSpec& spec) {
                    const auto style = one.description.kind == TrackKind::Thread
                        ? plot::LaneStyle::Thread
                        : plot::LaneStyle::Kernels;
                    return spec.style == style && spec.metric.empty()
                        && spec.rank.value_or(one.description.rank) == one.description.rank;
                });
        }
    }
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

void TimelineController::clearAll() {
    m_search.clear();
    m_span.clear();
    m_selection.clear();
}

void TimelineController::jumpTo(const SearchHit& hit) {
    if (hit.kind == SearchHit::Kind::OwnMark)
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

// Tasks and the selected span name runs by their places among those that are shown. They lie as
// those before did, so that the window keeps its place over a run that stays the first.
void TimelineController::takeRuns(bool isOther) {
    auto runs = alignedRuns(runsToDraw(), *m_context.catalogue, m_alignment.alignment());
    if (isOther || !m_context.shows(runs)) {
        m_selection.forget();
        m_span.clear();
    }
    for (auto& run : runs) {
        const auto* const before = isOther ? nullptr : findRun(m_context.runs, run.id);
        if (before != nullptr)
            run.origin = before->origin;
    }
    m_context.runs = std::move(runs);
}

void TimelineController::startClocks() {
    using Clocks = std::vector<AlignmentModel::Clocks>;
    m_clockTask.ask(
        m_context.readers(),
        [catalogue = m_context.catalogue](
            const store::Store& store, const TaskStage<Clocks>& stage) -> Result<Clocks> {
            Clocks found;
            for (const Run& run : catalogue->runs) {
                ASSIGN_OR_RETURN(auto clocks, analysis::alignRanks({store, run, stage.progress()}));
                found.push_back(std::make_shared<const analysis::RankClocks>(std::move(clocks)));
            }
            return found;
        },
        [this](const Result<Clocks>& found) {
            if (found.hasValue())
                m_alignment.setClocks(found.value());
            else
                fail(found.error());
        });
}

void TimelineController::applyAlignment() {
    auto& context = m_context;
    if (!context.catalogue || context.runs.empty())
        return;
    // Times of the clock on the axis would be wrong of runs that do not lie by it.
    if (m_navigation.showsClock() && !m_alignment.isOfClock())
        m_navigation.setTimeDisplay(static_cast<int>(plot::TimeDisplay::Relative));
    const bool showedAll = context.window.showsAll();
    const TimeNs before = context.runs.front().origin;
    context.runs
        = alignedRuns(std::move(context.runs), *context.catalogue, m_alignment.alignment());
    // The first run stays where it is on the screen.
    const DurationNs moved = before - context.runs.front().origin;
    const auto along = [moved](const plot::ViewWindow& window) {
        return plot::ViewWindow{window.begin + moved, window.end + moved};
    };
    const plot::ViewWindow window = along(context.window.window());
    context.window.setLimits(viewLimits(context.runs, *context.catalogue));
    context.window.set(window);
    m_navigation.shiftHistory(moved);
    m_selection.forgetChosen();
    if (showedAll)
        context.window.showAll();
    if (context.selection)
        context.selection = along(*context.selection);
    if (context.cursor)
        context.cursor = *context.cursor + moved;
    m_search.setScope(context.readers(), context.catalogue, context.runs);
    Q_EMIT catalogueChanged();
    m_navigation.moved(ViewChange::Jump);
    m_selection.scheduleStatistics();
    m_span.readAgain();
    m_cursor.probe();
}

namespace {

constexpr int kGatherMs = 120;
constexpr int kFollowMs = 2000;
constexpr int kAskAgainMs = 16'000; // after the engine was gone; lanes refuse for 15 s

} // namespace

struct TimelineController::EngineCall {
    std::mutex mutex;
    TimelineController* controller = nullptr; // nullptr: it is gone
};

void TimelineController::disconnectEngines() {
    const std::lock_guard lock(m_engineCall->mutex);
    m_engineCall->controller = nullptr;
}

void TimelineController::connectEngines() {
    m_engineCall = std::make_shared<EngineCall>();
    m_engineCall->controller = this;
    m_answered.setSingleShot(true);
    m_live.setInterval(kFollowMs);
    connect(&m_answered, &QTimer::timeout, this, &TimelineController::engineAnswered);
    connect(&m_live, &QTimer::timeout, this, &TimelineController::followEngines);
}

EngineLanes::Settings TimelineController::engineSettings() {
    EngineLanes::Settings settings;
    settings.cacheFolder = (QStandardPaths::writableLocation(QStandardPaths::CacheLocation)
        + QStringLiteral("/engine"))
                               .toStdString();
    settings.changed = [call = m_engineCall] {
        const std::lock_guard lock(call->mutex);
        auto* const controller = call->controller;
        if (controller == nullptr)
            return;
        QMetaObject::invokeMethod(
            controller,
            [controller] {
                QTimer& gathering = controller->m_answered;
                if (!gathering.isActive() || gathering.remainingTime() > kGatherMs)
                    gathering.start(kGatherMs);
            },
            Qt::QueuedConnection);
    };
    return settings;
}

void TimelineController::engineAnswered() {
    m_loader.invalidate();
    requestData();
    m_cursor.probe();
    m_selection.engineAnswered();
    if (!engineProblem().isEmpty())
        m_answered.start(kAskAgainMs);
    Q_EMIT engineChanged();
}

// Runs that go on until now are as long as it is late.
void TimelineController::followEngines() {
    const std::vector<RunId> live = m_remote ? m_remote->liveRuns() : std::vector<RunId>();
    if (live.empty() || !m_context.workspace)
        return m_live.stop();
    if (!m_live.isActive())
        m_live.start();
    if (m_remote->state().error)
        return;
    m_context.workspace->change(
        [live](store::Store& store) -> Status {
            for (const RunId run : live) {
                if (auto status = store::extendLink(store, run, wallClock()); !status.hasValue())
                    return status;
            }
            return {};
        },
        [](const Status&) { /* A database that cannot be written to shows what it has. */ });
}

QString TimelineController::engineProblem() const {
    const auto state = m_remote ? m_remote->state() : EngineState();
    return state.error ? shownText(state.error->message) : QString();
}

QString TimelineController::engineOffer() const {
    return m_remote && m_remote->state().unnamed ? QStringLiteral("Ask this engine")
                                                 : QStringLiteral("Try again");
}

void TimelineController::askEngine() {
    if (!m_remote)
        return;
    m_agreed = m_remote->state().unnamed;
    if (m_agreed)
        reloadRuns();
    else
        m_remote->tryAgain();
}

figures::TimelineRequest TimelineController::request() const {
    figures::TimelineRequest request;
    if (m_context.workspace && m_context.workspace->isOpen())
        request.database = m_context.workspace->databasePath().toStdString();
    request.runs = m_context.runs;
    request.arrangement = m_lanes.asDrawn();
    request.window = m_context.window.window();
    request.time = m_context.display;
    request.overlays = m_overlays.copy();
    request.marks = m_marks.marks();
    request.utcOffsetSeconds = m_context.wording().utcOffsetSeconds;
    return request;
}

ExportJob TimelineController::exportJob() const {
    if (!isReady())
        return {};
    ExportJob job;
    std::vector<std::pair<RunId, std::string>> runs;
    for (const auto& run : m_context.runs)
        runs.emplace_back(run.id, run.name);
    job.name = QString::fromStdString(figures::fileNameOf("timeline", runs));
    job.figure = [shown = request()](const figures::Request& request,
                     const Progress& progress) -> Result<figures::Figure> {
        ASSIGN_OR_RETURN(
            const auto store, store::Store::open(shown.database, store::OpenMode::ReadOnly));
        auto asked = shown;
        EngineLanes::Settings settings;
        settings.waits = true;
        ASSIGN_OR_RETURN(asked.remote, EngineLanes::open(store, std::move(settings)));
        return figures::timelineFigure(store, asked, request, progress);
    };
    return job;
}

namespace {

constexpr int kGrowthsOfOverlays = 10;

bool hasEnded(const TimelineCatalogue& before, const TimelineCatalogue& now) {
    return !std::equal(before.runs.begin(), before.runs.end(), now.runs.begin(), now.runs.end(),
        [](const Run& a, const Run& b) { return a.status == b.status; });
}

} // namespace

void TimelineController::readGrowth() {
    if (!isReady() || m_isOpening)
        return;
    m_growthTask.ask(
        m_context.readers(),
        [shown = runsToDraw()](const store::Store& store, const TaskStage<CataloguePtr>& stage) {
            return loadCatalogue(store, shown, stage.cancelCheck());
        },
        [this](const Result<CataloguePtr>& catalogue) {
            if (catalogue.hasValue())
                takeGrowth(catalogue.value());
            else
                fail(catalogue.error());
        });
}

// Lanes, marks and selection stay; the window follows or stays.
void TimelineController::takeGrowth(const CataloguePtr& catalogue) {
    auto& context = m_context;
    if (!isReady() || m_isOpening || catalogue->uuid != context.catalogue->uuid)
        return;
    const bool isLast = hasEnded(*context.catalogue, *catalogue);
    context.catalogue = catalogue;
    context.runs = alignedRuns(runsToDraw(), *catalogue, m_alignment.alignment());
    m_loader.invalidate();
    m_navigation.grow(viewLimits(context.runs, *catalogue));
    m_search.setScope(context.readers(), catalogue, context.runs);
    // Overlays are computed from all of a run.
    if (++m_growths >= kGrowthsOfOverlays || isLast) {
        m_growths = 0;
        m_overlays.forget();
        m_overlays.setRuns(context.readers(), catalogue->runs);
    }
    Q_EMIT catalogueChanged();
}

QString TimelineController::emptyText() const {
    const auto* workspace = m_context.workspace.data();
    if (workspace == nullptr || !workspace->isOpen())
        return QStringLiteral("Drop a result folder, traces or a run database here.");
    if (workspace->runs().empty())
        return noRunsText();
    if (workspace->shownRuns().empty())
        return chooseRunText();
    if (m_isOpening || !m_context.catalogue)
        return QStringLiteral("Reading the runs…");
    if (m_context.arrangement.lanes.empty())
        return QStringLiteral("No lanes are shown. Add one, or reset the lanes.");
    return {};
}

QString TimelineController::runsNote() const {
    const std::size_t shown = m_context.workspace ? m_context.workspace->shownRuns().size() : 0;
    return shown > kMostRuns ? QStringLiteral("%1 of %2 runs are drawn").arg(kMostRuns).arg(shown)
                             : QString();
}

QList<int> TimelineController::runColors() const {
    QList<int> colors;
    for (const plot::ShownRun& run : m_context.runs)
        colors.append(static_cast<int>(run.color));
    return colors;
}

QString TimelineController::description() const {
    if (!isReady())
        return emptyText();
    QStringList parts;
    if (m_cursor.isVisible())
        parts.append(QStringLiteral("Cursor at %1").arg(m_cursor.text()));
    if (m_selection.isVisible())
        parts.append(m_selection.description());
    parts.append(m_lanes.summary());
    return parts.join(QStringLiteral(". "));
}

} // namespace trainscope::app
