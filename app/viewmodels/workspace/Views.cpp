#include "app/viewmodels/workspace/Views.h"

#include "app/viewmodels/workspace/FigureSettings.h"

#include <QtConcurrent>

#include <algorithm>

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

QString Views::keyOf(View view) {
    return namesOf<View>().at(view).toLower();
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
    if (view == m_view || view < Timeline || view >= kViews)
        return;
    m_view = view;
    m_saved.view = keyOf(view);
    save();
    Q_EMIT viewChanged();
}

QJsonObject Views::settings(const QString& view) const {
    return m_saved.settings.value(view).toObject();
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

void Views::select(const Evidence& evidence) {
    Q_EMIT selected(evidence);
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

} // namespace trainscope::app
