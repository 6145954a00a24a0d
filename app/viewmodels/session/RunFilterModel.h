#pragma once
// The run list through its filter: a run stays when all words of the filter occur in what is known
// of it. Also where the list's commands are carried out. GUI thread only.

#include "app/viewmodels/session/RunListModel.h"

#include <QQmlEngine>
#include <QSortFilterProxyModel>
#include <QStringList>

namespace trainscope::app {

class RunFilterModel : public QSortFilterProxyModel {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(trainscope::app::Workspace* workspace READ workspace WRITE setWorkspace NOTIFY
            workspaceChanged REQUIRED FINAL)
    Q_PROPERTY(QString filter READ filter WRITE setFilter NOTIFY filterChanged FINAL)
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)
    // "5 runs", "2 of 5 runs"
    Q_PROPERTY(QString countText READ countText NOTIFY countChanged FINAL)

public:
    explicit RunFilterModel(QObject* parent = nullptr);

    [[nodiscard]] Workspace* workspace() const { return m_runs.workspace(); }
    void setWorkspace(Workspace* workspace);
    [[nodiscard]] QString filter() const { return m_filter; }
    void setFilter(const QString& filter);
    [[nodiscard]] int count() const { return rowCount(); }
    [[nodiscard]] QString countText() const;

    // Shows only this run.
    Q_INVOKABLE void showOnly(int row);
    // Adds it to what is shown or takes it away; the last one stays.
    Q_INVOKABLE void toggle(int row);
    Q_INVOKABLE void showAllFiltered();
    Q_INVOKABLE [[nodiscard]] QString nameAt(int row) const;

    // So many at once stay legible and quick.
    static constexpr int kMostShown = 32;

Q_SIGNALS:
    void workspaceChanged();
    void filterChanged();
    void countChanged();

protected:
    [[nodiscard]] bool filterAcceptsRow(
        int sourceRow, const QModelIndex& sourceParent) const override;

private:
    [[nodiscard]] const Run* runAt(int row) const; // nullptr: there is none

    RunListModel m_runs;
    QString m_filter;
    QStringList m_words;
};

} // namespace trainscope::app
