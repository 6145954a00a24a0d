// Operators of two captures by their time in a step: planted lengths, the greatest difference
// first.

#include <QTest>

#include "core/analysis/comparison/Comparison.h"
#include "core/analysis/comparison/StepOperators.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "support/TestProgram.h"

#include <cmath>

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

class tst_StepOperators : public QObject {
    Q_OBJECT

    std::int64_t m_correlation = 0;

    void call(PlantedTrace& trace, const char* name, std::int64_t at, std::int64_t length) {
        ++m_correlation;
        trace.host(0, "1", SpanKind::CpuOp, name, at, 20 * kUs);
        trace.host(
            0, "1", SpanKind::Runtime, "cudaLaunchKernel", at + 5 * kUs, 5 * kUs, m_correlation);
        trace.kernel(0, "7", std::string(name) + "_kernel", at + 30 * kUs, length, m_correlation);
    }

    // Two steps of 1 ms, each with a product of that length from its begin to its end, and copies.
    void plant(PlantedTrace& trace, const char* capture, std::int64_t begin, std::int64_t product,
        std::int64_t sum) {
        for (int i = 0; i < 2; ++i) {
            const std::int64_t at = begin + i * kMs;
            trace.host(0, "1", SpanKind::Annotation, "ProfilerStep#" + std::to_string(i), at, kMs);
            trace.iteration(0, i, at, at + kMs);
            call(trace, "aten::mm", at, product);
            if (sum > 0)
                call(trace, "aten::add", at + 500 * kUs, sum);
            call(trace, "aten::copy_", at + 900 * kUs, 60 * kUs);
        }
        trace.captures.push_back({capture, 0, {{begin}, {begin + 2 * kMs}}});
    }

private Q_SLOTS:
    void byTheSizeOfTheDifference() {
        PlantedTrace trace;
        plant(trace, "eager", 10 * kMs, 200 * kUs, 0);
        plant(trace, "compiled", 30 * kMs, 300 * kUs, 50 * kUs);
        const auto store = trace.store();
        const Run run = store.findRun("run").value();
        const std::vector<ComparedRun> parts{{run, {false, "eager"}}, {run, {false, "compiled"}}};
        const auto compared = compareRuns(store, parts).value();
        const auto& found = compared.operators;
        QCOMPARE(found.size(), std::size_t{2}); // copies take as long
        QCOMPARE(found[0].name, std::string("aten::mm"));
        QVERIFY(std::abs(found[0].seconds[0].value_or(0) - 200e-6) < 1e-9);
        QVERIFY(std::abs(found[0].seconds[1].value_or(0) - 300e-6) < 1e-9);
        QVERIFY(std::abs(found[0].difference() - 100e-6) < 1e-9);
        QCOMPARE(found[1].name, std::string("aten::add"));
        QVERIFY(!found[1].seconds[0].has_value());
        QVERIFY(std::abs(found[1].seconds[1].value_or(0) - 50e-6) < 1e-9);
    }

    void withoutCallsOfTheHostNothingIsTold() {
        PlantedTrace trace;
        for (int i = 0; i < 2; ++i) {
            for (const std::int64_t begin : {10 * kMs, 30 * kMs}) {
                trace.iteration(0, i, begin + i * kMs, begin + (i + 1) * kMs);
                trace.kernel(0, "7", "k", begin + i * kMs, 900 * kUs + begin / 1000);
            }
        }
        trace.captures = {{"a", 0, {{10 * kMs}, {12 * kMs}}}, {"b", 0, {{30 * kMs}, {32 * kMs}}}};
        const auto store = trace.store();
        const Run run = store.findRun("run").value();
        const std::vector<ComparedRun> parts{{run, {false, "a"}}, {run, {false, "b"}}};
        QVERIFY(compareRuns(store, parts).value().operators.empty());
    }
};

TRAINSCOPE_TEST(tst_StepOperators)
#include "tst_StepOperators.moc"
