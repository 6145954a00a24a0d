#include "app/viewmodels/importing/ImportReportModel.h"

#include "app/viewmodels/importing/ReportFacts.h"

#include <algorithm>

namespace trainscope::app {

namespace {

using Entry = ImportReportModel::Entry;

constexpr int kFine = 0;
constexpr int kWarned = 1;
constexpr int kFailed = 2;

void fillFrom(Entry& entry, const ImportReport& report) {
    for (const auto& [label, value] : reportFacts(report)) {
        entry.factLabels.append(label);
        entry.factValues.append(value);
    }
    entry.warnings = warningTexts(report);
    entry.severity = report.warningCount > 0 || report.skipped > 0 ? kWarned : kFine;
    entry.verdict = entry.severity == kWarned ? ImportReportModel::tr("read with warnings")
                                              : ImportReportModel::tr("read");
}

QString runNames(const store::Source& source, const std::vector<Run>& runs) {
    QStringList names;
    for (const auto id : source.runs) {
        const auto found
            = std::find_if(runs.begin(), runs.end(), [id](const Run& run) { return run.id == id; });
        if (found != runs.end())
            names.append(QString::fromStdString(found->name));
    }
    return names.join(QStringLiteral(", "));
}

} // namespace

Entry ImportReportModel::entryOf(const UnitOutcome& outcome, const QString& path) {
    Entry entry;
    entry.path = path;
    entry.origin = tr("Run %1").arg(QString::fromStdString(importers::runText(outcome.unit)));
    if (outcome.report) {
        entry.origin
            += QStringLiteral(" · %1").arg(QString::fromStdString(outcome.report->importer));
        fillFrom(entry, *outcome.report);
    }
    if (!outcome.error)
        return entry;
    const bool stopped = outcome.error->code == ErrorCode::Cancelled;
    entry.severity = kFailed;
    entry.verdict = stopped ? tr("stopped, nothing of it was kept") : tr("failed");
    if (!stopped)
        entry.warnings.prepend(QString::fromStdString(outcome.error->describe()));
    return entry;
}

Entry ImportReportModel::entryOf(
    const store::Source& source, const std::vector<Run>& runsOfDatabase) {
    Entry entry;
    entry.path = QString::fromStdString(source.path);
    entry.origin
        = tr("Run %1 · %2 · imported %3")
              .arg(runNames(source, runsOfDatabase), QString::fromStdString(source.report.importer),
                  momentText(source.importedAt));
    fillFrom(entry, source.report);
    return entry;
}

int ImportReportModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : count();
}

QVariant ImportReportModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const auto& entry = m_entries[static_cast<std::size_t>(index.row())];
    switch (role) {
    case PathRole:
        return entry.path;
    case OriginRole:
        return entry.origin;
    case VerdictRole:
        return entry.verdict;
    case SeverityRole:
        return entry.severity;
    case FactLabelsRole:
        return entry.factLabels;
    case FactValuesRole:
        return entry.factValues;
    case WarningsRole:
        return entry.warnings;
    default:
        return {};
    }
}

QHash<int, QByteArray> ImportReportModel::roleNames() const {
    return {{PathRole, "path"}, {OriginRole, "origin"}, {VerdictRole, "verdict"},
        {SeverityRole, "severity"}, {FactLabelsRole, "factLabels"}, {FactValuesRole, "factValues"},
        {WarningsRole, "warnings"}};
}

void ImportReportModel::setEntries(std::vector<Entry> entries) {
    // What failed comes first: it is what the user came to read.
    std::stable_sort(entries.begin(), entries.end(),
        [](const Entry& a, const Entry& b) { return a.severity > b.severity; });
    beginResetModel();
    m_entries = std::move(entries);
    endResetModel();
    Q_EMIT changed();
}

QString ImportReportModel::headline() const {
    const auto having = [this](int severity) {
        return std::count_if(m_entries.begin(), m_entries.end(),
            [severity](const Entry& entry) { return entry.severity == severity; });
    };
    QStringList parts{count() == 1 ? tr("1 source") : tr("%1 sources").arg(count())};
    if (having(kWarned) > 0)
        parts.append(tr("%1 with warnings").arg(having(kWarned)));
    if (having(kFailed) > 0)
        parts.append(tr("%1 not imported").arg(having(kFailed)));
    return parts.join(QStringLiteral(", "));
}

QString ImportReportModel::text() const {
    QStringList lines{headline()};
    for (const auto& entry : m_entries) {
        lines << QString() << entry.path << entry.origin << entry.verdict;
        for (int i = 0; i < entry.factLabels.size(); ++i)
            lines << QStringLiteral("  %1: %2").arg(entry.factLabels[i], entry.factValues.value(i));
        for (const auto& warning : entry.warnings)
            lines << QStringLiteral("  ! %1").arg(warning);
    }
    return lines.join(QLatin1Char('\n'));
}

} // namespace trainscope::app
