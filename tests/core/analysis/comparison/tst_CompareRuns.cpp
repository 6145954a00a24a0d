// Comparisons of runs in a database: what was planted is found.

#include "core/analysis/comparison/Comparison.h"
#include "core/analysis/comparison/PlantedPair.h"
#include "core/analysis/comparison/Spread.h"
#include "core/analysis/comparison/TraceMeasures.h"
#include "core/analysis/statistics/Means.h"
#include "core/analysis/traces/PlantedRun.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using namespace trainscope::test;
using trainscope::test::largeSide;
using trainscope::test::plant;
using trainscope::test::PlantedSide;
using trainscope::test::smallSide;

namespace {

bool isNear(std::optional<double> value, double expected, double tolerance = 1e-6) {
    if (value && std::abs(*value - expected) <= tolerance * std::max(std::abs(expected), 1e-300))
        return true;
    qWarning("%s instead of %g", value ? std::to_string(*value).c_str() : "nothing", expected);
    return false;
}

Comparison compared(const PlantedSide& a, const PlantedSide& b, const MeasureScope& scope = {}) {
    FreshStore store;
    plant(store, a);
    plant(store, b);
    const std::vector<ComparedRun> runs{
        {got(store.findRun(a.name)), scope}, {got(store.findRun(b.name)), scope}};
    return got(compareRuns(store, runs));
}

const Difference& difference(const Comparison& comparison, std::string_view key) {
    return comparison.differences.front()[quantityIndex(key).value()];
}

double partOf(const StageBreakdown& breakdown, std::string_view category) {
    for (const BreakdownPart& part : breakdown.parts) {
        if (part.category == category)
            return part.seconds;
    }
    return 0.0;
}

PlantedSide traced(PlantedSide side, double compute, double betweenNodes, double inNodes) {
    side.isTraced = true;
    side.computeShare = compute;
    side.betweenNodesShare = betweenNodes;
    side.inNodesShare = inNodes;
    return side;
}

std::vector<double> normal(
    std::mt19937& random, std::size_t count, double mean, double std, double correlation = 0.0) {
    std::normal_distribution<double> noise(0.0, 1.0);
    std::vector<double> out;
    double last = noise(random);
    for (std::size_t i = 0; i < count; ++i) {
        out.push_back(mean + std * last);
        last = correlation * last + std::sqrt(1.0 - correlation * correlation) * noise(random);
    }
    return out;
}

// Share of trials in which two samples of one distribution are said to differ.
double falseAlarms(std::size_t na, std::size_t nb, double stdB, double correlation = 0.0) {
    std::mt19937 random(7);
    constexpr int trials = 4000;
    int alarms = 0;
    for (int i = 0; i < trials; ++i) {
        const auto a = spreadOf(normal(random, na, 10.0, 1.0, correlation));
        const auto b = spreadOf(normal(random, nb, 10.0, stdB, correlation));
        alarms += differenceOf(*a, *b)->isBeyond() ? 1 : 0;
    }
    return static_cast<double>(alarms) / trials;
}

} // namespace

class tst_CompareRuns : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 16 samples of 1000 tokens in 2 s on 4 GPUs of 500 W, and in 1 s on 8.
    void quantitiesByHand() {
        const Comparison found = compared(largeSide(), smallSide());
        const RunMeasures& a = found.runs[0];
        const RunMeasures& b = found.runs[1];
        QVERIFY(isNear(a.value("step_time_s"), 2.0));
        QVERIFY(isNear(a.value("samples_per_s"), 8.0));
        QVERIFY(isNear(a.value("tokens_per_s"), 8000.0));
        QVERIFY(isNear(a.value("tokens_per_s_per_gpu"), 2000.0));
        QVERIFY(isNear(b.value("tokens_per_s_per_gpu"), 2000.0));
        QVERIFY(isNear(a.value("energy_per_step_j"), 4000.0));
        QVERIFY(isNear(a.value("tokens_per_j"), 4.0));
        QVERIFY(isNear(a.value("energy_per_token_j"), 0.25));
        QVERIFY(isNear(a.value("mean_power_w"), 2000.0));
        QVERIFY(isNear(a.value("peak_power_w"), 2000.0));
        QVERIFY(isNear(a.value("energy_j"), 10 * 4000.0)); // ten iterations are not warm-up
        QVERIFY(isNear(a.value("mean_temperature_c"), 60.0));
        QVERIFY(isNear(a.value("throttled_fraction"), 0.0));
        QCOMPARE(a.find("step_time_s")->spread->count, 10);
        QVERIFY(isNear(difference(found, "tokens_per_s").ratio, 2.0));
        QVERIFY(difference(found, "tokens_per_s").weight == Difference::Weight::Beyond);
        QVERIFY(difference(found, "tokens_per_j").weight == Difference::Weight::Within);
        QVERIFY(!a.value("exposed_communication_fraction"));
        QVERIFY(!a.why("exposed_communication_fraction").empty());
        QVERIFY(found.verdicts.front().winner == Winner::Tie);
        QCOMPARE(a.cluster, std::string("4 × H200 SXM"));
    }

    // Steps of 2 s at 500 W a GPU, and a pause of 1 s at 100 W behind each. Sampled every 50 ms,
    // the trapezoid between the last sample of a step and the first of a pause takes 10 J from the
    // step, and that at its end gives the pause as much: 990 and 110 J.
    void pausesAreNotOfSteps() {
        PlantedSide paused = largeSide();
        paused.pauseS = 1.0;
        const Comparison found = compared(paused, smallSide());
        const RunMeasures& a = found.runs[0];
        QVERIFY(isNear(a.value("step_time_s"), 2.0));
        QVERIFY(isNear(a.value("energy_per_step_j"), 4 * 990.0));
        QVERIFY(isNear(a.value("energy_between_steps_j"), 4 * 110.0 * 9 / 10));
        QVERIFY(isNear(a.value("mean_power_w"), 4 * 495.0));
        QVERIFY(isNear(a.value("tokens_per_j"), 16000.0 / 3960.0));
        QVERIFY(isNear(a.value("energy_per_token_j"), 3960.0 / 16000.0));
        // The spread is of the same quantity as its value.
        for (const char* key : {"energy_per_step_j", "mean_power_w", "energy_per_token_j"}) {
            QVERIFY2(a.find(key)->spread.has_value(), key);
            QVERIFY2(isNear(a.find(key)->spread->mean, a.find(key)->value), key);
        }
        // The temperature is that of the pauses too.
        QVERIFY(a.value("mean_temperature_c") && !a.find("mean_temperature_c")->spread);
        QVERIFY(found.runs[1].find("mean_temperature_c")->spread.has_value());
        QVERIFY(difference(found, "energy_per_step_j").weight == Difference::Weight::Beyond);
        QVERIFY(!found.runs[1].value("energy_between_steps_j"));
        QVERIFY(!found.runs[1].why("energy_between_steps_j").empty());
    }

    void normalised() {
        const Comparison found = compared(largeSide(), smallSide());
        const RunMeasures& b = found.runs[1];
        const auto of = [&b](std::string_view key, Normalisation by) -> std::optional<double> {
            const auto measure = b.normalised(quantityIndex(key).value(), by);
            return measure ? std::optional(measure->value) : std::nullopt;
        };
        QVERIFY(isNear(of("mean_power_w", Normalisation::PerGpu), 500.0));
        QVERIFY(isNear(of("mean_power_w", Normalisation::PerNode), 2000.0));
        QVERIFY(isNear(of("energy_per_step_j", Normalisation::PerToken), 0.25));
        QVERIFY(isNear(of("step_time_s", Normalisation::PerToken), 1.0 / 16000.0));
        QVERIFY(isNear(of("energy_j", Normalisation::PerToken), 0.25));
        QVERIFY(isNear(of("mean_temperature_c", Normalisation::PerGpu), 60.0)); // as it is
        const auto spread
            = b.normalised(quantityIndex("energy_per_step_j").value(), Normalisation::PerGpu)
                  ->spread;
        QVERIFY(spread && isNear(spread->mean, 500.0));
        const auto per = differencesOf(found.runs[0], b, Normalisation::PerGpu);
        QVERIFY(isNear(per[quantityIndex("tokens_per_s").value()].ratio, 1.0));
    }

    // Ten iterations, of which one took as long as eleven others: their tokens are those of ten.
    void unevenIterationsHaveTheirTokens() {
        RunMeasures run = compared(largeSide(), smallSide()).runs[1];
        QCOMPARE(run.window.iterations, 10);
        QVERIFY(isNear(run.stepsOfWindow(), 10.0));
        const std::size_t energy = quantityIndex("energy_j").value();
        run.summary.duration = {20 * kSecondNs};
        run.values[energy] = Measure{80'000.0, std::nullopt};
        QVERIFY(isNear(
            run.normalised(energy, Normalisation::PerToken)->value, 80'000.0 / (10 * 16'000.0)));
        run.window.basis = SteadyBasis::WholeRun; // then by the step time of 1 s
        QVERIFY(isNear(run.stepsOfWindow(), 20.0));
    }

    // Counters of 1000 B/s: of both nodes, of one, and of a step of 1 s.
    void trafficOfAllNodes() {
        PlantedSide side = smallSide();
        side.networkNodes = 2;
        const Comparison both = compared(largeSide(), side);
        QVERIFY(isNear(both.runs[1].value("ib_bytes_per_step"), 2000.0, 1e-3));
        side.networkNodes = 1;
        const RunMeasures one = compared(largeSide(), side).runs[1];
        QVERIFY(!one.value("ib_bytes_per_step"));
        QCOMPARE(one.why("ib_bytes_per_step"),
            std::string("The InfiniBand traffic was recorded of 1 of 2 nodes only."));
    }

    // Warm-up is twice as long, and belongs to the whole run alone.
    void theWholeRunWhereAskedFor() {
        const MeasureScope whole{true};
        const RunMeasures run = compared(largeSide(), smallSide(), whole).runs[0];
        QVERIFY(isNear(run.value("step_time_s"), 2.0)); // without the warm-up
        // From a second before the first iteration to a second after the last.
        QVERIFY(isNear(run.value("energy_j"), 2000.0 * (2 * 4.0 + 10 * 2.0 + 2.0)));
        VERIFY_SAYS(run.wording, "whole run");
        const RunMeasures steady = compared(largeSide(), smallSide()).runs[0];
        VERIFY_SAYS(steady.wording, "2 of warm-up left out");
    }

    // Cool GPUs are faster: ten steps of 1.5 s while they heat up, then thirty of 2 s.
    void onlySettledIterationsCount() {
        PlantedSide heating = largeSide();
        heating.earlySteps = 10;
        heating.iterations = 42;
        const Comparison settled = compared(heating, smallSide());
        const RunMeasures& run = settled.runs[0];
        QVERIFY(isNear(run.value("step_time_s"), 2.0));
        QVERIFY(isNear(run.value("tokens_per_j"), 4.0));
        QVERIFY(run.iterations.size() >= 26 && run.iterations.size() <= 30);
        QVERIFY(run.find("step_time_s")->spread->std < 1e-6);
        VERIFY_SAYS(run.wording, "before the temperatures settled");
        QVERIFY(settled.verdicts.front().winner == Winner::Tie);
        const RunMeasures whole = compared(heating, smallSide(), {true}).runs[0];
        QCOMPARE(whole.iterations.size(), 40U);
        // 10 · 1.5 s + 30 · 2 s
        QVERIFY(isNear(whole.find("step_time_s")->spread->mean, 75.0 / 40.0));
        QVERIFY(isNear(whole.value("tokens_per_j"), 40 * 16000.0 / (75.0 * 2000.0)));
    }

    // Each step of 2 s has 60 % compute, 25 % between nodes, 10 % in nodes, 5 % idle.
    void whereTheStepGoes() {
        const Comparison found
            = compared(traced(largeSide(), 0.9, 0.0, 0.1), traced(smallSide(), 0.6, 0.25, 0.1));
        const RunMeasures& b = found.runs[1];
        QVERIFY(b.traced.has_value());
        QVERIFY(b.traced->basis == TraceBasis::Iterations);
        QCOMPARE(b.traced->iterations.size(), 10U);
        QVERIFY(isNear(b.traced->all.seconds, 1.0, 1e-5));
        QVERIFY(isNear(partOf(b.traced->all, "gemm"), 0.6, 1e-5));
        QVERIFY(isNear(partOf(b.traced->all, "all_reduce"), 0.35, 1e-5));
        QVERIFY(isNear(partOf(b.traced->all, "idle"), 0.05, 1e-4));
        double sum = 0.0;
        for (const BreakdownPart& part : b.traced->all.parts)
            sum += part.seconds;
        QVERIFY(isNear(sum, b.traced->all.seconds, 1e-9));
        QCOMPARE(b.traced->exposed.size(), 2U);
        QVERIFY(b.traced->exposed[0].link == LinkClass::ScaleOut);
        QVERIFY(isNear(b.traced->exposed[0].seconds, 0.25, 1e-5));
        QVERIFY(b.traced->exposed[1].link == LinkClass::ScaleUp);
        QVERIFY(isNear(b.traced->exposed[1].seconds, 0.10, 1e-5));
        // Shares are those of whole iterations, though the trace ends with the last kernel, a
        // twentieth of a step before.
        QVERIFY(isNear(b.value("exposed_communication_fraction"), 0.35, 1e-5));
        QCOMPARE(b.find("exposed_communication_fraction")->spread->count, 10);
    }

    void communicationBetweenNodesIsTheCause() {
        PlantedSide slow = traced(smallSide(), 0.6, 0.35, 0.05);
        slow.stepS = 1.5;
        slow.stepNoiseS = 0.005;
        PlantedSide good = traced(largeSide(), 0.9, 0.0, 0.1);
        good.stepNoiseS = 0.005;
        const Verdict verdict = compared(good, slow).verdicts.front();
        QVERIFY(verdict.winner == Winner::ScaleUp);
        QCOMPARE(verdict.cause, std::string("exposed_communication"));
        // 4 GPUs · 2 s = 8 · (0.65·1.5 + 0.35·1.5/x) s: x = 0.525·8 / (8 − 7.8) = 21
        const auto turn = std::find_if(verdict.statements.begin(), verdict.statements.end(),
            [](const Statement& one) { return one.quantity.starts_with("inter_node_bandwidth"); });
        QVERIFY(turn != verdict.statements.end());
        QVERIFY2(
            turn->isEstimate && turn->text.find("even") != std::string::npos, turn->text.c_str());
    }

    // The layout tells where they belong, if there is one group that they can be of.
    void collectivesWithoutArguments() {
        PlantedSide silent = traced(smallSide(), 0.6, 0.35, 0.0);
        silent.saysGroups = false;
        silent.launch.tensorParallel = 8; // on two nodes of four
        silent.launch.pipelineParallel = 1;
        const RunMeasures run = compared(largeSide(), silent).runs[1];
        QCOMPARE(run.traced->exposed.size(), 1U);
        QCOMPARE(run.traced->exposed[0].dimension, std::string("tp"));
        QVERIFY(run.traced->exposed[0].link == LinkClass::ScaleOut);
        silent.launch.tensorParallel = 4; // and data parallelism: which one is it?
        const RunMeasures unclear = compared(largeSide(), silent).runs[1];
        QVERIFY(unclear.traced->exposed[0].dimension.empty());
        QVERIFY(unclear.traced->exposed[0].link == LinkClass::Unknown);
    }

    // In half of each step the clock is at 70 %: 15 % of the time is lost.
    void heatIsTheCause() {
        PlantedSide hot = smallSide();
        hot.stepS = 1.2;
        hot.throttledShare = 0.5;
        hot.slowClockHz = 0.7 * hot.clockHz;
        hot.stepNoiseS = 0.005;
        PlantedSide cool = largeSide();
        cool.stepNoiseS = 0.005;
        const Comparison found = compared(cool, hot);
        const RunMeasures& b = found.runs[1];
        QVERIFY(isNear(b.value("throttled_fraction"), 0.5, 0.1));
        QVERIFY(isNear(b.value("thermally_throttled_fraction"), 0.5, 0.1));
        QVERIFY(isNear(b.value("clock_lost_fraction"), 0.15, 0.1));
        const Verdict& verdict = found.verdicts.front();
        QVERIFY(verdict.winner == Winner::ScaleUp);
        QCOMPARE(verdict.cause, std::string("thermal_throttling"));
    }

    void runsThatGiveNextToNothing() {
        PlantedSide dark = smallSide();
        dark.hasPower = false;
        const Comparison without = compared(largeSide(), dark);
        QVERIFY(!without.runs[1].value("tokens_per_j"));
        QVERIFY(!without.runs[1].value("mean_power_w"));
        QVERIFY(!difference(without, "tokens_per_j").ratio);
        VERIFY_SAYS(difference(without, "tokens_per_j").why, "small");
        PlantedSide oom = smallSide();
        oom.status = RunStatus::Oom;
        const Comparison failed = compared(largeSide(), oom);
        QVERIFY(!failed.runs[1].value("step_time_s"));
        QVERIFY(failed.verdicts.front().winner == Winner::Undecided);
        PlantedSide none = smallSide();
        none.iterations = 0;
        none.hasPower = false;
        const Comparison empty = compared(largeSide(), none);
        QVERIFY(!empty.runs[1].value("tokens_per_s"));
        QVERIFY(empty.verdicts.front().winner == Winner::Undecided);
        for (const auto& run : empty.runs) {
            for (std::size_t i = 0; i < run.values.size(); ++i)
                QVERIFY2(run.values[i].has_value() != !run.absentWhy[i].empty(),
                    comparedQuantities()[i].key.c_str());
        }
    }

    void oneOrTwoIterationsAreTooFew() {
        for (const int count : {3, 4}) { // two of them warm-up
            PlantedSide brief = smallSide();
            brief.iterations = count;
            brief.stepS = 1.5;
            const Verdict verdict = compared(largeSide(), brief).verdicts.front();
            QVERIFY2(verdict.winner == Winner::Undecided, verdict.headline.c_str());
        }
    }

    void configurationsThatDiffer() {
        PlantedSide other = smallSide();
        other.launch.microBatch = 4;
        other.launch.recompute = true;
        const Comparison found = compared(largeSide(), other);
        const auto of = [&found](std::string_view key) -> const ConfigDifference* {
            for (const ConfigDifference& one : found.configuration) {
                if (one.key == key)
                    return &one;
            }
            return nullptr;
        };
        using Values = std::vector<std::optional<std::string>>;
        QVERIFY(of("micro_batch")->values == (Values{"1", "4"}));
        QVERIFY(of("recompute")->values == (Values{std::nullopt, "on"}));
        QVERIFY(of("gpus")->values == (Values{"4", "8"}));
        QVERIFY(of("nodes")->values == (Values{"1", "2"}));
        QVERIFY(!of("global_batch") && !of("model"));
    }

    void whatIsRefused() {
        FreshStore store;
        plant(store, largeSide());
        const ComparedRun run{got(store.findRun("large")), {}};
        for (const auto& runs : {std::vector{run}, std::vector{run, run}}) {
            const auto found = compareRuns(store, runs);
            QVERIFY(!found.hasValue() && found.error().code == ErrorCode::Usage);
        }
        plant(store, smallSide());
        const std::vector<ComparedRun> both{run, {got(store.findRun("small")), {}}};
        const auto stopped = compareRuns(store, both, [](const ProgressState&) { return false; });
        QVERIFY(!stopped.hasValue() && stopped.error().code == ErrorCode::Cancelled);
    }

    // 40 % of a step: its shares are left out, and no cause is made of them.
    void aPartOfAStepSpeaksForNothing() {
        PlantedSide part = traced(smallSide(), 0.4, 0.5, 0.1);
        part.isPartTraced = true;
        part.stepS = 2.0;
        const Comparison found = compared(traced(largeSide(), 1.0, 0.0, 0.0), part);
        const RunMeasures& b = found.runs[1];
        QVERIFY(b.traced && b.traced->basis == TraceBasis::Trace);
        QVERIFY(!b.value("exposed_communication_fraction") && !b.value("compute_fraction"));
        VERIFY_SAYS(b.why("compute_fraction"), "800 ms of a step of 2 s");
        QVERIFY(found.verdicts.front().winner == Winner::ScaleUp);
        QVERIFY(found.verdicts.front().cause.empty());
    }

    // One step, as a prediction has it: 1.6 × as long as the measured run's GPUs would take.
    void aPredictedRunTakesPart() {
        PlantedSide predicted = smallSide();
        predicted.kind = RunKind::Predicted;
        predicted.stepS = 1.6;
        predicted.iterations = 1;
        predicted.warmup = 0;
        const Comparison found = compared(largeSide(), predicted);
        QVERIFY(isNear(found.runs[1].value("step_time_s"), 1.6));
        QVERIFY(!found.runs[1].find("step_time_s")->spread);
        QVERIFY(difference(found, "step_time_s").weight == Difference::Weight::Unknown);
        VERIFY_SAYS(difference(found, "step_time_s").why, "predicted");
        const Verdict& verdict = found.verdicts.front();
        QVERIFY(verdict.winner == Winner::ScaleUp);
        VERIFY_SAYS(verdict.headline, "one of them predicted");
        VERIFY_SAYS(verdict.reason, "small is predicted");
    }

    // The spread over iterations, and whether two runs differ by more.

    void quantilesOfStudent() {
        // From tables of the distribution, two-sided.
        const std::array<std::array<double, 3>, 7> known{{{0.95, 1.0, 12.7062},
            {0.95, 2.0, 4.30265}, {0.95, 5.0, 2.57058}, {0.95, 10.0, 2.22814},
            {0.95, 30.0, 2.04227}, {0.99, 4.0, 4.60409}, {0.95, 1e6, 1.95997}}};
        for (const auto& [probability, degrees, t] : known)
            QVERIFY(std::abs(studentT(probability, degrees) / t - 1.0) < 1e-5);
    }

    void meanAndDeviation() {
        const std::array<double, 5> values{1.0, 2.0, 3.0, 4.0, 5.0};
        const auto spread = spreadOf(values);
        QCOMPARE(spread->count, 5);
        QCOMPARE(spread->mean, 3.0);
        QVERIFY(std::abs(spread->std - std::sqrt(2.5)) < 1e-12);
        // Σ (x_i − 3)(x_{i−1} − 3) = 2 + 0 + 0 + 2, Σ (x_i − 3)² = 10.
        QVERIFY(std::abs(spread->correlation - 0.4) < 1e-12);
        QVERIFY(std::abs(spread->effectiveCount() - 5.0 * 0.6 / 1.4) < 1e-12);
        QVERIFY(!spreadOf({}));
        QCOMPARE(spreadOf(std::array<double, 1>{7.0})->std, 0.0);
        const Spread half = spread->dividedBy(2.0);
        QCOMPARE(half.mean, 1.5);
        QVERIFY(std::abs(half.std - spread->std / 2.0) < 1e-12);
    }

    // Means 10 and 12, std. dev. 1 and 2, 4 and 9 iterations.
    void welchByHand() {
        const Spread a{4, 10.0, 1.0, 0.0};
        const Spread b{9, 12.0, 2.0, 0.0};
        // va = 1/4, vb = 4/9; ν = (25/36)² / ((1/16)/3 + (16/81)/8) = 10.5965
        const double degrees = (25.0 / 36.0) * (25.0 / 36.0) / (1.0 / 48.0 + 2.0 / 81.0);
        const auto difference = differenceOf(a, b);
        QCOMPARE(difference->difference, 2.0);
        QVERIFY(std::abs(difference->margin - studentT(0.95, degrees) * 5.0 / 6.0) < 1e-9);
        QVERIFY(difference->isBeyond()); // 2 > 2.21 · 0.833
    }

    void tooFewTellNothing() {
        const Spread enough{10, 10.0, 1.0, 0.0};
        QVERIFY(!differenceOf({2, 20.0, 0.1, 0.0}, enough));
        QVERIFY(!differenceOf(enough, {1, 20.0, 0.0, 0.0}));
        QVERIFY(differenceOf(enough, {3, 20.0, 0.1, 0.0}));
    }

    void withoutVariationAnyDifferenceCounts() {
        QVERIFY(differenceOf({5, 1.0, 0.0, 0.0}, {5, 1.001, 0.0, 0.0})->isBeyond());
        QVERIFY(!differenceOf({5, 1.0, 0.0, 0.0}, {5, 1.0, 0.0, 0.0})->isBeyond());
    }

    // One run in twenty seems different though it is not, whatever the sizes.
    void falseAlarmsAreAsStated() {
        for (const double rate : {falseAlarms(10, 10, 1.0), falseAlarms(5, 20, 3.0)}) {
            QVERIFY2(rate > 0.025 && rate < 0.07, qPrintable(QString::number(rate)));
        }
        // Neighbours alike: without the correction it would be one in three.
        const double correlated = falseAlarms(40, 40, 1.0, 0.6);
        QVERIFY2(correlated < 0.12, qPrintable(QString::number(correlated)));
    }

    // The letters of compared runs.
    void letters() {
        QCOMPARE(runMark(0), std::string("A"));
        QCOMPARE(runMark(25), std::string("Z"));
        QCOMPARE(runMark(26), std::string("AA"));
        QCOMPARE(runMark(51), std::string("AZ"));
        QCOMPARE(runMark(52), std::string("BA"));
        QCOMPARE(runMark(26 + 26 * 26), std::string("AAA"));
    }
    void ranges() {
        QCOMPARE(runMarks(std::array<std::size_t, 1>{2}), std::string("C"));
        QCOMPARE(runMarks(std::array<std::size_t, 2>{0, 1}), std::string("A, B"));
        QCOMPARE(runMarks(std::array<std::size_t, 5>{0, 2, 3, 4, 6}), std::string("A, C–E, G"));
        QCOMPARE(runMarks(std::span<const std::size_t>()), std::string());
    }

    // Operators of two captures by their time in a step: planted lengths, the greatest difference
    // first.
    void byTheSizeOfTheDifference() {
        PlantedTrace trace;
        plantCapture(trace, "eager", 10 * kMs, 200 * kUs, 0);
        plantCapture(trace, "compiled", 30 * kMs, 300 * kUs, 50 * kUs);
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

    // Shares of the steps of traced runs.

    // Rank 1's clock is a minute ahead. In each step rank 0 computes 60 % and rank 1 80 %, the rest
    // they reduce: exposed 40 % and 20 %, in the mean 30 %. The first two steps lie before the
    // window.
    void aWindowOnClocksThatDiffer() {
        test::PlantedRun planted;
        planted.clocks[1].offsetNs = 60'000'000'000;
        const std::vector<int> ranks{0, 1};
        std::int64_t now = 0;
        for (std::int64_t k = 0; k < 10; ++k) {
            const std::int64_t tenth = 10'000'000 + k * k % 7 * 100'000;
            const std::vector<std::int64_t> starts{now + 6 * tenth, now + 8 * tenth};
            for (const int rank : ranks) {
                const auto start = starts[static_cast<std::size_t>(rank)];
                planted.calls.push_back({rank, now, start, "sm90_gemm", "", "7"});
                planted.iterations.push_back({k, {{now}, {now + 10 * tenth}}, rank, false});
            }
            planted.addCollective(ranks, starts, 2 * tenth,
                test::collectiveDetail("allreduce", 1 << 20, "world", ranks),
                [] { return std::int64_t{0}; });
            now += 10 * tenth;
        }
        const auto store = planted.stored();
        const RunIterations iterations = iterationsOf(studyOf(store)).value();
        QCOMPARE(iterations.iterations.size(), std::size_t{10});
        const TimeRange window{
            iterations.iterations[2].range.begin, iterations.iterations[9].range.end};
        const auto found
            = traceMeasures(studyOf(store), {window, iterations, std::nullopt, nullptr}).value();
        QVERIFY(found.has_value());
        QVERIFY(found->basis == TraceBasis::Iterations);
        QCOMPARE(found->devices, 2);
        QCOMPARE(found->iterations, (std::vector<std::int64_t>{2, 3, 4, 5, 6, 7, 8, 9}));
        QVERIFY(std::abs(found->shares.exposedCommunication - 0.3) < 1e-9);
        QVERIFY(std::abs(found->shares.idle) < 1e-9);
        // Parts sum to the step time, which is a median; kernels are counted, not scaled.
        const double mean = found->all.seconds;
        const auto median
            = traceMeasures(studyOf(store), {window, iterations, 0.9 * mean, nullptr}).value();
        QVERIFY(std::abs(median->all.seconds / (0.9 * mean) - 1.0) < 1e-12);
        double sum = 0.0;
        for (const BreakdownPart& part : median->all.parts)
            sum += part.seconds;
        QVERIFY(std::abs(sum / (0.9 * mean) - 1.0) < 1e-9);
        QVERIFY(std::abs(median->shares.exposedCommunication - 0.3) < 1e-9);
        QCOMPARE(median->kernels.front().count, found->kernels.front().count);
        QVERIFY(median->wording.ends_with("scaled to the step time"));
        // Rank 0 waits 20 % of each step for rank 1, of 60 % that both have exposed.
        QVERIFY(found->exposed.size() == 1 && found->exposed.front().waitS);
        VERIFY_NEAR(
            *found->exposed.front().waitS / found->exposed.front().seconds, 1.0 / 3.0, 1e-3);
    }

private:
    std::int64_t m_correlation = 0;

    void call(PlantedTrace& trace, const char* name, std::int64_t at, std::int64_t length) {
        ++m_correlation;
        trace.host(0, "1", SpanKind::CpuOp, name, at, 20 * kUs);
        trace.host(
            0, "1", SpanKind::Runtime, "cudaLaunchKernel", at + 5 * kUs, 5 * kUs, m_correlation);
        trace.kernel(0, "7", std::string(name) + "_kernel", at + 30 * kUs, length, m_correlation);
    }

    // Two steps of 1 ms, each with a product of that length from its begin to its end, and copies.
    void plantCapture(PlantedTrace& trace, const char* capture, std::int64_t begin,
        std::int64_t product, std::int64_t sum) {
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
};

TRAINSCOPE_TEST(tst_CompareRuns)
#include "tst_CompareRuns.moc"
