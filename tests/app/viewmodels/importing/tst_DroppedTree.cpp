// Several dropped files and folders as one source tree.

#include "app/viewmodels/importing/DroppedTree.h"
#include "support/TestProgram.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace trainscope;
using namespace trainscope::app;

class tst_DroppedTree : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void oneFolder();
    void filesOfOneFolder();
    void foldersKeepTheirNames();
    void sameNames();
    void archives();
    void missing();

private:
    [[nodiscard]] std::filesystem::path path(const char* name) const {
        return m_folder->filePath(QString::fromUtf8(name)).toStdString();
    }
    void write(const char* name);
    std::unique_ptr<QTemporaryDir> m_folder;
};

static QStringList pathsOf(const importers::SourceTree& tree) {
    QStringList paths;
    for (const auto& file : tree.files())
        paths.append(QString::fromStdString(file.path));
    return paths;
}

void tst_DroppedTree::write(const char* name) {
    const auto full = m_folder->filePath(QString::fromUtf8(name));
    QVERIFY(QDir().mkpath(QFileInfo(full).path()));
    QFile file(full);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(name);
}

void tst_DroppedTree::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    for (const auto* name : {"a/x.csv", "a/deep/y.csv", "b/a/z.csv", "rank 0.json", "rank 1.json"})
        write(name);
}

void tst_DroppedTree::oneFolder() {
    const auto tree = openDropped({path("a")});
    QVERIFY(tree.hasValue());
    QCOMPARE(pathsOf(*tree.value()),
        (QStringList{QStringLiteral("deep/y.csv"), QStringLiteral("x.csv")}));
}

void tst_DroppedTree::filesOfOneFolder() {
    const auto tree = openDropped({path("rank 1.json"), path("rank 0.json")});
    QVERIFY(tree.hasValue());
    QCOMPARE(pathsOf(*tree.value()),
        (QStringList{QStringLiteral("rank 0.json"), QStringLiteral("rank 1.json")}));
    const auto head = importers::readHead(*tree.value(), "rank 1.json", 100);
    QVERIFY(head.hasValue());
    QCOMPARE(head.value(), std::string("rank 1.json"));
    QCOMPARE(tree.value()->displayPath("rank 0.json"), path("rank 0.json").string());
}

void tst_DroppedTree::foldersKeepTheirNames() {
    const auto tree = openDropped({path("a"), path("rank 0.json")});
    QVERIFY(tree.hasValue());
    QCOMPARE(pathsOf(*tree.value()),
        (QStringList{QStringLiteral("a/deep/y.csv"), QStringLiteral("a/x.csv"),
            QStringLiteral("rank 0.json")}));
    QCOMPARE(tree.value()->displayPath("a/deep/y.csv"), path("a/deep/y.csv").string());
    QCOMPARE(tree.value()->displayPath("a"), path("a").string());
    QCOMPARE(tree.value()->displayPath(""), m_folder->path().toStdString());
}

void tst_DroppedTree::sameNames() {
    const auto tree = openDropped({path("a"), path("b/a")});
    QVERIFY(tree.hasValue());
    QCOMPARE(pathsOf(*tree.value()),
        (QStringList{QStringLiteral("a/deep/y.csv"), QStringLiteral("a/x.csv"),
            QStringLiteral("b/a/z.csv")}));
    QCOMPARE(tree.value()->displayPath("b/a/z.csv"), path("b/a/z.csv").string());
    QCOMPARE(tree.value()->displayPath(""), m_folder->path().toStdString());
}

// Each is a folder of its members, also beside other files.
void tst_DroppedTree::archives() {
    for (const char* name : {"a", "b"}) {
        QProcess tar;
        tar.start(QStringLiteral("tar"),
            {QStringLiteral("-C"), m_folder->filePath(QLatin1String(name)), QStringLiteral("-czf"),
                m_folder->filePath(QLatin1String(name) + QStringLiteral(".tgz")),
                QStringLiteral(".")});
        QVERIFY(tar.waitForFinished() && tar.exitCode() == 0);
    }
    const auto tree = openDropped({path("a.tgz"), path("rank 0.json"), path("b.tgz")});
    QVERIFY(tree.hasValue());
    QCOMPARE(pathsOf(*tree.value()),
        (QStringList{QStringLiteral("a.tgz/deep/y.csv"), QStringLiteral("a.tgz/x.csv"),
            QStringLiteral("b.tgz/a/z.csv"), QStringLiteral("rank 0.json")}));
    QCOMPARE(importers::readHead(*tree.value(), "a.tgz/deep/y.csv", 99).valueOr({}),
        std::string("a/deep/y.csv"));
    QCOMPARE(importers::readHead(*tree.value(), "b.tgz/a/z.csv", 99).valueOr({}),
        std::string("b/a/z.csv"));
    QCOMPARE(tree.value()->displayPath("b.tgz/a/z.csv"), path("b.tgz/a/z.csv").string());
}

void tst_DroppedTree::missing() {
    const auto tree = openDropped({path("a"), path("gone")});
    QVERIFY(tree.hasValue());
    const auto& files = tree.value()->files();
    QCOMPARE(files.size(), std::size_t{3}); // two in the folder, and the one that is gone
    const auto gone = std::find_if(files.begin(), files.end(),
        [](const auto& file) { return file.path.find("gone") != std::string::npos; });
    QVERIFY(gone != files.end());
    QVERIFY(!gone->problem.empty());
    QVERIFY(!openDropped({path("gone"), path("gone too")}).hasValue());
    QVERIFY(!openDropped({}).hasValue());
}

TRAINSCOPE_TEST(tst_DroppedTree)
#include "tst_DroppedTree.moc"
