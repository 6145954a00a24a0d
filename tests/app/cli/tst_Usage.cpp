// Exit statuses and messages for wrong arguments and databases that must be refused.

#include "app/cli/console/Interrupt.h"
#include "core/store/database/Database.h"
#include "core/store/database/StoreFile.h"
#include "support/RunCli.h"
#include "support/TestProgram.h"

#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

using namespace trainscope::test;

class tst_Usage : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void wrongArguments_data() {
        const auto row = columns<std::vector<std::string>>("arguments");
        using A = std::vector<std::string>;
        row("nothing", A{});
        row("unknown command", A{"frobnicate"});
        row("unknown option", A{"info", "x.trainscope", "--frobnicate"});
        row("import without database", A{"import", "folder"});
        row("import without source", A{"import", "--into", "x.trainscope"});
        row("query without SQL", A{"query", "x.trainscope"});
        row("figure of no kind", A{"figure", "x.trainscope", "--kind", "pie", "--out", "x.pdf"});
        row("width out of range", A{"figure", "x.trainscope", "--width-mm", "0", "--out", "x.pdf"});
        row("unknown format",
            A{"import", smallLog().toStdString(), "--into", "x.trainscope", "--format", "pie"});
    }

    void wrongArguments() {
        QFETCH(std::vector<std::string>, arguments);
        const auto ran = runCli(arguments);
        QCOMPARE(ran.status, 2);
        QVERIFY(ran.out.empty());
        QVERIFY(!ran.err.empty());
    }

    // Numbers, clusters and questions that make no sense.
    void valuesThatMakeNoSense_data() {
        QTest::addColumn<std::vector<std::string>>("arguments");
        QTest::addColumn<std::string>("says");
        using A = std::vector<std::string>;
        const auto row = [](const char* name, const A& arguments, const char* says) {
            QTest::newRow(name) << arguments << std::string(says);
        };
        const std::string database = madeDatabase();
        row("unknown command", {"sumary"}, "no command \"sumary\"");
        row("unknown format before an unknown path",
            {"import", "/nowhere", "--into", "x.trainscope", "--format", "pie"}, "\"pie\"");
        row("no number", {"cluster", database, "--network-gbps", "nan"}, "\"nan\"");
        row("negative", {"layout", database, "--traffic", "--rank", "-1"}, "\"-1\"");
        row("beyond all time",
            {"kernels", database, "--run", "job", "--from", "1767268810000000000"}, "--from");
        row("not a time", {"kernels", database, "--run", "job", "--to", "nan"}, "--to");
        const auto cluster = [](const char* text) {
            return A{"predict", "--model", "llama3-8b", "--cluster", text, "--global-batch", "64"};
        };
        for (const char* text : {"4x-8xH200", "-4x8xH200", "-1xH200", "fooxH200", "8x"})
            row(text, cluster(text), "is no cluster");
        A stack = cluster("8xH100");
        stack.insert(stack.end(), {"--stack", "bogus"});
        row("unknown stack", stack, "bogus");
        // Options that would be ignored silently.
        const auto predict = [&cluster](std::initializer_list<const char*> more) {
            A arguments = cluster("8xH100");
            arguments.insert(arguments.end(), more.begin(), more.end());
            return arguments;
        };
        row("an objective of one layout", predict({"--objective", "energy"}), "--search");
        row("the best of one layout", predict({"--top", "3"}), "--search");
        row("the name of no run", predict({"--name", "a"}), "--into");
        row("the run of no database", predict({"--run", "a"}), "--from");
        row("a run of two clusters",
            predict({"--search", "--cluster", "8xA100", "--into", "never.trainscope"}), "--into");
        row("a limit that counts nowhere", {"summary", database, "--power-limit", "400"},
            "--detail");
        row("no limit", {"summary", database, "--detail", "--power-limit", "-5"}, "\"-5\"");
        row("each GPU, as text", {"summary", database, "--detail", "--per-gpu"}, "--json");
        row("a list that saves", {"compare", database, "--list", "--save", "a"}, "--list");
        const A engine{
            "import", "prom+http://localhost:1", "--from", "-1h", "--into", "never.trainscope"};
        for (const A& more : {A{"--format", "nvsmi"}, A{"--utc-offset", "+8"}, A{"--start", "5"},
                 A{"--link", "--step", "15s"}}) {
            A arguments = engine;
            arguments.insert(arguments.end(), more.begin(), more.end());
            row(more.back().c_str(), arguments, more.front().c_str());
        }
        for (const char* zone : {"100", "+8:07", "+19", "--8", "Mars"})
            row(zone, {"import", "x.csv", "--into", "never.trainscope", "--utc-offset", zone},
                "--utc-offset");
        row("no layouts", {"predict", "--search", "--top", "0"}, "'0'");
        row("a table beside a search", {"predict", "--table", "t.csv", "--search"}, "--table");
        row("nothing asked", {"query", database, "-- a remark"}, "SELECT");
        row("two answers", {"query", database, "SELECT 1; SELECT 2", "--json"}, "one statement");
        row("no name", {"import", "x.csv", "--into", ""}, "--into");
        row("of an engine", {"import", "x.csv", "--into", "y.trainscope", "--tenant", "t"},
            "engine");
        row("no command there", {"record", "--into", "never.trainscope", "--", "no-such-program"},
            "no-such-program");
        row("control characters", {"info", database, "a\x1b[31mb"}, "\u241b");
    }

    void valuesThatMakeNoSense() {
        QFETCH(std::vector<std::string>, arguments);
        QFETCH(std::string, says);
        const auto ran = runCli(arguments);
        QCOMPARE(ran.status, 2);
        VERIFY_SAYS(ran.err, says);
        QVERIFY2(ran.err.size() < 600, ran.err.c_str());
        QVERIFY(!QFile::exists(QStringLiteral("never.trainscope")));
    }

    // The log says noon.
    void zones_data() {
        // ahead: s
        const auto row = columns<std::int64_t>("ahead");
        constexpr std::int64_t kHour = 3600;
        row("+08:00", 8 * kHour);
        row("+0800", 8 * kHour);
        row("+8", 8 * kHour);
        row("8", 8 * kHour);
        row("-05:30", -5 * kHour - kHour / 2);
        row("-0530", -5 * kHour - kHour / 2);
        row("3600", kHour);
        row("-19800", -5 * kHour - kHour / 2);
        row("0", 0);
        row("UTC", 0);
    }
    void zones() {
        QFETCH(const std::int64_t, ahead);
        const auto database = pathIn(m_folder, "zone.trainscope");
        QVERIFY(succeeds({"import", smallLog().toStdString(), "--into", database, "--utc-offset",
            QTest::currentDataTag()}));
        const auto start = jsonOf({"info", database})["runs"][0]["start_ns"];
        constexpr std::int64_t kNoon = 1'769'860'800; // 2026-01-31 12:00:00 UTC
        QCOMPARE(start.get<std::int64_t>(), (kNoon - ahead) * 1'000'000'000);
    }

    // --name is a prefix where there are several runs, wherever they come from.
    void aNameForSeveralDatabases() {
        const auto path = [this](const char* name) {
            return m_folder.filePath(QString::fromLatin1(name)).toStdString();
        };
        using Pairs = std::vector<std::pair<const char*, const char*>>;
        for (const auto& [database, run] :
            Pairs{{"a.trainscope", "one"}, {"b.trainscope", "two"}, {"c.trainscope", "one"}})
            QVERIFY(succeeds(
                {"import", smallLog().toStdString(), "--into", path(database), "--name", run}));
        const auto namesOf = [&path](const char* other, const char* into) {
            const auto merged = runCli(
                {"import", path("a.trainscope"), path(other), "--into", path(into), "--name", "X"});
            std::vector<std::string> names;
            const auto info = jsonOf({"info", path(into)});
            for (const auto& run : info["runs"])
                names.push_back(run["name"].get<std::string>());
            return merged.status == 0 ? names : std::vector<std::string>();
        };
        QCOMPARE(
            namesOf("b.trainscope", "ab.trainscope"), (std::vector<std::string>{"X/one", "X/two"}));
        QCOMPARE(namesOf("c.trainscope", "ac.trainscope"), std::vector<std::string>{"X"});
    }

    void foldersAreNoTables() {
        const std::string folder = m_folder.path().toStdString();
        for (const auto& arguments :
            std::vector<std::vector<std::string>>{{"predict", "--table", folder},
                {"kernels", madeDatabase(), "--run", "job", "--categories", folder}}) {
            const auto ran = runCli(arguments);
            QCOMPARE(ran.status, 3);
            VERIFY_SAYS(ran.err, "This is a folder");
        }
    }

    // The database stands before, between or behind options that are given several times.
    void optionsThatRepeatTakeOneValueEach() {
        const std::string database = madeDatabase();
        using A = std::vector<std::string>;
        for (const A& arguments : {A{"summary", "--run", "job", database, "--json"},
                 {"summary", database, "--run", "job"},
                 {"summary", "--run", "job", "--json", database},
                 {"compare", "--run", "job", database, "--run", "other", "--json"},
                 {"compare", database, "--run", "job", "other", "--json"}}) {
            QVERIFY(succeeds(arguments));
        }
    }

    void numbersAreDecimal() {
        QCOMPARE(
            jsonOf({"layout", "--nodes", "010", "--gpus-per-node", "08", "--tp", "8"})["world_size"]
                .get<int>(),
            80);
    }

    void helpAndVersionSucceed() {
        QVERIFY(succeeds({"--help"}));
        QVERIFY(succeeds({"import", "--help"}));
        const auto version = runCli({"--version"});
        QCOMPARE(version.status, 0);
        QVERIFY(version.out.find("trainscope-cli ") == 0);
    }

    void aSignalEndsWorkThatDoesNotAsk_data() {
        const auto row = columns<int>("signal");
        row("Ctrl+C", SIGINT);
        row("kill", SIGTERM);
    }

    void aSignalEndsWorkThatDoesNotAsk() {
        QFETCH(int, signal);
        const pid_t child = fork();
        if (child == 0) {
            std::atomic<bool> cancelled = false;
            trainscope::cli::endOnSignals(cancelled);
            ::raise(signal);
            while (cancelled)
                ::pause();
            ::_exit(42); // the flag was not set
        }
        int status = 0;
        QCOMPARE(waitpid(child, &status, 0), child);
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 1);
    }

    void databasesThatAreNotOurs_data() {
        const auto row = columns<QByteArray>("content");
        row("JPEG", QByteArray::fromHex("ffd8ffe000104a464946000101") + QByteArray(5000, 'x'));
        row("text", "run,power\n1,2\n");
        row("SQLite header and rubbish",
            QByteArray("SQLite format 3\0", 16) + QByteArray(5000, '\x7f'));
    }

    void databasesThatAreNotOurs() {
        QFETCH(QByteArray, content);
        const QString path = m_folder.filePath(QStringLiteral("foreign.trainscope"));
        write(path, content);
        expectRefused(path);
        QCOMPARE(contentOf(path), content);
    }

    void aForeignSqliteFileIsRefused() {
        const QString path = m_folder.filePath(QStringLiteral("other.sqlite"));
        execute(path, "CREATE TABLE t(x); INSERT INTO t VALUES(1)");
        expectRefused(path);
    }

    void aNewerVersionIsRefused() {
        const QString path = m_folder.filePath(QStringLiteral("newer.trainscope"));
        const QString log = smallLog();
        QVERIFY(succeeds({"import", log.toStdString(), "--into", path.toStdString()}));
        execute(path, "PRAGMA user_version = 9999");
        const auto ran = expectRefused(path);
        VERIFY_SAYS(ran.err, "newer");
    }

    void aDirectoryIsRefused() {
        const auto ran = runCli({"info", m_folder.path().toStdString()});
        QCOMPARE(ran.status, 4);
    }

    void aMissingDatabaseIsUnreadable() {
        const auto ran = runCli({"summary", pathIn(m_folder, "none"), "--json"});
        QCOMPARE(ran.status, 3);
        QVERIFY(ran.out.empty());
        QVERIFY(!QFile::exists(m_folder.filePath(QStringLiteral("none"))));
    }

    void sourcesThatCannotBeRead() {
        const QString database = m_folder.filePath(QStringLiteral("never.trainscope"));
        const auto missing = runCli(
            {"import", "/nonexistent/results", "--into", database.toStdString(), "--json"});
        QCOMPARE(missing.status, 3);
        QCOMPARE(missing.json()["status"], "failed");
        const QString empty = m_folder.filePath(QStringLiteral("empty.csv"));
        write(empty, {});
        const auto nothing
            = runCli({"import", empty.toStdString(), "--into", database.toStdString()});
        QCOMPARE(nothing.status, 3);
        QVERIFY(!nothing.err.empty());
        QVERIFY(!QFile::exists(database));
        const QString damaged = m_folder.filePath(QStringLiteral("damaged.trainscope"));
        QVERIFY(QFile::copy(QString::fromStdString(madeDatabase()), damaged));
        QVERIFY(QFile::resize(damaged, 200));
        const auto merged
            = runCli({"import", damaged.toStdString(), "--into", database.toStdString()});
        QCOMPARE(merged.status, 3);
        QVERIFY(!QFile::exists(database));
    }

    void databasesThatHaveLostAll() {
        const QString from = m_folder.filePath(QStringLiteral("lost.trainscope"));
        const QString into = m_folder.filePath(QStringLiteral("nothing.trainscope"));
        QVERIFY(succeeds({"import", smallLog().toStdString(), "--into", from.toStdString()}));
        execute(from, "UPDATE sample_chunk SET values_size=3");
        const auto merged = runCli({"import", from.toStdString(), "--into", into.toStdString()});
        QCOMPARE(merged.status, 3);
        VERIFY_SAYS(merged.err, "Nothing was merged. ");
        QVERIFY(!QFile::exists(into));
    }

    void oneGoodAndOneBadSourceIsInPart() {
        const QString database = m_folder.filePath(QStringLiteral("part.trainscope"));
        const auto ran = runCli({"import", smallLog().toStdString(), "/nonexistent", "--into",
            database.toStdString(), "--json"});
        QCOMPARE(ran.status, 1);
        QCOMPARE(ran.json()["status"], "partial");
        QCOMPARE(ran.json()["failures"].size(), std::size_t{1});
    }

private:
    static void write(const QString& path, const QByteArray& content) {
        QVERIFY(writeContent(path, content));
    }

    static void execute(const QString& path, const char* sql) {
        auto database = store::Database::open(
            store::StoreFile(path.toStdString()), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
        QVERIFY(database.hasValue());
        QVERIFY(database.value().script(sql).hasValue());
    }

    QString smallLog() {
        const QString path = m_folder.filePath(QStringLiteral("smi.csv"));
        write(path,
            "timestamp, index, power.draw [W]\n"
            "2026/01/31 12:00:00.000, 0, 100.00 W\n"
            "2026/01/31 12:00:01.000, 0, 300.00 W\n");
        return path;
    }

    // With runs of two logs.
    std::string madeDatabase() {
        const QString path = m_folder.filePath(QStringLiteral("made.trainscope"));
        if (QFile::exists(path))
            return path.toStdString();
        for (const char* name : {"job", "other"}) {
            const QString log
                = m_folder.filePath(QString::fromLatin1(name) + QStringLiteral(".csv"));
            QFile::copy(smallLog(), log);
            runCli({"import", log.toStdString(), "--into", path.toStdString(), "--name", name});
        }
        return path.toStdString();
    }

    Ran expectRefused(const QString& path) {
        const auto name = path.toStdString();
        Ran last;
        for (const auto& arguments : std::vector<std::vector<std::string>>{{"info", name, "--json"},
                 {"summary", name}, {"kernels", name}, {"query", name, "SELECT 1"},
                 {"export", name, "--out", pathIn(m_folder, "out")},
                 {"import", smallLog().toStdString(), "--into", name}}) {
            last = runCli(arguments);
            if (last.status != 4 || !last.out.empty() || last.err.empty()) {
                QTest::qFail(qPrintable(QStringLiteral("%1: status %2, %3")
                                            .arg(QString::fromStdString(arguments.front()))
                                            .arg(last.status)
                                            .arg(QString::fromStdString(last.out + last.err))),
                    __FILE__, __LINE__);
            }
        }
        return last;
    }

    QTemporaryDir m_folder;
};

TRAINSCOPE_TEST(tst_Usage)
#include "tst_Usage.moc"
