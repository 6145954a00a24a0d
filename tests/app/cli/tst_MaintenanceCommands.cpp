// `remove`, `vacuum` and `check` on a database with two runs. trainscope-node: the commands that
// need no Qt, under the program's own name.

#include "core/store/Store.h"
#include "support/CharllmTree.h"
#include "support/RunCli.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

Ran runNode(const std::vector<std::string>& arguments) {
    std::ostringstream out;
    std::ostringstream err;
    cli::Console console(out, err);
    const int status = cli::runCommandLine({}, arguments, console);
    return {status, out.str(), err.str()};
}

} // namespace

class tst_MaintenanceCommands : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void removeVacuumCheck() {
        const QTemporaryDir folder;
        CharllmTree::write(folder.filePath(QStringLiteral("one")), 1);
        CharllmTree::write(folder.filePath(QStringLiteral("two")), 2);
        const std::string database = pathIn(folder, "runs.trainscope");
        for (const char* name : {"one", "two"}) {
            const auto imported
                = runCli({"import", folder.filePath(QLatin1String(name)).toStdString(), "--into",
                    database, "--name", name});
            QVERIFY(imported.status <= 1);
        }
        const auto runs = jsonOf({"info", database})["runs"];
        QVERIFY(runs.size() >= 2);
        QVERIFY(succeeds({"check", database}));
        const auto whole = runCli({"check", database, "--json"}).json();
        QCOMPARE(whole["whole"], true);
        QVERIFY(whole["pieces"].get<int>() > 10);

        const auto gone = runs[0]["name"].get<std::string>();
        QCOMPARE(runCli({"remove", database, "--run", "no such run"}).status, 2);
        QVERIFY(succeeds({"remove", database, "--run", gone}));
        const auto left = jsonOf({"info", database})["runs"];
        QCOMPARE(left.size(), runs.size() - 1);
        for (const auto& run : left)
            QVERIFY(run["name"].get<std::string>() != gone);

        const auto before = std::filesystem::file_size(database);
        const auto vacuumed = runCli({"vacuum", database});
        QCOMPARE(vacuumed.status, 0);
        VERIFY_SAYS(vacuumed.out, "less than before");
        QVERIFY(std::filesystem::file_size(database) < before);
        const auto last = left[0]["name"].get<std::string>();
        QVERIFY(succeeds({"remove", database, "--run", last, "--vacuum"}));
        QVERIFY(succeeds({"check", database}));
    }

    void whatIsNoDatabaseIsRefused() {
        for (const char* command : {"vacuum", "check"})
            QCOMPARE(runCli({command, "/nowhere/runs.trainscope"}).status, 3);
    }

    void saysItsOwnName_data() {
        const auto row = columns<std::vector<std::string>>("arguments");
        using A = std::vector<std::string>;
        row("version", A{"--version"});
        row("help", A{"--help"});
        for (const char* command : {"import", "record", "summary", "check", "query", "export"})
            row(command, A{command, "--help"});
    }

    void saysItsOwnName() {
        QFETCH(std::vector<std::string>, arguments);
        const auto ran = runNode(arguments);
        QCOMPARE(ran.status, 0);
        VERIFY_SAYS(ran.out, "trainscope-node");
        QVERIFY2(ran.out.find("trainscope-cli") == std::string::npos, ran.out.c_str());
    }

    void hasWhatNeedsNoQt() {
        for (const char* command :
            {"import", "info", "summary", "record", "check", "query", "export", "remove"})
            QCOMPARE(runNode({command, "--help"}).status, 0);
        for (const char* command : {"figure", "report", "compare"}) {
            const auto ran = runNode({command, "x.trainscope"});
            QCOMPARE(ran.status, 2);
            VERIFY_SAYS(ran.err, "There is no command");
        }
    }

    void importsFilesAlone() {
        const auto ran
            = runNode({"import", "prom+http://localhost:9090", "--into", "x.trainscope"});
        QCOMPARE(ran.status, 2);
        VERIFY_SAYS(ran.err, "This program reads files alone");
        QVERIFY(runNode({"import", "--help"}).out.find("--match") == std::string::npos);
    }
};

TRAINSCOPE_TEST(tst_MaintenanceCommands)
#include "tst_MaintenanceCommands.moc"
