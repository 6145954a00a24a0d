// Readings and spans that cannot be are found in a database, with the figures without them.

#include "core/analysis/findings/Findings.h"
#include "core/analysis/findings/Plausibility.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "core/store/Fixture.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

constexpr std::int64_t kMicrosecond = 1'000;
constexpr std::int64_t kSecondNs = 1'000'000'000;

struct Planted {
    const char* name;
    std::int64_t startUs;
    std::int64_t lastingUs;
    int stream = 7;
};

std::vector<Finding> findingsOfOne(PlantedTrace& trace) {
    trace.gpus = {{0, 0, 0, {}, {}}};
    const auto store = trace.store();
    return got(findingsOf(studyOf(store)));
}

Plausibility plausibilityIn(PlantedTrace& trace) {
    const auto store = trace.store();
    const auto study = studyOf(store);
    return got(plausibilityOf(study, {}, got(iterationsOf(study))));
}

// Kernels of one rank on their streams, and iterations of `stepUs` from 1000 µs on, marked on the
// host.
std::vector<Finding> traced(const std::vector<Planted>& kernels, int steps, std::int64_t stepUs) {
    PlantedTrace trace;
    for (const Planted& kernel : kernels)
        trace.kernel(0, std::to_string(kernel.stream), kernel.name, kernel.startUs * kMicrosecond,
            kernel.lastingUs * kMicrosecond);
    for (int i = 0; i < steps; ++i) {
        const std::int64_t begin = (1000 + i * stepUs) * kMicrosecond;
        const std::int64_t length = stepUs * kMicrosecond;
        trace.host(
            0, "1", SpanKind::Annotation, "ProfilerStep#" + std::to_string(i), begin, length);
        trace.iteration(0, i, begin, begin + length);
    }
    return findingsOfOne(trace);
}

// A reading a second, with a limit of 150 W.
std::vector<Finding> drawing(const std::vector<double>& watts) {
    PlantedTrace trace;
    trace.series("gpu_power", 0, 0, kSecondNs, watts);
    trace.series("power_limit", 0, 0, kSecondNs, std::vector<double>(watts.size(), 150.0));
    return findingsOfOne(trace);
}

// A reading a second of a counter and of the power, without a limit.
std::vector<Finding> counting(const std::vector<double>& watts, const std::vector<double>& joules) {
    PlantedTrace trace;
    trace.series("gpu_power", 0, 0, kSecondNs, watts);
    if (!joules.empty())
        trace.series("gpu_energy", 0, 0, kSecondNs, joules);
    return findingsOfOne(trace);
}

std::optional<Finding> named(const std::vector<Finding>& all, const char* rule) {
    const auto found = std::find_if(
        all.begin(), all.end(), [rule](const Finding& one) { return one.rule == rule; });
    return found == all.end() ? std::nullopt : std::optional(*found);
}

bool isClose(double a, double b) {
    return qAbs(a - b) <= 1e-9 * std::max(1.0, qAbs(b));
}

class tst_Plausibility : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 9 s at 60 W are 540 J; with 3868 W at one second of them (60 + 3868) W × 1 s are added, less
    // twice 60 W.
    void powerSpike() {
        std::vector<double> watts(10, 60.0);
        watts[4] = 3868.0;
        const auto found = named(drawing(watts), "implausible_power");
        QVERIFY(found);
        QCOMPARE(found->values.at("samples"), 1.0);
        QVERIFY(isClose(found->values.at("times_limit"), 3868.0 / 150.0));
        QVERIFY(isClose(found->values.at("energy_without_j"), 540.0));
        QVERIFY(isClose(found->values.at("energy_j"), 540.0 + 3868.0 - 60.0));
        QVERIFY(isClose(found->values.at("mean_without_w"), 60.0));
        watts[4] = 300.0; // twice the limit: what short bursts reach
        QVERIFY(!named(drawing(watts), "implausible_power"));
    }

    // The power amounts to 4 × 100 J; the counter counts 40.
    void counterAgainstItsPower() {
        const auto found
            = named(counting(std::vector<double>(5, 100.0), {1000, 1010, 1020, 1030, 1040}),
                "contradicting_energy");
        QVERIFY(found);
        QVERIFY(isClose(found->values.at("counted_j"), 40.0));
        QVERIFY(isClose(found->values.at("integral_j"), 400.0));
        QVERIFY(!named(counting(std::vector<double>(5, 100.0), {0, 95, 190, 285, 380}),
            "contradicting_energy"));
    }

    // 100 W in milliwatts under a head that says W; no limit is known.
    void milliwattsAsWatts() {
        const auto found
            = named(counting(std::vector<double>(5, 100'000.0), {}), "implausible_power_unit");
        QVERIFY(found);
        QVERIFY(isClose(found->values.at("median_w"), 100'000.0));
        QVERIFY(!named(counting(std::vector<double>(5, 1200.0), {}), "implausible_power_unit"));
        QVERIFY(!named(counting({90, 90, 9000, 90, 90}, {}), "implausible_power_unit"));
    }

    // A kernel 900 µs before the first iteration, which begins at 1000 µs; each lasts 10 µs.
    void workLongBeforeTheFirstIteration() {
        std::vector<Planted> kernels{{"init", 50, 50}};
        for (int i = 0; i < 6; ++i)
            kernels.push_back({"k", 1000 + i * 10 + 1, 5});
        const auto found = named(traced(kernels, 6, 10), "early_work");
        QVERIFY(found);
        QCOMPARE(found->text,
            std::string("1 kernel of 50 µs ends 900 µs before the first iteration and counts in no "
                        "share: the figures of the trace begin behind."));
        QCOMPARE(found->values.at("kernels"), 1.0);
        QVERIFY(isClose(found->values.at("kernel_time_s"), 50e-6));
        QVERIFY(isClose(found->values.at("before_s"), 900e-6));
        kernels.front() = {"init", 900, 50};
        QVERIFY(!named(traced(kernels, 6, 10), "early_work"));
    }

    // Two kernels begin and end in "attn": clipped it lasts from 20 to 40.
    void overrunKernel() {
        const auto found = named(
            traced({{"a", 0, 10}, {"attn", 20, 500'000}, {"b", 40, 10}, {"c", 60, 10}}, 0, 0),
            "overrun_kernels");
        QVERIFY(found);
        QCOMPARE(found->values.at("behind"), 2.0);
        QVERIFY(isClose(found->values.at("kernel_time_s"), 500'030e-6));
        QVERIFY(isClose(found->values.at("clipped_kernel_time_s"), 50e-6));
        QVERIFY(isClose(found->values.at("clipped_window_s"), 70e-6));
        QVERIFY(isClose(found->values.at("clipped_busy_fraction"), 50.0 / 70.0));
    }

    // On two streams kernels may run over one another; on one the next may begin a little early.
    void kernelsThatMay() {
        QVERIFY(!named(traced({{"a", 0, 1000}, {"b", 100, 50, 8}}, 0, 0), "overrun_kernels"));
        QVERIFY(!named(traced({{"a", 0, 100}, {"b", 99, 100}}, 0, 0), "overrun_kernels"));
        // The profiler of a TPU names fused operators by spans of no length.
        QVERIFY(!named(traced({{"a", 0, 300}, {"b", 0, 0}, {"c", 300, 0}, {"c", 300, 200}}, 0, 0),
            "overrun_kernels"));
    }

    // 2.6 million kernels of 1 µs, 260,000 in each of ten steps: every step starts some.
    void stepsOfMillionsOfKernels() {
        constexpr int kSteps = 10;
        constexpr std::int64_t kInStep = 260'000;
        FreshStore store;
        auto session = got(store::beginImport(store, {"/data/a", 1, "", "run"}));
        const RunId id = got(session->run(runNamed("run")));
        const NameId name = got(session->intern("k"));
        const auto track = got(session->track(id, {TrackKind::Stream, 0, 0, "0", "7", "stream 7"}));
        for (int step = 0; step < kSteps; ++step) {
            std::vector<Span> spans;
            for (std::int64_t i = 0; i < kInStep; ++i)
                spans.push_back({{(step * kInStep + i) * kMicrosecond}, {kMicrosecond}, name,
                    SpanKind::Kernel, 0, {}, 0});
            ok(session->spans(track, spans));
            const TimeNs begin{step * kInStep * kMicrosecond};
            ok(session->iteration(
                id, {step, {begin, begin + DurationNs{kInStep * kMicrosecond}}, 0, false}));
        }
        ok(session->finish({}, "", 0, {}));
        const auto study = studyOf(store);
        const auto found = got(plausibilityOf(study, {}, got(iterationsOf(study))));
        QVERIFY(!found.steps && !found.kernels);
    }

    // Kernels of two streams, each cut where the next of its stream begins: 7 has [0, 30), [30, 40)
    // and [90, 100); 8 has [20, 50) and [50, 60). Their union is [0, 60) and [90, 100).
    void overrunsOnTwoStreams() {
        const auto found = named(traced({{"attn", 0, 500}, {"a", 30, 10}, {"b", 90, 10},
                                            {"attn", 20, 400, 8}, {"c", 50, 10, 8}},
                                     0, 0),
            "overrun_kernels");
        QVERIFY(found);
        QCOMPARE(found->values.at("behind"), 3.0);
        QVERIFY(isClose(found->values.at("kernel_time_s"), 930e-6));
        QVERIFY(isClose(found->values.at("clipped_kernel_time_s"), 90e-6));
        QVERIFY(isClose(found->values.at("clipped_window_s"), 100e-6));
        QVERIFY(isClose(found->values.at("clipped_busy_s"), 70e-6));
    }

    // Steps of 1 ms with 1 ms between them. A kernel over three steps and their pauses, of which
    // two start none, is busy in these steps alone: 3 of 4 ms, and 0.5 without it.
    void pausesBetweenStepsAreNoBusyTime() {
        PlantedTrace trace;
        trace.kernel(0, "7", "k", 0, 500 * kMicrosecond);
        trace.kernel(0, "7", "k", 2000 * kMicrosecond, 5000 * kMicrosecond);
        for (int i = 0; i < 4; ++i)
            trace.iteration(0, i, 2000 * i * kMicrosecond, (2000 * i + 1000) * kMicrosecond);
        const auto found = plausibilityIn(trace);
        QVERIFY(found.steps);
        QCOMPARE(found.steps->empty, 2);
        QCOMPARE(found.steps->over, 1);
        QVERIFY(isClose(found.steps->stepsS, 4e-3));
        QVERIFY(isClose(found.steps->busyS, 3.5e-3));
        QVERIFY(isClose(found.steps->busyWithoutS, 0.5e-3));
    }

    void stepsWithoutKernels() {
        const auto found = named(
            traced({{"decode", 1100, 100}, {"decode", 1300, 100}, {"odd", 2100, 4900}}, 6, 1000),
            "steps_without_kernels");
        QVERIFY(found);
        QCOMPARE(found->values.at("iterations"), 6.0);
        QCOMPARE(found->values.at("without_kernels"), 4.0);
        QVERIFY(isClose(found->values.at("busy_fraction"), 5100.0 / 6000.0));
        QVERIFY(isClose(found->values.at("busy_fraction_without"), 200.0 / 6000.0));
        std::vector<Planted> each;
        for (int i = 0; i < 6; ++i)
            each.push_back({"k", 1000 + i * 1000 + 10, 500});
        QVERIFY(!named(traced(each, 6, 1000), "steps_without_kernels"));
    }
};

} // namespace

TRAINSCOPE_TEST(tst_Plausibility)
#include "tst_Plausibility.moc"
