#pragma once
// The reports of sources, after an import or read again from a database later: what was read, what
// was skipped and where, gaps, wraps, ranks expected against found, how the sensors measured.
// GUI thread only.

#include "app/importing/ImportRunner.h"
#include "app/viewmodels/text/Texts.h"
#include "app/viewmodels/window/RowListModel.h"
#include "core/text/Table.h"

#include <QQmlEngine>

namespace trainscope::app {

// Label and value of everything the report says that people can use, the numbers that matter first.
// `beside`: ranks that other sources of its run have, which are not missing.
std::vector<std::pair<QString, QString>> reportFacts(
    const ImportReport& report, const std::set<int>& beside = {});

// A line for each kind, the worst first (core/report/WarningLines.h).
QStringList warningTexts(const std::vector<ImportWarning>& warnings);

struct ReportEntry {
    QString path;
    QString brief; // part of the path that no other has
    QString origin; // run, format, how much, time of import
    QString verdict; // "read", "read with warnings", "failed", "stopped"
    int severity = 0; // 0 fine, 1 with warnings, 2 failed
    QStringList factLabels; // two lists of the same length
    QStringList factValues;
    std::vector<ImportWarning> told;
    QStringList warnings; // `told` in lines
    QStringList runs; // runs that got something of it
    qsizetype files = 1;
    QString placed; // its way to a place in time, "the log placed within 2.3 s by power"
    ImportReport report; // source of the facts in setEntries()
};

class ImportReportModel : public RowListModel<ReportEntry> {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the session")
    // The outcome: "4 runs from 6 files; the log placed within 2.3 s by power; 1 file failed".
    Q_PROPERTY(QString headline READ headline NOTIFY countChanged FINAL)
    // A line for each run that an import made: "job: 120 steps · 8 GPUs · 14 min · 12.4 MJ".
    Q_PROPERTY(QStringList runs READ runs NOTIFY countChanged FINAL)
    // The warnings of all sources together; empty where there is one.
    Q_PROPERTY(QStringList warnings READ warnings NOTIFY countChanged FINAL)

public:
    using Entry = ReportEntry;

    explicit ImportReportModel(QObject* parent = nullptr);

    [[nodiscard]] static Entry entryOf(const UnitOutcome& outcome, const QString& path);
    [[nodiscard]] static Entry entryOf(
        const store::Source& source, const std::vector<Run>& runsOfDatabase);

    // Ranks that another source of a run has are not missing from it.
    void setEntries(std::vector<Entry> entries, const text::Table& runs = {});
    [[nodiscard]] QStringList runs() const { return m_runs; }
    [[nodiscard]] QString headline() const { return outcomeOf(rows()); }
    [[nodiscard]] QStringList warnings() const;
    // The same of entries that no model has.
    [[nodiscard]] static QString outcomeOf(const std::vector<Entry>& entries);
    // Everything as plain text, for the clipboard.
    Q_INVOKABLE [[nodiscard]] QString text() const;

private:
    QStringList m_runs;
};

} // namespace trainscope::app
