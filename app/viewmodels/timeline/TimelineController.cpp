#include "app/viewmodels/timeline/TimelineController.h"

#include "app/viewmodels/lanes/LaneIdentity.h"
#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/RunWording.h"

#include <QtConcurrent>

#include <algorithm>
#include <cmath>
#include <utility>

namespace trainscope::app {
namespace {

constexpr int kStatisticsDelayMs = 150;
constexpr int kSummaryDelayMs = 300;
constexpr int kSaveDelayMs = 500;
constexpr int kCsvColumns = 1920;

// The user's lanes, unless none of them can be drawn for these runs.
bool anyLaneKnown(const plot::Arrangement& saved, const TimelineCatalogue& catalogue) {
    return std::any_of(saved.lanes.begin(), saved.lanes.end(), [&](const plot::LaneSpec& lane) {
        return std::any_of(catalogue.choices.begin(), catalogue.choices.end(),
            [&](const plot::LaneChoice& choice) { return choice.lane.metric == lane.metric; });
    });
}

} // namespace

TimelineController::TimelineController(QObject* parent)
    : Exportable(parent) {
    m_clock.start();
    const auto prepare = [this](QTimer& timer, int delay, auto slot) {
        timer.setSingleShot(true);
        timer.setInterval(delay);
        connect(&timer, &QTimer::timeout, this, slot);
    };
    prepare(m_statisticsTimer, kStatisticsDelayMs, &TimelineController::startStatistics);
    prepare(m_summaryTimer, kSummaryDelayMs, &TimelineController::updateSummaries);
    prepare(m_saveTimer, kSaveDelayMs, &TimelineController::writeSaved);
    connect(&m_loader, &TimelineLoader::dataChanged, this, &TimelineController::dataArrived);
    connect(&m_loader, &TimelineLoader::loadingChanged, this, &TimelineController::stateChanged);
    connect(&m_loader, &TimelineLoader::failed, this, [this] {
        m_error = m_loader.errorText();
        Q_EMIT stateChanged();
    });
    connect(
        &m_alignment, &AlignmentModel::alignmentChanged, this, &TimelineController::applyAlignment);
    connect(&m_overlays, &TimelineOverlays::changed, this, [this] {
        Q_EMIT overlaysChanged();
        Q_EMIT repaintNeeded();
    });
    connect(&m_search, &TimelineSearch::jumped, this, &TimelineController::jumpTo);
}

TimelineController::~TimelineController() {
    viewFiles().waitForDone();
    if (m_unsaved && m_catalogue)
        static_cast<void>(writeTimeline(viewFolder(), m_catalogue->uuid, savedView()));
}

void TimelineController::setWorkspace(Workspace* workspace) {
    if (workspace == m_workspace)
        return;
    if (m_workspace)
        m_workspace->disconnect(this);
    m_workspace = workspace;
    if (workspace != nullptr) {
        connect(workspace, &Workspace::databaseChanged, this, &TimelineController::reloadDatabase);
        connect(workspace, &Workspace::runsChanged, this, &TimelineController::reloadDatabase);
        connect(workspace, &Workspace::shownRunsChanged, this, &TimelineController::reloadRuns);
    }
    reloadDatabase();
    Q_EMIT workspaceChanged();
}

bool TimelineController::isReady() const {
    return m_workspace && m_catalogue != nullptr && !m_runs.empty();
}

bool TimelineController::isLoading() const {
    return m_opening || m_loader.isLoading();
}

QString TimelineController::emptyText() const {
    if (!m_workspace || !m_workspace->isOpen())
        return tr("Drop a result folder, traces or a run database here.");
    if (m_workspace->runs().empty())
        return noRunsText();
    if (m_workspace->shownRuns().empty())
        return chooseRunText();
    if (m_opening || !m_catalogue)
        return tr("Reading the runs…");
    if (m_arrangement.lanes.empty())
        return tr("No lanes are shown. Add one, or reset the lanes.");
    return {};
}

TimelineRequest TimelineController::request() const {
    TimelineRequest request;
    if (m_workspace && m_workspace->isOpen())
        request.database = m_workspace->databasePath().toStdString();
    request.runs = m_runs;
    request.arrangement = m_arrangement;
    request.window = m_window.window();
    request.time = m_display;
    request.overlays = m_overlays.copy();
    request.utcOffsetSeconds = timeContext().utcOffsetSeconds;
    return request;
}

ExportJob TimelineController::exportJob() const {
    if (!isReady())
        return {};
    ExportJob job;
    job.name = QString::fromStdString(m_runs.front().name);
    job.drawing = [request = request()](const QString& path, const FigureOptions& options,
                      const std::function<bool()>& stop) {
        return exportTimeline(request, path, options, stop);
    };
    job.numbers = [request = request()](const QString& path, const std::function<bool()>& stop) {
        return exportTimelineCsv(request, path, kCsvColumns, stop);
    };
    return job;
}

void TimelineController::reloadDatabase() {
    m_overlays.forget();
    m_loader.invalidate();
    reloadRuns();
}

void TimelineController::reloadRuns() {
    const auto shown = m_workspace ? m_workspace->shownRuns() : std::vector<plot::ShownRun>();
    m_error.clear();
    if (shown.empty()) {
        m_openTask.cancel();
        m_opening = false;
        m_runs.clear();
        m_loader.clear();
        m_inspector.clear();
        m_drawn.reset();
        m_geometry.reset();
        m_lanes.setLanes({});
        Q_EMIT stateChanged();
        Q_EMIT repaintNeeded();
        return;
    }
    m_opening = true;
    Q_EMIT stateChanged();
    m_openTask.start(
        m_workspace->readers(),
        [shown](const store::Store& store, const TaskStage<Opened>& stage) {
            auto catalogue = loadCatalogue(store, shown, stage.cancelCheck());
            if (!catalogue.hasValue())
                return stage.publish(catalogue.error());
            const std::string uuid = catalogue.value()->uuid;
            stage.publish(Opened{std::move(catalogue).value(), readTimeline(viewFolder(), uuid)});
        },
        [this](Result<Opened> opened) {
            const bool other = opened.hasValue()
                && (!m_catalogue || m_catalogue->uuid != opened.value().catalogue->uuid);
            takeCatalogue(std::move(opened), other);
        });
}

void TimelineController::takeCatalogue(Result<Opened> opened, bool otherDatabase) {
    m_opening = false;
    if (!opened.hasValue()) {
        m_error = QString::fromStdString(opened.error().describe());
        Q_EMIT stateChanged();
        return;
    }
    if (m_saveTimer.isActive())
        writeSaved();
    const bool showedAll = otherDatabase || m_runs.empty() || m_window.showsAll();
    m_catalogue = opened.value().catalogue;
    m_runs = m_workspace ? m_workspace->shownRuns() : std::vector<plot::ShownRun>();
    if (otherDatabase) {
        const SavedTimeline& saved = opened.value().saved;
        m_customised = saved.arrangement.has_value();
        if (saved.arrangement)
            m_arrangement = *saved.arrangement;
        m_display = saved.display;
        m_overlays.setShown(saved.overlays);
        m_marks.setMarks(saved.marks);
        m_selection.reset();
        m_cursor.reset();
        m_inspector.clearCursor();
        takeSpan(std::nullopt, false);
    }
    if (!m_customised || !anyLaneKnown(m_arrangement, *m_catalogue))
        m_arrangement = m_catalogue->defaults;
    m_alignment.setScope(m_catalogue, m_runs);
    m_runs = alignedRuns(std::move(m_runs), *m_catalogue, m_alignment.alignment());
    m_window.setLimits(viewLimits(m_runs, *m_catalogue));
    if (showedAll)
        m_window.showAll();
    if (const auto all = ranks(); std::find(all.begin(), all.end(), m_focusRank) == all.end())
        m_focusRank = all.empty() ? 0 : all.front();
    m_search.setMarks(m_marks.marks());
    m_search.setScope(m_workspace->readers(), m_catalogue, m_runs);
    if (otherDatabase)
        m_history.reset({m_window.window(), m_arrangement});
    Q_EMIT catalogueChanged();
    Q_EMIT lanesChanged();
    Q_EMIT historyChanged();
    Q_EMIT timeDisplayChanged();
    Q_EMIT stateChanged();
    Q_EMIT selectionChanged();
    windowMoved(ViewChange::Jump);
    startProbe();
    startClocks();
    m_overlays.setRuns(m_workspace->readers(), m_catalogue->runs);
    showEvidence();
}

void TimelineController::startClocks() {
    using Clocks = std::vector<AlignmentModel::Clocks>;
    m_clockTask.start(
        m_workspace->readers(),
        [catalogue = m_catalogue](const store::Store& store, const TaskStage<Clocks>& stage) {
            Clocks found;
            for (const Run& run : catalogue->runs) {
                auto clocks = analysis::alignRanks(store, run, stage.progress());
                if (!clocks.hasValue())
                    return stage.publish(clocks.error());
                found.push_back(
                    std::make_shared<const analysis::RankClocks>(std::move(clocks).value()));
            }
            stage.publish(std::move(found));
        },
        [this](const Result<Clocks>& found) {
            if (found.hasValue())
                return m_alignment.setClocks(found.value());
            m_error = QString::fromStdString(found.error().describe());
            Q_EMIT stateChanged();
        });
}

void TimelineController::applyAlignment() {
    if (!m_catalogue || m_runs.empty())
        return;
    const bool showedAll = m_window.showsAll();
    const TimeNs before = m_runs.front().origin;
    m_runs = alignedRuns(std::move(m_runs), *m_catalogue, m_alignment.alignment());
    // The first run stays where it is on the screen.
    const DurationNs moved = before - m_runs.front().origin;
    const plot::ViewWindow window{m_window.window().begin + moved, m_window.window().end + moved};
    m_window.setLimits(viewLimits(m_runs, *m_catalogue));
    m_window.set(window);
    if (showedAll)
        m_window.showAll();
    if (m_selection)
        m_selection = plot::ViewWindow{m_selection->begin + moved, m_selection->end + moved};
    if (m_cursor)
        m_cursor = *m_cursor + moved;
    m_search.setScope(m_workspace->readers(), m_catalogue, m_runs);
    Q_EMIT catalogueChanged();
    windowMoved(ViewChange::Jump);
    startProbe();
}

void TimelineController::setViewSize(double width, double height, double pixelRatio) {
    if (width == m_width && height == m_height && pixelRatio == m_pixelRatio)
        return;
    m_width = width;
    m_height = height;
    m_pixelRatio = pixelRatio;
    m_axis.width = std::max(0.0, width - kNameWidth - kRightMargin);
    clampScroll();
    requestData();
    Q_EMIT repaintNeeded();
}

void TimelineController::requestData() {
    if (!isReady() || m_axis.width <= 0.0)
        return;
    LoadRequest request;
    request.readers = &m_workspace->readers();
    request.runs = m_runs;
    request.catalogue = m_catalogue;
    request.arrangement = m_arrangement;
    request.window = m_window.window();
    request.limits = m_window.limits();
    request.columns = static_cast<int>(std::lround(m_axis.width * m_pixelRatio));
    m_loader.request(std::move(request));
}

void TimelineController::dataArrived() {
    m_error.clear();
    m_summaryTimer.start();
    Q_EMIT stateChanged();
    Q_EMIT repaintNeeded();
}

std::shared_ptr<const plot::TimelineGeometry> TimelineController::layOut(
    const plot::Theme& theme, const plot::MeasureText& measure) {
    m_drawn = m_loader.dataFor(m_window.window());
    if (!isReady() || !m_drawn || m_width <= 0.0 || m_height <= 0.0) {
        m_geometry.reset();
        return nullptr;
    }
    plot::TimelineStyle style;
    style.theme = &theme;
    style.width = m_width;
    style.height = m_height;
    style.scroll = m_scroll;
    style.nameWidth = kNameWidth;
    style.columnsPerUnit = m_pixelRatio;
    style.time = m_display;
    style.utcOffsetSeconds = timeContext().utcOffsetSeconds;
    style.measure = measure;
    style.overlays = m_overlays.shown();
    m_geometry = std::make_shared<plot::TimelineGeometry>(
        plot::buildTimeline(*m_drawn, m_window.window(), style));
    placeLanes();
    return m_geometry;
}

void TimelineController::saveView() {
    ++m_unsaved;
    m_saveTimer.start();
}

SavedTimeline TimelineController::savedView() const {
    SavedTimeline view;
    if (m_customised)
        view.arrangement = m_arrangement;
    view.marks = m_marks.marks();
    view.display = m_display;
    view.overlays = m_overlays.isShown();
    return view;
}

void TimelineController::writeSaved() {
    m_saveTimer.stop();
    if (!m_catalogue)
        return;
    const auto written = [this, changes = m_unsaved](const Status& status) {
        if (m_unsaved == changes)
            m_unsaved = 0;
        if (status.hasValue())
            return;
        m_error = QString::fromStdString(status.error().describe());
        Q_EMIT stateChanged();
    };
    QtConcurrent::run(&viewFiles(), [view = savedView(), uuid = m_catalogue->uuid] {
        return writeTimeline(viewFolder(), uuid, view);
    }).then(this, written);
}

plot::TimeContext TimelineController::timeContext() const {
    plot::TimeContext context;
    context.display = m_display;
    if (m_runs.empty() || !m_catalogue)
        return context;
    context.origin = m_runs.front().origin;
    context.utcOffsetSeconds
        = m_display == plot::TimeDisplay::Local ? localUtcOffsetSeconds(context.origin) : 0;
    context.iterations = &m_catalogue->tables.runs.front().iterations;
    return context;
}

DurationNs TimelineController::pixelLength() const {
    const double pixels = std::max(1.0, m_axis.width);
    const auto length = static_cast<double>(m_window.window().length().ns);
    return {std::max<std::int64_t>(1, std::llround(length / pixels))};
}

QString TimelineController::textOfLimit(DurationNs time) const {
    const DurationNs thousandth{std::max<std::int64_t>(1, m_window.limits().length().ns / 1000)};
    return QString::fromStdString(plot::timeText(time, thousandth, timeContext()));
}

QString TimelineController::textOfTime(DurationNs time) const {
    return QString::fromStdString(plot::timeText(time, pixelLength(), timeContext()));
}

} // namespace trainscope::app
