#include "app/viewmodels/FigureController.h"

#include "app/painting/FigureDrawing.h"
#include "app/painting/WriteFile.h"
#include "app/viewmodels/TaskProgress.h"

#include <algorithm>
#include <utility>

namespace trainscope::app {
namespace {

constexpr std::size_t kKept = 8;

} // namespace

FigureController::FigureController(QObject* parent)
    : Exportable(parent) { }

FigureController::~FigureController() {
    m_task.cancel();
    m_metricsTask.cancel();
}

void FigureController::setBench(BenchState* bench) {
    if (bench == m_bench)
        return;
    if (m_bench) {
        m_bench->disconnect(this);
        if (m_bench->workspace() != nullptr)
            m_bench->workspace()->disconnect(this);
    }
    m_bench = bench;
    if (bench != nullptr) {
        connect(bench, &BenchState::restored, this, &FigureController::restore);
        connect(bench, &BenchState::selected, this, &FigureController::takeSelection);
        connect(bench, &BenchState::timelineWanted, this, &FigureController::takeSelection);
    }
    if (bench != nullptr && bench->workspace() != nullptr) {
        auto* workspace = bench->workspace();
        connect(workspace, &Workspace::databaseChanged, this, &FigureController::reloadDatabase);
        connect(workspace, &Workspace::runsChanged, this, &FigureController::reloadDatabase);
        connect(workspace, &Workspace::shownRunsChanged, this, &FigureController::load);
    }
    restore();
    reloadDatabase();
    Q_EMIT benchChanged();
}

void FigureController::setView(BenchState::View view) {
    if (view == m_view)
        return;
    m_view = view;
    restore();
    Q_EMIT benchChanged();
}

void FigureController::setActive(bool active) {
    if (active == m_active)
        return;
    m_active = active;
    Q_EMIT activeChanged();
    load();
}

void FigureController::restore() {
    takeSettings(m_bench ? decodeSettings(m_view, m_bench->settings(BenchState::keyOf(m_view)))
                         : defaultSettings(m_view));
}

void FigureController::takeSettings(const FigureSettings& settings) {
    m_settings = settings;
    m_rows.setRows(settingRows(m_view, m_settings, m_metrics));
    Q_EMIT settingsChanged();
    load();
}

void FigureController::choose(const QString& key, int choice) {
    const FigureSettings changed = withSetting(m_settings, m_metrics, key, choice);
    if (changed == m_settings)
        return;
    if (m_bench)
        m_bench->setSettings(BenchState::keyOf(m_view), encodeSettings(changed));
    takeSettings(changed);
}

void FigureController::setWholeRun(bool whole) {
    if (whole == m_settings.query.wholeRun)
        return;
    FigureSettings changed = m_settings;
    changed.query.wholeRun = whole;
    if (m_bench)
        m_bench->setSettings(BenchState::keyOf(m_view), encodeSettings(changed));
    takeSettings(changed);
}

void FigureController::reloadDatabase() {
    m_kept.clear();
    m_metrics.clear();
    m_evidence.reset();
    show(nullptr);
    const auto* workspace = m_bench ? m_bench->workspace() : nullptr;
    const bool open = workspace != nullptr && workspace->isOpen();
    m_worker.setDatabase(open ? std::filesystem::path(workspace->databasePath().toStdString())
                              : std::filesystem::path());
    load();
}

void FigureController::readMetrics() {
    m_metricsTask.start(
        [](const store::Store& store, const TaskStage<Metrics>& stage) {
            stage.publish(plot::figureMetrics(store, {}));
        },
        [this](Result<Metrics> metrics) {
            // What cannot be read is told by the reading of the figure.
            if (!metrics.hasValue())
                return;
            m_metrics = std::move(metrics).value();
            m_rows.setRows(settingRows(m_view, m_settings, m_metrics));
        });
}

plot::FigureQuery FigureController::wantedQuery() const {
    plot::FigureQuery query = m_settings.query;
    query.runs.clear();
    if (m_settings.shownRunsOnly) {
        for (const auto& run : m_bench->workspace()->shownRuns())
            query.runs.push_back(run.id);
    }
    return query;
}

FigurePtr FigureController::kept(const plot::FigureQuery& query) const {
    const auto found = std::find_if(m_kept.begin(), m_kept.end(),
        [&query](const FigurePtr& figure) { return figure->query == query; });
    return found == m_kept.end() ? nullptr : *found;
}

void FigureController::load() {
    const auto* workspace = m_bench ? m_bench->workspace() : nullptr;
    const bool nothing = workspace == nullptr || workspace->runs().empty()
        || (m_settings.shownRunsOnly && workspace->shownRuns().empty());
    if (nothing) {
        m_task.cancel();
        m_loading = false;
        return show(nullptr);
    }
    if (!m_active)
        return;
    if (m_metrics.empty())
        readMetrics();
    const plot::FigureQuery query = wantedQuery();
    if (m_data && m_data->query == query && !m_loading)
        return;
    if (const FigurePtr figure = kept(query)) {
        m_task.cancel();
        m_loading = false;
        return show(figure);
    }
    start(query);
}

void FigureController::start(const plot::FigureQuery& query) {
    m_loading = true;
    m_stopped = false;
    m_error.clear();
    m_progressText = tr("Reading");
    m_progress = -1.0;
    Q_EMIT stateChanged();
    m_task.start(
        [query](const store::Store& store, const TaskStage<Reading>& stage) {
            const auto report = [&stage](const ProgressState& state) {
                stage.publish(Reading{nullptr, phaseText(state), fractionOf(state)});
            };
            auto figure = plot::loadFigure(store, query, progressOf(stage, report));
            if (!figure.hasValue())
                return stage.publish(figure.error());
            // The query it is kept by is the one that was asked.
            figure.value().query = query;
            stage.publish(
                Reading{std::make_shared<const plot::FigureData>(std::move(figure).value()), {}});
        },
        [this](Result<Reading> reading) { takeReading(std::move(reading)); });
}

void FigureController::takeReading(Result<Reading> reading) {
    if (!reading.hasValue()) {
        m_loading = false;
        m_data.reset();
        m_error = QString::fromStdString(reading.error().describe());
        Q_EMIT stateChanged();
        Q_EMIT repaintNeeded();
        return;
    }
    if (!reading.value().data) {
        m_progressText = reading.value().phase;
        m_progress = reading.value().fraction;
        Q_EMIT stateChanged();
        return;
    }
    m_loading = false;
    m_kept.push_front(reading.value().data);
    if (m_kept.size() > kKept)
        m_kept.pop_back();
    show(reading.value().data);
}

void FigureController::show(FigurePtr data) {
    m_data = std::move(data);
    m_error.clear();
    m_stopped = false;
    m_hover.reset();
    m_geometry.reset();
    Q_EMIT hoverChanged();
    Q_EMIT stateChanged();
    Q_EMIT repaintNeeded();
    placeSelection();
}

void FigureController::cancel() {
    if (!m_loading)
        return;
    m_task.cancel();
    m_loading = false;
    m_stopped = true;
    m_data.reset();
    Q_EMIT stateChanged();
    Q_EMIT repaintNeeded();
}

void FigureController::readAgain() {
    m_stopped = false;
    load();
}

QString FigureController::emptyText() const {
    const auto* workspace = m_bench ? m_bench->workspace() : nullptr;
    if (m_loading || m_stopped || !m_error.isEmpty() || workspace == nullptr)
        return {};
    if (workspace->runs().empty())
        return tr("This run database is empty. Drop a result folder here to import it.");
    if (m_settings.shownRunsOnly && workspace->shownRuns().empty())
        return tr("Choose a run on the left.");
    return m_data && m_data->isEmpty() ? QString::fromStdString(m_data->emptyText) : QString();
}

QString FigureController::title() const {
    return m_data ? QString::fromStdString(m_data->title) : QString();
}

QString FigureController::caption() const {
    return m_data ? QString::fromStdString(m_data->caption) : QString();
}

QString FigureController::notes() const {
    QStringList lines;
    if (m_data) {
        for (const auto& note : m_data->notes)
            lines.append(QString::fromStdString(note));
    }
    return lines.join(QLatin1Char('\n'));
}

ExportJob FigureController::exportJob() const {
    if (!isReady())
        return {};
    ExportJob job;
    job.name = QString::fromUtf8(plot::toString(m_data->query.kind).data());
    job.inGuiThread = true;
    job.drawing
        = [data = m_data](const QString& path, const FigureOptions& options,
              const std::function<bool()>&) { return exportFigureData(*data, path, options); };
    job.numbers = [data = m_data](const QString& path, const std::function<bool()>&) {
        return writeFile(path, QByteArray::fromStdString(plot::figureCsv(*data)));
    };
    return job;
}

} // namespace trainscope::app
