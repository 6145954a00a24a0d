#pragma once
// The reports of sources, after an import or read again from a database later: what was read, what
// was skipped and where, gaps, wraps, ranks expected against found, how the sensors measured.
// GUI thread only.

#include "app/importing/ImportRunner.h"
#include "app/viewmodels/window/RowListModel.h"
#include "core/store/Store.h"

#include <QQmlEngine>
#include <QString>
#include <QStringList>

#include <vector>

namespace trainscope::app {

struct ReportEntry {
    QString path;
    QString origin; // importer, run, time of import
    QString verdict; // "read", "read with warnings", "failed", "stopped"
    int severity = 0; // 0 fine, 1 with warnings, 2 failed
    QStringList factLabels; // two lists of the same length
    QStringList factValues;
    QStringList warnings; // one text per warning, with file and line
};

class ImportReportModel : public RowListModel<ReportEntry> {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the session")
    // "12 sources, 4 with warnings, 1 failed"
    Q_PROPERTY(QString headline READ headline NOTIFY countChanged FINAL)

public:
    using Entry = ReportEntry;

    explicit ImportReportModel(QObject* parent = nullptr);

    [[nodiscard]] static Entry entryOf(const UnitOutcome& outcome, const QString& path);
    [[nodiscard]] static Entry entryOf(
        const store::Source& source, const std::vector<Run>& runsOfDatabase);

    void setEntries(std::vector<Entry> entries);
    [[nodiscard]] QString headline() const;
    // Everything as plain text, for the clipboard.
    Q_INVOKABLE [[nodiscard]] QString text() const;
};

} // namespace trainscope::app
