// A run in words: what stands in the run list, the status bar and behind the filter.

// moc of Qt 6.4 cannot read <compare> unless Qt comes before it.

#include "app/viewmodels/text/Texts.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::app;

class tst_RunWording : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void model_data();
    void model();
    void facts();
    void nothingKnown();
    void lastingAMoment();
    void tags();
    void searched();
};

static Run sampleRun() {
    Run run;
    run.name = "sweep/gpt3-175b_3";
    run.gpuModel = "NVIDIA H200";
    run.gpuCount = 32;
    run.nodeCount = 4;
    run.range = {{0}, {120'000'000'000}};
    run.launch.model = "gpt3-175b";
    run.launch.tensorParallel = 8;
    run.launch.pipelineParallel = 4;
    run.launch.microBatch = 1;
    return run;
}

void tst_RunWording::model_data() {
    QTest::addColumn<QString>("model");
    QTest::addColumn<QString>("text");
    QTest::newRow("memory") << "NVIDIA H100 80GB HBM3"
                            << "8 × H100";
    QTest::newRow("bus") << "Tesla P100-PCIE-16GB"
                         << "8 × P100";
    QTest::newRow("amd") << "AMD Instinct MI250X / MI250"
                         << "8 × MI250X";
    QTest::newRow("two words") << "NVIDIA RTX A6000"
                               << "8 × RTX A6000";
    QTest::newRow("unknown") << ""
                             << "8 GPUs";
}

void tst_RunWording::model() {
    QFETCH(QString, model);
    Run run;
    run.gpuCount = 8;
    run.gpuModel = model.toStdString();
    QTEST(gpuText(run), "text");
}

void tst_RunWording::facts() {
    QCOMPARE(runFacts(sampleRun()),
        QStringLiteral("32 × H200 · 4 nodes · TP8 · PP4 · micro-batch 1 · 2 min 0 s"));
    QCOMPARE(runDetail(sampleRun()), QStringLiteral("gpt3-175b · 32 × H200 · TP8 · PP4"));
}

void tst_RunWording::nothingKnown() {
    QCOMPARE(runFacts(Run{}), QString());
    QCOMPARE(layoutText({}), QString());
}

// The shortest range that holds a sample.
void tst_RunWording::lastingAMoment() {
    Run run;
    run.range = {{5}, {6}};
    QCOMPARE(runFacts(run), QStringLiteral("0 s"));
    QCOMPARE(runDetail(run), QStringLiteral("0 s"));
}

void tst_RunWording::tags() {
    auto run = sampleRun();
    QCOMPARE(runTags(run), test::texts("measured"));
    run.status = RunStatus::Oom;
    run.simulated = true;
    run.launch.recompute = true;
    QCOMPARE(runTags(run), test::texts("out of memory", "simulated", "recompute"));
    QCOMPARE(strongTag(run), QStringLiteral("out of memory"));
}

void tst_RunWording::searched() {
    auto run = sampleRun();
    run.status = RunStatus::Oom;
    const auto text = runSearchText(run);
    for (const auto* word : {"h200", "tp8", "gpt3-175b", "oom", "sweep/"})
        QVERIFY2(text.contains(QLatin1String(word)), word);
}

TRAINSCOPE_TEST(tst_RunWording)
#include "tst_RunWording.moc"
