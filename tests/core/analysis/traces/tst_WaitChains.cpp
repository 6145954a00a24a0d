// Blame that is passed on: ranks that are late as they had waited for others, through groups and
// messages. Every wait is worked out by hand from the plant.

#include <QtTest>

#include "core/analysis/traces/PlantedSteps.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

class tst_WaitChains : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Tensor groups {0, 1} and {2, 3}, data groups {0, 2} and {1, 3}. Rank 0 computes 300 µs
    // longer, so rank 1 waits, comes late to rank 3 in its turn, and rank 2 waits for rank 0: 900
    // µs a step, all of them rank 0's doing.
    void blameGoesThroughGroups() {
        Steps steps({0, 1, 2, 3});
        for (std::int64_t step = 0; step < 100; ++step) {
            for (const int rank : {0, 1, 2, 3})
                steps.compute(rank, usual(step) + (rank == 0 ? 300'000 : 0));
            steps.allReduce({0, 1}, "tp0");
            steps.allReduce({2, 3}, "tp1");
            for (const int rank : {0, 1, 2, 3})
                steps.compute(rank, 100'000, "optimizer");
            steps.allReduce({0, 2}, "dp0");
            steps.allReduce({1, 3}, "dp1");
        }
        const auto store = steps.planted.stored();
        const WaitCauses causes = causesIn(store, "planted");
        QVERIFY(isNear(causes.waitS, 100 * 900e-6));
        QCOMPARE(causes.causes.front().rank, 0);
        const WaitCause& zero = causes.causes.front();
        QVERIFY(isNear(zero.waitS, causes.waitS));
        QVERIFY(isNear(zero.byReasonS[LateReason::SlowerKernels], causes.waitS));
        QCOMPARE(zero.kernel, std::string("gemm"));
        QVERIFY(isNear(zero.kernelS, 100 * 600e-6)); // it was last itself there
        QCOMPARE(zero.throughS.size(), std::size_t{1});
        QVERIFY(isNear(zero.throughS.at(1), 100 * 300e-6));
        QCOMPARE(zero.worstRank, 0);
        QVERIFY(causeOf(causes, 1).waitS == 0.0);
    }

    // Stage 0 is ranks 0 and 1, stage 1 ranks 2 and 3. Rank 0 is 400 µs slow, so its message makes
    // rank 2 late, for which rank 3 waits where their gradients meet. Messages count for nobody's
    // waiting.
    void blameGoesThroughMessages() {
        Steps steps({0, 1, 2, 3});
        for (std::int64_t step = 0; step < 100; ++step) {
            for (const int rank : {0, 1})
                steps.compute(rank, usual(step) + (rank == 0 ? 400'000 : 0));
            steps.message(0, 2);
            steps.message(1, 3);
            for (const int rank : {2, 3})
                steps.compute(rank, 500'000);
            steps.allReduce({0, 1}, "dp0");
            steps.allReduce({2, 3}, "dp1");
        }
        const auto store = steps.planted.stored();
        const WaitCauses causes = causesIn(store, "planted");
        QVERIFY(isNear(causes.waitS, 100 * 800e-6));
        QVERIFY(isNear(causeOf(causes, 0).waitS, causes.waitS));
        QVERIFY(isNear(causeOf(causes, 0).throughS.at(2), 100 * 400e-6));
        const auto& reasons = causeOf(causes, 0).byReasonS;
        QVERIFY(isNear(reasons[LateReason::SlowerKernels], 100 * 400e-6));
        QVERIFY(isNear(reasons[LateReason::LateMessages], 100 * 400e-6));
    }

    // The same stages, but rank 2 itself computes 300 µs longer: that both ranks of its stage wait
    // for their messages is no reason.
    void waitingAlikeIsNoReason() {
        Steps steps({0, 1, 2, 3});
        for (std::int64_t step = 0; step < 100; ++step) {
            for (const int rank : {0, 1})
                steps.compute(rank, usual(step));
            steps.message(0, 2);
            steps.message(1, 3);
            for (const int rank : {2, 3})
                steps.compute(rank, rank == 2 ? 800'000 : 500'000);
            steps.allReduce({0, 1}, "dp0");
            steps.allReduce({2, 3}, "dp1");
        }
        const auto store = steps.planted.stored();
        const WaitCauses causes = causesIn(store, "planted");
        QVERIFY(isNear(causes.waitS, 100 * 300e-6));
        QVERIFY(isNear(causeOf(causes, 2).byReasonS[LateReason::SlowerKernels], causes.waitS));
    }

    // Two stages and an all-reduce of both: rank 1 has sent its gradients back and waits while rank
    // 0 computes the last of them, 400 µs. Rank 0 was kept by rank 1, but that is the order of a
    // pipeline, and nobody is to blame.
    void stagesGoInTurn() {
        Steps steps({0, 1});
        for (std::int64_t step = 0; step < 60; ++step) {
            steps.compute(0, usual(step), "forward");
            steps.message(0, 1);
            steps.compute(1, usual(step), "forward");
            steps.compute(1, 400'000, "backward");
            steps.message(1, 0);
            steps.compute(0, 400'000, "backward");
            steps.allReduce({0, 1}, "world");
        }
        const auto store = steps.planted.stored();
        const WaitCauses causes = causesIn(store, "planted");
        QVERIFY(isNear(causes.waitS, 60 * 400e-6));
        QVERIFY(isNear(causeOf(causes, kNoRank).byReasonS[LateReason::InTurn], causes.waitS));
        QVERIFY(causeOf(causes, 0).waitS < 1e-9 && causeOf(causes, 1).waitS < 1e-9);
    }

    // Rank 0 computes 200 µs longer before tp0, rank 1 runs 100 µs more before dp1. But for the
    // first step the ranks 1 and 3 leave dp1 100 µs after the ranks 0 and 2 leave dp0. In a step
    // wait
    //   rank 1 in tp0   100 µs for rank 0
    //   rank 2 in tp1   100 µs for rank 3, late as it waited for what rank 1 ran more
    //   rank 3 in dp1   200 µs for rank 1, half of it since that had waited for rank 0
    //   rank 2 in dp0   100 µs for rank 0
    // and in the first step 200, 0, 300 (of which 200 for rank 0) and 200 µs.
    void blameIsShared() {
        Steps steps({0, 1, 2, 3});
        for (std::int64_t step = 0; step < 60; ++step) {
            for (const int rank : {0, 1, 2, 3})
                steps.compute(rank, usual(step) + (rank == 0 ? 200'000 : 0));
            steps.allReduce({0, 1}, "tp0");
            steps.allReduce({2, 3}, "tp1");
            steps.compute(1, 100'000, "dropout");
            steps.allReduce({1, 3}, "dp1");
            steps.allReduce({0, 2}, "dp0");
        }
        const auto store = steps.planted.stored();
        const WaitCauses causes = causesIn(store, "planted");
        QVERIFY(isNear(causes.waitS, 700e-6 + 59 * 500e-6));
        const WaitCause& zero = causeOf(causes, 0);
        QVERIFY(isNear(zero.waitS, 600e-6 + 59 * 300e-6));
        QVERIFY(isNear(zero.byReasonS[LateReason::SlowerKernels], zero.waitS));
        QVERIFY(isNear(zero.throughS.at(1), 200e-6 + 59 * 100e-6));
        const WaitCause& one = causeOf(causes, 1);
        QVERIFY(isNear(one.waitS, 100e-6 + 59 * 200e-6));
        QVERIFY(isNear(one.byReasonS[LateReason::MoreKernels], one.waitS));
        QVERIFY(isNear(one.throughS.at(3), 59 * 100e-6));
        QCOMPARE(one.kernel, std::string("dropout"));
        QVERIFY(causeOf(causes, 3).waitS == 0.0);
    }
};

TRAINSCOPE_TEST(tst_WaitChains)
#include "tst_WaitChains.moc"
