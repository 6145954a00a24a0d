#include "app/viewmodels/timeline/TimelineController.h"

#include "app/viewmodels/text/ShownText.h"
#include "core/model/Try.h"

#include <QtConcurrent>

#include <algorithm>
#include <cmath>
#include <utility>

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
    connect(&m_selection, &TimelineSelection::failed, this, &This::fail);
    connect(&m_selection, &TimelineSelection::spanFound, this,
        [this](const SpanTarget& target) { m_span.select(target, true); });
    connect(&m_marks, &MarkListModel::edited, this, [this] {
        m_search.setMarks(m_marks.marks());
        save();
    });
    connect(&m_overlays, &TimelineOverlays::changed, this, &This::repaintNeeded);
    connect(&m_overlays, &TimelineOverlays::edited, this, &This::save);
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
        [shown, settings = engineSettings()](
            const store::Store& store, const TaskStage<Opened>& stage) -> Result<Opened> {
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
    if (std::find(ranks.begin(), ranks.end(), context.focusRank) == ranks.end())
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
    m_context.axis.width = std::max(0.0, width - TimelineContext::kNameWidth - kRightMargin);
    m_lanes.resized();
    requestData();
    Q_EMIT repaintNeeded();
}

void TimelineController::windowMoved() {
    requestData();
    m_cursor.forgetHover();
    m_marks.layOut();
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
    style.scroll = m_lanes.scroll();
    style.nameWidth = TimelineContext::kNameWidth;
    style.columnsPerUnit = m_pixelRatio;
    style.time = context.display;
    style.utcOffsetSeconds = context.wording().utcOffsetSeconds;
    style.measure = measure;
    style.overlays = m_overlays.shown();
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

} // namespace trainscope::app
