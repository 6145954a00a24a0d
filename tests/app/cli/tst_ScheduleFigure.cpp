// The pipeline of the sample as traced and as planned, from the command line.

#include "support/RunCli.h"

#include "app/sample/Sample.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>

using namespace trainscope::tests;

class TestScheduleFigure : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        m_database = path("sample.trainscope");
        QVERIFY(trainscope::app::writeSample(m_database).hasValue());
    }

    // 4 stages, 128 micro-batches; the traces show the first 1.3 s of iteration 3.
    void tracedAsNumbers() {
        const auto ran
            = runCli({"layout", m_database, "--run", kRun, "--traced", "--tasks", "--json"});
        QCOMPARE(ran.status, 0);
        const auto traced = ran.json()["traced"];
        QCOMPARE(traced["iteration"].get<int>(), 3);
        QCOMPARE(traced["whole_step"].get<bool>(), false);
        QCOMPARE(traced["microbatches"].get<int>(), 128);
        QVERIFY(std::abs(traced["ideal_bubble_fraction"].get<double>() - 3.0 / 131.0) < 1e-12);
        QCOMPARE(traced["stages"].size(), std::size_t{4});
        for (const auto& stage : traced["stages"])
            QVERIFY(stage["bubble_fraction"].get<double>()
                > stage["planned_bubble_fraction"].get<double>());
        QVERIFY(traced["tasks"].size() > 40);
        QCOMPARE(traced["planned_tasks"].size(), std::size_t{4 * 2 * 128});
        const auto text = runCli({"layout", m_database, "--run", kRun, "--iteration", "2"});
        QCOMPARE(text.status, 0);
        QVERIFY(text.out.find("as traced in iteration 2") != std::string::npos);
        QVERIFY(text.out.find("the last") != std::string::npos);
    }

    void figures() {
        for (const char* name : {"one.svg", "two.pdf", "three.png"}) {
            const auto ran = runCli(
                {"figure", m_database, "--kind", "schedule", "--run", kRun, "--out", path(name)});
            QVERIFY2(ran.status == 0, ran.err.c_str());
            QVERIFY(QFile(QString::fromStdString(path(name))).size() > 1000);
        }
        QFile csv(QString::fromStdString(path("one.csv")));
        QVERIFY(csv.open(QIODevice::ReadOnly));
        const auto lines = csv.readAll().split('\n');
        QVERIFY(lines.front().startsWith("run,series,stage"));
        QVERIFY(lines.size() > 1024);
        const auto planned = runCli({"figure", m_database, "--kind", "schedule", "--run", kRun,
            "--planned", "--out", path("plan.svg")});
        QCOMPARE(planned.status, 0);
    }

    void saysWhatIsMissing() {
        const auto none = runCli({"figure", m_database, "--kind", "schedule", "--run", kRun,
            "--iteration", "5", "--out", path("none.svg")});
        QCOMPARE(none.status, 2);
        QVERIFY(none.err.find("nothing of iteration 5") != std::string::npos);
        const auto both = runCli({"figure", m_database, "--kind", "schedule", "--run", kRun,
            "--iteration", "3", "--planned", "--out", path("none.svg")});
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

QTEST_MAIN(TestScheduleFigure)
#include "tst_ScheduleFigure.moc"
