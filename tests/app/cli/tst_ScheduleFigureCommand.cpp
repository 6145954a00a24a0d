// The pipeline of the sample as traced and as planned, from the command line.

#include "support/RunCli.h"

#include "app/sample/Sample.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

class tst_ScheduleFigureCommand : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        m_database = path("sample.trainscope");
        QVERIFY(trainscope::app::writeSample(m_database).hasValue());
    }

    // 4 stages, 32 micro-batches; the traces show all of iteration 8.
    void tracedAsNumbers() {
        const auto traced
            = jsonOf({"layout", m_database, "--run", kRun, "--traced", "--tasks"})["traced"];
        QCOMPARE(traced["iteration"], 8);
        QCOMPARE(traced["whole_step"], true);
        QCOMPARE(traced["microbatches"], 32);
        QVERIFY(std::abs(traced["ideal_bubble_fraction"].get<double>() - 3.0 / 35.0) < 1e-12);
        QCOMPARE(traced["stages"].size(), std::size_t{4});
        for (const auto& stage : traced["stages"])
            QVERIFY(stage["bubble_fraction"].get<double>()
                > stage["planned_bubble_fraction"].get<double>());
        QCOMPARE(traced["tasks"].size(), std::size_t{4 * 2 * 32});
        QCOMPARE(traced["planned_tasks"].size(), std::size_t{4 * 2 * 32});
        const auto text = runCli({"layout", m_database, "--run", kRun, "--iteration", "8"});
        QCOMPARE(text.status, 0);
        VERIFY_SAYS(text.out, "as traced in iteration 8");
    }

    void figures() {
        for (const char* name : {"one.svg", "two.pdf", "three.png"}) {
            QVERIFY(succeeds(
                {"figure", m_database, "--kind", "schedule", "--run", kRun, "--out", path(name)}));
            QVERIFY(QFile(QString::fromStdString(path(name))).size() > 1000);
        }
        const auto lines = contentOf(QString::fromStdString(path("one.csv"))).split('\n');
        QVERIFY(lines.front().startsWith("run,series,stage"));
        QVERIFY(lines.size() > 2 * 4 * 2 * 32);
        QVERIFY(succeeds({"figure", m_database, "--kind", "schedule", "--run", kRun, "--planned",
            "--out", path("plan.svg")}));
    }

    // Four nodes of one stage each: one of them throttles, by less than a layer of 24.
    void placement() {
        const auto json
            = jsonOf({"placement", m_database, "--run", kRun, "--out-args", path("launch.txt")});
        QCOMPARE(json["estimate"], true);
        QCOMPARE(json["helps"], false);
        QCOMPARE(json["stages"].size(), std::size_t{4});
        QCOMPARE(json["gpus"].size(), std::size_t{32});
        QVERIFY(json["front_rear_gradient_c"].get<double>() > 15.0);
        QVERIFY(json["expected"].empty());
        QVERIFY(json["stages"][2]["speed_before"].get<double>()
            < json["stages"][1]["speed_before"].get<double>());
        QVERIFY(
            contentOf(QString::fromStdString(path("launch.txt"))).contains("Launch it as before"));
        const auto text = runCli({"placement", m_database, "--run", kRun});
        VERIFY_SAYS(text.out, "No placement would help");
        QVERIFY(succeeds({"figure", m_database, "--kind", "placement", "--run", kRun, "--out",
            path("placement.svg")}));
        QCOMPARE(contentOf(QString::fromStdString(path("placement.csv"))).count('\n'), 33);
    }

    void saysWhatIsMissing() {
        const auto none = runCli({"figure", m_database, "--kind", "schedule", "--run", kRun,
            "--iteration", "5", "--out", path("none.svg")});
        QCOMPARE(none.status, 2);
        VERIFY_SAYS(none.err, "nothing of iteration 5");
        const auto both = runCli({"figure", m_database, "--kind", "schedule", "--run", kRun,
            "--iteration", "8", "--planned", "--out", path("none.svg")});
        QCOMPARE(both.status, 2);
        QCOMPARE(runCli({"layout", "--nodes", "1", "--gpus-per-node", "4", "--traced"}).status, 2);
    }

private:
    static constexpr auto kRun = "gpt3-175b 32xH200 tp8-pp4";
    [[nodiscard]] std::string path(const char* name) const {
        return m_folder.filePath(QString::fromUtf8(name)).toStdString();
    }

    QTemporaryDir m_folder;
    std::string m_database;
};

TRAINSCOPE_GUI_TEST(tst_ScheduleFigureCommand)
#include "tst_ScheduleFigureCommand.moc"
