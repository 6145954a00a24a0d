#include "app/painting/WriteFile.h"

#include <QDir>
#include <QFileInfo>
#include <QSaveFile>

namespace trainscope::app {

namespace {

Error failure(const QString& path, const QString& what) {
    return {ErrorCode::Io, what.toStdString(), path.toStdString()};
}

} // namespace

Status writeFile(const QString& path, const QByteArray& bytes) {
    const QFileInfo target(path);
    if (path.isEmpty())
        return Error{ErrorCode::Usage, "Choose a file to write to.", {}};
    if (target.isDir())
        return failure(path, QStringLiteral("This is a folder; give the name of a file."));
    const QDir folder = target.absoluteDir();
    if (!folder.exists())
        return failure(path,
            QStringLiteral("The folder %1 does not exist; create it first.").arg(folder.path()));
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return failure(path,
            QStringLiteral("The file cannot be written (%1); choose another folder.")
                .arg(file.errorString()));
    if (file.write(bytes) != bytes.size() || !file.commit())
        return failure(path,
            QStringLiteral("Writing failed (%1); nothing was changed. Is the disk full?")
                .arg(file.errorString()));
    return {};
}

} // namespace trainscope::app
