// Rules bear on one another, and leave some things unsaid.

#include "core/analysis/findings/CleanRun.h"
#include "core/text/Numbers.h"
#include "core/text/Times.h"
#include "support/TestProgram.h"

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
        QVERIFY(found[0].severity == analysis::Severity::Serious);
        QCOMPARE(found[1].rule, std::string("throttling"));
        QCOMPARE(found[2].rule, std::string("not_settled"));
        QCOMPARE(found[3].rule, std::string("warmup"));
    }

    // 2.1 billion ranks are not counted one by one, and nothing is said of them.
    void clustersBeyondAnyMissNoRanks() {
        RunFacts facts = clean();
        facts.run.launch.nodes = 700'000'000;
        facts.run.launch.gpusPerNode = 3;
        QVERIFY(find(applyRules(facts), "missing_ranks") == nullptr);
        facts.run.launch.nodes = 5;
        facts.run.launch.gpusPerNode = 8;
        QCOMPARE(find(applyRules(facts), "missing_ranks")->values.at("missing"), 8.0);
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

    // The median of 880, 880, 1000 and 1000 W is 940 W, from which none is 10 % apart.
    void mediansOfEvenlyManyNodes() {
        RunFacts facts = clean();
        for (NodeSummary& node : facts.whole.nodes)
            node.metrics["node_power"] = mean(node.node < 2 ? 880.0 : 1000.0);
        QVERIFY(find(applyRules(facts), "node_power") == nullptr);
        facts.whole.nodes[0].metrics["node_power"] = mean(840.0);
        const Findings found = applyRules(facts);
        QCOMPARE(find(found, "node_power")->values.at("median_w"), 940.0);
        QCOMPARE(find(found, "node_power")->values.at("node"), 0.0);
    }

    // 100 J on each of four nodes leave 30, 4, 62 and 30, the median is 30: node 2 is farthest from
    // it by 32, and node 1, where less than 8 are left, is told all the same.
    void everyNodesRest() {
        RunFacts facts = clean();
        const std::vector<double> rests{30.0, 4.0, 62.0, 30.0};
        for (std::size_t i = 0; i < rests.size(); ++i) {
            facts.whole.nodes[i].energy = Energy{100.0, 1.0};
            facts.whole.nodes[i].restJoules = rests[i];
        }
        std::set<double> told;
        for (const Finding& one : applyRules(facts)) {
            if (one.rule == "rest_of_node")
                told.insert(one.values.at("node"));
        }
        QCOMPARE(told, (std::set<double>{1.0, 2.0}));
        facts.whole.nodes[0].restJoules = 3.0;
        const Findings found = applyRules(facts);
        const auto little = std::find_if(found.begin(), found.end(), [](const Finding& one) {
            return one.values.contains("nodes") && one.values.at("nodes") == 2.0;
        });
        QVERIFY(little != found.end());
        QCOMPARE(little->values.at("node"), 0.0); // with the least of both
        VERIFY_SAYS(little->text, "So it is on 2 nodes: 0-1.");
    }

    // A swing that comes less than five times in the run is its course.
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
        waitFor(facts, {{0, 0.6}, {1, 0.4}});
        QVERIFY(applyRules(facts).empty());
        waitFor(facts, {{0, 0.8}, {1, 0.2}});
        QVERIFY(find(applyRules(facts), "straggler") != nullptr);
    }

    // Waiting that everybody causes alike has no straggler, however much it is; nor has what the
    // clocks cannot tell, nor what is not worth a word.
    void chanceIsNoStraggler() {
        RunFacts facts = clean();
        waitFor(facts, {{0, 0.30}, {1, 0.27}, {2, 0.25}, {3, 0.22}});
        QVERIFY(applyRules(facts).empty());
        waitFor(facts, {{0, 0.9}, {1, 0.01}, {2, 0.01}, {3, 0.01}});
        QVERIFY(find(applyRules(facts), "straggler") != nullptr);
        facts.causes->causes[0].certainS = 0.4;
        QVERIFY(find(applyRules(facts), "straggler") == nullptr);
        facts.causes->causes[0].certainS = 0.9;
        for (auto& rank : facts.communication->ranks)
            rank.collectives = 9;
        QVERIFY(find(applyRules(facts), "straggler") == nullptr);
    }

    // 500, 300, 120 and 80 of 1000 ms: half is twice the fair quarter, 300 ms of the 500 that are
    // left are nearly twice the fair third, 120 ms of the last 200 are not 1.5 times their half.
    void severalStragglersAddUp() {
        RunFacts facts = clean();
        waitFor(facts, {{0, 0.12}, {1, 0.5}, {2, 0.08}, {3, 0.3}});
        const Findings found = applyRules(facts);
        QCOMPARE(found.size(), std::size_t{2});
        QCOMPARE(found[0].values.at("share"), 0.5);
        QCOMPARE(found[1].values.at("share"), 0.3);
        for (const Finding& finding : found) {
            QCOMPARE(finding.rule, std::string("straggler"));
            QVERIFY(std::abs(finding.values.at("rest_share") - 0.2) < 1e-12);
            VERIFY_SAYS(finding.denominator, "rank 1 50 %, rank 3 30 %, no single cause 20 %");
        }
    }

    // Causes of the late rank, the largest first, with the kernel where it belongs; parts under a
    // fiftieth are one. The sentence names the chain, and the one just before, where it is worth
    // saying.
    void whatAStragglerDid() {
        RunFacts facts = clean();
        waitFor(facts, {{0, 0.01}, {1, 0.01}, {2, 0.01}, {3, 1.0}});
        WaitCause& cause = facts.causes->causes[0];
        cause.byReasonS = {};
        cause.byReasonS[LateReason::SlowerKernels] = 0.2;
        cause.byReasonS[LateReason::MoreKernels] = 0.78;
        cause.byReasonS[LateReason::Stalled] = 0.015;
        cause.byReasonS[LateReason::Other] = 0.005;
        cause.kernel = "check_for_nan";
        cause.throughS = {{1, 0.4}, {2, 0.001}};
        cause.aloneS = 0.3;
        cause.besideS = {{0, 0.1}, {2, 0.6}};
        const Findings found = applyRules(facts);
        QCOMPARE(found.size(), std::size_t{1});
        const std::string& text = found[0].text;
        VERIFY_SAYS(text,
            ", 401 ms of it through rank 1, which waited for it first, only 300 ms of it beyond "
            "rank 2, which comes late as well; meanwhile it runs more kernels, most of all "
            "check_for_nan (780 ms); its kernels take longer (200 ms); the rest is 20 ms.");
        // Four fifths, of a rank that is no chance, are the cause.
        cause.byReasonS[LateReason::MoreKernels] = 0.8;
        cause.byReasonS[LateReason::SlowerKernels] = 0.18;
        VERIFY_SAYS(applyRules(facts)[0].text, "; meanwhile it runs more kernels");
        cause.isBeyondChance = true;
        VERIFY_SAYS(applyRules(facts)[0].text,
            "; because it runs more kernels, most of all check_for_nan (800 ms)");
    }

    // 0.9 s of 4 s, of 30 % exposed communication, are waiting for rank 3, and rank 3 itself is
    // idle for want of its host: the rest of all three is below the thresholds.
    void aStragglerStandsForItsSymptoms() {
        RunFacts facts = clean();
        for (TracedDevice& device : facts.traced) {
            const bool isLate = device.rank == 3;
            device.exposedS = isLate ? 0.02 : 0.32;
            device.exposedByKindS = {{"all_reduce", device.exposedS}};
            device.idleS = isLate ? 0.9 : 0.1;
            device.hostBoundS = isLate ? 0.8 : 0.01;
        }
        waitFor(facts, {{0, 0.001}, {1, 0.001}, {2, 0.001}, {3, 0.9}});
        Findings found = applyRules(facts);
        QCOMPARE(found.size(), std::size_t{4}); // nothing is known of who lost what
        for (const int rank : {0, 1, 2})
            facts.causes->lost[{rank, 3}].exposedByKindS = {{"all_reduce", 0.3}};
        facts.causes->lost[{3, 3}] = {{}, 0.75, 0.75};
        found = applyRules(facts);
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found[0].rule, std::string("straggler"));
        // With 0.3 s more of its own on each rank, that much is told: 1.28 s of 4 s.
        for (TracedDevice& device : facts.traced) {
            device.exposedS += 0.3;
            device.exposedByKindS["all_reduce"] += 0.3;
        }
        found = applyRules(facts);
        const Finding* exposed = find(found, "exposed_communication");
        QVERIFY(exposed != nullptr);
        QVERIFY(std::abs(exposed->values.at("fraction") - 0.32) < 1e-9);
        QVERIFY(std::abs(exposed->values.at("explained_s") - 0.9) < 1e-9);
        VERIFY_SAYS(
            exposed->text, "costs 32 % of the step beside what the lateness of rank 3 explains; ");
        VERIFY_SAYS(exposed->text, "AllReduce 32 %");
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
        QCOMPARE(text::seconds(246.0), std::string("4 min 6 s"));
        QCOMPARE(text::numberList({0, 4, 5, 6, 9}), std::string("0, 4-6, 9"));
        QCOMPARE(text::numberList({0, 2, 4, 6}, 2), std::string("0, 2 and 2 more"));
        QCOMPARE(text::counted(1, "GPU", "GPUs"), std::string("1 GPU"));
    }
};

TRAINSCOPE_TEST(tst_RuleLimits)
#include "tst_RuleLimits.moc"
