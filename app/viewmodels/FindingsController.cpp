#include "app/viewmodels/FindingsController.h"

#include "app/painting/WriteFile.h"
#include "app/viewmodels/FindingRows.h"
#include "app/viewmodels/TaskProgress.h"

#include <algorithm>
#include <utility>

namespace trainscope::app {
namespace {

const QString kAllRunsKey = QStringLiteral("all_runs");

// RFC 4180.
QString csvCell(QString text) {
    text.replace(QLatin1Char('"'), QLatin1String("\"\""));
    return QLatin1Char('"') + text + QLatin1Char('"');
}

QByteArray findingsCsv(const std::vector<FindingRow>& rows) {
    QString text = QStringLiteral("run,severity,finding,where,rule,denominator,values\n");
    for (const auto& row : rows) {
        QStringList values;
        for (qsizetype i = 0; i < row.labels.size() && i < row.values.size(); ++i)
            values.append(row.labels[i] + QStringLiteral(": ") + row.values[i]);
        QStringList cells;
        for (const auto& cell : {row.run, row.severityText, row.text, row.place, row.rule,
                 row.denominator, values.join(QStringLiteral("; "))})
            cells.append(csvCell(cell));
        text += cells.join(QLatin1Char(',')) + QLatin1Char('\n');
    }
    return text.toUtf8();
}

} // namespace

FindingsController::FindingsController(QObject* parent)
    : Exportable(parent) { }

FindingsController::~FindingsController() {
    m_task.cancel();
}

void FindingsController::setBench(BenchState* bench) {
    if (bench == m_bench)
        return;
    if (m_bench) {
        m_bench->disconnect(this);
        if (m_bench->workspace() != nullptr)
            m_bench->workspace()->disconnect(this);
    }
    m_bench = bench;
    if (bench != nullptr)
        connect(bench, &BenchState::restored, this, &FindingsController::restore);
    if (bench != nullptr && bench->workspace() != nullptr) {
        auto* workspace = bench->workspace();
        connect(workspace, &Workspace::databaseChanged, this, &FindingsController::reloadDatabase);
        connect(workspace, &Workspace::runsChanged, this, &FindingsController::reloadDatabase);
        connect(workspace, &Workspace::shownRunsChanged, this, &FindingsController::load);
    }
    restore();
    reloadDatabase();
    Q_EMIT benchChanged();
}

void FindingsController::setActive(bool active) {
    if (active == m_active)
        return;
    m_active = active;
    Q_EMIT activeChanged();
    load();
}

void FindingsController::restore() {
    const QString key = BenchState::keyOf(BenchState::Findings);
    m_allRuns = m_bench && m_bench->settings(key).value(kAllRunsKey).toBool();
    Q_EMIT settingsChanged();
    load();
}

void FindingsController::setAllRuns(bool all) {
    if (all == m_allRuns)
        return;
    m_allRuns = all;
    if (m_bench)
        m_bench->setSettings(BenchState::keyOf(BenchState::Findings), {{kAllRunsKey, all}});
    Q_EMIT settingsChanged();
    load();
}

void FindingsController::reloadDatabase() {
    m_known.clear();
    const auto* workspace = m_bench ? m_bench->workspace() : nullptr;
    const bool open = workspace != nullptr && workspace->isOpen();
    m_worker.setDatabase(open ? std::filesystem::path(workspace->databasePath().toStdString())
                              : std::filesystem::path());
    load();
}

std::vector<Run> FindingsController::wantedRuns() const {
    std::vector<Run> wanted;
    const auto* workspace = m_bench ? m_bench->workspace() : nullptr;
    if (workspace == nullptr)
        return wanted;
    const auto& shown = workspace->shownRuns();
    for (const auto& run : workspace->runs()) {
        const bool isShown = std::any_of(shown.begin(), shown.end(),
            [&run](const plot::ShownRun& other) { return other.id == run.id; });
        if (m_allRuns || isShown)
            wanted.push_back(run);
    }
    return wanted;
}

void FindingsController::load() {
    m_task.cancel();
    m_loading = false;
    m_stopped = false;
    m_error.clear();
    refresh();
    if (!m_active)
        return;
    std::vector<Run> unread;
    for (const auto& run : wantedRuns()) {
        if (!m_known.contains(run.id))
            unread.push_back(run);
    }
    if (!unread.empty())
        start(std::move(unread));
}

void FindingsController::start(std::vector<Run> runs) {
    m_loading = true;
    m_progressText = tr("Reading");
    m_progress = -1.0;
    Q_EMIT stateChanged();
    m_task.start(
        [runs = std::move(runs)](const store::Store& store, const TaskStage<Reading>& stage) {
            for (const auto& run : runs) {
                const auto report = [&](const ProgressState& state) {
                    stage.publish(Reading{run.id, {}, false, false,
                        QStringLiteral("%1 · %2").arg(
                            QString::fromStdString(run.name), phaseText(state)),
                        fractionOf(state)});
                };
                auto rows = findingRows(store, run, progressOf(stage, report));
                if (!rows.hasValue())
                    return stage.publish(rows.error());
                stage.publish(
                    Reading{run.id, std::move(rows).value(), true, &run == &runs.back(), {}});
            }
        },
        [this](Result<Reading> reading) { takeReading(std::move(reading)); });
}

void FindingsController::takeReading(Result<Reading> result) {
    if (!result.hasValue()) {
        m_loading = false;
        m_error = QString::fromStdString(result.error().describe());
        Q_EMIT stateChanged();
        return;
    }
    Reading reading = std::move(result).value();
    if (!reading.finished) {
        m_progressText = reading.phase;
        m_progress = reading.fraction;
        Q_EMIT stateChanged();
        return;
    }
    m_loading = !reading.last;
    m_known[reading.run] = std::move(reading.rows);
    refresh();
}

void FindingsController::refresh() {
    std::vector<FindingRow> rows;
    for (const auto& run : wantedRuns()) {
        if (const auto known = m_known.find(run.id); known != m_known.end())
            rows.insert(rows.end(), known->second.begin(), known->second.end());
    }
    m_findings.setRows(std::move(rows));
    Q_EMIT stateChanged();
}

void FindingsController::cancel() {
    if (!m_loading)
        return;
    m_task.cancel();
    m_loading = false;
    m_stopped = true;
    Q_EMIT stateChanged();
}

void FindingsController::readAgain() {
    load();
}

QString FindingsController::headline() const {
    const auto runs = wantedRuns();
    const auto read = std::count_if(
        runs.begin(), runs.end(), [this](const Run& run) { return m_known.contains(run.id); });
    if (read == 0)
        return {};
    const QString findings
        = m_findings.count() == 1 ? tr("1 finding") : tr("%1 findings").arg(m_findings.count());
    const QString of = read == 1 ? tr("1 run") : tr("%1 runs").arg(read);
    return tr("%1 in %2").arg(findings, of);
}

QString FindingsController::emptyTitle() const {
    if (m_loading || m_stopped || !m_error.isEmpty() || m_findings.count() > 0)
        return {};
    if (m_bench && m_bench->workspace() != nullptr && m_bench->workspace()->runs().empty())
        return tr("This run database is empty. Drop a result folder here to import it.");
    return wantedRuns().empty() ? tr("Choose a run on the left.") : tr("Nothing stands out");
}

QString FindingsController::emptyText() const {
    if (emptyTitle().isEmpty() || wantedRuns().empty())
        return {};
    return tr("Looked at: %1.").arg(rulesLookedAt().join(QStringLiteral(" · ")));
}

void FindingsController::open(int row) {
    if (m_bench && row >= 0 && row < m_findings.count())
        m_bench->showOnTimeline(m_findings.rows()[static_cast<std::size_t>(row)].evidence);
}

ExportJob FindingsController::exportJob() const {
    ExportJob job;
    job.name = BenchState::keyOf(BenchState::Findings);
    job.numbers = [rows = m_findings.rows()](const QString& path, const std::function<bool()>&) {
        return writeFile(path, findingsCsv(rows));
    };
    return job;
}

} // namespace trainscope::app
