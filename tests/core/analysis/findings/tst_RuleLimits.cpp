// How rules bear on one another, and what they leave unsaid.

#include <QtTest>

#include "core/analysis/findings/CleanRun.h"
#include "core/text/Numbers.h"
#include "core/text/Times.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

class tst_RuleLimits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theCostliestComeFirst() {
        RunFacts facts = clean();
        throttle(facts, 0.02); // costs 0.5 %
        for (TracedDevice& device : facts.traced)
            device.exposedS = 0.3;
        facts.settling->unsettled = 1; // costs nothing, doubtful
        facts.iterations.iterations[0].warmup = true; // a note
        const Findings found = applyRules(facts);
        QCOMPARE(found.size(), std::size_t{4});
        QCOMPARE(found[0].rule, std::string("exposed_communication"));
        QVERIFY(found[0].severity == Severity::Serious);
        QCOMPARE(found[1].rule, std::string("throttling"));
        QCOMPARE(found[2].rule, std::string("not_settled"));
        QCOMPARE(found[3].rule, std::string("warmup"));
    }

    // The rear of one node is hotter than the rears of the others, or it is one of few nodes.
    void hotAmongThoseInItsPlace() {
        RunFacts facts = clean();
        for (int rank = 0; rank < 32; ++rank)
            setMean(facts, "gpu_temperature", rank, rank % 8 == 7 ? 75.0 : 60.0);
        QVERIFY(find(applyRules(facts), "hot_gpu") == nullptr);
        setMean(facts, "gpu_temperature", 15, 86.0);
        QCOMPARE(find(applyRules(facts), "hot_gpu")->values.at("median"), 75.0);
        facts.steady.gpus.resize(8); // one node
        QCOMPARE(find(applyRules(facts), "hot_gpu")->evidence.rank, 7);
    }

    // What happens less than five times in the run is its course.
    void slowSwingsAreNone() {
        RunFacts facts = clean();
        swing(facts, 0.5, 0.049); // 100 s
        QVERIFY(applyRules(facts).empty());
        facts.spectrum.push_back({0.125, 0.1 * 32 * 600.0, 0.001, std::nullopt});
        const Findings found = applyRules(facts);
        QCOMPARE(find(found, "power_swing")->values.at("frequency_hz"), 0.125);
    }

    // With two ranks one of them is last half of the time anyway.
    void oneOfTwoIsNoStraggler() {
        RunFacts facts = clean();
        facts.communication->ranks.resize(2);
        facts.communication->ranks[0].timesLastForCertain = 60;
        facts.communication->ranks[0].causedWaitS = 1.0;
        QVERIFY(applyRules(facts).empty());
        facts.communication->ranks[0].timesLastForCertain = 80;
        QVERIFY(find(applyRules(facts), "straggler") != nullptr);
    }

    void airflowTurnedRoundTurnsTheGradient() {
        RunFacts facts = clean();
        for (int rank = 0; rank < 32; ++rank)
            setMean(facts, "gpu_temperature", rank, rank % 8 < 4 ? 70.0 : 60.0);
        QVERIFY(find(applyRules(facts), "front_rear_gradient") == nullptr);
        facts.airflow = {7, 6, 5, 4, 3, 2, 1, 0};
        QVERIFY(find(applyRules(facts), "front_rear_gradient") != nullptr);
    }

    void numbersInSentences() {
        QCOMPARE(text::rounded(8123.4, "W"), std::string("8.12 kW"));
        QCOMPARE(text::rounded(999.6, "W"), std::string("1 kW"));
        QCOMPARE(text::rounded(0.125, "Hz"), std::string("125 mHz"));
        QCOMPARE(text::rounded(0.0, "B"), std::string("0 B"));
        QCOMPARE(text::roundedPercent(0.0421), std::string("4.21 %"));
        QCOMPARE(text::roundedPercent(0.5), std::string("50 %"));
        QCOMPARE(text::rounded(-3.04, "°C"), std::string("-3.04 °C"));
        QCOMPARE(text::seconds(0.0123), std::string("12.3 ms"));
        QCOMPARE(text::seconds(246.0), std::string("4.1 min"));
        QCOMPARE(text::numberList({0, 4, 5, 6, 9}), std::string("0, 4-6, 9"));
        QCOMPARE(text::numberList({0, 2, 4, 6}, 2), std::string("0, 2 and 2 more"));
        QCOMPARE(text::counted(1, "GPU", "GPUs"), std::string("1 GPU"));
    }
};

TRAINSCOPE_TEST(tst_RuleLimits)
#include "tst_RuleLimits.moc"
