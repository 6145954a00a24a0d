// `import` of run databases: what came of it.

#include "core/store/Fixture.h"
#include "support/RunCli.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

void addRun(Store& store, const std::string& name, RunStatus status) {
    auto session = got(store::beginImport(store, {"/data/" + name, 1, "", name}));
    Run run = runNamed(name);
    run.status = status;
    const RunId id = got(session->run(run));
    const SeriesId series = got(session->series(id, gauge("gpu_power", 0)));
    ok(session->samples(series, times({0, 1'000'000'000}), std::vector<double>{100.0, 100.0}));
    ok(session->finish({}, "", 0, {}));
}

} // namespace

class tst_ImportMerge : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // One of the runs that come along was cut short, whether it comes alone or not.
    void partialRuns_data() {
        const auto row = columns<bool>("isAlone");
        row("alone", true);
        row("beside another", false);
    }
    void partialRuns() {
        QFETCH(bool, isAlone);
        const Fixture from;
        {
            auto store = from.create();
            addRun(store, "cut", RunStatus::Partial);
            if (!isAlone)
                addRun(store, "whole", RunStatus::Ok);
        }
        const std::string into = pathIn(from.folder, "into.trainscope");
        const auto merged = runCli({"import", from.path.string(), "--into", into, "--json"});
        QCOMPARE(merged.status, 1);
        QCOMPARE(merged.json()["status"], "partial");
    }

    void wholeRuns() {
        const Fixture from;
        {
            auto store = from.create();
            addRun(store, "a", RunStatus::Ok);
            addRun(store, "b", RunStatus::Ok);
        }
        const std::string into = pathIn(from.folder, "into.trainscope");
        QVERIFY(succeeds({"import", from.path.string(), "--into", into}));
    }

    // A database beside a folder that holds a run of that name: they are one run.
    void besideAFolder() {
        const Fixture from;
        {
            auto store = from.create();
            addRun(store, "smi", RunStatus::Ok);
            addRun(store, "other", RunStatus::Ok);
        }
        QVERIFY(QDir(from.folder.path()).mkdir(QStringLiteral("logs")));
        QVERIFY(writeContent(from.folder.filePath(QStringLiteral("logs/smi.csv")),
            "timestamp, index, power.draw [W]\n2026/04/22 00:00:00.000, 0, 70 W\n"
            "2026/04/22 00:00:01.000, 0, 71 W\n"));
        const std::string logs = pathIn(from.folder, "logs");
        const std::string into = pathIn(from.folder, "into.trainscope");
        const auto sources
            = jsonOf({"import", from.path.string(), logs, "--into", into})["sources"];
        QCOMPARE(sources.size(), std::size_t{2});
        QCOMPARE(sources[0]["path"].get<std::string>(), logs + "/smi.csv");
        QCOMPARE(sources[1]["path"].get<std::string>(), from.path.string());
        QCOMPARE(sources[1]["importer"], "run database");
        QCOMPARE(runsIn(into).size(), std::size_t{2});
        // The folder's own databases are not merged, and the one that takes the runs is none of
        // them.
        const auto folder
            = runCli({"import", from.folder.path().toStdString(), "--into", into, "--json"});
        QCOMPARE(folder.json()["sources"].size(), std::size_t{1});
        QCOMPARE(folder.json()["unrecognised"].size(), std::size_t{2});
    }

    // Two folders whose runs have one name are two runs, as in the window.
    void foldersWithRunsOfOneName() {
        const Fixture fixture;
        const QString& root = fixture.folder.path();
        for (const char* side : {"north", "south"}) {
            const QString run
                = root + QLatin1Char('/') + QLatin1String(side) + QLatin1String("/m_1_00");
            QVERIFY(QDir().mkpath(run));
            QFile power(run + QLatin1String("/gpu_power_0.csv"));
            QVERIFY(power.open(QIODevice::WriteOnly));
            for (int second = 0; second < 20; ++second)
                power.write(
                    QByteArray::number((side[0] == 'n' ? 1'714'564'800 : 1'714'664'800) + second)
                    + ",300.0\n");
        }
        const std::string north = (root + QLatin1String("/north")).toStdString();
        const std::string south = (root + QLatin1String("/south/")).toStdString();
        const std::string into = (root + QLatin1String("/into.trainscope")).toStdString();
        QVERIFY(succeeds({"import", north, "--into", into}));
        QCOMPARE(runsIn(into), (std::vector<std::string>{"m_1_00"}));
        const std::string both = (root + QLatin1String("/both.trainscope")).toStdString();
        QVERIFY(succeeds({"import", north, south, "--into", both}));
        QCOMPARE(runsIn(both), (std::vector<std::string>{"north/m_1_00", "south/m_1_00"}));
    }

private:
    static std::vector<std::string> runsIn(const std::string& database) {
        std::vector<std::string> names;
        const auto info = jsonOf({"info", database});
        for (const auto& run : info["runs"])
            names.push_back(run["name"].get<std::string>());
        std::sort(names.begin(), names.end());
        return names;
    }
};

TRAINSCOPE_TEST(tst_ImportMerge)
#include "tst_ImportMerge.moc"
