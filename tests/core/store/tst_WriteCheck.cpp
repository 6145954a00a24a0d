// A database's being writable is told before anything is written: by folder, file and lock.

#include "core/store/Fixture.h"
#include "core/store/Writing.h"
#include "core/store/database/Database.h"
#include "core/store/database/Schema.h"
#include "core/store/database/StoreFile.h"
#include "support/TestProgram.h"

#include <QDir>
#include <QFile>
#include <QObject>

#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace trainscope;
using namespace trainscope::store;
using namespace trainscope::test;

namespace {

std::string refusalOf(const std::filesystem::path& path) {
    const Status status = checkWritable(path);
    return status.hasValue() ? std::string() : status.error().message;
}

bool says(const std::filesystem::path& path, std::string_view words) {
    return refusalOf(path).find(words) != std::string::npos;
}

QStringList filesOf(const Fixture& fixture) {
    return QDir(fixture.folder.path()).entryList(QDir::Files, QDir::Name);
}

} // namespace

class tst_WriteCheck : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void newAndExisting() {
        Fixture fixture;
        QCOMPARE(refusalOf(fixture.path), std::string());
        QVERIFY(filesOf(fixture).isEmpty());
        (void)fixture.create();
        const QStringList before = filesOf(fixture);
        QCOMPARE(refusalOf(fixture.path), std::string());
        QCOMPARE(filesOf(fixture), before);
    }

    void folders() {
        const Fixture fixture;
        const auto root = fixture.path.parent_path();
        QVERIFY(says(root / "no" / "where.trainscope", "There is no folder"));
        QVERIFY(
            checkWritable(root / "no" / "where.trainscope").error().code == ErrorCode::NotFound);
        QVERIFY(says(root, "This is a folder"));
    }

    void otherFiles() {
        const Fixture fixture;
        QFile picture(QString::fromStdString(fixture.path.string()));
        QVERIFY(picture.open(QIODevice::WriteOnly));
        picture.write(QByteArray("\xff\xd8\xff\xe0 JFIF", 9));
        picture.close();
        QVERIFY(says(fixture.path, "a JPEG picture"));
        QVERIFY(says(fixture.path / "below.trainscope", "cannot be reached")
            || says(fixture.path / "below.trainscope", "a file, not a folder"));
    }

    void newerVersion() {
        Fixture fixture;
        (void)fixture.create();
        {
            Database raw = got(Database::open(StoreFile(fixture.path), SQLITE_OPEN_READWRITE));
            ok(raw.script("PRAGMA user_version=" + std::to_string(schemaVersion() + 1)));
        }
        QVERIFY(says(fixture.path, "newer"));
    }

    // Whoever reads is in nobody's way; whoever writes is.
    void locked() {
        Fixture fixture;
        (void)fixture.create();
        const Store reader = fixture.view();
        QCOMPARE(refusalOf(fixture.path), std::string());
        Database writer = got(Database::open(StoreFile(fixture.path), SQLITE_OPEN_READWRITE));
        ok(writer.script("BEGIN IMMEDIATE"));
        QVERIFY(says(fixture.path, "Another program is writing"));
        ok(writer.script("ROLLBACK"));
        QCOMPARE(refusalOf(fixture.path), std::string());
    }

    void withoutPermission() {
        if (::getuid() != 0)
            QSKIP("SKIPPED: needs root to become another user");
        Fixture fixture;
        (void)fixture.create();
        ::chmod(fixture.path.c_str(), 0444);
        const auto asNobody = [](auto&& work) {
            const pid_t child = ::fork();
            if (child == 0)
                ::_exit(::setuid(65534) == 0 && work() ? 0 : 1);
            int status = 0;
            ::waitpid(child, &status, 0);
            return WIFEXITED(status) && WEXITSTATUS(status) == 0;
        };
        ::chmod(fixture.folder.path().toUtf8().constData(), 0777);
        QVERIFY(asNobody([&] {
            return says(fixture.path, "The database is read-only: you may not write there.");
        }));
        ::chmod(fixture.folder.path().toUtf8().constData(), 0555);
        QVERIFY(asNobody([&] {
            return says(fixture.path.parent_path() / "new.trainscope",
                "takes no files: you may not write there.");
        }));
        ::chmod(fixture.folder.path().toUtf8().constData(), 0777);
    }
};

TRAINSCOPE_TEST(tst_WriteCheck)
#include "tst_WriteCheck.moc"
