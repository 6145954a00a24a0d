#pragma once
// The run databases opened lately, newest first, kept in the user's settings. Their existence is
// checked in the background, since they may lie on a network drive that sleeps.

#include "app/viewmodels/window/RowListModel.h"
#include "app/viewmodels/workspace/Task.h"

#include <QQmlEngine>
#include <QStringList>

namespace trainscope::app {

struct RecentFile {
    QString path;
    bool missing = false;
    bool operator==(const RecentFile&) const = default;
};

class RecentFiles : public RowListModel<RecentFile> {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)

public:
    explicit RecentFiles(QObject* parent = nullptr);

    [[nodiscard]] QStringList paths() const;

    void add(const QString& path);
    Q_INVOKABLE void remove(int row);
    Q_INVOKABLE void clear();
    // Looks again which of them exist.
    void refresh();

    static constexpr int kKept = 12;

private:
    void save() const;

    Task<QStringList> m_task{Asking::InTurn}; // those that are missing
};

} // namespace trainscope::app
