#include "app/viewmodels/figures/FindingsController.h"

#include "app/painting/WriteFile.h"
#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/RunWording.h"
#include "app/viewmodels/text/Texts.h"
#include "core/analysis/findings/Rules.h"
#include "core/model/Try.h"
#include "core/text/Table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace trainscope::app {
namespace {

const QString kAllRunsKey = QStringLiteral("all_runs");

QString csvCell(const QString& text) {
    return QString::fromStdString(text::csvCell(text.toStdString()));
}

// In SI with all digits, as files have numbers: "rear_c: 84.75917".
QString numbersOf(const FindingRow& row) {
    QStringList numbers;
    for (const auto& [name, value] : row.numbers)
        numbers.append(QString::fromStdString(fmt::format("{}: {}", name, value)));
    return numbers.join(QStringLiteral("; "));
}

QByteArray findingsCsv(const std::vector<FindingRow>& rows) {
    QString text = QStringLiteral("run,severity,finding,where,rule,denominator,values\n");
    for (const auto& row : rows) {
        QStringList cells;
        for (const auto& cell : {row.run, row.severityText, row.text, row.place, row.rule,
                 row.denominator, numbersOf(row)})
            cells.append(csvCell(cell));
        text += cells.join(QLatin1Char(',')) + QLatin1Char('\n');
    }
    return text.toUtf8();
}

} // namespace

FindingsController::FindingsController(QObject* parent)
    : DatabaseView(parent) { }

void FindingsController::restore() {
    m_allRuns = savedSettings(Views::Findings).value(kAllRunsKey).toBool();
    Q_EMIT settingsChanged();
    load();
}

void FindingsController::setAllRuns(bool all) {
    if (all == std::exchange(m_allRuns, all))
        return;
    saveSettings(Views::Findings, {{kAllRunsKey, all}});
    Q_EMIT settingsChanged();
    load();
}

void FindingsController::forget() {
    m_known.clear();
    m_readTo.clear();
}

std::vector<Run> FindingsController::wantedRuns() const {
    const auto* open = workspace();
    if (open == nullptr)
        return {};
    return m_allRuns ? open->runs() : open->chosenRuns();
}

void FindingsController::load() {
    endReading();
    refresh();
    if (!isActive())
        return;
    const auto wanted = wantedRuns();
    const auto unread = std::ranges::find_if(
        wanted, [this](const Run& run) { return !m_known.contains(run.id); });
    if (unread != wanted.end())
        readRun(*unread);
}

void FindingsController::readRun(const Run& run) {
    read<std::vector<FindingRow>>(
        QString::fromStdString(run.name),
        [run](const store::Store& store, const Progress& progress) {
            return findingRows({store, run, progress});
        },
        [this, id = run.id, end = run.range.end](std::vector<FindingRow> rows) {
            m_known[id] = std::move(rows);
            m_readTo[id] = end;
            load();
        });
}

void FindingsController::readGrowth() {
    std::vector<Run> grown;
    for (const Run& run : wantedRuns()) {
        const auto read = m_readTo.find(run.id);
        if (read != m_readTo.end() && read->second != run.range.end)
            grown.push_back(run);
    }
    if (grown.empty())
        return;
    using Found = std::vector<std::pair<Run, std::vector<FindingRow>>>;
    readQuietly<Found>(
        [grown](const store::Store& store, const Progress& progress) -> Result<Found> {
            Found found;
            for (const Run& run : grown) {
                ASSIGN_OR_RETURN(auto rows, findingRows({store, run, progress}));
                found.emplace_back(run, std::move(rows));
            }
            return found;
        },
        [this](const Found& found) {
            for (const auto& [run, rows] : found) {
                m_known[run.id] = rows;
                m_readTo[run.id] = run.range.end;
            }
            refresh();
        });
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

QString FindingsController::headline() const {
    const auto runs = wantedRuns();
    const auto read
        = std::ranges::count_if(runs, [this](const Run& run) { return m_known.contains(run.id); });
    if (read == 0)
        return {};
    return QStringLiteral("%1 in %2")
        .arg(countedText(m_findings.count(), "finding"), countedText(read, "run"));
}

QString FindingsController::emptyTitle() const {
    if (isLoading() || isStopped() || !errorText().isEmpty() || m_findings.count() > 0)
        return {};
    if (workspace() != nullptr && workspace()->runs().empty())
        return noRunsText();
    return wantedRuns().empty() ? chooseRunText() : QStringLiteral("Nothing stands out");
}

QString FindingsController::emptyText() const {
    if (emptyTitle().isEmpty() || wantedRuns().empty())
        return {};
    const auto looked = listOf(analysis::allChecks(), &analysis::Check::name);
    return QStringLiteral("Looked at: %1.").arg(looked.join(QStringLiteral(" · ")));
}

void FindingsController::open(int row) {
    if (views() != nullptr && m_findings.isThere(row))
        views()->showOnTimeline(m_findings.rows()[static_cast<std::size_t>(row)].evidence);
}

ExportJob FindingsController::exportJob() const {
    figures::Figure figure;
    figure.csv = [rows = m_findings.rows()] { return findingsCsv(rows).toStdString(); };
    return exportJobOf(Views::keyOf(Views::Findings), std::move(figure));
}

} // namespace trainscope::app
