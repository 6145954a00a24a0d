#include "app/viewmodels/workspace/BenchView.h"

#include "app/viewmodels/workspace/TaskProgress.h"

namespace trainscope::app {

BenchView::BenchView(QObject* parent)
    : Exportable(parent) { }

BenchView::~BenchView() {
    m_task.cancel();
}

void BenchView::setBench(BenchState* bench) {
    if (bench == m_bench)
        return;
    leaveBench();
    m_bench = bench;
    if (bench != nullptr) {
        connect(bench, &BenchState::restored, this, [this] { restore(); });
        const auto select = [this](const Evidence& evidence) { takeSelection(evidence); };
        connect(bench, &BenchState::selected, this, select);
        connect(bench, &BenchState::timelineWanted, this, select);
    }
    if (bench != nullptr && bench->workspace() != nullptr) {
        auto* workspace = bench->workspace();
        connect(workspace, &Workspace::databaseChanged, this, &BenchView::reloadDatabase);
        connect(workspace, &Workspace::runsChanged, this, &BenchView::reloadDatabase);
        connect(workspace, &Workspace::shownRunsChanged, this, [this] { load(); });
    }
    restore();
    reloadDatabase();
    Q_EMIT benchChanged();
}

void BenchView::leaveBench() {
    if (!m_bench)
        return;
    m_bench->disconnect(this);
    if (m_bench->workspace() != nullptr)
        m_bench->workspace()->disconnect(this);
}

void BenchView::setActive(bool active) {
    if (active == m_active)
        return;
    m_active = active;
    Q_EMIT activeChanged();
    load();
}

const Workspace* BenchView::workspace() const {
    const auto* workspace = m_bench ? m_bench->workspace() : nullptr;
    return workspace != nullptr && workspace->isOpen() ? workspace : nullptr;
}

QJsonObject BenchView::savedSettings(BenchState::View view) const {
    return m_bench ? m_bench->settings(BenchState::keyOf(view)) : QJsonObject();
}

void BenchView::saveSettings(BenchState::View view, const QJsonObject& settings) {
    if (m_bench)
        m_bench->setSettings(BenchState::keyOf(view), settings);
}

void BenchView::reloadDatabase() {
    endReading();
    forget();
    const auto* open = workspace();
    m_worker.setDatabase(open != nullptr ? std::filesystem::path(open->databasePath().toStdString())
                                         : std::filesystem::path());
    load();
}

void BenchView::start(const QString& what, Job job) {
    m_loading = true;
    m_stopped = false;
    m_error.clear();
    showStep(tr("Reading"), -1.0);
    m_task.start(
        [this, what, job = std::move(job)](
            const store::Store& store, const TaskStage<Finish>& stage) {
            const auto report = [this, &what, &stage](const ProgressState& state) {
                const QString phase = phaseText(state);
                const QString text
                    = what.isEmpty() ? phase : QStringLiteral("%1 · %2").arg(what, phase);
                const double fraction = fractionOf(state);
                stage.publish(Finish([this, text, fraction] { showStep(text, fraction); }));
            };
            stage.publish(job(store, progressOf(stage, report)));
        },
        [this](const Result<Finish>& finish) {
            if (!finish.hasValue())
                return fail(finish.error());
            finish.value()();
        });
}

void BenchView::showStep(const QString& text, double fraction) {
    m_progressText = text;
    m_progress = fraction;
    Q_EMIT stateChanged();
}

void BenchView::endReading() {
    m_task.cancel();
    m_loading = false;
    m_stopped = false;
    m_error.clear();
    Q_EMIT stateChanged();
}

void BenchView::fail(const Error& error) {
    m_loading = false;
    m_error = QString::fromStdString(error.describe());
    nothingRead();
    Q_EMIT stateChanged();
}

void BenchView::cancel() {
    if (!m_loading)
        return;
    m_task.cancel();
    m_loading = false;
    m_stopped = true;
    nothingRead();
    Q_EMIT stateChanged();
}

void BenchView::readAgain() {
    m_stopped = false;
    load();
}

} // namespace trainscope::app
