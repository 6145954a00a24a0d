// The least time of work on a GPU of round numbers, by hand.

#include <QtTest>

#include "core/work/Roofline.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::work;

class tst_Roofline : public QObject {
    Q_OBJECT

    // 100 TFLOP/s of 16 bits, 200 of 8; 1 TB/s.
    static catalogue::GpuModel gpu() {
        catalogue::GpuModel model;
        model.bf16Flops = 1e14;
        model.fp8Flops = 2e14;
        model.memoryBandwidth = 1e12;
        return model;
    }
    static TracedWork work(double flop, double bytes, ElementType type, Units units) {
        return TracedWork{{flop, bytes}, type, units};
    }

private Q_SLOTS:
    void theLargerBoundCounts() {
        const Roof roof = roofOf(gpu(), ElementType::BFloat16, Units::Matrix);
        QCOMPARE(ridgeOf(roof), std::optional(100.0));
        // 1 ms of operations, 0.1 ms of bytes; and the reverse.
        const auto compute = work(1e11, 1e8, ElementType::BFloat16, Units::Matrix);
        QCOMPARE(attainable(compute, roof)->seconds, 1e-3);
        QVERIFY(attainable(compute, roof)->bound == Bound::Compute);
        QCOMPARE(intensityOf(compute), std::optional(1000.0));
        const auto memory = work(1e10, 1e9, ElementType::BFloat16, Units::Matrix);
        QCOMPARE(attainable(memory, roof)->seconds, 1e-3);
        QVERIFY(attainable(memory, roof)->bound == Bound::Memory);
    }

    void peaksFollowTypeAndSparsity() {
        QCOMPARE(roofOf(gpu(), ElementType::Float8, Units::Matrix).flops, std::optional(2e14));
        QCOMPARE(
            roofOf(gpu(), ElementType::BFloat16, Units::SparseMatrix).flops, std::optional(2e14));
        QVERIFY(!roofOf(gpu(), ElementType::BFloat16, Units::Vector).flops);
        // TF32 or not is not known: bytes alone are a lower bound.
        const Roof roof = roofOf(gpu(), ElementType::Float32, Units::Matrix);
        QVERIFY(!roof.flops);
        const auto least = attainable(work(1e12, 1e9, ElementType::Float32, Units::Matrix), roof);
        QCOMPARE(least->seconds, 1e-3);
        QVERIFY(least->isPeakUnknown);
        QVERIFY(
            !attainable(work(1e12, 1e9, ElementType::Float32, Units::Vector), roof)->isPeakUnknown);
        QVERIFY(!attainable(work(1, 1, ElementType::Float32, Units::Vector), Roof{}));
    }

    void measuredBandwidthIsAShareOfTheNominalOne() {
        const Roof roof = roofOf(gpu(), ElementType::BFloat16, Units::Vector, 0.8);
        const auto moved = work(0, 8e8, ElementType::BFloat16, Units::Vector);
        QCOMPARE(attainable(moved, roof)->seconds, 0.8e-3);
        QCOMPARE(attainable(moved, roof, true)->seconds, 1e-3);
    }

    void timeAboveTheRooflineCouldBeSaved() {
        const auto done = work(1e11, 1e8, ElementType::BFloat16, Units::Matrix);
        const Roof roof = roofOf(gpu(), ElementType::BFloat16, Units::Matrix);
        const auto reached = efficiencyOf(done, *attainable(done, roof), 4e-3);
        QCOMPARE(reached->flopRate, 2.5e13);
        QCOMPARE(reached->byteRate, 2.5e10);
        QCOMPARE(reached->share, 0.25);
        QCOMPARE(reached->saved, 3e-3);
        QCOMPARE(efficiencyOf(done, *attainable(done, roof), 0.5e-3)->saved, 0.0); // from a cache
        QVERIFY(!efficiencyOf(done, *attainable(done, roof), 0.0));
    }
};

TRAINSCOPE_TEST(tst_Roofline)
#include "tst_Roofline.moc"
