#include "app/viewmodels/workspace/Views.h"

#include "app/viewmodels/workspace/Setting.h"
#include "core/analysis/traces/CaptureIterations.h"

#include <QtConcurrent>

namespace trainscope::app {

namespace {

constexpr int kViewsSaveDelayMs = 500;

// Choices made before the rest was read count. An older version had the view of kernels under the
// name of their operators.
SavedViews withChosen(SavedViews saved, const SavedViews& chosen) {
    if (const auto older = saved.settings.take(QStringLiteral("operators")); older.isObject())
        saved.settings.insert(Views::keyOf(Views::Kernels), older);
    if (!chosen.view.isEmpty())
        saved.view = chosen.view;
    for (auto view = chosen.settings.begin(); view != chosen.settings.end(); ++view)
        saved.settings.insert(view.key(), view.value());
    return saved;
}

using View = Views::View;

constexpr const char* kUsualKeys = "Arrows choose   Enter timeline   ? keys";

// A view is a row here and in Views::View, whose name is its title and key.
struct ViewRow {
    View view;
    Places::Place place;
    const char* page; // in qml
    const char* keys = kUsualKeys;
};
// Places and the views in them by their tabs.
constexpr std::array kViewRows{
    ViewRow{View::Overview, Places::Overview, "overview/OverviewView",
        "Arrows choose   Enter opens what proves it   ? keys"},
    ViewRow{View::Findings, Places::Overview, "findings/FindingsView"},
    ViewRow{View::Spectrum, Places::Overview, "figures/FigureView"},
    ViewRow{View::Timeline, Places::Timeline, "timeline/TimelinePage",
        "W S zoom   A D pan   F fit   M mark   ? keys"},
    ViewRow{View::Layout, Places::Machine, "layout/LayoutView",
        "Arrows choose   Space play   Enter timeline   ? keys"},
    ViewRow{View::Heatmap, Places::Machine, "figures/FigureView"},
    ViewRow{View::Kernels, Places::Kernels, "kernels/KernelsView"},
    ViewRow{View::Iterations, Places::Kernels, "iterations/IterationsView",
        "Arrows choose   Shift+Arrows compare   Enter timeline   ? keys"},
    ViewRow{
        View::Replay, Places::Kernels, "replay/ReplayView", "Arrows choose   / changes   ? keys"},
    ViewRow{View::Compare, Places::Compare, "compare/CompareView"},
    ViewRow{View::Sweep, Places::Compare, "figures/FigureView"},
    ViewRow{View::Predict, Places::Predict, "predict/PredictView"},
    ViewRow{View::Runs, Places::Data, "runs/RunsView"},
    ViewRow{View::History, Places::Data, "figures/FigureView"},
    ViewRow{View::Query, Places::Data, "query/QueryView", "Ctrl+Enter run   Esc stop   F1 manual"},
};
static_assert(kViewRows.size() == Views::kViews);

const ViewRow& rowOf(View view) {
    return *std::ranges::find(kViewRows, view, &ViewRow::view);
}

const ViewRow& firstOf(Places::Place place) {
    return *std::ranges::find(kViewRows, place, &ViewRow::place);
}

Status addFacts(const store::Store& store, const Run& run, PlaceFacts& facts) {
    facts.gpus = std::max({facts.gpus, run.gpuCount, run.worldSize});
    ASSIGN_OR_RETURN(const auto tracks, store.tracks(run.id));
    facts.hasWork = facts.hasWork || std::ranges::any_of(tracks, [](const Track& track) {
        const TrackKind kind = track.description.kind;
        return track.count > 0 && (kind == TrackKind::Stream || kind == TrackKind::Thread);
    });
    ASSIGN_OR_RETURN(const auto series, store.series(run.id));
    facts.hasPower = facts.hasPower || std::ranges::any_of(series, [](const Series& one) {
        return one.description.metric.name == metric::kGpuPower && one.count > 1;
    });
    ASSIGN_OR_RETURN(const auto iterations, store.iterations(run.id));
    facts.hasIterations = facts.hasIterations || !iterations.empty();
    ASSIGN_OR_RETURN(auto captures, store.captures(run.id));
    const auto parts = analysis::partsByCapture(std::move(captures));
    facts.captures = std::max(facts.captures, static_cast<int>(parts.size()));
    return {};
}

} // namespace

Views::Views(QObject* parent)
    : QObject(parent) {
    m_saveTimer.setSingleShot(true);
    m_saveTimer.setInterval(kViewsSaveDelayMs);
    connect(&m_saveTimer, &QTimer::timeout, this, &Views::write);
}

Views::~Views() {
    if (m_saveTimer.isActive())
        viewFiles().start([uuid = m_uuid, saved = m_saved] {
            static_cast<void>(writeViews(viewFolder(), uuid, saved));
        });
    viewFiles().waitForDone();
}

void Views::setWorkspace(Workspace* workspace) {
    if (workspace == m_workspace)
        return;
    if (m_workspace)
        m_workspace->disconnect(this);
    m_workspace = workspace;
    if (workspace != nullptr)
        connect(workspace, &Workspace::databaseChanged, this, &Views::reload);
    reload();
    Q_EMIT workspaceChanged();
}

QStringList Views::titles() const {
    return namesOf<View>();
}

std::optional<Views::View> Views::viewNamed(const QString& key) {
    if (key == QLatin1String("machine"))
        return Layout;
    if (key == QLatin1String("data"))
        return Runs;
    if (key == QLatin1String("operators"))
        return Kernels;
    for (int view = 0; view < kViews; ++view) {
        if (keyOf(static_cast<View>(view)) == key)
            return static_cast<View>(view);
    }
    return std::nullopt;
}

void Views::setView(View view) {
    if (view < Timeline || view >= kViews || (view == m_view && !m_saved.view.isEmpty()))
        return;
    m_saved.view = keyOf(view); // before what is kept of the database is read, too
    save();
    if (std::exchange(m_view, view) != view)
        Q_EMIT viewChanged();
}

void Views::setSettings(const QString& view, const QJsonObject& settings) {
    if (m_saved.settings.value(view).toObject() == settings)
        return;
    m_saved.settings.insert(view, settings);
    save();
}

void Views::reload() {
    if (m_saveTimer.isActive())
        write();
    m_uuid = m_workspace ? m_workspace->uuid() : std::string();
    take({});
    m_cursor.clear();
    m_stretches.clear();
    m_readTask.cancel();
    if (m_uuid.empty())
        return;
    if (const auto next = std::exchange(m_nextView, std::nullopt)) {
        SavedViews chosen;
        chosen.view = keyOf(*next);
        take(chosen);
    }
    m_readTask.ask(
        viewFiles(),
        [uuid = m_uuid](const TaskStage<SavedViews>&) { return readViews(viewFolder(), uuid); },
        [this](const Result<SavedViews>& saved) { takeRead(saved.value()); });
}

void Views::takeRead(const SavedViews& saved) {
    const bool isChosen = m_saved != SavedViews();
    const SavedViews all = withChosen(saved, m_saved);
    if (isChosen && all == m_saved)
        return; // the views have it
    take(all);
    if (isChosen)
        save();
}

void Views::take(const SavedViews& saved) {
    m_saved = saved;
    const View view = viewNamed(saved.view).value_or(m_firstView);
    const bool moved = view != m_view;
    m_view = view;
    Q_EMIT restored();
    if (moved)
        Q_EMIT viewChanged();
}

void Views::save() {
    if (!m_uuid.empty())
        m_saveTimer.start();
}

void Views::write() {
    m_saveTimer.stop();
    QtConcurrent::run(&viewFiles(), [uuid = m_uuid, saved = m_saved] {
        return writeViews(viewFolder(), uuid, saved);
    }).then(this, [this](const Status& written) {
        if (!written.hasValue())
            Q_EMIT failed(written.error());
    });
}

void Views::openWithShownRuns(View view) {
    const auto key = keyOf(view);
    FigureSettings chosen = restoredSettings(view, settings(key));
    if (viewOf(chosen.query.kind) == view) {
        chosen.shownRunsOnly = true;
        setSettings(key, figureSettings().kept(chosen));
        Q_EMIT restored();
    }
    setView(view);
}

void Views::setCursor(std::vector<CursorPlace> places) {
    if (places == m_cursor)
        return;
    m_cursor = std::move(places);
    Q_EMIT cursorMoved();
}

std::optional<TimeNs> Views::cursorOf(RunId run) const {
    const auto found = std::ranges::find(m_cursor, run, &CursorPlace::run);
    return found == m_cursor.end() ? std::nullopt : std::optional(found->time);
}

std::optional<ShownStretch> Views::stretchOf(RunId run) const {
    const auto found = std::ranges::find(m_stretches, run, &ShownStretch::run);
    return found == m_stretches.end() ? std::nullopt : std::optional(*found);
}

void Views::offerUndo(const QString& text, QObject* view, std::function<void()> undo) {
    Q_EMIT undoOffered(text, [view = QPointer(view), undo = std::move(undo)] {
        if (view)
            undo();
    });
}

void Views::showOnTimeline(const Evidence& evidence) {
    setView(Timeline);
    Q_EMIT timelineWanted(evidence);
}

void Views::predict(RunId run) {
    m_toPredict = run;
    setView(Predict);
    Q_EMIT predictionWanted();
}

void Views::compare(const ToCompare& wanted) {
    m_toCompare = wanted;
    setView(Compare);
    Q_EMIT comparisonWanted();
}

void Views::predictRun(const QString& name) {
    if (const Run* run = m_workspace ? m_workspace->findRun(name) : nullptr)
        predict(run->id);
}

Places::Places(Views& views, QObject* parent)
    : QObject(parent)
    , m_views(views) {
    forget();
    connect(&views, &Views::viewChanged, this, &Places::takeView);
    if (Workspace* workspace = views.workspace()) {
        connect(workspace, &Workspace::databaseChanged, this, [this] {
            forget();
            read();
        });
        connect(workspace, &Workspace::runsChanged, this, &Places::read);
        connect(workspace, &Workspace::shownRunsChanged, this, &Places::read);
        connect(workspace, &Workspace::figuresAged, this, &Places::read);
    }
    takeView();
    read();
}

QStringList Places::titles() const {
    return namesOf<Place>();
}

QString Places::reasonOf(Place place, const PlaceFacts& facts) {
    if (place == Predict)
        return {};
    if (facts.runs == 0)
        return QStringLiteral("The database has no runs: import some.");
    if (place == Compare)
        return facts.runs > 1 || facts.captures > 1
            ? QString()
            : QStringLiteral("There is one run: import another one to compare it with.");
    if (place == Data)
        return {};
    if (facts.chosen == 0)
        return QStringLiteral("No run is chosen: choose one in the list.");
    if (place == Machine && facts.chosen == 1 && facts.gpus <= 1)
        return QStringLiteral(
            "This run has one GPU: there is no layout, and no GPU to compare it with.");
    if (place == Kernels && !facts.hasWork && !facts.hasIterations)
        return facts.chosen == 1
            ? QStringLiteral("This run has neither a trace nor iterations.")
            : QStringLiteral("These runs have neither a trace nor iterations.");
    return {};
}

QStringList Places::reasons() const {
    QStringList all;
    for (int place = 0; place < kPlaces; ++place)
        all.append(m_isRead ? reasonOf(static_cast<Place>(place), m_facts) : QString());
    return all;
}

QString Places::spectrumReason() const {
    return !m_isRead || m_facts.hasPower
        ? QString()
        : QStringLiteral("No power of GPUs was recorded: there is nothing that swings.");
}

QList<int> Places::shown() const {
    QList<int> views;
    for (const ViewRow& row : kViewRows) {
        if (row.place == m_place)
            views.append(row.view);
    }
    return views;
}

QString Places::keys() const {
    return QString::fromLatin1(rowOf(m_views.view()).keys);
}

Places::Place Places::placeOf(View view) {
    return rowOf(view).place;
}

QString Places::pageOf(int view) {
    return QStringLiteral("../%1.qml").arg(QLatin1String(rowOf(static_cast<View>(view)).page));
}

void Places::open(int place) {
    if (place < 0 || place >= kPlaces)
        return;
    const bool isHere = place == m_place;
    if (place == Kernels && !isHere && m_isRead && !m_facts.hasWork && m_facts.hasIterations)
        return m_views.setView(Views::Iterations);
    m_views.setView(isHere ? firstOf(m_place).view : m_last[static_cast<std::size_t>(place)]);
}

void Places::takeView() {
    m_place = placeOf(m_views.view());
    m_last[static_cast<std::size_t>(m_place)] = m_views.view();
    Q_EMIT placeChanged();
}

void Places::forget() {
    for (int place = 0; place < kPlaces; ++place)
        m_last[static_cast<std::size_t>(place)] = firstOf(static_cast<Place>(place)).view;
    m_task.cancel();
    m_isRead = false;
    Q_EMIT reasonsChanged();
}

void Places::read() {
    Workspace* workspace = m_views.workspace();
    if (workspace == nullptr || !workspace->isOpen())
        return;
    const auto chosen = workspace->chosenRuns();
    PlaceFacts known;
    known.runs = static_cast<int>(workspace->runs().size());
    known.chosen = static_cast<int>(chosen.size());
    m_task.ask(
        workspace->readers(),
        [chosen, known](
            const store::Store& store, const TaskStage<PlaceFacts>&) -> Result<PlaceFacts> {
            PlaceFacts facts = known;
            for (const Run& run : chosen)
                RETURN_IF_ERROR(addFacts(store, run, facts));
            return facts;
        },
        [this](const Result<PlaceFacts>& facts) {
            if (facts.hasValue())
                take(facts.value());
        });
}

void Places::take(const PlaceFacts& facts) {
    if (m_isRead && facts == m_facts)
        return;
    m_facts = facts;
    m_isRead = true;
    Q_EMIT reasonsChanged();
}

} // namespace trainscope::app
