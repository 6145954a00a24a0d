// The traced time of a device is that of its captures: what lies between them is no part of any
// figure.

#include "core/analysis/energy/Efficiency.h"
#include "core/analysis/findings/Findings.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/overview/Overview.h"
#include "core/analysis/traces/CaptureIterations.h"
#include "core/analysis/traces/DeviceTraces.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "core/analysis/traces/TraceSelection.h"
#include "core/analysis/traces/TraceSums.h"
#include "core/store/KeptSums.h"
#include "support/TestProgram.h"
#include "support/TracesInWindow.h"

using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

// Times in ns. first  [0, 100): a kernel [10, 30) launched at 5, a copy [40, 50) launched at 6
//              second [1000, 1200): a set [1010, 1020) launched at 1005, a kernel [1050, 1100)
//                     launched at 1045
// Work reaches from 10 to 50 and from 1010 to 1100: 130 ns are traced.
void plantTwoCaptures(PlantedTrace& trace) {
    const auto launch = [&](std::int64_t at, std::int64_t correlation) {
        trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", at, 1, correlation);
    };
    launch(5, 1);
    launch(6, 2);
    launch(1005, 3);
    launch(1045, 4);
    trace.kernel(0, "7", "a_gemm", 10, 20, 1);
    trace.work(0, "7", SpanKind::Copy, "Memcpy DtoD", 40, 10, 2);
    trace.work(0, "7", SpanKind::Set, "Memset", 1010, 10, 3);
    trace.kernel(0, "7", "a_gemm", 1050, 50, 4);
    trace.captures = {{"first", 0, {{0}, {100}}}, {"second", 0, {{1000}, {1200}}}};
}

std::vector<DeviceTrace> tracesOf(
    const store::Store& store, TimeRange window, const IterationChoice& choice = {}) {
    return deviceTraces(studyOf(store), KernelCategories::builtIn(), window, choice).value();
}

struct Times {
    std::int64_t traced;
    std::int64_t busy;
    std::int64_t copy;
    std::int64_t idle;
    std::int64_t hostBound;
};

void compare(const TimeBreakdown& times, const Times& expected) {
    QCOMPARE(times.traced.ns, expected.traced);
    QCOMPARE(times.busy.ns, expected.busy);
    QCOMPARE(times.copy.ns, expected.copy);
    QCOMPARE(times.idle.ns, expected.idle);
    QCOMPARE(
        (times.compute + times.exposedCommunication + times.copy + times.idle).ns, expected.traced);
}

void compare(const WindowPhases& phases, const Times& expected) {
    QCOMPARE(phases.traced.ns, expected.traced);
    QCOMPARE(phases.time[Phase::Copy].ns, expected.copy);
    QCOMPARE(phases.time[Phase::Idle].ns, expected.idle);
    DurationNs all;
    for (const Phase phase : kAllPhases)
        all = all + phases.time[phase];
    QCOMPARE(all.ns, expected.traced);
}

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
    const auto study = studyOf(store);
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

constexpr const char* kStep = "Optimizer.step#AdamW.step";
constexpr const char* kZero = "Optimizer.zero_grad#AdamW.zero_grad";

// A capture of [0, 1000): products, and kernels that an optimizer launches. The GPU works from 100
// on; the optimizer's kernels end at `ends`, each launched far before it runs.
void plantSteps(PlantedTrace& trace, std::int64_t origin, const std::vector<std::int64_t>& ends) {
    trace.kernel(0, "7", "a_gemm", origin + 100, 10);
    std::int64_t correlation = origin;
    for (const std::int64_t end : ends) {
        const std::int64_t call = origin + end - 90;
        trace.host(0, "1", SpanKind::Annotation, kStep, call, 20);
        for (const std::int64_t kernel : {std::int64_t{1}, std::int64_t{2}}) {
            ++correlation;
            trace.host(
                0, "1", SpanKind::Runtime, "cudaLaunchKernel", call + 3 * kernel, 2, correlation);
            trace.kernel(0, "7", "update", origin + end - 30 + 15 * (kernel - 1), 15, correlation);
        }
    }
    trace.kernel(0, "7", "a_gemm", origin + 980, 10);
    trace.captures.push_back({origin == 0 ? "first" : "second", 0, {{origin}, {origin + 1000}}});
}

CaptureIterations iterationsIn(const store::Store& store, const std::string& name) {
    const auto study = studyOf(store);
    return captureIterations(study, captureWindows(study, name).value()).value();
}

void compare(const CaptureIterations& found, std::vector<TimeRange> expected) {
    std::vector<TimeRange> ranges;
    for (const Iteration& one : found.iterations.iterations)
        ranges.push_back(one.range);
    QCOMPARE(ranges, expected);
}

std::optional<double> stepTimeS(const store::Store& store, const CaptureIterations& captured) {
    return efficiencyOf(studyOf(store), captured).value().stepTimeS;
}

} // namespace

class tst_CapturedTime : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Ranks that traced the same step are one stretch, from the first to the last.
    void aNameIsOneStretchOverItsRanks() {
        const std::vector<Capture> captures{{"late", 0, {{1050}, {1060}}},
            {"step10", 1, {{1012}, {1022}}}, {"step10", 0, {{1010}, {1020}}},
            {"late", 1, {{1049}, {1058}}}};
        const auto merged = capturesByName(captures);
        QCOMPARE(merged.size(), std::size_t{2});
        QCOMPARE(merged[0].name, std::string("step10"));
        QCOMPARE(merged[0].range, (TimeRange{{1010}, {1022}}));
        QCOMPARE(merged[1].range, (TimeRange{{1049}, {1060}}));
        QCOMPARE(partsByCapture(captures), merged);
    }

    // Files that are named for their rank are the run together.
    void filesOfRanksAreNoParts() {
        QVERIFY(partsByCapture({{"trace_0", 0, {{0}, {9}}}, {"trace_1", 1, {{1}, {9}}}}).empty());
        QVERIFY(namedCaptures({{"h_11.17", 0, {{0}, {9}}}, {"h_12.18", 1, {{1}, {9}}}}).empty());
        QCOMPARE(namedCaptures({{"step_3", 0, {{0}, {9}}}, {"step_3", 1, {{1}, {9}}}}).size(),
            std::size_t{2});
        QCOMPARE(partsByCapture({{"trace_0", 0, {{0}, {9}}}}).size(), std::size_t{1});
        QCOMPARE(
            partsByCapture({{"a", 0, {{0}, {9}}}, {"b", 0, {{10}, {19}}}, {"b", 1, {{10}, {19}}}})
                .size(),
            std::size_t{2});
    }

    void aCaptureThatIsThereTwice() {
        PlantedTrace trace;
        plantTwoCaptures(trace);
        trace.captures.push_back(trace.captures.front());
        const auto store = trace.store();
        compare(tracesOf(store, kAllTime).front().breakdown, {130, 90, 20, 40, 0});
    }
    void windows_data() {
        QTest::addColumn<std::int64_t>("begin");
        QTest::addColumn<std::int64_t>("end");
        QTest::addColumn<std::vector<std::int64_t>>("times");
        const auto row = [](const char* name, std::int64_t begin, std::int64_t end, Times times) {
            QTest::newRow(name) << begin << end
                                << std::vector<std::int64_t>{times.traced, times.busy, times.copy,
                                       times.idle, times.hostBound};
        };
        // [1020, 1050) was idle, until 1045 for the host; [30, 40) was idle with work in the queue.
        row("all", kAllTime.begin.ns, kAllTime.end.ns, {130, 90, 20, 40, 25});
        row("across", 20, 1060, {80, 40, 20, 40, 25});
        row("in the first", 20, 45, {25, 15, 5, 10, 0});
        row("in the second, from before it", 500, 1060, {50, 20, 10, 30, 25});
    }
    void windows() {
        QFETCH(const std::int64_t, begin);
        QFETCH(const std::int64_t, end);
        QFETCH(const std::vector<std::int64_t>, times);
        const Times expected{times[0], times[1], times[2], times[3], times[4]};
        PlantedTrace trace;
        plantTwoCaptures(trace);
        const auto store = trace.store();
        const TimeRange window{{begin}, {end}};
        const auto found = tracesOf(store, window);
        QCOMPARE(found.size(), std::size_t{1});
        compare(found[0].breakdown, expected);
        compare(found[0].activity.phases, expected);
        QCOMPARE(found[0].activity.launches.hostBound.ns, expected.hostBound);
        const auto selected = selectionOf(
            studyOf(store), [window](int) { return window; }, KernelCategories::builtIn());
        QCOMPARE(selected.value().devices.size(), std::size_t{1});
        compare(selected.value().devices[0], expected);
        QCOMPARE(selected.value().launches[0].launches.hostBound.ns, expected.hostBound);
    }

    // Each capture brings tracks of its own for stream 7. From the first work of each capture on,
    // at 10 and 1010, its work waits 30 and 5 ns of the 130 that are traced, two of it at once.
    void aStreamHasOneQueue() {
        PlantedTrace trace;
        trace.captures = {{"first", 0, {{0}, {100}}}, {"second", 0, {{1000}, {1200}}}};
        for (const auto& [at, correlation] :
            {std::pair(5, 1), std::pair(6, 2), std::pair(1005, 3), std::pair(1045, 4)})
            trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", at, 1, correlation);
        trace.kernel(0, "7", "a_gemm", 10, 20, 1);
        trace.kernel(0, "7", "a_gemm", 40, 10, 2);
        auto store = trace.store();
        PlantedTrace later;
        later.kernel(0, "7", "a_gemm", 1010, 10, 3);
        later.kernel(0, "7", "a_gemm", 1050, 50, 4);
        QVERIFY(later.addTo(store).hasValue());
        const auto found = tracesOf(store, kAllTime);
        QCOMPARE(found.size(), std::size_t{1});
        const auto& queues = found[0].activity.launches.queues;
        QCOMPARE(queues.size(), std::size_t{1});
        QCOMPARE(queues[0].stream, std::string("7"));
        QCOMPARE(queues[0].maxDepth, 2);
        QCOMPARE(queues[0].meanDepth, 35.0 / 130.0);
    }

    void nothingIsKnownBetweenCaptures() {
        PlantedTrace trace;
        plantTwoCaptures(trace);
        const auto store = trace.store();
        const auto selected = selectionOf(
            studyOf(store),
            [](int) {
                return TimeRange{{100}, {900}};
            },
            KernelCategories::builtIn());
        QVERIFY(selected.value().devices.empty());
    }

    // A log tells of iterations of the whole run: those that lie in no capture are not traced.
    void iterationsBetweenCapturesAreNotTraced() {
        PlantedTrace trace;
        plantTwoCaptures(trace);
        const auto store = trace.store();
        const IterationChoice choice{
            {{0, {{10}, {50}}, -1, false}, {1, {{50}, {500}}, -1, false},
                {2, {{500}, {1010}}, -1, false}, {3, {{1010}, {1100}}, -1, false}},
            {}};
        const auto found = tracesOf(store, kAllTime, choice);
        const auto& iterations = found[0].breakdown.iterations;
        QCOMPARE(iterations.size(), std::size_t{2});
        QCOMPARE(iterations[0].index, 0);
        QCOMPARE(iterations[0].idle.ns, 10);
        QCOMPARE(iterations[1].index, 3);
        QCOMPARE(iterations[1].idle.ns, 30);
    }

    // An iteration's time before its first work is idle, in whichever capture it lies.
    void oneIterationIsTheWindow() {
        PlantedTrace trace;
        plantTwoCaptures(trace);
        const auto store = trace.store();
        const auto found
            = tracesOf(store, kAllTime, {{{7, {{1001}, {1101}}, 0, false}}, std::int64_t{7}});
        QCOMPARE(found[0].breakdown.traced.ns, 100);
        QCOMPARE(found[0].breakdown.idle.ns, 40);
    }

    // As in a report of Nsight Systems where kernels take 2 % of a second.
    void copiesAloneAreWork() {
        PlantedTrace trace;
        trace.work(0, "7", SpanKind::Copy, "Memcpy DtoD", 100, 50);
        trace.work(0, "8", SpanKind::Copy, "Memcpy DtoD", 120, 60);
        trace.work(0, "7", SpanKind::Set, "Memset", 190, 10);
        const auto store = trace.store();
        const auto found = tracesOf(store, kAllTime);
        compare(found[0].breakdown, {100, 90, 90, 10, 0});
        compare(found[0].activity.phases, {100, 90, 90, 10, 0});
        QCOMPARE(found[0].breakdown.window, (TimeRange{{100}, {200}}));
    }

    // Work long before the first iteration is in no figure of all of a trace, wherever that is
    // made.
    void oneWindowInEveryPlace() {
        PlantedTrace trace = plantSteps();
        plantStart(trace);
        auto store = trace.store();
        compareIdle(store, 975 * kMs, 225 * kMs);
        const auto study = studyOf(store);
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
        const auto study = studyOf(store);
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
        const auto study = studyOf(store);
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
        const auto study = studyOf(store);
        QVERIFY(!earlyWork(study).value());
        for (const DeviceBreakdown& device : traceBreakdown(study).value())
            QCOMPARE(device.idle.ns, 225 * kMs);
    }

    // The iterations of a capture: marks that lie in it, its optimizer's steps, marks that its
    // edges cut, or why there are none. Times in ns are read off by hand.

    void betweenOptimizerSteps() {
        PlantedTrace trace;
        plantSteps(trace, 0, {300, 600, 910});
        const auto store = trace.store();
        const auto found = iterationsIn(store, "first");
        compare(found, {{{300}, {600}}, {{600}, {910}}});
        QVERIFY(!found.areCut);
        QCOMPARE(stepTimeS(store, found).value(), 305e-9);
        QCOMPARE(found.state.iterations, 2);
        VERIFY_SAYS(found.state.wording, "iterations 1 to 2 (by the optimizer's steps");
    }

    // The first iteration is whole where the gradients were cleared before the GPU's first work.
    void fromTheBeginWhereGradientsAreCleared() {
        PlantedTrace trace;
        plantSteps(trace, 0, {300, 600});
        trace.host(0, "1", SpanKind::Annotation, kZero, 20, 10);
        const auto store = trace.store();
        compare(iterationsIn(store, "first"), {{{100}, {300}}, {{300}, {600}}});
        // After it, it says nothing of the first one.
        PlantedTrace late;
        plantSteps(late, 0, {300, 600});
        late.host(0, "1", SpanKind::Annotation, kZero, 320, 10);
        compare(iterationsIn(late.store(), "first"), {{{300}, {600}}});
    }

    void oneStepTellsNoLength() {
        PlantedTrace trace;
        plantSteps(trace, 0, {600});
        const auto store = trace.store();
        const auto found = iterationsIn(store, "first");
        compare(found, {});
        const auto made = efficiencyOf(studyOf(store), found).value();
        QVERIFY(!made.stepTimeS);
        VERIFY_SAYS(made.missing.at("step_time_s"), "nor two steps of an optimizer");
    }

    // Steps of two optimizers that follow each other are one step.
    void twoOptimizersInOneStep() {
        PlantedTrace trace;
        plantSteps(trace, 0, {300, 330, 600, 630, 900, 930});
        compare(iterationsIn(trace.store(), "first"), {{{330}, {630}}, {{630}, {930}}});
    }

    // Each capture has its own, and none reaches from one into the next.
    void ofThatCaptureAlone() {
        PlantedTrace trace;
        plantSteps(trace, 0, {300, 600});
        plantSteps(trace, 100'000, {400, 900});
        const auto store = trace.store();
        compare(iterationsIn(store, "first"), {{{300}, {600}}});
        compare(iterationsIn(store, "second"), {{{100'400}, {100'900}}});
    }

    // A mark that lies in the capture goes before its optimizer.
    void marksGoFirst() {
        PlantedTrace trace;
        plantSteps(trace, 0, {300, 600});
        trace.iteration(-1, 7, 250, 560);
        trace.iteration(-1, 8, 560, 1'200);
        const auto found = iterationsIn(trace.store(), "first");
        compare(found, {{{250}, {560}}});
        QCOMPARE(found.iterations.iterations.front().index, 7);
    }

    // Without an optimizer: 600 of 900 ns of the one lie in it, 300 of 800 of the other.
    void marksThatTheEdgesCut() {
        PlantedTrace trace;
        plantSteps(trace, 0, {});
        trace.iteration(-1, 3, -200, 700);
        trace.iteration(-1, 4, 700, 1'500);
        const auto store = trace.store();
        const auto found = iterationsIn(store, "first");
        compare(found, {{{-200}, {700}}});
        QVERIFY(found.areCut);
        QCOMPARE(found.window, (TimeRange{{-200}, {1'000}}));
        VERIFY_SAYS(found.state.wording, "cut by its edges");
        QCOMPARE(found.state.iterations, 0);
    }
};

TRAINSCOPE_TEST(tst_CapturedTime)
#include "tst_CapturedTime.moc"
