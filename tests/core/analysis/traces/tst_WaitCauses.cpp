// Planted lateness: whose doing the waiting is, and what that rank did meanwhile. Every wait is
// worked out by hand from the plant; the causes sum to the whole.

#include "core/analysis/traces/PlantedRun.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "core/analysis/traces/WaitCauses.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

analysis::WaitCauses causesIn(
    const store::Store& store, const std::string& name, TimeRange window = kAllTime) {
    const auto run = store.findRun(name);
    const auto clocks = analysis::alignRanks({store, run.value()});
    if (!clocks.hasValue())
        qFatal("%s", clocks.error().describe().c_str());
    auto causes = analysis::waitCauses({store, run.value()}, clocks.value(), window);
    if (!causes.hasValue())
        qFatal("%s", causes.error().describe().c_str());
    return std::move(causes).value();
}

const analysis::WaitCause& causeOf(const analysis::WaitCauses& causes, int rank) {
    static const analysis::WaitCause none{};
    for (const analysis::WaitCause& cause : causes.causes) {
        if (cause.rank == rank)
            return cause;
    }
    return none;
}

bool isNear(double value, double expected, double within = 1e-6) {
    return std::abs(value - expected) <= within * std::abs(expected) + 1e-12;
}

double sumOf(const analysis::WaitCauses& causes) {
    double sum = 0.0;
    for (const analysis::WaitCause& cause : causes.causes)
        sum += cause.waitS;
    return sum;
}

double sumOf(const analysis::WaitCause& cause) {
    double sum = 0.0;
    for (const analysis::LateReason reason : analysis::kLateReasons)
        sum += cause.byReasonS[reason];
    return sum;
}

// Ranks that compute and meet, each with its own time: a trace made step by step.
class Steps {
public:
    explicit Steps(std::vector<int> ranks) {
        for (const int rank : ranks)
            m_now[rank] = 0;
    }
    PlantedRun planted;

    void compute(int rank, std::int64_t ns, const std::string& kernel = "gemm") {
        planted.calls.push_back({rank, m_now[rank], m_now[rank] + ns, kernel, "", "7"});
        m_now[rank] += ns;
    }
    void idle(int rank, std::int64_t ns) { m_now[rank] += ns; }
    void allReduce(const std::vector<int>& ranks, const std::string& group) {
        meet(ranks, collectiveDetail("allreduce", 1 << 20, group, ranks),
            "ncclDevKernel_AllReduce_Sum_bf16_RING_LL");
    }
    void message(int from, int to) {
        meet({from, to},
            collectiveDetail("send", 1 << 20, "pp" + std::to_string(from), {from, to},
                R"(,"Src Rank":)" + std::to_string(from) + R"(,"Dst Rank":)" + std::to_string(to)),
            "ncclDevKernel_SendRecv");
    }

private:
    void meet(const std::vector<int>& ranks, const std::string& detail, const std::string& kernel) {
        std::vector<std::int64_t> starts;
        for (const int rank : ranks)
            starts.push_back(m_now[rank]);
        planted.addCollective(
            ranks, starts, kTransfer, detail, [] { return std::int64_t{0}; }, kernel);
        const std::int64_t end = *std::max_element(starts.begin(), starts.end()) + kTransfer;
        for (const int rank : ranks)
            m_now[rank] = end;
    }
    static constexpr std::int64_t kTransfer = 10'000;
    std::map<int, std::int64_t> m_now;
};

// A step's usual work, never twice the same in a row: equal steps could be confused.
std::int64_t usual(std::int64_t step) {
    return 1'000'000 + (step * step % 97) * 1'000;
}

// Eight ranks meet 480 times. In 96 steps the matrix product of rank 3 takes 228 µs longer, in 96
// others it runs a kernel of 228 µs that nobody else has; in the other 288 one of the seven others
// is 45 µs late, each in turn. Seven ranks wait each time.
PlantedRun eightRanks(const std::set<int>& missing = {}) {
    std::vector<int> ranks;
    for (int rank = 0; rank < 8; ++rank) {
        if (!missing.contains(rank))
            ranks.push_back(rank);
    }
    const std::vector<int> all{0, 1, 2, 3, 4, 5, 6, 7};
    Steps steps(ranks);
    int turn = 0;
    for (std::int64_t step = 0; step < 480; ++step) {
        const bool isRankThree = step % 5 < 2;
        if (!isRankThree)
            turn = turn == 2 ? 4 : (turn + 1) % 8;
        for (const int rank : ranks) {
            const bool isLate = rank == (isRankThree ? 3 : turn);
            const std::int64_t longer = !isLate ? 0
                : isRankThree && step % 5 == 0  ? 228'000
                : isRankThree                   ? 0
                                                : 45'000;
            steps.compute(rank, usual(step) + longer);
            if (isLate && step % 5 == 1)
                steps.compute(rank, 228'000, "check_for_nan");
        }
        steps.allReduce(ranks, "world");
    }
    for (auto& call : steps.planted.calls) {
        if (!call.detail.empty())
            call.detail = test::collectiveDetail("allreduce", 1 << 20, "world", all);
    }
    return std::move(steps.planted);
}

} // namespace

class tst_WaitCauses : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void byCostNotByCount() {
        const PlantedRun planted = eightRanks();
        const auto store = planted.stored();
        const WaitCauses causes = causesIn(store, "planted");
        // 192 × 7 × 228 µs and 288 × 7 × 45 µs.
        QVERIFY(isNear(causes.waitS, 0.306432 + 0.09072));
        QVERIFY(isNear(sumOf(causes), causes.waitS));
        QCOMPARE(causes.causes.front().rank, 3);
        const WaitCause& three = causes.causes.front();
        QVERIFY(isNear(three.waitS, 0.306432));
        QVERIFY(isNear(three.exposedS, 0.306432));
        QVERIFY(isNear(three.certainS, 0.306432));
        QCOMPARE(three.collectives, 192);
        QVERIFY(isNear(three.byReasonS[LateReason::SlowerKernels], 0.153216));
        QVERIFY(isNear(three.byReasonS[LateReason::MoreKernels], 0.153216));
        QVERIFY(isNear(sumOf(three), three.waitS));
        QVERIFY(three.throughS.empty());
        QCOMPARE(three.byCollectiveS.size(), std::size_t{1});
        // From the end of the collective before, 228 µs longer than a step.
        QCOMPARE(three.worstRank, 3);
        QVERIFY(isNear(three.worstS, 7 * 228e-6));
        const double lasts = three.worst.length().seconds();
        QVERIFY(lasts >= 0.001238 && lasts <= 0.001335);
        // 288 turns of seven ranks.
        for (const int rank : {0, 1, 2, 4, 5, 6, 7})
            QVERIFY(causeOf(causes, rank).waitS <= 42 * 7 * 45e-6 + 1e-9);
    }

    // Rank 2 comes 300 µs late, rank 5 500 µs, 40 times: for rank 5 wait six ranks 500 and one 200
    // µs, of which seven times 200 µs hang on it alone.
    void nextToLast() {
        Steps steps({0, 1, 2, 3, 4, 5, 6, 7});
        for (std::int64_t step = 0; step < 40; ++step) {
            for (int rank = 0; rank < 8; ++rank)
                steps.compute(rank, usual(step) + (rank == 2 ? 300'000 : rank == 5 ? 500'000 : 0));
            steps.allReduce({0, 1, 2, 3, 4, 5, 6, 7}, "world");
        }
        const auto store = steps.planted.stored();
        const WaitCauses causes = causesIn(store, "planted");
        const WaitCause& five = causeOf(causes, 5);
        QVERIFY(isNear(five.waitS, 40 * 3200e-6));
        QVERIFY(isNear(five.aloneS, 40 * 1400e-6));
        QCOMPARE(five.besideS.size(), std::size_t{1});
        QVERIFY(isNear(five.besideS.at(2), 40 * 1800e-6));
    }

    // Rank 1 comes 1 ms late in ten steps, then rank 0 half a ms in ten: of the later ones 5 ms are
    // waited, for rank 0.
    void ofAWindow() {
        Steps steps({0, 1});
        std::int64_t middle = 0;
        for (std::int64_t step = 0; step < 20; ++step) {
            steps.compute(0, usual(step) + (step < 10 ? 0 : 500'000));
            steps.compute(1, usual(step) + (step < 10 ? 1'000'000 : 0));
            steps.allReduce({0, 1}, "world");
            if (step == 9)
                middle = steps.planted.calls.back().end;
        }
        const auto store = steps.planted.stored();
        const TimeRange later{{test::kEpoch + middle + 100'000}, kAllTime.end};
        const WaitCauses causes = causesIn(store, "planted", later);
        QVERIFY(isNear(causes.waitS, 0.005));
        QVERIFY(isNear(causeOf(causes, 0).waitS, 0.005));
        QCOMPARE(causeOf(causes, 0).collectives, 10);
        QCOMPARE(causeOf(causes, 1).waitS, 0.0);
    }

    // A recording that lacks two ranks tells the same of the others: five wait for each.
    void ranksMissing() {
        const PlantedRun planted = eightRanks({0, 6});
        const auto store = planted.stored();
        const WaitCauses causes = causesIn(store, "planted");
        QVERIFY(isNear(causeOf(causes, 3).waitS, 192 * 5 * 228e-6));
        QVERIFY(isNear(sumOf(causes), causes.waitS));
        QVERIFY(causeOf(causes, 0).waitS == 0.0);
    }

    // Seconds apart and drifting: the waits are what they are on one clock, to its uncertainty.
    void clocksThatDiffer() {
        PlantedRun planted = eightRanks();
        planted.clocks[1] = {5'000'000'000, 4.0};
        planted.clocks[3] = {-800'000, -7.0};
        planted.clocks[6] = {31'000, 0.0};
        const auto store = planted.stored();
        const WaitCauses causes = causesIn(store, "planted");
        QVERIFY(isNear(causes.waitS, 0.397152, 0.02));
        QVERIFY(isNear(sumOf(causes), causes.waitS));
        const WaitCause& three = causes.causes.front();
        QCOMPARE(three.rank, 3);
        QVERIFY(isNear(three.waitS, 0.306432, 0.02));
        QVERIFY(isNear(three.byReasonS[LateReason::SlowerKernels], 0.153216, 0.03));
        // The evidence is on the clock of the rank itself, 0.8 ms behind.
        const std::int64_t first = planted.local(3, 0);
        QVERIFY(three.worst.begin.ns >= first && three.worst.end.ns < first + 1'000'000'000);
    }

    // Rank 1 launches its collective 300 µs late; rank 2 has launched in time and starts 300 µs
    // late all the same; rank 0 pauses, and its launches are not recorded. 20 times each, three
    // wait.
    void hostOrDevice() {
        PlantedTrace planted;
        const std::string detail
            = test::collectiveDetail("allreduce", 1 << 20, "world", {0, 1, 2, 3});
        std::int64_t now = 1'000 * kMs;
        std::int64_t call = 0;
        for (std::int64_t step = 0; step < 60; ++step) {
            const int late = static_cast<int>(step % 3);
            const std::int64_t ready = now + usual(step);
            const std::int64_t end = ready + 300 * kUs + 10 * kUs;
            for (int rank = 0; rank < 4; ++rank) {
                const std::int64_t start = ready + (rank == late ? 300 * kUs : 0);
                planted.kernel(rank, "7", "gemm", now, ready - now, ++call);
                if (rank != 0)
                    planted.host(rank, "1", SpanKind::Runtime, "cudaLaunchKernel", now - 5 * kUs,
                        2 * kUs, call);
                planted.kernel(
                    rank, "24", "ncclDevKernel_AllReduce", start, end - start, ++call, detail);
                if (rank != 0)
                    planted.host(rank, "1", SpanKind::Runtime, "cudaLaunchKernel",
                        rank == late && rank == 1 ? start - 4 * kUs : now, 2 * kUs, call);
            }
            now = end;
        }
        const auto store = planted.store();
        const WaitCauses causes = causesIn(store, "run");
        QVERIFY(isNear(causes.waitS, 60 * 3 * 300e-6));
        for (const auto& [rank, reason] : std::map<int, LateReason>{
                 {0, LateReason::Idle}, {1, LateReason::HostLate}, {2, LateReason::Stalled}}) {
            const WaitCause& cause = causeOf(causes, rank);
            QVERIFY(isNear(cause.waitS, 20 * 3 * 300e-6));
            // Rank 0's first is late for 5 µs before its recording too: it has no launch in it.
            QVERIFY2(isNear(cause.byReasonS[reason], cause.waitS, 1e-3),
                std::to_string(cause.byReasonS[reason]).c_str());
        }
        // Rank 1's own loss to its host is explained: 20 × 300 µs.
        QVERIFY(isNear(causes.lost.at({1, 1}).hostS, 20 * 300e-6));
        QVERIFY(isNear(causes.lost.at({3, 1}).exposedS(), 20 * 300e-6));
    }

    // Rank 1's recording begins 3 ms after that of rank 0, and it computes for 2 ms, 1 ms longer.
    void beforeTheRecording() {
        PlantedTrace planted;
        const std::string detail = test::collectiveDetail("allreduce", 1 << 20, "world", {0, 1});
        std::int64_t now = 1'000 * kMs;
        for (std::int64_t step = 0; step < 20; ++step) {
            const std::int64_t ready = now + (step == 0 ? 5'000 * kUs : usual(step));
            const std::int64_t begin = step == 0 ? now + 3'000 * kUs : now;
            planted.kernel(1, "7", "gemm", begin, ready - begin);
            const std::int64_t early = step == 0 ? now + 1'000 * kUs : ready;
            planted.kernel(0, "7", "gemm", now, early - now);
            planted.kernel(
                0, "24", "ncclDevKernel_AllReduce", early, ready + 10 * kUs - early, 0, detail);
            planted.kernel(1, "24", "ncclDevKernel_AllReduce", ready, 10 * kUs, 0, detail);
            now = ready + 10 * kUs;
        }
        const auto store = planted.store();
        const WaitCauses causes = causesIn(store, "run");
        QVERIFY(isNear(causes.waitS, 4e-3));
        const WaitCause& one = causeOf(causes, 1);
        QVERIFY(isNear(one.byReasonS[LateReason::Unrecorded], 3e-3));
        QVERIFY(isNear(
            one.byReasonS[LateReason::MoreKernels] + one.byReasonS[LateReason::SlowerKernels],
            1e-3));
    }

    void everyReasonHasAName() {
        std::set<std::string_view> names;
        for (const LateReason reason : kLateReasons)
            names.insert(toString(reason));
        QCOMPARE(names.size(), kLateReasons.size());
        QVERIFY(!names.contains(""));
    }

    void stoppedWhenAsked() {
        const PlantedRun planted = eightRanks();
        const auto store = planted.stored();
        const auto run = store.findRun("planted");
        const auto clocks = alignRanks({store, run.value()});
        const auto stopped
            = waitCauses({store, run.value(), [](const ProgressState&) { return false; }},
                clocks.value(), kAllTime);
        QVERIFY(!stopped.hasValue() && stopped.error().code == ErrorCode::Cancelled);
    }

    // Blame that is passed on: ranks that are late as they had waited for others, through groups
    // and messages. Every wait is worked out by hand from the plant.

    // Tensor groups {0, 1} and {2, 3}, data groups {0, 2} and {1, 3}. Rank 0 computes 300 µs
    // longer, so rank 1 waits, comes late to rank 3 in its turn, and rank 2 waits for rank 0: 900
    // µs a step, all of them rank 0's doing.
    void blameGoesThroughGroups() {
        Steps steps({0, 1, 2, 3});
        for (std::int64_t step = 0; step < 100; ++step) {
            for (const int rank : {0, 1, 2, 3})
                steps.compute(rank, usual(step) + (rank == 0 ? 300'000 : 0));
            steps.allReduce({0, 1}, "tp0");
            steps.allReduce({2, 3}, "tp1");
            for (const int rank : {0, 1, 2, 3})
                steps.compute(rank, 100'000, "optimizer");
            steps.allReduce({0, 2}, "dp0");
            steps.allReduce({1, 3}, "dp1");
        }
        const auto store = steps.planted.stored();
        const WaitCauses causes = causesIn(store, "planted");
        QVERIFY(isNear(causes.waitS, 100 * 900e-6));
        QCOMPARE(causes.causes.front().rank, 0);
        const WaitCause& zero = causes.causes.front();
        QVERIFY(isNear(zero.waitS, causes.waitS));
        QVERIFY(isNear(zero.byReasonS[LateReason::SlowerKernels], causes.waitS));
        QCOMPARE(zero.kernel, std::string("gemm"));
        QVERIFY(isNear(zero.kernelS, 100 * 600e-6)); // it was last itself there
        QCOMPARE(zero.throughS.size(), std::size_t{1});
        QVERIFY(isNear(zero.throughS.at(1), 100 * 300e-6));
        QCOMPARE(zero.worstRank, 0);
        QVERIFY(causeOf(causes, 1).waitS == 0.0);
    }

    // Stage 0 is ranks 0 and 1, stage 1 ranks 2 and 3. Rank 0 is 400 µs slow, so its message makes
    // rank 2 late, for which rank 3 waits where their gradients meet. Messages count for nobody's
    // waiting.
    void blameGoesThroughMessages() {
        Steps steps({0, 1, 2, 3});
        for (std::int64_t step = 0; step < 100; ++step) {
            for (const int rank : {0, 1})
                steps.compute(rank, usual(step) + (rank == 0 ? 400'000 : 0));
            steps.message(0, 2);
            steps.message(1, 3);
            for (const int rank : {2, 3})
                steps.compute(rank, 500'000);
            steps.allReduce({0, 1}, "dp0");
            steps.allReduce({2, 3}, "dp1");
        }
        const auto store = steps.planted.stored();
        const WaitCauses causes = causesIn(store, "planted");
        QVERIFY(isNear(causes.waitS, 100 * 800e-6));
        QVERIFY(isNear(causeOf(causes, 0).waitS, causes.waitS));
        QVERIFY(isNear(causeOf(causes, 0).throughS.at(2), 100 * 400e-6));
        const auto& reasons = causeOf(causes, 0).byReasonS;
        QVERIFY(isNear(reasons[LateReason::SlowerKernels], 100 * 400e-6));
        QVERIFY(isNear(reasons[LateReason::LateMessages], 100 * 400e-6));
    }

    // The same stages, but rank 2 itself computes 300 µs longer: that both ranks of its stage wait
    // for their messages is no reason.
    void waitingAlikeIsNoReason() {
        Steps steps({0, 1, 2, 3});
        for (std::int64_t step = 0; step < 100; ++step) {
            for (const int rank : {0, 1})
                steps.compute(rank, usual(step));
            steps.message(0, 2);
            steps.message(1, 3);
            for (const int rank : {2, 3})
                steps.compute(rank, rank == 2 ? 800'000 : 500'000);
            steps.allReduce({0, 1}, "dp0");
            steps.allReduce({2, 3}, "dp1");
        }
        const auto store = steps.planted.stored();
        const WaitCauses causes = causesIn(store, "planted");
        QVERIFY(isNear(causes.waitS, 100 * 300e-6));
        QVERIFY(isNear(causeOf(causes, 2).byReasonS[LateReason::SlowerKernels], causes.waitS));
    }

    // Two stages and an all-reduce of both: rank 1 has sent its gradients back and waits while rank
    // 0 computes the last of them, 400 µs. Rank 0 was kept by rank 1, but that is the order of a
    // pipeline, and nobody is to blame.
    void stagesGoInTurn() {
        Steps steps({0, 1});
        for (std::int64_t step = 0; step < 60; ++step) {
            steps.compute(0, usual(step), "forward");
            steps.message(0, 1);
            steps.compute(1, usual(step), "forward");
            steps.compute(1, 400'000, "backward");
            steps.message(1, 0);
            steps.compute(0, 400'000, "backward");
            steps.allReduce({0, 1}, "world");
        }
        const auto store = steps.planted.stored();
        const WaitCauses causes = causesIn(store, "planted");
        QVERIFY(isNear(causes.waitS, 60 * 400e-6));
        QVERIFY(isNear(causeOf(causes, kNoRank).byReasonS[LateReason::InTurn], causes.waitS));
        QVERIFY(causeOf(causes, 0).waitS < 1e-9 && causeOf(causes, 1).waitS < 1e-9);
    }

    // Rank 0 computes 200 µs longer before tp0, rank 1 runs 100 µs more before dp1. But for the
    // first step the ranks 1 and 3 leave dp1 100 µs after the ranks 0 and 2 leave dp0. In a step
    // wait
    //   rank 1 in tp0   100 µs for rank 0
    //   rank 2 in tp1   100 µs for rank 3, late as it waited for what rank 1 ran more
    //   rank 3 in dp1   200 µs for rank 1, half of it since that had waited for rank 0
    //   rank 2 in dp0   100 µs for rank 0
    // and in the first step 200, 0, 300 (of which 200 for rank 0) and 200 µs.
    void blameIsShared() {
        Steps steps({0, 1, 2, 3});
        for (std::int64_t step = 0; step < 60; ++step) {
            for (const int rank : {0, 1, 2, 3})
                steps.compute(rank, usual(step) + (rank == 0 ? 200'000 : 0));
            steps.allReduce({0, 1}, "tp0");
            steps.allReduce({2, 3}, "tp1");
            steps.compute(1, 100'000, "dropout");
            steps.allReduce({1, 3}, "dp1");
            steps.allReduce({0, 2}, "dp0");
        }
        const auto store = steps.planted.stored();
        const WaitCauses causes = causesIn(store, "planted");
        QVERIFY(isNear(causes.waitS, 700e-6 + 59 * 500e-6));
        const WaitCause& zero = causeOf(causes, 0);
        QVERIFY(isNear(zero.waitS, 600e-6 + 59 * 300e-6));
        QVERIFY(isNear(zero.byReasonS[LateReason::SlowerKernels], zero.waitS));
        QVERIFY(isNear(zero.throughS.at(1), 200e-6 + 59 * 100e-6));
        const WaitCause& one = causeOf(causes, 1);
        QVERIFY(isNear(one.waitS, 100e-6 + 59 * 200e-6));
        QVERIFY(isNear(one.byReasonS[LateReason::MoreKernels], one.waitS));
        QVERIFY(isNear(one.throughS.at(3), 59 * 100e-6));
        QCOMPARE(one.kernel, std::string("dropout"));
        QVERIFY(causeOf(causes, 3).waitS == 0.0);
    }

    // 400 ns of compute more than the other's: 300 of slower kernels, 100 of more of them.
    void slowerAndMoreShareTheBlame() {
        std::array<analysis::Meanwhile, 2> all;
        all[1].rank = 1;
        all[1].arrivalNs = 400;
        all[1].times[analysis::DeviceState::Compute] = 400;
        analysis::KernelExcess kernels;
        kernels.slowerNs = 300.0;
        kernels.moreNs = 100.0;
        const auto blame = analysis::blameFor(all, 1, kernels, {});
        QCOMPARE(blame.size(), std::size_t{2});
        QVERIFY(blame[0].reason == LateReason::SlowerKernels && isNear(blame[0].share, 0.75));
        QVERIFY(blame[1].reason == LateReason::MoreKernels && isNear(blame[1].share, 0.25));
    }
};

TRAINSCOPE_TEST(tst_WaitCauses)
#include "tst_WaitCauses.moc"
