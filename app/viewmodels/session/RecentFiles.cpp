#include "app/viewmodels/session/RecentFiles.h"

#include "app/viewmodels/text/Texts.h"

#include <QFileInfo>
#include <QSettings>

#include <algorithm>
#include <utility>

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
    : RowListModel(
        {{"name",
             [](const RecentFile& file) { return shownLine(QFileInfo(file.path).fileName()); }},
            {"path", &RecentFile::path},
            {"folder",
                [](const RecentFile& file) { return shownLine(QFileInfo(file.path).path()); }},
            {"missing", &RecentFile::missing}},
        parent) {
    std::vector<RecentFile> files;
    for (const auto& path : QSettings().value(QLatin1String(kKey)).toStringList())
        files.push_back({path});
    resetRows(std::move(files));
    refresh();
}

QStringList RecentFiles::paths() const {
    return listOf(rows(), &RecentFile::path);
}

void RecentFiles::add(const QString& path) {
    const auto full = QFileInfo(path).absoluteFilePath();
    if (count() > 0 && rows().front().path == full)
        return refresh();
    auto files = rows();
    std::erase_if(files, [&full](const RecentFile& file) { return file.path == full; });
    files.insert(files.begin(), RecentFile{full});
    files.resize(std::min<std::size_t>(files.size(), kKept));
    resetRows(std::move(files));
    save();
    refresh();
}

void RecentFiles::remove(int row) {
    if (!isThere(row))
        return;
    eraseRows(row);
    save();
}

void RecentFiles::clear() {
    resetRows({});
    save();
}

void RecentFiles::refresh() {
    m_task.ask(
        diskThreads(),
        [paths = paths()](const TaskStage<QStringList>&) { return missingOf(paths); },
        [this](const Result<QStringList>& missing) {
            auto files = rows();
            for (auto& file : files)
                file.missing = missing.value().contains(file.path);
            setRows(std::move(files));
        });
}

void RecentFiles::save() const {
    QSettings().setValue(QLatin1String(kKey), paths());
}

} // namespace trainscope::app
