// Operators per step: work before the first iteration of a rank and behind its last one is of none.

#include "core/analysis/traces/PlantedTrace.h"

#include "core/figures/operators/OperatorsFigure.h"
#include "support/TestProgram.h"

#include <algorithm>

using namespace trainscope;
using namespace trainscope::figures;
using namespace trainscope::plot;
using namespace trainscope::test;

namespace {

// Steps of 1 ms from 1 ms on, each with a product of 200 µs; one of 5 ms before them (say, a
// warm-up that nobody marked) and one of 3 ms behind them.
void plant(PlantedTrace& trace, int steps) {
    std::int64_t correlation = 0;
    const auto product = [&](std::int64_t at, std::int64_t length) {
        ++correlation;
        trace.host(0, "1", SpanKind::CpuOp, "aten::mm", at, 20 * kUs);
        trace.host(
            0, "1", SpanKind::Runtime, "cudaLaunchKernel", at + 5 * kUs, 5 * kUs, correlation);
        trace.kernel(0, "7", "a_gemm", at + 30 * kUs, length, correlation);
    };
    product(0, 5 * kMs);
    for (int i = 0; i < steps; ++i) {
        const std::int64_t begin = (10 + i) * kMs;
        trace.host(0, "1", SpanKind::Annotation, "ProfilerStep#" + std::to_string(i), begin, kMs);
        trace.iteration(0, i, begin, begin + kMs);
        product(begin + 100 * kUs, 200 * kUs);
    }
    product((11 + steps) * kMs, 3 * kMs);
}

} // namespace

class tst_OperatorsOfSteps : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void onlyWorkOfStepsIsDivided() {
        PlantedTrace trace;
        plant(trace, 4);
        const auto store = trace.store();
        OperatorsQuery query;
        query.run = store.findRun("run").value().id;
        const auto all = loadOperators(store, query).value();
        QCOMPARE(all.work->tree.nodes.front().sums.time.ns, 8 * kMs + 4 * 200 * kUs);
        query.ofSteps = true;
        const auto ofSteps = loadOperators(store, query).value();
        QCOMPARE(ofSteps.work->tree.nodes.front().sums.time.ns, 4 * 200 * kUs);
        const auto data = differenceOf(ofSteps, ofSteps, true);
        QCOMPARE(data.difference.stepsA, std::int64_t{4});
        const auto found = std::find_if(data.operators.begin(), data.operators.end(),
            [](const auto& one) { return one.name == "aten::mm" && one.times.a; });
        QVERIFY(found != data.operators.end());
        QCOMPARE(found->times.a->seconds, 200e-6);
    }

    // A window inside the run holds the iterations that lie in it; without marks it stays.
    void inAWindow() {
        PlantedTrace trace;
        plant(trace, 4);
        const auto store = trace.store();
        OperatorsQuery query;
        query.run = store.findRun("run").value().id;
        query.window = {{11 * kMs}, {20 * kMs}};
        query.ofSteps = true;
        QCOMPARE(loadOperators(store, query).value().work->tree.nodes.front().sums.time.ns,
            3 * 200 * kUs);
        query.window = {{14 * kMs}, {20 * kMs}};
        QCOMPARE(
            loadOperators(store, query).value().work->tree.nodes.front().sums.time.ns, 3 * kMs);
    }
};

TRAINSCOPE_TEST(tst_OperatorsOfSteps)
#include "tst_OperatorsOfSteps.moc"
