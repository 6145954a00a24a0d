#include "app/viewmodels/importing/ImportReportModel.h"

#include "app/viewmodels/importing/ReportFacts.h"
#include "app/viewmodels/text/ShownText.h"

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

ImportReportModel::ImportReportModel(QObject* parent)
    : RowListModel(
        {{"path", &Entry::path}, {"origin", &Entry::origin}, {"verdict", &Entry::verdict},
            {"severity", &Entry::severity}, {"factLabels", &Entry::factLabels},
            {"factValues", &Entry::factValues}, {"warnings", &Entry::warnings}},
        parent) { }

Entry ImportReportModel::entryOf(const UnitOutcome& outcome, const QString& path) {
    Entry entry;
    entry.path = shownLine(path);
    entry.origin = tr("Run %1").arg(shownLine(importers::runText(outcome.unit)));
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
        entry.warnings.prepend(shownText(*outcome.error));
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

void ImportReportModel::setEntries(std::vector<Entry> entries) {
    // Failures come first: the user came to read them.
    std::stable_sort(entries.begin(), entries.end(),
        [](const Entry& a, const Entry& b) { return a.severity > b.severity; });
    resetRows(std::move(entries));
}

QString ImportReportModel::headline() const {
    const auto having = [this](int severity) {
        return std::count_if(rows().begin(), rows().end(),
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
    for (const auto& entry : rows()) {
        lines << QString() << entry.path << entry.origin << entry.verdict;
        for (int i = 0; i < entry.factLabels.size(); ++i)
            lines << QStringLiteral("  %1: %2").arg(entry.factLabels[i], entry.factValues.value(i));
        for (const auto& warning : entry.warnings)
            lines << QStringLiteral("  ! %1").arg(warning);
    }
    return lines.join(QLatin1Char('\n'));
}

} // namespace trainscope::app
