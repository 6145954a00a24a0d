// Gates: what is one, and what the data tell of it. The intervals are by hand.

#include "core/analysis/comparison/Comparison.h"
#include "support/TestProgram.h"

#include <limits>

using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

RunMeasures runOf(const char* name) {
    RunMeasures run;
    run.run.name = name;
    run.values.assign(comparedQuantities().size(), std::nullopt);
    run.absentWhy.assign(comparedQuantities().size(), "It was not recorded.");
    return run;
}

RunMeasures withStep(const char* name, double seconds, double std, std::int64_t count = 10) {
    RunMeasures run = runOf(name);
    run.values[*quantityIndex("step_time_s")] = Measure{seconds, Spread{count, seconds, std, 0.0}};
    return run;
}

GateResult resultOf(const char* gate, const RunMeasures& a, const RunMeasures& b) {
    const GateOutcome outcome = outcomeOf(got(gateOf(gate)), a, b);
    if (outcome.text.empty())
        qWarning("%s says nothing", gate);
    return outcome.result;
}

std::string keyOf(const char* gate) {
    return comparedQuantities()[got(gateOf(gate)).quantity].key;
}

std::string errorOf(const char* gate) {
    const auto made = gateOf(gate);
    return made.hasValue() ? "none" : made.error().message;
}

} // namespace

class tst_Gate : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void whatIsOne() {
        const Gate ratio = got(gateOf("step_time<=+2%"));
        QCOMPARE(keyOf("step_time<=+2%"), std::string("step_time_s"));
        QVERIFY(ratio.isUpper);
        QCOMPARE(ratio.factor, 1.02);
        QCOMPARE(ratio.shift, 0.0);
        const Gate change = got(gateOf("gpu_temperature.max <= +3"));
        QCOMPARE(change.factor, 1.0);
        QCOMPARE(change.shift, 3.0);
        const Gate value = got(gateOf("goodput>=90%"));
        QVERIFY(!value.isUpper);
        QCOMPARE(value.factor, 0.0);
        QCOMPARE(value.shift, 0.9);
        QCOMPARE(got(gateOf("step_time_s<=-1.5%")).factor, 0.985);
        // Energy of a step, which runs of other lengths have too.
        QCOMPARE(keyOf("energy<=+3%"), std::string("energy_per_step_j"));
        QCOMPARE(keyOf("energy_j<=+3%"), std::string("energy_j"));
        QCOMPARE(keyOf("gpu_temperature.max<=+3"), std::string("peak_temperature_c"));
        QCOMPARE(keyOf("busy>=+0%"), std::string("busy_fraction"));
    }

    void whatIsNone() {
        for (const char* gate : {"", "<=", "step_time", "step_time<2", "step_time=2", "<=2",
                 "step_time<=", "step_time<=+", "step_time<=nan", "step_time<=inf",
                 "step_time<=2 s", "step_time<=2%%"})
            QVERIFY2(errorOf(gate) != "none", gate);
        VERIFY_SAYS(errorOf("step_tim<=+2%"), "step_time");
        VERIFY_SAYS(errorOf("gpu_temperatur.max<=+2"), "gpu_temperature.max");
        VERIFY_SAYS(errorOf("xyzzy<=2"), "man trainscope-numbers");
        VERIFY_SAYS(errorOf("gpu_temperature.max<=+3%"), "degrees");
        VERIFY_SAYS(errorOf("step_time<=2%"), "sign");
    }

    // Ten iterations of 2.00 s and 2.02 s, 20 ms std. dev. each: 2.02 − 1.02 · 2 = −20 ms, with
    // ± 2.101 · √((20.4² + 20²) / 10) ms = ± 18.98 ms.
    void ratios() {
        const RunMeasures a = withStep("a", 2.0, 0.02);
        const RunMeasures b = withStep("b", 2.02, 0.02);
        QVERIFY(resultOf("step_time<=+2%", a, b) == GateResult::Passed);
        QVERIFY(resultOf("step_time<=+1.9%", a, b) == GateResult::CannotTell);
        QVERIFY(resultOf("step_time<=+0%", a, b) == GateResult::Failed); // ± 18.79 ms
        QVERIFY(resultOf("step_time>=-1%", a, b) == GateResult::Passed);
        const GateOutcome told = outcomeOf(got(gateOf("step_time<=+2%")), a, b);
        QVERIFY(std::abs(*told.margin - 0.01898) < 1e-5);
        QCOMPARE(told.text, std::string("2 s to 2.02 s, +1.00 % ± 0.95 %"));
    }

    // t of nine degrees is 2.262: 2.262 · 20 ms / √10 = 14.3 ms.
    void changesAndValues() {
        const RunMeasures a = withStep("a", 2.0, 0.02);
        const RunMeasures b = withStep("b", 2.02, 0.02);
        QVERIFY(resultOf("step_time<=+0.04", a, b) == GateResult::Passed);
        QVERIFY(resultOf("step_time<=+0.03", a, b) == GateResult::CannotTell);
        QVERIFY(resultOf("step_time<=+0.001", a, b) == GateResult::Failed);
        QVERIFY(resultOf("step_time<=2.04", a, b) == GateResult::Passed);
        QVERIFY(resultOf("step_time<=2.03", a, b) == GateResult::CannotTell);
        QVERIFY(resultOf("step_time<=2.00", a, b) == GateResult::Failed);
        QVERIFY(resultOf("step_time>=2.00", a, b) == GateResult::Passed);
    }

    // Equal steps that never vary keep every limit that allows no change.
    void equalRuns() {
        const RunMeasures a = withStep("a", 2.0, 0.0);
        QVERIFY(resultOf("step_time<=+0%", a, withStep("b", 2.0, 0.0)) == GateResult::Passed);
        QVERIFY(resultOf("step_time>=+0%", a, withStep("b", 2.0, 0.0)) == GateResult::Passed);
        QVERIFY(resultOf("step_time<=+0%", withStep("a", 2.0, 0.1), withStep("b", 2.0, 0.1))
            == GateResult::CannotTell);
    }

    void tooLittle() {
        const RunMeasures a = withStep("a", 2.0, 0.02);
        QVERIFY(
            resultOf("step_time<=+50%", a, withStep("b", 2.0, 0.02, 2)) == GateResult::CannotTell);
        QVERIFY(resultOf("step_time<=3", a, withStep("b", 2.0, 0.02, 2)) == GateResult::CannotTell);
        QVERIFY(resultOf("energy<=+3%", a, a) == GateResult::CannotTell);
        VERIFY_SAYS(outcomeOf(got(gateOf("energy<=+3%")), a, a).text, "It was not recorded.");
    }

    // One figure a run is taken as it is, and the text says that its noise is not known.
    void oneFigure() {
        const auto withPeak = [](const char* name, double celsius) {
            RunMeasures run = runOf(name);
            run.values[*quantityIndex("peak_temperature_c")] = Measure{celsius, {}};
            run.values[*quantityIndex("goodput_fraction")] = Measure{0.95, {}};
            return run;
        };
        const RunMeasures a = withPeak("a", 70.0);
        QVERIFY(resultOf("gpu_temperature.max<=+3", a, withPeak("b", 72.0)) == GateResult::Passed);
        QVERIFY(resultOf("gpu_temperature.max<=+3", a, withPeak("b", 74.0)) == GateResult::Failed);
        QCOMPARE(outcomeOf(got(gateOf("gpu_temperature.max<=+3")), a, withPeak("b", 74.0)).text,
            std::string("70 °C to 74 °C; one figure a run, so how much it varies is not known"));
        QVERIFY(resultOf("goodput>=-1%", a, a) == GateResult::Passed);
        QVERIFY(resultOf("goodput>=90%", a, a) == GateResult::Passed);
        QVERIFY(resultOf("goodput>=96%", a, a) == GateResult::Failed);
        const RunMeasures none = withStep("a", 2.0, 0.02);
        QVERIFY(resultOf("goodput>=90%", none, a) == GateResult::Passed);
        QVERIFY(resultOf("goodput>=-1%", none, a) == GateResult::CannotTell);
    }

    void notComparable() {
        RunMeasures a = withStep("a", 2.0, 0.02);
        RunMeasures b = withStep("b", 2.0, 0.02);
        QVERIFY(resultOf("step_time<=+50%", a, runOf("empty")) == GateResult::NotComparable);
        a.run.launch.model = "gpt3";
        QVERIFY(resultOf("step_time<=+50%", a, b) == GateResult::Passed); // b does not say
        b.run.launch.model = "llama";
        QVERIFY(resultOf("step_time<=+50%", a, b) == GateResult::NotComparable);
        VERIFY_SAYS(outcomeOf(got(gateOf("step_time<=+2%")), a, b).text, "Model gpt3 and llama");
        b.run.launch.model = "gpt3";
        a.run.launch.globalBatch = 16;
        b.run.launch.globalBatch = 32;
        QVERIFY(resultOf("step_time<=+50%", a, b) == GateResult::NotComparable);
        b.run.launch.globalBatch = 16;
        b.run.launch.microBatch = 4; // another way to do the same work
        a.run.launch.microBatch = 2;
        QVERIFY(resultOf("step_time<=+50%", a, b) == GateResult::Passed);
        a.gpus = 8;
        b.gpus = 16;
        QVERIFY(resultOf("step_time<=+50%", a, b) == GateResult::NotComparable);
        b.gpus = 8;
        b.run.status = RunStatus::Oom;
        QVERIFY(resultOf("step_time<=+50%", a, b) == GateResult::NotComparable);
    }
};

TRAINSCOPE_TEST(tst_Gate)
#include "tst_Gate.moc"
