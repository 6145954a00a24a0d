// The iterations of a capture: marks that lie in it, its optimizer's steps, marks that its edges
// cut, or why there are none. Times in ns are read off by hand.

#include "core/analysis/traces/PlantedTrace.h"

#include "core/analysis/energy/Efficiency.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/traces/CaptureIterations.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

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
    const RunStudy study{store, store.findRun("run").value()};
    return captureIterations(study, captureWindows(study, name).value()).value();
}

void compare(const CaptureIterations& found, std::vector<TimeRange> expected) {
    std::vector<TimeRange> ranges;
    for (const Iteration& one : found.iterations.iterations)
        ranges.push_back(one.range);
    QCOMPARE(ranges, expected);
}

bool says(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

std::optional<double> stepTimeS(const store::Store& store, const CaptureIterations& captured) {
    return efficiencyOf({store, store.findRun("run").value()}, captured).value().stepTimeS;
}

} // namespace

class tst_CaptureIterations : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void betweenOptimizerSteps() {
        PlantedTrace trace;
        plantSteps(trace, 0, {300, 600, 910});
        const auto store = trace.store();
        const auto found = iterationsIn(store, "first");
        compare(found, {{{300}, {600}}, {{600}, {910}}});
        QVERIFY(!found.areCut);
        QCOMPARE(stepTimeS(store, found).value(), 305e-9);
        QCOMPARE(found.state.iterations, 2);
        QVERIFY2(says(found.state.wording, "iterations 1 to 2 (by the optimizer's steps"),
            found.state.wording.c_str());
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
        const auto made = efficiencyOf({store, store.findRun("run").value()}, found).value();
        QVERIFY(!made.stepTimeS);
        QVERIFY2(says(made.missing.at("step_time_s"), "nor two steps of an optimizer"),
            made.missing.at("step_time_s").c_str());
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
        QVERIFY2(says(found.state.wording, "cut by its edges"), found.state.wording.c_str());
        QCOMPARE(found.state.iterations, 0);
    }
};

TRAINSCOPE_TEST(tst_CaptureIterations)
#include "tst_CaptureIterations.moc"
