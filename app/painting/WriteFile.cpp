#include "app/painting/WriteFile.h"

#include "core/model/InteractiveThread.h"
#include "core/model/Try.h"
#include "core/store/database/StoreFile.h"

#include <QDir>
#include <QFileInfo>
#include <QLocale>
#include <QSaveFile>
#include <QStorageInfo>

namespace trainscope::app {

namespace {

Error failure(const QString& path, const QString& what) {
    return {ErrorCode::Io, what.toStdString(), path.toStdString()};
}

QString sizeText(qint64 bytes) {
    return QLocale::c().formattedDataSize(bytes, 1, QLocale::DataSizeSIFormat);
}

// Qt forgets why a write failed when it takes the temporary file away.
Error writeFailure(const QString& path, const QString& folder, qint64 bytes) {
    QStorageInfo disk(folder);
    if (disk.isValid() && disk.bytesAvailable() >= 0 && disk.bytesAvailable() < bytes)
        return failure(path,
            QStringLiteral("The disk is full: %1 are needed and %2 are free. Nothing was changed.")
                .arg(sizeText(bytes), sizeText(disk.bytesAvailable())));
    return failure(path,
        QStringLiteral("Writing %1 failed, perhaps for a quota or a lost connection; nothing was "
                       "changed. Choose another folder.")
            .arg(sizeText(bytes)));
}

} // namespace

Status writeFile(const QString& path, const QByteArray& bytes) {
    assertMayBlock("writes a file");
    const QFileInfo target(path);
    if (path.isEmpty())
        return Error{ErrorCode::Usage, "Choose a file to write to.", {}};
    if (target.isDir())
        return failure(path, QStringLiteral("This is a folder; give the name of a file."));
    const QDir folder = target.absoluteDir();
    if (!folder.exists())
        return failure(path,
            QStringLiteral("The folder %1 does not exist; create it first.").arg(folder.path()));
    RETURN_IF_ERROR(store::checkReplaceable(path.toStdString()));
    if (target.exists() && !target.isWritable())
        return failure(
            path, QStringLiteral("The file is write-protected; choose another name or folder."));
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return failure(path,
            QStringLiteral("The file cannot be written (%1); choose another folder.")
                .arg(file.errorString()));
    if (file.write(bytes) != bytes.size() || !file.commit())
        return writeFailure(path, folder.path(), bytes.size());
    return {};
}

} // namespace trainscope::app
