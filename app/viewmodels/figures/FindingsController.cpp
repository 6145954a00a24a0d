#include "app/viewmodels/figures/FindingsController.h"

#include "app/painting/WriteFile.h"
#include "app/viewmodels/text/Texts.h"
#include "core/analysis/findings/Rules.h"
#include "core/model/Metric.h"
#include "core/model/Try.h"
#include "core/text/Numbers.h"
#include "core/text/Table.h"

#include <fmt/format.h>

namespace trainscope::app {

namespace {

struct InUnit {
    const char* name; // a value's name, or its ending
    const char* unit;
};
// The names of most values end in their unit.
constexpr std::array kEndings{InUnit{"_b_per_s", "B/s"}, InUnit{"_per_s", "1/s"},
    InUnit{"_c", "°C"}, InUnit{"_w", "W"}, InUnit{"_j", "J"}, InUnit{"_hz", "Hz"},
    InUnit{"_s", "s"}};
constexpr std::array kNames{InUnit{"seconds", "s"}, InUnit{"bytes", "B"},
    InUnit{"flops_per_gpu", "FLOP/s"}, InUnit{"peak_flops", "FLOP/s"}};
constexpr std::array<std::string_view, 8> kShares{
    "fraction", "share", "utilisation", "coverage", "throttled", "communication", "excess", "mfu"};

bool isShare(std::string_view name) {
    return std::ranges::any_of(
        kShares, [name](std::string_view share) { return name.ends_with(share); });
}

struct Word {
    const char* name;
    const char* said;
};
// Names whose words say too little by themselves.
constexpr std::array kWords{Word{"worst_rank_fraction", "most, of one rank"},
    Word{"worst_rank_share", "most, of one rank"}, Word{"fraction", "share"},
    Word{"rest_fraction", "share of the rest"}, Word{"median_fraction", "median share"},
    Word{"behind", "kernels behind"}, Word{"integral", "integral of the power"},
    Word{"inter_node_std", "spread of the nodes"}, Word{"times_limit", "times the limit"},
    Word{"counted", "counted by the sensor"}, Word{"sm_clock", "SM clock"},
    Word{"pcie_rx", "received over PCIe"}, Word{"pcie_tx", "sent over PCIe"},
    Word{"reported_mfu", "reported MFU"}};

// "lost_gpu_s" → "lost GPU".
QString labelOf(std::string_view name) {
    const auto known = std::ranges::find(kWords, name, &Word::name);
    return known != kWords.end() ? textOf(known->said)
                                 : textOf(name)
                                       .replace(QLatin1Char('_'), QLatin1Char(' '))
                                       .replace(QLatin1String("gpu"), QLatin1String("GPU"));
}

QString unitText(double value, std::string_view unit) {
    return unit == "s"
        ? durationText(DurationNs{static_cast<std::int64_t>(std::llround(value * 1e9))})
        : metricText({}, value, unit);
}

// Text of a value whose name does not end in its unit; the metric is that of the finding.
QString valueText(std::string_view name, double value, const std::string& metric) {
    const auto known = std::ranges::find(kNames, name, &InUnit::name);
    if (known != kNames.end())
        return unitText(value, known->unit);
    // GPUs that differ from the others, by their means.
    if (const auto* of = findMetric(metric); of != nullptr && (name == "worst" || name == "median"))
        return metricText(metric, value, of->unit);
    if (isShare(name))
        return QString::fromStdString(text::roundedPercent(value));
    return value == std::round(value) ? wholeText(std::llround(value)) : decimalText(value, 'g', 4);
}

void addValue(FindingRow& row, std::string_view name, double value, const std::string& metric) {
    const auto known = std::ranges::find_if(
        kEndings, [name](const InUnit& one) { return name.ends_with(one.name); });
    const bool isKnown = known != kEndings.end();
    row.labels.append(labelOf(
        isKnown ? name.substr(0, name.size() - std::string_view(known->name).size()) : name));
    row.values.append(isKnown ? unitText(value, known->unit) : valueText(name, value, metric));
}

QString placeOf(const Run& run, const analysis::Evidence& evidence) {
    QStringList parts;
    if (evidence.rank >= 0)
        parts.append(QStringLiteral("rank %1").arg(evidence.rank));
    const bool whole = evidence.range.isEmpty()
        || (evidence.range.begin <= run.range.begin && run.range.end <= evidence.range.end);
    if (!whole)
        parts.append(QStringLiteral("%1 to %2")
                         .arg(durationText(evidence.range.begin - run.range.begin),
                             durationText(evidence.range.end - run.range.begin)));
    return parts.join(QStringLiteral(" · "));
}

Evidence evidenceOf(const Run& run, const analysis::Evidence& evidence) {
    Evidence place{run.id, std::nullopt, std::nullopt, evidence.metric};
    if (evidence.rank >= 0)
        place.rank = evidence.rank;
    if (!evidence.range.isEmpty())
        place.range = evidence.range;
    return place;
}

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

FindingListModel::FindingListModel(QObject* parent)
    : RowListModel(
        {{"text", &FindingRow::text}, {"run", &FindingRow::run}, {"rule", &FindingRow::rule},
            {"denominator", &FindingRow::denominator}, {"place", &FindingRow::place},
            {"severity", &FindingRow::severity}, {"severityText", &FindingRow::severityText},
            {"labels", &FindingRow::labels}, {"values", &FindingRow::values}},
        parent) { }

QString FindingListModel::textOf(int row) const {
    if (!isThere(row))
        return {};
    const FindingRow& finding = rows()[static_cast<std::size_t>(row)];
    QStringList lines{QStringLiteral("%1 (%2)").arg(finding.text, finding.severityText)};
    lines.append(finding.place.isEmpty()
            ? finding.run
            : QStringLiteral("%1 · %2").arg(finding.run, finding.place));
    for (qsizetype i = 0; i < finding.labels.size() && i < finding.values.size(); ++i)
        lines.append(QStringLiteral("%1\t%2").arg(finding.labels[i], finding.values[i]));
    lines.append(QStringLiteral("Threshold: %1").arg(finding.rule));
    if (!finding.denominator.isEmpty())
        lines.append(QStringLiteral("Basis: %1").arg(finding.denominator));
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

QString FindingListModel::text() const {
    QStringList all;
    for (int row = 0; row < count(); ++row)
        all.append(textOf(row));
    return all.join(QLatin1Char('\n'));
}

FindingRow findingRow(const Run& run, const analysis::Finding& finding) {
    FindingRow row;
    row.run = QString::fromStdString(run.name);
    row.text = QString::fromStdString(finding.text);
    row.rule = QString::fromStdString(finding.threshold);
    row.denominator = QString::fromStdString(finding.denominator);
    row.place = placeOf(run, finding.evidence);
    row.severity = static_cast<int>(finding.severity);
    row.severityText = textOf(titleOf(finding.severity));
    for (const auto& [name, value] : finding.values) {
        // Most of the causes that a straggler may have cost nothing.
        const bool isOfOnly = name.starts_with("worst_rank") && run.gpuCount <= 1;
        if (!isOfOnly && (value != 0.0 || !name.ends_with("_s")))
            addValue(row, name, value, finding.evidence.metric);
    }
    row.numbers = finding.values;
    row.evidence = evidenceOf(run, finding.evidence);
    return row;
}

Result<std::vector<FindingRow>> findingRows(const analysis::RunStudy& study) {
    ASSIGN_OR_RETURN(const auto findings, analysis::findingsOf(study));
    std::vector<FindingRow> rows;
    for (const auto& finding : findings)
        rows.push_back(findingRow(study.run, finding));
    return rows;
}

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
