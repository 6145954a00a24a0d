// Several files and folders that are given together: one source tree, and the names of its runs.

#include "app/importing/GivenPaths.h"
#include "core/store/Store.h"
#include "importers/registry/Registry.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::app;

class tst_GivenPaths : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init();
    void oneFolder();
    void filesOfOneFolder();
    void foldersKeepTheirNames();
    void sameNames();
    void archives();
    void missing();
    void filesOfSeveralFolders();
    void runDatabases();
    void namesBelow_data();
    void namesBelow();

private:
    [[nodiscard]] std::string path(const char* name) const {
        return m_folder->filePath(QString::fromUtf8(name)).toStdString();
    }
    [[nodiscard]] std::shared_ptr<const importers::SourceTree> treeOf(
        const std::vector<std::string>& paths) const {
        auto given = openGiven(paths);
        return given.hasValue() && given.value().failures.empty() ? given.value().tree : nullptr;
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

void tst_GivenPaths::write(const char* name) {
    const auto full = m_folder->filePath(QString::fromUtf8(name));
    QVERIFY(QDir().mkpath(QFileInfo(full).path()));
    QFile file(full);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(name);
}

void tst_GivenPaths::init() {
    m_folder = std::make_unique<QTemporaryDir>();
    for (const auto* name : {"a/x.csv", "a/deep/y.csv", "b/a/z.csv", "rank 0.json", "rank 1.json"})
        write(name);
}

void tst_GivenPaths::oneFolder() {
    const auto tree = treeOf({path("a")});
    QVERIFY(tree != nullptr);
    QCOMPARE(pathsOf(*tree), test::texts("deep/y.csv", "x.csv"));
}

void tst_GivenPaths::filesOfOneFolder() {
    const auto tree = treeOf({path("rank 1.json"), path("rank 0.json")});
    QVERIFY(tree != nullptr);
    QCOMPARE(pathsOf(*tree), test::texts("rank 0.json", "rank 1.json"));
    const auto head = importers::readHead(*tree, "rank 1.json", 100);
    QVERIFY(head.hasValue());
    QCOMPARE(head.value(), std::string("rank 1.json"));
    QCOMPARE(tree->displayPath("rank 0.json"), path("rank 0.json"));
}

void tst_GivenPaths::foldersKeepTheirNames() {
    const auto tree = treeOf({path("a"), path("rank 0.json")});
    QVERIFY(tree != nullptr);
    QCOMPARE(pathsOf(*tree), test::texts("a/deep/y.csv", "a/x.csv", "rank 0.json"));
    QCOMPARE(tree->displayPath("a/deep/y.csv"), path("a/deep/y.csv"));
    QCOMPARE(tree->displayPath("a"), path("a"));
    QCOMPARE(tree->displayPath(""), m_folder->path().toStdString());
}

void tst_GivenPaths::sameNames() {
    const auto tree = treeOf({path("a"), path("b/a")});
    QVERIFY(tree != nullptr);
    QCOMPARE(pathsOf(*tree), test::texts("a/deep/y.csv", "a/x.csv", "b/a/z.csv"));
    QCOMPARE(tree->displayPath("b/a/z.csv"), path("b/a/z.csv"));
    QCOMPARE(tree->displayPath(""), m_folder->path().toStdString());
}

// Each is a folder of its members, also beside other files.
void tst_GivenPaths::archives() {
    for (const char* name : {"a", "b"}) {
        QProcess tar;
        tar.start(QStringLiteral("tar"),
            {QStringLiteral("-C"), m_folder->filePath(QLatin1String(name)), QStringLiteral("-czf"),
                m_folder->filePath(QLatin1String(name) + QStringLiteral(".tgz")),
                QStringLiteral(".")});
        QVERIFY(tar.waitForFinished() && tar.exitCode() == 0);
    }
    const auto tree = treeOf({path("a.tgz"), path("rank 0.json"), path("b.tgz")});
    QVERIFY(tree != nullptr);
    QCOMPARE(pathsOf(*tree),
        test::texts("a.tgz/deep/y.csv", "a.tgz/x.csv", "b.tgz/a/z.csv", "rank 0.json"));
    QCOMPARE(importers::readHead(*tree, "a.tgz/deep/y.csv", 99).valueOr({}),
        std::string("a/deep/y.csv"));
    QCOMPARE(importers::readHead(*tree, "b.tgz/a/z.csv", 99).valueOr({}), std::string("b/a/z.csv"));
    QCOMPARE(tree->displayPath("b.tgz/a/z.csv"), path("b.tgz/a/z.csv"));
}

void tst_GivenPaths::missing() {
    const auto given = openGiven({path("a"), path("gone")});
    QVERIFY(given.hasValue());
    QCOMPARE(pathsOf(*given.value().tree).size(), 2);
    QCOMPARE(given.value().failures.size(), std::size_t{1});
    QVERIFY(given.value().failures.front().code == ErrorCode::NotFound);
    QCOMPARE(given.value().failures.front().where, path("gone"));
    const auto none = openGiven({path("gone"), path("gone too")});
    QVERIFY(none.hasValue());
    QVERIFY(none.value().tree->files().empty());
    QCOMPARE(none.value().failures.size(), std::size_t{2});
    QVERIFY(!openGiven({}).hasValue());
}

// Files of several folders lie apart as they do on the disk, and each is there once.
void tst_GivenPaths::filesOfSeveralFolders() {
    const auto tree = treeOf({path("b/a/z.csv"), path("a/deep"), path("a/deep/y.csv")});
    QVERIFY(tree != nullptr);
    QCOMPARE(pathsOf(*tree), test::texts("a/deep/y.csv", "b/a/z.csv"));
    QCOMPARE(tree->displayPath(""), m_folder->path().toStdString());
    QCOMPARE(tree->localPath("b/a/z.csv"), path("b/a/z.csv"));
}

// They are none of the files, of which one was named itself.
void tst_GivenPaths::runDatabases() {
    { QVERIFY(store::Store::openOrCreate(path("b/one.trainscope")).hasValue()); }
    write("damaged.trainscope");
    const auto given = openGiven({path("a"), path("b/one.trainscope"), path("damaged.trainscope")});
    QVERIFY(given.hasValue());
    QCOMPARE(
        pathsOf(*given.value().tree), test::texts("a/deep/y.csv", "a/x.csv", "damaged.trainscope"));
    QCOMPARE(given.value().databases.size(), std::size_t{1});
    const GivenDatabase& one = given.value().databases.front();
    QCOMPARE(one.problem, std::string());
    QVERIFY(one.runs.empty());
    QCOMPARE(given.value().tree->displayPath(one.path), path("b/one.trainscope"));
    const auto alone = openGiven({path("b/one.trainscope")});
    QVERIFY(alone.value().tree->files().empty());
    QCOMPARE(alone.value().tree->displayPath(alone.value().databases.front().path),
        path("b/one.trainscope"));
}

void tst_GivenPaths::namesBelow_data() {
    using Names = std::vector<std::string>;
    using Paths = std::vector<GivenPath>;
    QTest::addColumn<Paths>("paths");
    QTest::addColumn<Names>("planned");
    QTest::addColumn<Names>("named");
    QTest::newRow("a folder alone") << Paths{{"", true}} << Names{"x/m"} << Names{"x/m"};
    QTest::newRow("below each") << Paths{{"north", true}, {"south", true}}
                                << Names{"north/m_1", "south/m_2"} << Names{"m_1", "m_2"};
    QTest::newRow("would meet") << Paths{{"north", true}, {"south", true}}
                                << Names{"north/m", "south/m", "south/k"}
                                << Names{"north/m", "south/m", "k"};
    QTest::newRow("far apart") << Paths{{"x/p/a", true}, {"y/q/a", true}}
                               << Names{"x/p/a/m", "y/q/a/m"} << Names{"p/a/m", "q/a/m"};
    QTest::newRow("the folder itself") << Paths{{"x/job", true}, {"y/log.csv", false}}
                                       << Names{"x/job", "y/power"} << Names{"job", "power"};
    QTest::newRow("above a folder of traces") << Paths{{"x/job/10_kineto", true}, {"y", true}}
                                              << Names{"x/job", "y"} << Names{"job", "y"};
    QTest::newRow("by no path") << Paths{{"x", true}, {"y", true}} << Names{"4711", "x/4711"}
                                << Names{"4711", "x/4711"};
    QTest::newRow("one in the other")
        << Paths{{"a", true}, {"a/b", true}} << Names{"a/c", "a/b/d"} << Names{"c", "d"};
}

void tst_GivenPaths::namesBelow() {
    QFETCH(std::vector<GivenPath>, paths);
    QFETCH(std::vector<std::string>, planned);
    QFETCH(std::vector<std::string>, named);
    GivenPaths given;
    given.paths = paths;
    std::vector<importers::ImportUnit> units;
    for (const std::string& name : planned)
        units.emplace_back().runName = name;
    units.front().notes = {"Part of run \"" + planned.front() + "\"."};
    auto& machine = units.emplace_back();
    machine.machine.emplace().runs = planned;
    nameBelowGiven(given, units);
    QCOMPARE(machine.machine->runs, named);
    for (std::size_t i = 0; i < named.size(); ++i)
        QCOMPARE(units[i].runName, named[i]);
    QCOMPARE(units.front().notes.front(), "Part of run \"" + named.front() + "\".");
}

TRAINSCOPE_TEST(tst_GivenPaths)
#include "tst_GivenPaths.moc"
