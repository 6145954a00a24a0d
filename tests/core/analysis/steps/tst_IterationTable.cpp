// Rows of iterations, one against another, and their changes, of a run whose numbers are worked out
// by hand.

#include "core/analysis/findings/Findings.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/steps/IterationTable.h"
#include "core/analysis/traces/DeviceTraces.h"
#include "core/analysis/traces/PlantedRun.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "core/text/Table.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

constexpr int kIterations = 20;
constexpr int kSlow = 13;

bool isNear(double value, double expected, double within = 1e-9) {
    return std::abs(value - expected) <= within;
}

// Iterations of 100 ms on two ranks: 60 ms of compute, 30 ms of AllReduce, 10 ms of nothing. In
// one rank 1 computes for 90 ms, and rank 0 waits.
PlantedTrace twoRanks() {
    PlantedTrace trace;
    const std::string detail = collectiveDetail("allreduce", 1 << 20, "0", {0, 1});
    std::int64_t now = kEpoch;
    for (int index = 1; index <= kIterations; ++index) {
        const std::int64_t more = index == kSlow ? 30 * kMs : 0;
        const std::int64_t end = now + 100 * kMs + more;
        for (int rank = 0; rank < 2; ++rank) {
            const std::int64_t own = 60 * kMs + (rank == 1 ? more : 0);
            trace.kernel(rank, "7", "gemm", now, own);
            trace.kernel(rank, "24", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", now + own,
                90 * kMs + more - own, 0, detail);
            trace.iteration(rank, index, now, end);
        }
        now = end;
    }
    for (int rank = 0; rank < 2; ++rank) {
        for (std::int64_t at = kEpoch; at <= now; at += 5 * kMs)
            trace.power(rank, at, 500.0);
    }
    return trace;
}

// A log of one iteration a second that takes half as long again from the 121st on.
PlantedTrace aLog() {
    PlantedTrace trace;
    std::mt19937 random(2);
    std::normal_distribution<double> normal;
    std::vector<TimeNs> times;
    std::vector<double> rates;
    std::int64_t now = kEpoch;
    for (int index = 1; index <= 200; ++index) {
        const double seconds = (index < 121 ? 1.0 : 1.5) * (1.0 + 0.01 * normal(random));
        const std::int64_t end = now + std::llround(seconds * 1e9);
        trace.iteration(-1, index, now, end);
        times.push_back({end});
        rates.push_back(6e6 / seconds);
        now = end;
    }
    trace.series(metric::kTokenRate, Subject{SubjectKind::Run, -1, -1, {}}, times, rates);
    return trace;
}

IterationTable tableOf(const store::Store& store, std::optional<int> rank = {}) {
    auto table = iterationTableOf(studyOf(store), rank);
    if (!table.hasValue())
        qFatal("%s", table.error().describe().c_str());
    return std::move(table).value();
}

} // namespace

class tst_IterationTable : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void meansOfTheRanks() {
        auto trace = twoRanks();
        const auto store = trace.store();
        const IterationTable table = tableOf(store);
        QCOMPARE(table.rows.size(), std::size_t{kIterations});
        QCOMPARE(table.ranks, (std::vector{0, 1}));
        QVERIFY(isNear(table.medianS, 0.1));
        QCOMPARE(table.title(), "20 iterations, 100 ms in the median (100 ms to 100 ms)");
        const IterationRow& usual = table.rows[2];
        QVERIFY(isNear(*usual.of(IterationValue::Compute), 0.06));
        QVERIFY(isNear(*usual.of(IterationValue::Exposed), 0.03));
        QVERIFY(isNear(*usual.of(IterationValue::Idle), 0.01));
        QVERIFY(isNear(*usual.of(IterationValue::Copies), 0.0));
        QVERIFY(!usual.of(IterationValue::Host)); // no calls were traced
        QCOMPARE(usual.lastRank, -1);
        QVERIFY(usual.of(IterationValue::Energy)
            && std::abs(*usual.of(IterationValue::Energy) - 100.0) < 2.0);
        QVERIFY(!usual.of(IterationValue::TokensPerS));
        const IterationRow& slow = table.rows[kSlow - 1];
        QCOMPARE(slow.iteration.index, std::int64_t{kSlow});
        QVERIFY(isNear(slow.seconds(), 0.13));
        QVERIFY(isNear(*slow.of(IterationValue::Compute), 0.075)); // 60 and 90 ms
        QVERIFY(isNear(*slow.of(IterationValue::Exposed), 0.045)); // 60 and 30 ms
        QCOMPARE(slow.lastRank, 1);
        QVERIFY(isNear(slow.causedWaitS, 0.03, 1e-4));
        QVERIFY(table.changes.empty());
    }

    // The same as the breakdown of the traces tells.
    void numbersOfARank() {
        auto trace = twoRanks();
        const auto store = trace.store();
        const IterationTable table = tableOf(store, 0);
        const auto study = studyOf(store);
        const auto found = iterationsOf(study).value();
        const auto devices = traceBreakdown(
            study, KernelCategories::builtIn(), kAllTime, {found.everyOne(), std::nullopt});
        const auto& own = devices.value().front().iterations;
        QCOMPARE(table.rows.size(), own.size());
        for (std::size_t i = 0; i < own.size(); ++i) {
            QCOMPARE(table.rows[i].iteration.index, own[i].index);
            QCOMPARE(*table.rows[i].of(IterationValue::Compute), own[i].compute.seconds());
            QCOMPARE(
                *table.rows[i].of(IterationValue::Exposed), own[i].exposedCommunication.seconds());
            QCOMPARE(*table.rows[i].of(IterationValue::Idle), own[i].idle.seconds());
        }
        QVERIFY(table.rows[2].of(IterationValue::Energy)
            && std::abs(*table.rows[2].of(IterationValue::Energy) - 50.0) < 1.0);
    }

    void againstTheMedian() {
        auto trace = twoRanks();
        const auto store = trace.store();
        const IterationComparison made = compareIterations(tableOf(store, 0), kSlow - 1);
        QCOMPARE(made.title, "Iteration 13 against the median");
        QVERIFY(isNear(made.differenceS, 0.03));
        QVERIFY2(made.text
                == "130 ms, 30 ms more than the median: 30 ms of it in exposed communication "
                   "(AllReduce), "
                   "waiting for rank 1.",
            made.text.c_str());
        QCOMPARE(made.parts.size(), std::size_t{3});
        QCOMPARE(made.parts.front().name, "exposed communication");
        QVERIFY(isNear(made.parts.front().seconds, 0.06));
        QVERIFY(isNear(made.parts.front().differenceS, 0.03));
        QCOMPARE(made.parts.back().name, "idle");
        double sum = 0.0;
        for (const PartDifference& part : made.parts)
            sum += part.differenceS;
        QVERIFY(isNear(sum, made.differenceS));
    }

    void againstAnother() {
        auto trace = twoRanks();
        const auto store = trace.store();
        const IterationComparison made = compareIterations(tableOf(store, 1), 0, kSlow - 1);
        QCOMPARE(made.title, "Iteration 1 against iteration 13");
        QVERIFY2(made.text == "100 ms, 30 ms less than iteration 13: 30 ms of it in compute.",
            made.text.c_str());
    }

    void aLogAlone() {
        auto trace = aLog();
        const auto store = trace.store();
        const IterationTable table = tableOf(store);
        QCOMPARE(table.rows.size(), std::size_t{200});
        const text::Table words = wordsOf(table);
        QCOMPARE(
            words.columns.size(), std::size_t{4}); // a column that nothing is known of is left out
        QCOMPARE(words.columns.back().title, "Tokens/s");
        QVERIFY(isNear(
            *table.rows[9].of(IterationValue::TokensPerS) * table.rows[9].seconds(), 6e6, 1.0));
        QCOMPARE(table.changes.size(), std::size_t{1});
        const IterationChange& change = table.changes.front();
        QVERIFY(change.earliest <= 121 && 121 <= change.latest);
        QCOMPARE(change.index, std::int64_t{121});
        QVERIFY(isNear(change.seconds.after - change.seconds.before, 0.5, 0.005));
        QVERIFY(isNear(*change.tokensPerSBefore, 6e6, 3e4));
        QVERIFY(isNear(*change.tokensPerSAfter, 4e6, 3e4));
        // 80 iterations of half a second more, of 240 s.
        QVERIFY(isNear(change.cost, 40.0 / 240.0, 0.002));
        QVERIFY(compareIterations(table, 150).parts.empty());
    }

    void aChangeIsAFinding() {
        auto trace = aLog();
        const auto store = trace.store();
        const auto findings = findingsOf(studyOf(store));
        QVERIFY(findings.hasValue());
        const auto found = std::ranges::find(findings.value(), "step_change", &Finding::rule);
        QVERIFY(found != findings.value().end());
        QCOMPARE(found->values.at("iteration"), 121.0);
        QVERIFY(isNear(found->values.at("step_time_before_s"), 1.0, 0.005));
        QVERIFY(isNear(found->values.at("step_time_after_s"), 1.5, 0.005));
        QCOMPARE(found->severity, analysis::Severity::Serious);
        QVERIFY2(found->text.starts_with("From iteration 121 on, "), found->text.c_str());
        QVERIFY2(found->text.find("Mtokens/s") != std::string::npos, found->text.c_str());
    }
};

TRAINSCOPE_TEST(tst_IterationTable)
#include "tst_IterationTable.moc"
