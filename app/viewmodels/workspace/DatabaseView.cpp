#include "app/viewmodels/workspace/DatabaseView.h"

#include "app/viewmodels/text/Texts.h"
#include "core/figures/runs/RunFigures.h"

namespace trainscope::app {

DatabaseView::DatabaseView(QObject* parent)
    : Exportable(parent) {
    connect(this, &DatabaseView::stateChanged, this, &Exportable::figuresChanged);
}

void DatabaseView::setViews(Views* views) {
    if (views == m_views)
        return;
    leaveViews();
    m_views = views;
    if (views != nullptr) {
        connect(views, &Views::restored, this, [this] { restore(); });
        const auto select = [this](const Evidence& evidence) { takeSelection(evidence); };
        connect(views, &Views::selected, this, select);
        connect(views, &Views::timelineWanted, this, select);
    }
    if (views != nullptr && views->workspace() != nullptr) {
        auto* workspace = views->workspace();
        connect(workspace, &Workspace::databaseChanged, this, &DatabaseView::reloadDatabase);
        connect(workspace, &Workspace::runsChanged, this, &DatabaseView::reloadDatabase);
        connect(workspace, &Workspace::shownRunsChanged, this, [this] {
            m_quietTask.cancel();
            load();
        });
        connect(workspace, &Workspace::figuresAged, this, [this] {
            m_isAged = true;
            takeGrowth();
        });
    }
    Q_EMIT viewsChanged();
    restore();
    reloadDatabase();
}

void DatabaseView::leaveViews() {
    if (!m_views)
        return;
    m_views->disconnect(this);
    if (m_views->workspace() != nullptr)
        m_views->workspace()->disconnect(this);
}

void DatabaseView::setActive(bool active) {
    if (active == std::exchange(m_active, active))
        return;
    Q_EMIT activeChanged();
    load();
    takeGrowth();
}

// A view that nobody sees takes growth when it is seen again.
void DatabaseView::takeGrowth() {
    if (!m_isAged || !m_active || m_loading || m_stopped || workspace() == nullptr)
        return;
    m_isAged = false;
    readGrowth();
}

Workspace* DatabaseView::workspace() const {
    auto* workspace = m_views ? m_views->workspace() : nullptr;
    return workspace != nullptr && workspace->isOpen() ? workspace : nullptr;
}

void DatabaseView::askMetrics(std::function<void(Metrics)> take) {
    m_metricsTask.ask(
        workspace()->readers(),
        [](const store::Store& store, const TaskStage<Metrics>&) {
            return figures::figureMetrics(store, {});
        },
        [take = std::move(take)](Result<Metrics> metrics) {
            if (metrics.hasValue())
                take(std::move(metrics).value());
        });
}

QJsonObject DatabaseView::savedSettings(Views::View view) const {
    return m_views ? m_views->settings(Views::keyOf(view)) : QJsonObject();
}

void DatabaseView::saveSettings(Views::View view, const QJsonObject& settings) {
    if (m_views)
        m_views->setSettings(Views::keyOf(view), settings);
}

void DatabaseView::reloadDatabase() {
    endReading();
    m_quietTask.cancel();
    m_isAged = false;
    forget();
    load();
}

void DatabaseView::start(const QString& what, Job job) {
    if (workspace() == nullptr)
        return;
    m_loading = true;
    m_stopped = false;
    m_error.clear();
    showStep({QStringLiteral("Reading")});
    m_task.start(
        workspace()->readers(),
        [this, what, job = std::move(job)](
            const store::Store& store, const TaskStage<Finish>& stage) {
            const auto report = [this, &what, &stage](const ProgressState& state) {
                const QString phase = textOf(state.phase);
                const WorkProgress step{
                    what.isEmpty() ? phase : QStringLiteral("%1 · %2").arg(what, phase),
                    fractionOf(state)};
                stage.publish(Finish([this, step] { showStep(step); }));
            };
            const auto tell = [&stage](Finish part) { stage.publish(std::move(part)); };
            stage.publish(job(store, stage.progress(report), tell));
        },
        [this](const Result<Finish>& finish) {
            if (!finish.hasValue())
                return fail(finish.error());
            finish.value()();
        });
}

void DatabaseView::showStep(const WorkProgress& progress) {
    m_progress = progress;
    Q_EMIT stateChanged();
}

void DatabaseView::endReading() {
    m_task.cancel();
    m_loading = false;
    m_stopped = false;
    m_error.clear();
    Q_EMIT stateChanged();
}

void DatabaseView::fail(const Error& error) {
    m_loading = false;
    m_error = shownText(error);
    nothingRead();
    Q_EMIT stateChanged();
}

void DatabaseView::cancel() {
    if (!m_loading)
        return;
    m_task.cancel();
    m_loading = false;
    m_stopped = true;
    nothingRead();
    Q_EMIT stateChanged();
}

void DatabaseView::readAgain() {
    m_stopped = false;
    load();
}

} // namespace trainscope::app
