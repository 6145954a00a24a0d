// Work long before the first iteration is in no figure of all of a trace, wherever that is made.

#include "core/analysis/traces/PlantedTrace.h"

#include "core/analysis/findings/Findings.h"
#include "core/analysis/overview/Overview.h"
#include "core/analysis/traces/DeviceTraces.h"
#include "core/analysis/traces/TraceSelection.h"
#include "core/analysis/traces/TraceSums.h"
#include "core/store/KeptSums.h"
#include "support/TestProgram.h"
#include "support/TracesInWindow.h"

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

constexpr std::int64_t kFirstStep = 30'000 * kMs;
constexpr std::int64_t kStepLength = 100 * kMs;
constexpr int kSteps = 10;

// A kernel for the first 75 of 100 ms of each step. From the first kernel to the end of the last
// are 975 ms, of which 750 are busy: 225 are idle.
PlantedTrace plantSteps(int rank = 0) {
    PlantedTrace trace;
    for (int i = 0; i < kSteps; ++i) {
        const std::int64_t begin = kFirstStep + i * kStepLength;
        trace.iteration(rank, i, begin, begin + kStepLength);
        trace.kernel(rank, "7", "a_gemm", begin, 75 * kMs);
    }
    return trace;
}

void plantStart(PlantedTrace& trace, int rank = 0) {
    trace.kernel(rank, "7", "init", 0, kMs);
    trace.kernel(rank, "7", "init", 5 * kMs, kMs);
    trace.work(rank, "8", SpanKind::Copy, "Memcpy HtoD", 10 * kMs, kMs);
}

void compareIdle(const store::Store& store, std::int64_t traced, std::int64_t idle) {
    const RunStudy study{store, store.findRun("run").value()};
    const auto traces = deviceTraces(study, KernelCategories::builtIn(), kAllTime, {}).value();
    QCOMPARE(traces.front().breakdown.traced.ns, traced);
    QCOMPARE(traces.front().breakdown.idle.ns, idle);
    QCOMPARE(traces.front().activity.phases.time[Phase::Idle].ns, idle);
    QCOMPARE(traceBreakdown(study).value().front().idle.ns, idle);
    for (const TimeRange& all : {kAllTime, TimeRange{{-1}, {kFirstStep * 2}}}) {
        const auto selection = selectionOf(
            study, [all](int) { return all; }, KernelCategories::builtIn());
        QCOMPARE(selection.value().devices.front().traced.ns, traced);
        QCOMPARE(selection.value().devices.front().idle.ns, idle);
    }
    const auto work = timeOfWork(allTraced(study).value().devices);
    QCOMPARE(work.tracedS, static_cast<double>(traced) * 1e-9);
    QCOMPARE(work.idleS, static_cast<double>(idle) * 1e-9);
    const auto findings = findingsOf(study).value();
    const auto said = std::find_if(findings.begin(), findings.end(),
        [](const Finding& one) { return one.rule == "idle_gpu"; });
    QVERIFY(said != findings.end());
    QCOMPARE(said->values.at("traced_s"), work.tracedS);
    QCOMPARE(said->values.at("fraction"), work.idleS / work.tracedS);
}

} // namespace

class tst_EarlyWork : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneWindowInEveryPlace() {
        PlantedTrace trace = plantSteps();
        plantStart(trace);
        auto store = trace.store();
        compareIdle(store, 975 * kMs, 225 * kMs);
        const RunStudy study{store, store.findRun("run").value()};
        QVERIFY(store::keepSums(store, sumTraces(study).value()).hasValue());
        compareIdle(store, 975 * kMs, 225 * kMs);
        const auto early = earlyWork(study).value();
        QVERIFY(early.has_value());
        QCOMPARE(earlyWorkText(*early),
            std::string("2 kernels and 1 copy of 3 ms end 30 s before the first iteration and "
                        "count in no share"));
        QCOMPARE(early->where, (TimeRange{{0}, {11 * kMs}}));
        QCOMPARE(early->gap.ns, kFirstStep - 11 * kMs);
    }

    // A stretch that is asked for holds what lies in it.
    void aChosenStretchIsAsItIs() {
        PlantedTrace trace = plantSteps();
        plantStart(trace);
        const auto store = trace.store();
        const RunStudy study{store, store.findRun("run").value()};
        const auto some
            = traceBreakdown(study, KernelCategories::builtIn(), {{2 * kMs}, {kFirstStep}});
        QCOMPARE(some.value().front().traced.ns, kFirstStep - 2 * kMs);
        QCOMPARE(some.value().front().busy.ns, 2 * kMs);
    }

    // Without it, and where nothing else was traced, all counts.
    void allCounts() {
        compareIdle(plantSteps().store(), 975 * kMs, 225 * kMs);
        PlantedTrace trace;
        plantStart(trace);
        trace.iteration(0, 0, kFirstStep, kFirstStep + kStepLength);
        const auto store = trace.store();
        const RunStudy study{store, store.findRun("run").value()};
        QVERIFY(!earlyWork(study).value());
        QCOMPARE(traceBreakdown(study).value().front().traced.ns, 11 * kMs);
    }

    // Each rank by its own iterations: the clock of rank 1 begins an hour later.
    void clocksOfTheirOwn() {
        PlantedTrace trace = plantSteps();
        constexpr std::int64_t hour = 3'600'000 * kMs;
        for (int i = 0; i < kSteps; ++i) {
            const std::int64_t begin = hour + i * kStepLength;
            trace.iteration(1, i, begin, begin + kStepLength);
            trace.kernel(1, "7", "a_gemm", begin, 75 * kMs);
        }
        const auto store = trace.store();
        const RunStudy study{store, store.findRun("run").value()};
        QVERIFY(!earlyWork(study).value());
        for (const DeviceBreakdown& device : traceBreakdown(study).value())
            QCOMPARE(device.idle.ns, 225 * kMs);
    }
};

TRAINSCOPE_TEST(tst_EarlyWork)
#include "tst_EarlyWork.moc"
