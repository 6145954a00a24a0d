// MFU and unions of ranks that drive several GPUs, and the time that ranks have of a window.

#include "core/analysis/traces/PlantedTrace.h"

#include "core/analysis/operators/CallTrees.h"
#include "core/analysis/operators/KeptTraces.h"
#include "core/analysis/operators/OperatorMfu.h"
#include "core/analysis/operators/OperatorTable.h"
#include "support/TestProgram.h"

#include <cmath>

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

// One process multiplies on two GPUs at once, 2 · 1000³ FLOP in 100 of 200 µs on each; a third GPU
// is only copied to.
PlantedTrace plantedDevices() {
    PlantedTrace trace;
    const std::string product = R"({"Input Dims":[[1000,1000],[1000,1000]],)"
                                R"("Input type":["c10::BFloat16","c10::BFloat16"]})";
    for (std::int64_t device = 0; device < 2; ++device) {
        const std::string stream = "of " + std::to_string(device);
        const std::int64_t at = device * 20 * kUs;
        trace.devices[stream] = static_cast<int>(device);
        trace.host(0, "1", SpanKind::CpuOp, "aten::mm", at, 10 * kUs, 0, product);
        trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", at + 5 * kUs, kUs, device + 1);
        trace.kernel(0, stream, "gemm", 100 * kUs, 100 * kUs, device + 1);
    }
    trace.devices["beside"] = 2;
    trace.work(0, "beside", SpanKind::Copy, "Memcpy PtoP", 100 * kUs, kUs);
    trace.iteration(0, 4, 0, 200 * kUs);
    return trace;
}

} // namespace

class tst_OperatorMfu : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 4e9 FLOP in 2 × 200 µs are 1e13 a second and GPU. While they run it is 2e13 on each.
    void everyGpuOfARankCounts_data() {
        QTest::addColumn<bool>("isKept");
        QTest::newRow("from the trace") << false;
        QTest::newRow("from kept sums") << true;
    }
    void everyGpuOfARankCounts() {
        QFETCH(bool, isKept);
        auto trace = plantedDevices();
        auto store = trace.store();
        const Run run = store.findRun("run").value();
        if (isKept)
            QVERIFY(keepSums(store, run).hasValue());
        catalogue::GpuModel gpu;
        gpu.bf16Flops = 1e14;
        gpu.memoryBandwidth = 1e12;
        const CallTree tree = callTree({store, run}, 0).value();
        const auto mfu = operatorMfu(tree, tree.rankTime.seconds(), &gpu);
        QVERIFY(mfu && mfu->mfu);
        QCOMPARE(mfu->flop, 4e9);
        QVERIFY(std::abs(*mfu->mfu - 0.1) < 1e-4);
        const auto table = operatorTable(tree, OperatorGrouping::Operator, &gpu);
        QCOMPARE(table.rows.size(), std::size_t{1});
        QCOMPARE(table.rows[0].time.ns, 200 * kUs);
        QCOMPARE(table.rows[0].busy.ns, 200 * kUs); // both of them
        QCOMPARE(*table.rows[0].efficiency.flopPerSecond, 2e13);
        QCOMPARE(*table.rows[0].efficiency.rooflineFraction, 0.2);
        const auto iterations = iterationMfus({store, run}, 0, kAllTime, &gpu).value();
        QCOMPARE(iterations.size(), std::size_t{1});
        QVERIFY(std::abs(*iterations[0].mfu.mfu - 0.1) < 1e-4);
    }

    // Rank 0 works for 10 ms, rank 1 for 4: of 5 to 10 ms there are 5 of rank 0 and none of rank 1,
    // not less than none.
    void ranksThatEndBeforeTheWindow() {
        PlantedTrace planted;
        planted.kernel(0, "7", "gemm", 0, 10 * kMs);
        planted.kernel(1, "7", "gemm", 0, 4 * kMs);
        const auto store = planted.store();
        const Run run = store.findRun("run").value();
        const TimeRange window{{5 * kMs}, {10 * kMs}};
        QCOMPARE(callTree({store, run}, window).value().rankTime.ns, 5 * kMs);
        QCOMPARE(callTree({store, run}, 1, window).value().rankTime.ns, 0);
    }
};

TRAINSCOPE_TEST(tst_OperatorMfu)
#include "tst_OperatorMfu.moc"
