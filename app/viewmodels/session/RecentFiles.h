#pragma once
// The run databases opened lately, newest first, kept in the user's settings. Whether each still
// exists is looked up in the background, since it may lie on a network drive that sleeps.

#include <QAbstractListModel>
#include <QFutureWatcher>
#include <QQmlEngine>
#include <QStringList>

namespace trainscope::app {

class RecentFiles : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    Q_PROPERTY(int count READ count NOTIFY countChanged FINAL)

public:
    enum Role { PathRole = Qt::UserRole + 1, NameRole, FolderRole, MissingRole };

    explicit RecentFiles(QObject* parent = nullptr);
    ~RecentFiles() override;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QHash<int, QByteArray> roleNames() const override;
    [[nodiscard]] int count() const { return static_cast<int>(m_paths.size()); }
    [[nodiscard]] const QStringList& paths() const { return m_paths; }

    void add(const QString& path);
    Q_INVOKABLE void remove(int row);
    Q_INVOKABLE void clear();
    // Looks again which of them exist.
    Q_INVOKABLE void refresh();

    static constexpr int kKept = 12;

Q_SIGNALS:
    void countChanged();

private:
    void save() const;

    QStringList m_paths;
    QStringList m_missing;
    QFutureWatcher<QStringList> m_watcher;
};

} // namespace trainscope::app
