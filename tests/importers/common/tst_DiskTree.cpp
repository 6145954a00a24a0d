// Folders on disk: nesting, order, links, pipes, folders without permission.

#include "core/store/Store.h"
#include "importers/common/Source.h"
#include "support/TestProgram.h"

#include <sys/stat.h>
#include <unistd.h>

using namespace trainscope::importers;

class tst_DiskTree : public QObject {
    Q_OBJECT

    static void write(const QString& path, const QByteArray& content) {
        QVERIFY(QFileInfo(path).dir().mkpath(QStringLiteral(".")));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(content), qint64{content.size()});
    }

    static QStringList listed(const SourceTree& tree, bool withProblem) {
        QStringList paths;
        for (const SourceFile& file : tree.files()) {
            if (file.problem.empty() != withProblem)
                paths << QString::fromStdString(file.path);
        }
        return paths;
    }

private Q_SLOTS:
    void listsAllSorted() {
        const QTemporaryDir folder;
        write(folder.filePath(QStringLiteral("b/z.csv")), "12345");
        write(folder.filePath(QStringLiteral("b/a/deep.csv")), "");
        write(folder.filePath(QStringLiteral("a.csv")), "1");
        write(folder.filePath(QStringLiteral(".hydra/config.yaml")), "x: 1");
        const auto tree = openDiskTree(folder.path().toStdString() + "/./");
        QVERIFY(tree.hasValue());
        QCOMPARE(listed(*tree.value(), false).join(u' '),
            QStringLiteral(".hydra/config.yaml a.csv b/a/deep.csv b/z.csv"));
        QCOMPARE(tree.value()->files()[3].size, std::uint64_t{5});
        QCOMPARE(tree.value()->displayPath("a.csv"),
            folder.filePath(QStringLiteral("a.csv")).toStdString());
        QCOMPARE(tree.value()->displayPath(""), folder.path().toStdString());
        QCOMPARE(readHead(*tree.value(), "b/z.csv", 3).valueOr({}), std::string("123"));
    }

    void singleFile() {
        const QTemporaryDir folder;
        write(folder.filePath(QStringLiteral("one.csv")), "abc");
        write(folder.filePath(QStringLiteral("two.csv")), "abc");
        const auto tree = openDiskTree(folder.filePath(QStringLiteral("one.csv")).toStdString());
        QVERIFY(tree.hasValue());
        QCOMPARE(listed(*tree.value(), false), trainscope::test::texts("one.csv"));
        QCOMPARE(readHead(*tree.value(), "one.csv", 9).valueOr({}), std::string("abc"));
        QCOMPARE(tree.value()->displayPath(""), folder.path().toStdString());
    }

    void loopsAndDanglingLinksAreListedOnce() {
        const QTemporaryDir folder;
        write(folder.filePath(QStringLiteral("real/x.csv")), "1");
        QVERIFY(QFile::link(folder.path(), folder.filePath(QStringLiteral("real/up"))));
        QVERIFY(QFile::link(
            folder.filePath(QStringLiteral("real")), folder.filePath(QStringLiteral("again"))));
        QVERIFY(QFile::link(
            QStringLiteral("/nowhere/at/all"), folder.filePath(QStringLiteral("gone"))));
        QVERIFY(QFile::link(
            folder.filePath(QStringLiteral("self")), folder.filePath(QStringLiteral("self"))));
        const auto tree = openDiskTree(folder.path().toStdString());
        QVERIFY(tree.hasValue());
        QCOMPARE(listed(*tree.value(), false), trainscope::test::texts("real/x.csv"));
        QCOMPARE(listed(*tree.value(), true).join(u' '), QStringLiteral("again gone real/up self"));
    }

    // One of them may be the database that is open.
    void runDatabasesAreLeftAlone() {
        const QTemporaryDir folder;
        for (const char* name : {"a.trainscope", "a.trainscope-wal", "a.trainscope-shm",
                 "a.trainscope-journal", "a.trainscope.csv", "trainscope"})
            write(folder.filePath(QString::fromLatin1(name)), "1");
        const auto tree = openDiskTree(folder.path().toStdString());
        QVERIFY(tree.hasValue());
        QCOMPARE(
            listed(*tree.value(), false).join(u' '), QStringLiteral("a.trainscope.csv trainscope"));
    }

    // Whatever it is called: opening and closing it would give up the locks on it.
    void whatIsOpenIsLeftAlone() {
        QTemporaryDir folder;
        write(folder.filePath(QStringLiteral("b.csv")), "1");
        auto store = trainscope::store::Store::openOrCreate(
            folder.filePath(QStringLiteral("runs.db")).toStdString());
        QVERIFY(store.hasValue());
        QFile::link(
            folder.filePath(QStringLiteral("runs.db")), folder.filePath(QStringLiteral("latest")));
        QVERIFY(QFile::exists(folder.filePath(QStringLiteral("runs.db-shm"))));
        const auto tree = openDiskTree(folder.path().toStdString());
        QVERIFY(tree.hasValue());
        QCOMPARE(listed(*tree.value(), false).join(u' '), QStringLiteral("b.csv"));
    }

    void linkedFolderOutsideIsFollowed() {
        const QTemporaryDir elsewhere;
        write(elsewhere.filePath(QStringLiteral("y.csv")), "1");
        const QTemporaryDir folder;
        QVERIFY(QFile::link(elsewhere.path(), folder.filePath(QStringLiteral("linked"))));
        const auto tree = openDiskTree(folder.path().toStdString());
        QVERIFY(tree.hasValue());
        QCOMPARE(listed(*tree.value(), false), trainscope::test::texts("linked/y.csv"));
    }

    void pipesAreNotRead() {
        const QTemporaryDir folder;
        const std::string pipe = folder.filePath(QStringLiteral("pipe.csv")).toStdString();
        QCOMPARE(mkfifo(pipe.c_str(), 0600), 0);
        const auto tree = openDiskTree(folder.path().toStdString());
        QVERIFY(tree.hasValue());
        QCOMPARE(listed(*tree.value(), true), trainscope::test::texts("pipe.csv"));
        QVERIFY(!tree.value()->openRaw("pipe.csv").hasValue());
        QVERIFY(!openDiskTree(pipe).hasValue());
    }

    void withoutPermission() {
        const QTemporaryDir folder;
        write(folder.filePath(QStringLiteral("open.csv")), "1");
        write(folder.filePath(QStringLiteral("secret.csv")), "1");
        write(folder.filePath(QStringLiteral("closed/x.csv")), "1");
        const std::string root = folder.path().toStdString();
        QCOMPARE(chmod((root + "/secret.csv").c_str(), 0), 0);
        QCOMPARE(chmod((root + "/closed").c_str(), 0), 0);
        QCOMPARE(chmod(root.c_str(), 0755), 0);
        // The administrator may read everything: look with another user's eyes.
        const bool isAdministrator = geteuid() == 0;
        if (isAdministrator)
            QCOMPARE(seteuid(65534), 0);
        const auto tree = openDiskTree(root);
        const auto folderAlone = openDiskTree(root + "/closed");
        const auto fileAlone = openDiskTree(root + "/secret.csv");
        if (isAdministrator)
            QCOMPARE(seteuid(0), 0);
        chmod((root + "/closed").c_str(), 0700);
        QVERIFY(tree.hasValue());
        QCOMPARE(listed(*tree.value(), true).join(u' '), QStringLiteral("closed secret.csv"));
        QCOMPARE(listed(*tree.value(), false).join(u' '), QStringLiteral("open.csv"));
        QVERIFY(!folderAlone.hasValue());
        VERIFY_FAILS(fileAlone, "Permission denied");
    }

    void whatIsNotThere() {
        const auto missing = openDiskTree("/nowhere/at/all");
        QVERIFY(!missing.hasValue());
        QVERIFY(missing.error().code == trainscope::ErrorCode::NotFound);
        VERIFY_SAYS(missing.error().describe(), "/nowhere/at/all");
        QVERIFY(!openDiskTree("").hasValue());
        QVERIFY(!openDiskTree("/dev/null").hasValue());
    }

    void fileThatVanishes() {
        const QTemporaryDir folder;
        write(folder.filePath(QStringLiteral("x.csv")), "1");
        const auto tree = openDiskTree(folder.path().toStdString());
        QVERIFY(QFile::remove(folder.filePath(QStringLiteral("x.csv"))));
        QVERIFY(!tree.value()->open("x.csv").hasValue());
    }
};

TRAINSCOPE_TEST(tst_DiskTree)
#include "tst_DiskTree.moc"
