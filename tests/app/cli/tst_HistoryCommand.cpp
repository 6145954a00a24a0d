// `history`: rows of GPUs and runs, their changes, what is said of them, and databases without any.

#include "core/analysis/machine/PlantedPast.h"
#include "core/store/Fixture.h"
#include "support/RunCli.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

std::string madeDatabase(const QTemporaryDir& folder, const char* name, const std::string& uuid) {
    const std::string path = folder.filePath(QLatin1String(name)).toStdString();
    auto store = got(store::Store::openOrCreate(path));
    for (int number = 1; number <= 5; ++number) {
        PlantedTrace trace = recordedRun(number, uuid, number == 4 ? 630.0 : 600.0, 60.0);
        if (number == 5)
            trace.run.launch.model.reset();
        ok(trace.addTo(store, std::to_string(number)));
    }
    return path;
}

} // namespace

class tst_HistoryCommand : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { m_database = madeDatabase(m_folder, "h.trainscope", "GPU-3fa1c2d"); }

    void rowsOfGpusAndRuns() {
        const auto json = jsonOf({"history", m_database});
        const auto& gpus = json["gpus"];
        QCOMPARE(gpus.size(), std::size_t{10});
        // By GPU, then time; the fourth run of the second GPU: 630 W after 600 W.
        const auto& row = gpus[8];
        QCOMPARE(row["uuid"].get<std::string>(), std::string("GPU-3fa1c2d1"));
        QCOMPARE(row["run"].get<std::string>(), std::string("run 4"));
        QCOMPARE(row["rank"].get<int>(), 1);
        QCOMPARE(row["power_w"].get<double>(), 630.0);
        QVERIFY(std::abs(row["power_w_change"].get<double>() - 0.05) < 1e-12);
        QCOMPARE(row["temperature_c_change"].get<double>(), 0.0);
        QVERIFY(!row.contains("clock_hz"));
        QCOMPARE(row["earlier_runs"].get<int>(), 3);
        QVERIFY(!row.contains("not_compared"));
        QCOMPARE(gpus[7]["not_compared"].get<std::string>(),
            std::string("fewer than three runs alike before"));
        QCOMPARE(
            gpus[9]["not_compared"].get<std::string>(), std::string("its model is not stated"));
        QCOMPARE(json["statements"].size(), std::size_t{1});
        QVERIFY(json["statements"][0].get<std::string>().starts_with(
            "run 4: GPU-3fa1c2d1 took 5 % more power for the same work than in 3 runs before"));
    }

    void oneRunAgainstAll() {
        const auto json = jsonOf({"history", m_database, "--run", "run 4"});
        QCOMPARE(json["gpus"].size(), std::size_t{2});
        QCOMPARE(json["gpus"][0]["earlier_runs"].get<int>(), 3);
        QCOMPARE(
            jsonOf({"history", m_database, "--run", "run 2"})["statements"].size(), std::size_t{0});
        QCOMPARE(runCli({"history", m_database, "--run", "none"}).status, 2);
    }

    void text() {
        const Ran ran = runCli({"history", m_database});
        QCOMPARE(ran.status, 0);
        for (const char* words : {"GPU-3fa1c2d0", "630.0 W", "+5 %", "its model is not stated",
                 "run 4: GPU-3fa1c2d1 took 5 % more power"})
            QVERIFY2(ran.out.find(words) != std::string::npos, ran.out.c_str());
    }

    // As findings of the run say it.
    void findingsSayTheSame() {
        const auto told = jsonOf({"history", m_database})["statements"][0].get<std::string>();
        std::vector<std::string> found;
        const auto findings = jsonOf({"findings", m_database, "--run", "run 4"});
        for (const auto& one : findings["findings"]) {
            if (one["rule"] == "gpu_history")
                found.push_back("run 4: " + one["text"].get<std::string>());
        }
        QCOMPARE(found, std::vector<std::string>{told});
    }

    void withoutUuids() {
        const auto database = madeDatabase(m_folder, "none.trainscope", {});
        const Ran ran = runCli({"history", database, "--json"});
        QCOMPARE(ran.status, 0);
        QCOMPARE(ran.json()["gpus"].size(), std::size_t{0});
        QVERIFY(ran.err.find("UUIDs") != std::string::npos);
    }

private:
    QTemporaryDir m_folder;
    std::string m_database;
};

TRAINSCOPE_TEST(tst_HistoryCommand)
#include "tst_HistoryCommand.moc"
