// The spread over iterations, and whether two runs differ by more.

#include "core/analysis/comparison/Comparison.h"
#include "core/analysis/comparison/Spread.h"
#include "core/analysis/comparison/StepOperators.h"
#include "core/analysis/comparison/TraceMeasures.h"
#include "core/analysis/statistics/Means.h"
#include "core/analysis/traces/PlantedRun.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

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

class tst_Spread : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
        const Run run = store.findRun("planted").value();
        const RunIterations iterations = iterationsOf({store, run}).value();
        QCOMPARE(iterations.iterations.size(), std::size_t{10});
        const TimeRange window{
            iterations.iterations[2].range.begin, iterations.iterations[9].range.end};
        const auto found
            = traceMeasures({store, run}, {window, iterations, std::nullopt, nullptr}).value();
        QVERIFY(found.has_value());
        QVERIFY(found->basis == TraceBasis::Iterations);
        QCOMPARE(found->devices, 2);
        QCOMPARE(found->iterations, (std::vector<std::int64_t>{2, 3, 4, 5, 6, 7, 8, 9}));
        QVERIFY(std::abs(found->shares.exposedCommunication - 0.3) < 1e-9);
        QVERIFY(std::abs(found->shares.idle) < 1e-9);
        // Parts sum to the step time, which is a median; kernels are counted, not scaled.
        const double mean = found->all.seconds;
        const auto median
            = traceMeasures({store, run}, {window, iterations, 0.9 * mean, nullptr}).value();
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
        QVERIFY(std::abs(*found->exposed.front().waitS / found->exposed.front().seconds - 1.0 / 3.0)
            < 1e-3);
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
};

TRAINSCOPE_TEST(tst_Spread)
#include "tst_Spread.moc"
