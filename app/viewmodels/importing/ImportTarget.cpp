#include "app/viewmodels/importing/ImportTarget.h"

#include "app/sample/Sample.h"
#include "app/viewmodels/text/HumanText.h"
#include "app/viewmodels/text/Texts.h"
#include "core/model/InteractiveThread.h"
#include "core/store/WriteCheck.h"
#include "core/store/database/StoreFile.h"

#include <QDir>
#include <QFileInfo>
#include <QStandardPaths>

namespace trainscope::app {

namespace {

QString baseName(const QFileInfo& source) {
    if (source.isDir())
        return source.fileName().isEmpty() ? QStringLiteral("runs") : shownLine(source.fileName());
    auto name = source.fileName();
    for (const auto* suffix : {".gz", ".zst", ".json", ".pt.trace", ".csv", ".txt", ".log"}) {
        if (name.endsWith(QLatin1String(suffix), Qt::CaseInsensitive))
            name.chop(static_cast<qsizetype>(qstrlen(suffix)));
    }
    return name.isEmpty() ? QStringLiteral("runs") : shownLine(name);
}

} // namespace

QString suggestedDatabase(const QStringList& sources) {
    assertMayBlock("looks for a folder that can be written");
    const QFileInfo first(QDir::cleanPath(sources.first()));
    // A run database goes into another one.
    const bool isMerge = store::StoreFile(first.filePath().toStdString()).isRunDatabase();
    const auto name = isMerge ? QStringLiteral("merged.trainscope")
                              : QStringLiteral("%1.trainscope").arg(baseName(first));
    if (QFileInfo(first.path()).isWritable())
        return QDir(first.path()).filePath(name);
    const auto documents = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    const bool usable = QFileInfo(documents).isWritable();
    return QDir(usable ? documents : QDir::homePath()).filePath(name);
}

namespace {

bool isSample(const QString& database) {
    const auto sample = sampleDatabase();
    return sample.hasValue()
        && QFileInfo(QString::fromStdString(sample.value().string())) == QFileInfo(database);
}

// A database is a quarter of the text that it is made of, or less.
constexpr std::uint64_t kSourcePerDatabase = 4;

TargetCheck writingInto(const QString& database, std::uint64_t sourceBytes) {
    if (database.trimmed().isEmpty())
        return {QStringLiteral("Say which database takes the runs.")};
    if (QFileInfo(database).isRelative())
        return {QStringLiteral("Give the whole path of the database, from /.")};
    if (isSample(database))
        return {QStringLiteral("The built-in sample takes no runs.")};
    const std::filesystem::path path = database.toStdString();
    if (const Status status = store::checkWritable(path); !status.hasValue())
        return {shownText(status.error().message)};
    const auto room = store::freeSpaceAt(path.parent_path());
    if (room && *room < sourceBytes / kSourcePerDatabase)
        return {{}, QStringLiteral("Only %1 are free on its disk.").arg(bytesText(*room))};
    return {};
}

} // namespace

bool canAddTo(const QString& database) {
    assertMayBlock("asks whether a database can be written");
    const QFileInfo file(database);
    return file.isWritable() && QFileInfo(file.path()).isWritable() && !isSample(database);
}

TargetCheck checkTarget(const QString& database, std::uint64_t sourceBytes) {
    assertMayBlock("asks whether a database can be written");
    TargetCheck check = writingInto(database, sourceBytes);
    check.exists = QFileInfo::exists(database);
    return check;
}

TargetAnswer answerOf(const TargetQuestion& question) {
    TargetAnswer answer;
    answer.canUseOpen = !question.openDatabase.isEmpty() && canAddTo(question.openDatabase);
    const bool isOpen = question.prefersOpen && answer.canUseOpen;
    answer.target
        = checkTarget(isOpen ? question.openDatabase : question.newDatabase, question.sourceBytes);
    return answer;
}

} // namespace trainscope::app
