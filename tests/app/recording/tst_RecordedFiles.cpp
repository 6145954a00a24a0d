// The files of a recording that goes on: their names, when one is full, and which may go.

#include "app/recording/RecordedFiles.h"
#include "core/store/Recording.h"
#include "core/store/Store.h"
#include "support/TestProgram.h"

#include <sys/stat.h>
#include <unistd.h>

using namespace trainscope;
using namespace trainscope::app;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
// 2026-11-27 20:15:30 UTC
constexpr TimeNs kNow{1'795'810'530 * kSecond};

record::JobDescription jobOf(const std::string& id) {
    record::JobDescription job;
    job.job = id;
    job.host = "node7";
    return job;
}

// A database with a source of that path, written last so many seconds ago.
void write(const QString& path, const std::string& source, int secondsAgo) {
    {
        auto store = store::Store::openOrCreate(path.toStdString()).value();
        Run run;
        run.name = "a";
        auto recording = store::Recording::begin(store, {source, 0, {}, "a"}, run).value();
        QVERIFY(recording->finish({}, {}).hasValue());
    }
    std::filesystem::last_write_time(path.toStdString(),
        std::filesystem::file_time_type::clock::now() - std::chrono::seconds(secondsAgo));
}

} // namespace

class tst_RecordedFiles : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // A file of the user alone; no link, and no file of another.
    void filesForUsers() {
        QTemporaryDir folder;
        const auto path = [&folder](const char* name) {
            return folder.filePath(QString::fromUtf8(name)).toStdString();
        };
        const auto facts = [](const std::string& file) {
            struct stat found { };
            if (::lstat(file.c_str(), &found) != 0)
                QTest::qFail(file.c_str(), __FILE__, __LINE__);
            return found;
        };
        const bool isRoot = ::geteuid() == 0;
        const std::int64_t user = isRoot ? 65534 : ::geteuid();
        QVERIFY(makeFileFor(user, path("new")).hasValue());
        QCOMPARE(facts(path("new")).st_mode, mode_t{S_IFREG | 0600});
        QCOMPARE(facts(path("new")).st_uid, static_cast<uid_t>(user));
        QVERIFY(makeFileFor(user, path("new")).hasValue()); // goes on with it
        QFile victim(folder.filePath(QStringLiteral("victim")));
        QVERIFY(victim.open(QIODevice::WriteOnly));
        victim.close();
        const auto before = facts(path("victim"));
        QCOMPARE(::symlink("victim", path("link").c_str()), 0);
        QCOMPARE(::link(path("victim").c_str(), path("hard").c_str()), 0);
        QCOMPARE(::mkfifo(path("pipe").c_str(), 0600), 0);
        for (const char* name : {"link", "hard", "pipe", "absent/x"})
            QCOMPARE(makeFileFor(user, path(name)).error().code, ErrorCode::Refused);
        QCOMPARE(facts(path("victim")).st_uid, before.st_uid);
        QCOMPARE(facts(path("victim")).st_mode, before.st_mode);
        // Two users have jobs of one name: what is written of one is no file of the other.
        QVERIFY(victim.open(QIODevice::WriteOnly) && victim.write("samples") == 7);
        victim.close();
        QVERIFY(QFile::remove(folder.filePath(QStringLiteral("hard"))));
        QVERIFY(makeFileFor(::geteuid(), path("victim")).hasValue());
        for (const char* name : {"new", "victim"}) {
            if (isRoot)
                QCOMPARE(makeFileFor(1, path(name)).error().code, ErrorCode::Refused);
        }
    }

    void foldersOfRoot() {
        if (::geteuid() != 0)
            QSKIP("SKIPPED: only root has folders of root");
        QTemporaryDir folder; // in /tmp, where others may write beside what is theirs
        const std::string own = folder.path().toStdString();
        const std::string inside = own + "/inside";
        QCOMPARE(::mkdir(inside.c_str(), 0755), 0);
        QVERIFY(requireFolderOfRoot(inside + "/x").hasValue());
        const auto refused = [](const std::string& name) {
            const Status status = requireFolderOfRoot(name + "/x");
            return !status.hasValue() && status.error().code == ErrorCode::Refused;
        };
        QVERIFY(refused(own + "/absent"));
        QVERIFY(refused("/tmp"));
        QCOMPARE(::chmod(inside.c_str(), 0775), 0);
        QVERIFY(refused(inside));
        QCOMPARE(::chmod(inside.c_str(), 0755), 0);
        QCOMPARE(::chmod(own.c_str(), 0777), 0); // it can be replaced
        QVERIFY(refused(inside));
        QCOMPARE(::chmod(own.c_str(), 0755), 0);
        QCOMPARE(::chown(inside.c_str(), 65534, 65534), 0);
        QVERIFY(refused(inside));
    }

    void rules() {
        QCOMPARE(RotationRule::parse("24h").value().age.ns, 86'400 * kSecond);
        QCOMPARE(RotationRule::parse("7d").value().age.ns, 604'800 * kSecond);
        QCOMPARE(RotationRule::parse("90m").value().age.ns, 5'400 * kSecond);
        QCOMPARE(RotationRule::parse("500MB").value().bytes, std::uint64_t{500'000'000});
        QCOMPARE(RotationRule::parse("2 GiB").value().bytes, std::uint64_t{2'147'483'648});
        for (const char* wrong : {"", "7", "h", "0s", "-1h", "1MB", "nan h", "5 parsecs"})
            QVERIFY2(!RotationRule::parse(wrong).hasValue(), wrong);
    }

    // A sixteenth of the size is left for the end.
    void fullFiles() {
        const RotationRule size = RotationRule::parse("16MB").value();
        QVERIFY(!size.isFull(kNow, kNow, 14'999'999));
        QVERIFY(size.isFull(kNow, kNow, 15'000'000));
        const RotationRule age = RotationRule::parse("10s").value();
        QVERIFY(!age.isFull(kNow, {kNow.ns + 10 * kSecond - 1}, 1U << 30U));
        QVERIFY(age.isFull(kNow, {kNow.ns + 10 * kSecond}, 0));
        QVERIFY(!RotationRule().isFull(kNow, {kNow.ns + 1000 * kSecond}, 1U << 30U));
    }

    void names() {
        QTemporaryDir folder;
        const std::string root = folder.path().toStdString() + "/";
        const auto next = [&root](const std::string& pattern, const std::string& job) {
            return RecordedFiles(root + pattern).next(jobOf(job), kNow).substr(root.size());
        };
        QCOMPARE(next("a.trainscope", ""), std::string("a-0001.trainscope"));
        QCOMPARE(next("%h-%d.trainscope", ""), std::string("node7-20261127-201530.trainscope"));
        QCOMPARE(next("%j-%n.trainscope", "x/9"), std::string("x-9-0-0001.trainscope"));
        for (const char* there : {"a-0001.trainscope", "a-0041.trainscope", "a-b.trainscope",
                 "b-0077.trainscope", "node7-20261127-201530.trainscope"})
            QVERIFY(QFile(folder.filePath(QString::fromUtf8(there))).open(QIODevice::WriteOnly));
        QCOMPARE(next("a.trainscope", ""), std::string("a-0042.trainscope"));
        QCOMPARE(
            next("%h-%d.trainscope", ""), std::string("node7-20261127-201530-0002.trainscope"));
    }

    // Those alone that are old, are named so, and hold recordings and nothing else.
    void oldOnes() {
        QTemporaryDir folder;
        const auto in
            = [&folder](const char* name) { return folder.filePath(QString::fromUtf8(name)); };
        write(in("1-0.trainscope"), "record:node7:0:1", 100);
        write(in("2-0.trainscope"), "record:node7:0:2", 10);
        write(in("3-0.trainscope"), "/data/trace.json", 100);
        write(in("4-0.trainscope"), "record:node7:0:4", 100);
        write(in("other.trainscope"), "record:node7:0:5", 100);
        QVERIFY(QFile(in("5-0.trainscope")).open(QIODevice::WriteOnly)); // none of ours
        std::filesystem::last_write_time(in("5-0.trainscope").toStdString(),
            std::filesystem::file_time_type::clock::now() - std::chrono::seconds(100));
        const RecordedFiles files(in("%j-%n.trainscope").toStdString());
        const auto removed = files.removeOlder(
            {60 * kSecond}, jobOf("9"), wallClock(), in("4-0.trainscope").toStdString());
        QCOMPARE(removed.files, std::vector<std::string>{in("1-0.trainscope").toStdString()});
        QCOMPARE(removed.left.size(), 2U);
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files, QDir::Name),
            test::texts("2-0.trainscope", "3-0.trainscope", "4-0.trainscope", "5-0.trainscope",
                "other.trainscope"));
    }
};

TRAINSCOPE_TEST(tst_RecordedFiles)
#include "tst_RecordedFiles.moc"
