#pragma once
// The reports of sources, after an import or read again from a database later: what was read, what
// was skipped and where, gaps, wraps, ranks expected against found, how the sensors measured.
// GUI thread only.

#include "app/importing/ImportRunner.h"
#include "core/store/Store.h"

#include <QAbstractListModel>
#include <QQmlEngine>
#include <QString>
#include <QStringList>

#include <vector>

namespace trainscope::app {

class ImportReportModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("Belongs to the session")
    Q_PROPERTY(int count READ count NOTIFY changed FINAL)
    // "12 sources, 4 with warnings, 1 failed"
    Q_PROPERTY(QString headline READ headline NOTIFY changed FINAL)

public:
    enum Role {
        PathRole = Qt::UserRole + 1,
        OriginRole, // importer, run, time of import
        VerdictRole, // "read", "read with warnings", "failed: …", "stopped"
        SeverityRole, // 0 fine, 1 with warnings, 2 failed
        FactLabelsRole, // two lists of the same length
        FactValuesRole,
        WarningsRole, // one text per warning, with file and line
    };

    using QAbstractListModel::QAbstractListModel;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QHash<int, QByteArray> roleNames() const override;

    struct Entry {
        QString path;
        QString origin;
        QString verdict;
        int severity = 0;
        QStringList factLabels;
        QStringList factValues;
        QStringList warnings;
    };
    [[nodiscard]] static Entry entryOf(const UnitOutcome& outcome, const QString& path);
    [[nodiscard]] static Entry entryOf(
        const store::Source& source, const std::vector<Run>& runsOfDatabase);

    void setEntries(std::vector<Entry> entries);
    [[nodiscard]] const std::vector<Entry>& entries() const { return m_entries; }
    [[nodiscard]] int count() const { return static_cast<int>(m_entries.size()); }
    [[nodiscard]] QString headline() const;
    // Everything as plain text, for the clipboard.
    Q_INVOKABLE [[nodiscard]] QString text() const;

Q_SIGNALS:
    void changed();

private:
    std::vector<Entry> m_entries;
};

} // namespace trainscope::app
