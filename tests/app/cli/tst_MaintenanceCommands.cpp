// `remove`, `vacuum` and `check` on a database with two runs.

#include "core/store/Store.h"
#include "support/CharllmTree.h"
#include "support/RunCli.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

class tst_MaintenanceCommands : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void removeVacuumCheck() {
        const QTemporaryDir folder;
        CharllmTree::write(folder.filePath(QStringLiteral("one")), 1);
        CharllmTree::write(folder.filePath(QStringLiteral("two")), 2);
        const std::string database
            = folder.filePath(QStringLiteral("runs.trainscope")).toStdString();
        for (const char* name : {"one", "two"}) {
            const auto imported
                = runCli({"import", folder.filePath(QLatin1String(name)).toStdString(), "--into",
                    database, "--name", name});
            QVERIFY(imported.status <= 1);
        }
        const auto runs = runCli({"info", database, "--json"}).json()["runs"];
        QVERIFY(runs.size() >= 2);
        QCOMPARE(runCli({"check", database}).status, 0);
        const auto whole = runCli({"check", database, "--json"}).json();
        QCOMPARE(whole["whole"].get<bool>(), true);
        QVERIFY(whole["pieces"].get<int>() > 10);

        const auto gone = runs[0]["name"].get<std::string>();
        QCOMPARE(runCli({"remove", database, "--run", "no such run"}).status, 2);
        QCOMPARE(runCli({"remove", database, "--run", gone}).status, 0);
        const auto left = runCli({"info", database, "--json"}).json()["runs"];
        QCOMPARE(left.size(), runs.size() - 1);
        for (const auto& run : left)
            QVERIFY(run["name"].get<std::string>() != gone);

        const auto before = std::filesystem::file_size(database);
        const auto vacuumed = runCli({"vacuum", database});
        QCOMPARE(vacuumed.status, 0);
        VERIFY_SAYS(vacuumed.out, "less than before");
        QVERIFY(std::filesystem::file_size(database) < before);
        const auto last = left[0]["name"].get<std::string>();
        QCOMPARE(runCli({"remove", database, "--run", last, "--vacuum"}).status, 0);
        QCOMPARE(runCli({"check", database}).status, 0);
    }

    void whatIsNoDatabaseIsRefused() {
        for (const char* command : {"vacuum", "check"})
            QCOMPARE(runCli({command, "/nowhere/runs.trainscope"}).status, 3);
    }
};

TRAINSCOPE_TEST(tst_MaintenanceCommands)
#include "tst_MaintenanceCommands.moc"
