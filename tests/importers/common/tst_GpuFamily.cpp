
#include "importers/common/GpuFamily.h"
#include "support/TestProgram.h"

using namespace trainscope::importers;

class tst_GpuFamily : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void wordsStandAlone() {
        QVERIFY(standsAsWord("job-gpt3_3", "gpt3_3"));
        QVERIFY(!standsAsWord("gpt3_31", "gpt3_3"));
        QVERIFY(standsAsWord("gpt3_31-gpt3_3", "gpt3_3")); // not only the first place
        QVERIFY(!standsAsWord("anything", ""));
    }
    void theInnermostFolderDecides() {
        QCOMPARE(
            gpuFamilyOfPath("results-h100/optimization-sweep-h200/gpt3-175b"), std::string("H200"));
        QCOMPARE(
            gpuFamilyOfPath("Sweep_MI250/llama3-70b/llama3-70b_1_00000"), std::string("MI250"));
    }
    void whatNamesSeveralOrNoneDecidesNothing() {
        QCOMPARE(gpuFamilyOfPath("h100-vs-h200/run"), std::string());
        QCOMPARE(gpuFamilyOfPath("h100/h100-vs-h200/run"), std::string("H100"));
        QCOMPARE(gpuFamilyOfPath("gh2000/run_3"), std::string());
        QCOMPARE(gpuFamilyOfPath(""), std::string());
    }
};

TRAINSCOPE_TEST(tst_GpuFamily)
#include "tst_GpuFamily.moc"
