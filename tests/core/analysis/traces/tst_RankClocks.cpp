// Clocks that were set apart on purpose must be found again within the stated error: hundreds of
// random plants, with drift, jitter, stragglers, lost collectives and recordings that begin at
// different moments.

#include "core/analysis/traces/ClockFit.h"
#include "core/analysis/traces/PlantedRun.h"
#include "core/analysis/traces/RankClocks.h"
#include "core/analysis/traces/SequenceMatch.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using test::PlantedClock;
using test::PlantedRun;
using trainscope::test::PlantedRun;

namespace {

using Random = std::mt19937_64;

std::int64_t uniformInt(Random& random, std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

// True times of one collective on two ranks, and their clocks.
struct Pair {
    std::vector<SequencedCall> a;
    std::vector<SequencedCall> b;
    std::int64_t offset = 0; // b's at true time 0
    double drift = 0.0;
};

struct PairPlan {
    std::size_t collectives = 300;
    std::int64_t jitter = 10'000; // ns
    std::int64_t straggling = 500'000;
    double lost = 0.0;
    std::size_t lateStart = 0; // collectives that b has not recorded at the beginning
    bool hasSizes = true;
};

SequencedCall callOf(std::int64_t start, std::int64_t end, std::uint32_t signature) {
    return {{start}, {end}, signature, -1, true, true};
}

Pair plantPair(Random& random, const PairPlan& plan) {
    Pair pair;
    pair.drift = std::uniform_real_distribution<double>(-100e-6, 100e-6)(random);
    const int scale = static_cast<int>(uniformInt(random, 0, 13)); // ns to hours
    const auto most = static_cast<std::int64_t>(std::pow(10.0, scale));
    pair.offset = uniformInt(random, -most, most);
    const auto onB = [&pair](std::int64_t time) {
        return time + pair.offset + std::llround(static_cast<double>(time) * pair.drift);
    };
    std::int64_t now = 1'000'000;
    for (std::size_t i = 0; i < plan.collectives; ++i) {
        now += 100'000 + uniformInt(random, 0, 900'000) + (i % 24 == 0 ? 3'000'000 : 0);
        const std::int64_t startA = now + uniformInt(random, 0, plan.straggling);
        const std::int64_t startB = now + uniformInt(random, 0, plan.straggling);
        const std::int64_t transfer = 30'000 + uniformInt(random, 0, 100'000);
        const std::int64_t end = std::max(startA, startB) + transfer;
        const std::int64_t endA = end + uniformInt(random, 0, plan.jitter);
        const std::int64_t endB = end + uniformInt(random, 0, plan.jitter);
        now = end + plan.jitter;
        const auto signature = static_cast<std::uint32_t>(plan.hasSizes ? i % 12 / 4 : 0);
        std::bernoulli_distribution isLost(plan.lost);
        if (!isLost(random))
            pair.a.push_back(callOf(startA, endA, signature));
        if (!isLost(random) && i >= plan.lateStart)
            pair.b.push_back(callOf(onB(startB), onB(endB), signature));
    }
    return pair;
}

std::int64_t absolute(std::int64_t value) {
    return value < 0 ? -value : value;
}

} // namespace

class tst_RankClocks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void feasibleLinesByHand() {
        // Between y = 10 at x = 0 … 1e6 from below and y = 30 from above: at x = 0 any value of 10
        // to 30 is possible, at x = 2e6 the steepest line from (0, 10) over (1e6, 30) gives 50.
        FeasibleLines lines;
        lines.addLower(0.0, 10.0);
        lines.addLower(1e6, 10.0);
        lines.addUpper(0.0, 30.0);
        lines.addUpper(1e6, 30.0);
        const auto inside = lines.valuesAt(0.0);
        QVERIFY(inside.has_value());
        QVERIFY(std::abs(inside->first - 10.0) < 1e-6);
        QVERIFY(std::abs(inside->second - 30.0) < 1e-6);
        const auto beyond = lines.valuesAt(2e6);
        QVERIFY(std::abs(beyond->first + 10.0) < 1e-3);
        QVERIFY(std::abs(beyond->second - 50.0) < 1e-3);
        lines.addUpper(5e5, 9.0);
        QVERIFY(!lines.valuesAt(0.0));
    }
    void boundsByHand() {
        // b is 1000 ns ahead. First b is late: it starts when a is about to end 40 ns later, so the
        // difference is at least 1000 − 40; then a is late, so it is at most 1000 + 40.
        const std::vector<MatchedCall> calls{
            {callOf(100'000, 200'040, 1), callOf(201'000, 201'040, 1)},
            {callOf(600'000, 600'040, 1), callOf(501'000, 601'040, 1)}};
        const auto fit = fitClocks(calls, {0});
        QVERIFY(fit.has_value());
        QCOMPARE(fit->offsetNs, 1000);
        QVERIFY(fit->isBounded);
        QCOMPARE(fit->collectives, 2);
        QCOMPARE(fit->uncertaintyNs, 1000.0); // the least that is stated
        QVERIFY(!fitClocks({}, {0}));
    }
    void clockConvertsThereAndBack() {
        RankClock clock;
        clock.offsetNs = 3'600'000'000'000;
        clock.driftPpm = 80.0;
        clock.reference = {test::kEpoch};
        QCOMPARE(clock.toLocal(TimeNs{test::kEpoch}).ns, test::kEpoch + clock.offsetNs);
        // After 10 s the clock has gained 800 µs.
        const TimeNs later{test::kEpoch + 10'000'000'000};
        QCOMPARE(clock.toLocal(later).ns, later.ns + clock.offsetNs + 800'000);
        Random random(7);
        for (int i = 0; i < 1000; ++i) {
            const TimeNs time{test::kEpoch + uniformInt(random, -100'000'000'000, 100'000'000'000)};
            QVERIFY(absolute((clock.onReference(clock.toLocal(time)) - time).ns) <= 1);
        }
    }
    void randomPairs_data() {
        const auto row = test::columns<int, double, int, bool>("jitter", "lost", "late", "sizes");
        row("plain", 10'000, 0.0, 0, true);
        row("one µs of jitter", 1'000, 0.0, 0, true);
        row("20 µs of jitter, lost", 20'000, 0.1, 0, true);
        row("late recording, lost", 10'000, 0.05, 130, true);
        row("no sizes, late, lost", 15'000, 0.1, 70, false);
    }
    void randomPairs() {
        QFETCH(int, jitter);
        QFETCH(double, lost);
        QFETCH(int, late);
        QFETCH(bool, sizes);
        double worst = 0.0;
        double widest = 0.0;
        for (unsigned seed = 0; seed < 80; ++seed) {
            Random random(seed);
            PairPlan plan;
            plan.jitter = jitter;
            plan.lost = lost;
            plan.lateStart = static_cast<std::size_t>(late);
            plan.hasSizes = sizes;
            const Pair pair = plantPair(random, plan);
            const auto matched = matchSequences(pair.a, pair.b);
            QVERIFY2(matched.size() * 10 >= std::min(pair.a.size(), pair.b.size()) * 7,
                qPrintable(QStringLiteral("seed %1: %2 matched").arg(seed).arg(matched.size())));
            const auto fit = fitClocks(matched, {0});
            const auto error = static_cast<double>(absolute(fit->offsetNs - pair.offset));
            QVERIFY2(error <= fit->uncertaintyNs,
                qPrintable(QStringLiteral("seed %1: off by %2 ns, stated %3 ns")
                               .arg(seed)
                               .arg(error)
                               .arg(fit->uncertaintyNs)));
            // The end of the trace is covered too.
            const std::int64_t end = pair.a.back().end.ns;
            const double atEnd = static_cast<double>(fit->offsetNs - pair.offset)
                + (fit->drift - pair.drift) * static_cast<double>(end);
            QVERIFY(std::abs(atEnd) <= fit->uncertaintyNs);
            worst = std::max(worst, error);
            widest = std::max(widest, fit->uncertaintyNs);
        }
        QVERIFY2(widest < 3.0 * jitter + 12'000.0, qPrintable(QString::number(widest)));
        qInfo("worst error %.0f ns, widest bound %.0f ns", worst, widest);
    }
    void fewCollectivesGiveTheBounds() {
        int tight = 0;
        for (unsigned seed = 0; seed < 200; ++seed) {
            Random random(seed);
            PairPlan plan;
            plan.collectives = 1 + seed % 7;
            const Pair pair = plantPair(random, plan);
            std::vector<MatchedCall> matched;
            for (std::size_t i = 0; i < pair.a.size(); ++i)
                matched.push_back({pair.a[i], pair.b[i]});
            const auto fit = fitClocks(matched, {0});
            const auto error = static_cast<double>(absolute(fit->offsetNs - pair.offset));
            QVERIFY2(error <= fit->uncertaintyNs,
                qPrintable(QStringLiteral("seed %1: %2 > %3")
                               .arg(seed)
                               .arg(error)
                               .arg(fit->uncertaintyNs)));
            tight += fit->uncertaintyNs < 1e6 ? 1 : 0;
        }
        QVERIFY(tight > 150);
    }
    void sequenceNumbersDecide() {
        // Ends that are nowhere near each other, but numbered; 3 occurs twice and says nothing.
        std::vector<SequencedCall> a;
        std::vector<SequencedCall> b;
        for (const std::int64_t number : {1, 2, 3, 3, 4})
            a.push_back({{number * 1000}, {number * 1000 + 500}, 1, number, true, true});
        for (const std::int64_t number : {2, 3, 4, 5})
            b.push_back({{number * 7'000'000}, {number * 7'000'000 + 500}, 1, number, true, true});
        const auto matched = matchSequences(a, b);
        QCOMPARE(matched.size(), std::size_t{2});
        QCOMPARE(matched[0].a.sequence, 2);
        QCOMPARE(matched[0].b.sequence, 2);
        QCOMPARE(matched[1].b.sequence, 4);
    }
    void iterationsDecideWhereCallsLookAlike() {
        // 12 equal iterations of 10 ms; b began to record one later, and is an hour ahead.
        const std::int64_t hour = 3'600'000'000'000;
        PlantedRun planted;
        planted.clocks[1] = {hour, 0.0};
        const std::string detail = test::collectiveDetail("allreduce", 1000, "0", {0, 1});
        for (std::int64_t i = 0; i < 12; ++i) {
            const std::int64_t begin = i * 10'000'000;
            for (const int rank : {0, 1}) {
                if (rank == 0 ? i == 11 : i == 0)
                    continue;
                planted.calls.push_back({rank, begin + 4'000'000, begin + 4'100'000});
                planted.calls.push_back({rank, begin + 6'000'000, begin + 6'100'000});
                planted.iterations.push_back({i, {{begin}, {begin + 10'000'000}}, rank, false});
            }
        }
        for (auto& call : planted.calls)
            call.detail = detail;
        const auto store = planted.stored();
        const auto clocks = alignRanks(test::studyOf(store)).value();
        QCOMPARE(clocks.ranks.size(), std::size_t{2});
        QVERIFY(absolute(clocks.ranks[1].offsetNs - hour) < 1000);
    }
    void ranksAreReachedOverOthers() {
        // TP pairs {0,1} {2,3} … and DP groups {0,2,4,6} {1,3,5,7}: rank 3 shares no group with
        // rank 0.
        Random random(3);
        PlantedRun planted;
        for (int rank = 1; rank < 8; ++rank)
            planted.clocks[rank] = {uniformInt(random, -5'000'000'000, 5'000'000'000),
                std::uniform_real_distribution<double>(-90.0, 90.0)(random)};
        const auto jitter = [&random] { return uniformInt(random, 0, 8'000); };
        for (std::int64_t step = 0; step < 60; ++step) {
            const std::int64_t begin = step * 20'000'000;
            for (int tp = 0; tp < 4; ++tp) {
                const std::vector<int> ranks{2 * tp, 2 * tp + 1};
                for (std::int64_t layer = 0; layer < 4; ++layer) {
                    const std::int64_t at = begin + layer * 2'000'000;
                    planted.addCollective(ranks,
                        {at + uniformInt(random, 0, 400'000), at + uniformInt(random, 0, 400'000)},
                        50'000, test::collectiveDetail("allreduce", 4096, "tp", ranks), jitter);
                }
            }
            for (int tp = 0; tp < 2; ++tp) {
                const std::vector<int> ranks{tp, tp + 2, tp + 4, tp + 6};
                std::vector<std::int64_t> starts;
                for (int i = 0; i < 4; ++i)
                    starts.push_back(begin + 10'000'000 + uniformInt(random, 0, 700'000));
                planted.addCollective(ranks, starts, 300'000,
                    test::collectiveDetail("allreduce", 1 << 20, "dp", ranks), jitter);
            }
        }
        const auto store = planted.stored();
        const RankClocks clocks = alignRanks(test::studyOf(store)).value();
        QCOMPARE(clocks.ranks.size(), std::size_t{8});
        QVERIFY(clocks.unaligned.empty());
        QCOMPARE(clocks.referenceRank, 0);
        QVERIFY(!clocks.agree);
        for (const RankClock& clock : clocks.ranks) {
            const std::int64_t since = clock.reference.ns - test::kEpoch;
            for (const std::int64_t time : {since, since + 1'200'000'000}) {
                const std::int64_t local = planted.local(clock.rank, time);
                const auto error = static_cast<double>(
                    absolute(clock.onReference(TimeNs{local}).ns - test::kEpoch - time));
                QVERIFY2(error <= clock.uncertaintyNs + 1.0,
                    qPrintable(QStringLiteral("rank %1: %2 > %3")
                                   .arg(clock.rank)
                                   .arg(error)
                                   .arg(clock.uncertaintyNs)));
            }
            QVERIFY(clock.uncertaintyNs < 60'000.0);
            if (clock.rank != 0)
                QVERIFY(std::abs(clock.driftPpm - planted.clocks.at(clock.rank).driftPpm) < 10.0);
        }
        QVERIFY(clocks.find(3)->via != 0);
        QVERIFY(clocks.find(3)->uncertaintyNs > clocks.find(1)->uncertaintyNs);
    }
    void messagesConnectPipelineStages() {
        Random random(5);
        PlantedRun planted;
        planted.clocks[1] = {-40'000'000, 30.0};
        const auto jitter = [&random] { return uniformInt(random, 0, 4'000); };
        for (std::int64_t i = 0; i < 100; ++i) {
            const std::int64_t at = i * 5'000'000;
            const bool isForward = i % 2 == 0;
            const std::string ends
                = isForward ? R"(,"Src Rank":0,"Dst Rank":1)" : R"(,"Src Rank":1,"Dst Rank":0)";
            planted.addCollective({0, 1},
                {at + uniformInt(random, 0, 900'000), at + uniformInt(random, 0, 900'000)}, 200'000,
                test::collectiveDetail(isForward ? "send" : "recv", 1 << 22, "pp", {0, 1}, ends),
                jitter, "ncclDevKernel_SendRecv");
        }
        const auto store = planted.stored();
        const auto found = alignRanks(test::studyOf(store)).value();
        QCOMPARE(found.ranks.size(), std::size_t{2});
        const RankClock& clock = found.ranks[1];
        const std::int64_t since = clock.reference.ns - test::kEpoch;
        QVERIFY(static_cast<double>(
                    absolute(planted.local(1, since) - clock.reference.ns - clock.offsetNs))
            <= clock.uncertaintyNs);
        QVERIFY(clock.uncertaintyNs < 60'000.0); // all of them ended together
    }
    void sendersThatAreDoneEarlyWidenTheBound() {
        // A send takes 150 µs whether or not the receiver is there yet, which comes up to 900 µs
        // later.
        for (unsigned seed = 0; seed < 60; ++seed) {
            Random random(seed);
            std::vector<MatchedCall> calls;
            const std::int64_t offset = uniformInt(random, -1'000'000'000, 1'000'000'000);
            for (std::int64_t i = 0; i < 60; ++i) {
                const std::int64_t sent = i * 3'000'000 + uniformInt(random, 0, 300'000);
                const std::int64_t received = sent + uniformInt(random, -100'000, 900'000);
                const std::int64_t done = std::max(sent + 150'000, received + 100'000);
                SequencedCall a = callOf(sent, sent + 150'000, 1);
                SequencedCall b = callOf(received + offset, done + offset, 1);
                a.synchronises = b.synchronises = false;
                calls.push_back({a, b});
            }
            const auto fit = fitClocks(calls, {0});
            QVERIFY(static_cast<double>(absolute(fit->offsetNs - offset)) <= fit->uncertaintyNs);
            QVERIFY(!fit->isBounded);
        }
    }
    void whatCannotBeReachedIsListed() {
        PlantedRun planted;
        const auto none = [] { return 0; };
        for (std::int64_t i = 0; i < 20; ++i) {
            const std::int64_t at = i * (1'000'000 + i * 1000);
            planted.addCollective(
                {0, 1}, {at, at}, 1000, test::collectiveDetail("allreduce", 10, "a", {0, 1}), none);
            planted.addCollective(
                {2, 3}, {at, at}, 1000, test::collectiveDetail("allreduce", 10, "a", {2, 3}), none);
        }
        const auto store = planted.stored();
        const auto found = alignRanks(test::studyOf(store)).value();
        QCOMPARE(found.ranks.size(), std::size_t{2});
        QVERIFY(found.agree);
        QCOMPARE(found.unaligned.size(), std::size_t{2});
        QCOMPARE(found.unaligned[0].rank, 2);
        QVERIFY(!found.unaligned[0].reason.empty());
    }
    void aRunWithoutTracesHasNoClocks() {
        const PlantedRun planted;
        const auto store = planted.stored();
        const auto found = alignRanks(test::studyOf(store)).value();
        QCOMPARE(found, RankClocks{});
        const auto stopped = alignRanks(
            {store, store.findRun("planted").value(), [](const ProgressState&) { return false; }});
        QVERIFY(stopped.hasValue()); // there was nothing to stop
    }

    // Uncertainty of clocks beyond the collectives that tell them.

    // Two calls tell nothing of the drift, which is then any up to 300 ppm.
    void isAnyWhereCallsDoNotTellIt() {
        const auto callOf = [](std::int64_t start, std::int64_t end) {
            return SequencedCall{{start}, {end}, 1, -1, true, true};
        };
        const std::vector<MatchedCall> calls{{callOf(100'000, 200'040), callOf(201'000, 201'040)},
            {callOf(600'000, 600'040), callOf(501'000, 601'040)}};
        const auto fit = fitClocks(calls, {0});
        QVERIFY(fit.has_value());
        QCOMPARE(fit->last.ns, 600'040);
        QCOMPARE(fit->growth, 300e-6);
    }

    void theDriftIsLessKnownBeyondTheCollectives() {
        // 20 all-reduces within 10 ms, whose ends lie up to 6 µs apart: the difference of two of
        // these has a standard deviation of 2.4 µs, which tells the slope to 2.4 µs / (√(20/12) ·
        // 10 ms) = 190 ppm, and with the 80 ppm of usual clocks to 74 ppm. At 10 s that is 0.74 ms,
        // and 2.9 ms with the normal quantile of 3.9; no clock drifts by more than 300 ppm + what
        // was estimated.
        std::mt19937_64 random(3);
        const auto below = [&random](std::int64_t limit) {
            return std::uniform_int_distribution<std::int64_t>(0, limit)(random);
        };
        PlantedRun planted;
        planted.clocks[1] = {500'000, 50.0};
        const auto jitter = [&below] { return below(6'000); };
        for (std::int64_t i = 0; i < 20; ++i) {
            const std::int64_t at = i * 500'000 + below(100'000);
            planted.addCollective({0, 1}, {at, at}, 100'000,
                test::collectiveDetail("allreduce", 1'000'000, "0", {0, 1}), jitter);
        }
        const std::int64_t end = 10'000'000'000;
        for (const int rank : {0, 1})
            planted.calls.push_back({rank, end - 100'000, end, "gemm", {}, "7"});
        const auto store = planted.stored();
        const RankClocks clocks = alignRanks(test::studyOf(store)).value();
        QVERIFY(!clocks.agree); // 0.5 ms, and known where the collectives are
        const RankClock* const clock = clocks.find(1);
        QVERIFY(clock != nullptr);
        QVERIFY(clock->uncertaintyNs < 20'000.0);
        QVERIFY(clock->traceUncertaintyNs > 1e6);
        QVERIFY(clock->traceUncertaintyNs < 4.2e6);
        QCOMPARE(clocks.largestTraceUncertaintyNs, clock->traceUncertaintyNs);
        QCOMPARE(clocks.find(0)->traceUncertaintyNs, 0.0);
        const TimeNs local{planted.local(1, end)};
        const std::int64_t error = std::abs(clock->onReference(local).ns - test::kEpoch - end);
        QVERIFY(static_cast<double>(error) <= clock->traceUncertaintyNs);
    }
};

TRAINSCOPE_TEST(tst_RankClocks)
#include "tst_RankClocks.moc"
