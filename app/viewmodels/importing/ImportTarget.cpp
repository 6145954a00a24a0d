#include "app/viewmodels/importing/ImportTarget.h"

#include "app/sample/Sample.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

namespace trainscope::app {

namespace {

QString baseName(const QFileInfo& source) {
    if (source.isDir())
        return source.fileName().isEmpty() ? QStringLiteral("runs") : source.fileName();
    auto name = source.fileName();
    for (const auto* suffix : {".gz", ".zst", ".json", ".pt.trace", ".csv", ".txt", ".log"}) {
        if (name.endsWith(QLatin1String(suffix), Qt::CaseInsensitive))
            name.chop(static_cast<qsizetype>(qstrlen(suffix)));
    }
    return name.isEmpty() ? QStringLiteral("runs") : name;
}

} // namespace

QString suggestedDatabase(const QStringList& sources) {
    const QFileInfo first(QDir::cleanPath(sources.first()));
    const auto name = QStringLiteral("%1.trainscope").arg(baseName(first));
    if (QFileInfo(first.path()).isWritable())
        return QDir(first.path()).filePath(name);
    const auto documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    const bool usable = QFileInfo(documents).isWritable();
    return QDir(usable ? documents : QDir::homePath()).filePath(name);
}

bool canAddTo(const QString& database) {
    const QFileInfo file(database);
    if (!file.isWritable() || !QFileInfo(file.path()).isWritable())
        return false;
    const auto sample = sampleDatabase();
    return !sample.hasValue() || QFileInfo(QString::fromStdString(sample.value().string())) != file;
}

} // namespace trainscope::app
