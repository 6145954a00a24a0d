#include "app/viewmodels/session/RecentFiles.h"

#include <QFileInfo>
#include <QSettings>
#include <QtConcurrent>

namespace trainscope::app {

namespace {

constexpr auto kKey = "recentFiles";

QStringList missingOf(const QStringList& paths) {
    QStringList missing;
    for (const auto& path : paths) {
        if (!QFileInfo::exists(path))
            missing.append(path);
    }
    return missing;
}

} // namespace

RecentFiles::RecentFiles(QObject* parent)
    : QAbstractListModel(parent)
    , m_paths(QSettings().value(QLatin1String(kKey)).toStringList()) {
    connect(&m_watcher, &QFutureWatcher<QStringList>::finished, this, [this] {
        if (m_watcher.future().resultCount() == 0)
            return;
        m_missing = m_watcher.result();
        if (!m_paths.isEmpty())
            Q_EMIT dataChanged(index(0), index(count() - 1), {MissingRole});
    });
    refresh();
}

RecentFiles::~RecentFiles() = default;

int RecentFiles::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : count();
}

QVariant RecentFiles::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const auto& path = m_paths[index.row()];
    switch (role) {
    case PathRole:
        return path;
    case NameRole:
        return QFileInfo(path).fileName();
    case FolderRole:
        return QFileInfo(path).path();
    case MissingRole:
        return m_missing.contains(path);
    default:
        return {};
    }
}

QHash<int, QByteArray> RecentFiles::roleNames() const {
    return {
        {PathRole, "path"}, {NameRole, "name"}, {FolderRole, "folder"}, {MissingRole, "missing"}};
}

void RecentFiles::add(const QString& path) {
    const auto full = QFileInfo(path).absoluteFilePath();
    if (!m_paths.isEmpty() && m_paths.first() == full)
        return;
    beginResetModel();
    m_paths.removeAll(full);
    m_paths.prepend(full);
    while (m_paths.size() > kKept)
        m_paths.removeLast();
    endResetModel();
    save();
    Q_EMIT countChanged();
    refresh();
}

void RecentFiles::remove(int row) {
    if (row < 0 || row >= count())
        return;
    beginRemoveRows({}, row, row);
    m_paths.removeAt(row);
    endRemoveRows();
    save();
    Q_EMIT countChanged();
}

void RecentFiles::clear() {
    beginResetModel();
    m_paths.clear();
    endResetModel();
    save();
    Q_EMIT countChanged();
}

void RecentFiles::refresh() {
    m_watcher.setFuture(QtConcurrent::run(missingOf, m_paths));
}

void RecentFiles::save() const {
    QSettings().setValue(QLatin1String(kKey), m_paths);
}

} // namespace trainscope::app
