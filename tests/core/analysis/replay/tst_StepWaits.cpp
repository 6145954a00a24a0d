// Planted causes of waiting, one at a time and two at once: who is named and for what, in seconds
// that are worked out by hand from the plant. Runs whose ranks are late by chance name nothing.

#include "core/analysis/replay/StepAnalyses.h"
#include "core/analysis/traces/CommunicationSummary.h"
#include "core/analysis/traces/PlantedRun.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "core/analysis/traces/WaitCauses.h"
#include "support/TestProgram.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

constexpr std::int64_t kBegin = 1'000 * kMs;
constexpr std::int64_t kTransfer = 10 * kUs;
constexpr int kSteps = 20;

// Ranks that compute and meet, each with its own time; each launch is recorded.
class Job {
public:
    PlantedTrace trace;

    void compute(int rank, std::int64_t ns, const std::string& name = "gemm") {
        launch(rank);
        trace.kernel(rank, "7", name, now(rank), ns, m_call);
        now(rank) += ns;
    }
    void copy(int rank, std::int64_t ns) {
        launch(rank);
        trace.work(rank, "7", SpanKind::Copy, "Memcpy HtoD", now(rank), ns, m_call);
        now(rank) += ns;
    }
    // The host launches what is next so much later.
    void lateHost(int rank, std::int64_t ns) { now(rank) += ns; }
    void allReduce(const std::vector<int>& ranks, const std::string& group,
        std::int64_t transfer = kTransfer) {
        meet(ranks, collectiveDetail("allreduce", 1 << 20, group, ranks), transfer,
            "ncclDevKernel_AllReduce_Sum_bf16_RING_LL");
    }
    // A collective of all ranks beside what they compute: each comes at that moment. The answer is
    // its end.
    std::int64_t reduceBeside(const std::vector<std::int64_t>& arrivals) {
        std::vector<int> ranks(arrivals.size());
        std::iota(ranks.begin(), ranks.end(), 0);
        const std::int64_t end = std::ranges::max(arrivals) + kTransfer;
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            trace.host(ranks[i], "1", SpanKind::Runtime, "cudaLaunchKernel", arrivals[i] - 3 * kUs,
                kUs, ++m_call);
            trace.kernel(ranks[i], "24", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", arrivals[i],
                end - arrivals[i], m_call, collectiveDetail("allreduce", 1 << 20, "world", ranks));
        }
        return end;
    }
    void message(int from, int to) {
        const std::string ends
            = R"(,"Src Rank":)" + std::to_string(from) + R"(,"Dst Rank":)" + std::to_string(to);
        meet({from, to},
            collectiveDetail("send", 1 << 20, "pp" + std::to_string(from), {from, to}, ends),
            kTransfer, "ncclDevKernel_SendRecv");
    }
    // Began for all ranks at that moment, and ends now.
    void step(const std::vector<int>& ranks, int index, std::int64_t begin) {
        for (const int rank : ranks)
            trace.iteration(rank, index, begin, now(rank));
    }
    std::int64_t& now(int rank) { return m_now.try_emplace(rank, kBegin).first->second; }
    // A reading each ms.
    void readings(const char* metric, int rank, double value) {
        trace.series(metric, rank, kBegin - 10 * kMs, kMs, std::vector<double>(200, value));
    }

private:
    void launch(int rank) {
        trace.host(
            rank, "1", SpanKind::Runtime, "cudaLaunchKernel", now(rank) - 5 * kUs, kUs, ++m_call);
    }
    void meet(const std::vector<int>& ranks, const std::string& detail, std::int64_t transfer,
        const std::string& kernel) {
        std::int64_t end = 0;
        for (const int rank : ranks)
            end = std::max(end, now(rank) + transfer);
        for (const int rank : ranks) {
            launch(rank);
            trace.kernel(rank, "24", kernel, now(rank), end - now(rank), m_call, detail);
            now(rank) = end;
        }
    }

    std::map<int, std::int64_t> m_now;
    std::int64_t m_call = 0;
};

// A step's usual work, never twice the same in a row: equal steps could be confused.
std::int64_t usual(int step) {
    return 1'000 * kUs + (step * step % 97) * kUs;
}

std::vector<StepWait> waitsIn(const store::Store& store, double steps = kSteps) {
    const RunStudy study = studyOf(store);
    const auto clocks = alignRanks(study);
    if (!clocks.hasValue())
        qFatal("%s", clocks.error().describe().c_str());
    auto waits = stepWaits(study, clocks.value(), kAllTime, steps);
    if (!waits.hasValue())
        qFatal("%s", waits.error().describe().c_str());
    return std::move(waits).value();
}

StepWait the(const std::vector<StepWait>& waits, const std::string& collective, int rank) {
    for (const StepWait& wait : waits) {
        if (wait.collective == collective && wait.rank == rank)
            return wait;
    }
    return {};
}

double partOf(const StepWait& wait, const std::string& cause) {
    for (const WaitPart& part : wait.parts) {
        if (part.cause == cause)
            return part.seconds;
    }
    return 0.0;
}

bool isNear(double value, double expected, double within = 1e-6) {
    return std::abs(value - expected) <= within * std::abs(expected) + 1e-12;
}

// Four ranks whose recordings begin together; in each step rank 2 does `more` and three wait for
// it.
StepWait ofRankTwo(Job job, const std::function<void(Job&, int step)>& more) {
    for (int rank = 0; rank < 4; ++rank)
        job.compute(rank, 50 * kUs, "warmup");
    for (int step = 0; step < kSteps; ++step) {
        for (const int rank : {0, 1, 3})
            job.compute(rank, usual(step));
        more(job, step);
        job.allReduce({0, 1, 2, 3}, "world");
    }
    const auto store = job.trace.store();
    const auto waits = waitsIn(store);
    return waits.size() == 1 ? waits.front() : StepWait{};
}

// Rank 2's clock is four fifths of the others', and its kernels take so much longer.
StepWait atLowClock(double longer, std::optional<double> reasons) {
    Job job;
    for (int rank = 0; rank < 4; ++rank) {
        job.readings("sm_clock", rank, rank == 2 ? 1.584e9 : 1.98e9);
        job.readings("gpu_utilization", rank, 1.0);
        if (reasons)
            job.readings("throttle_reasons", rank, rank == 2 ? *reasons : 0.0);
    }
    return ofRankTwo(std::move(job), [longer](Job& of, int step) {
        of.compute(2, std::llround(static_cast<double>(usual(step)) * longer));
    });
}

double meanUsualS() {
    double sum = 0.0;
    for (int step = 0; step < kSteps; ++step)
        sum += static_cast<double>(usual(step)) * 1e-9;
    return sum / kSteps;
}

} // namespace

class tst_StepWaits : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneCause_data() {
        QTest::addColumn<std::function<void(Job&, int)>>("plant");
        QTest::addColumn<std::string>("cause");
        QTest::addColumn<std::string>("text");
        using Plant = std::function<void(Job&, int)>;
        QTest::newRow("slower")
            << Plant([](Job& job, int step) { job.compute(2, usual(step) + 200 * kUs); })
            << std::string("slower_kernels")
            << std::string("because its kernels take longer, most of all gemm (600 µs)");
        QTest::newRow("more")
            << Plant([](Job& job, int step) {
                   job.compute(2, usual(step));
                   job.compute(2, 200 * kUs, "check_for_nan");
               })
            << std::string("more_kernels")
            << std::string("because it runs more kernels, most of all check_for_nan (600 µs)");
        QTest::newRow("host")
            << Plant([](Job& job, int step) {
                   job.lateHost(2, 200 * kUs);
                   job.compute(2, usual(step));
               })
            << std::string("host_late")
            << std::string("because its GPU waits for its host, which launches late (600 µs)");
        QTest::newRow("copies") << Plant([](Job& job, int step) {
            job.compute(2, usual(step));
            job.copy(2, 200 * kUs);
        }) << std::string("copies")
                                << std::string("because its copies take longer (600 µs)");
    }
    // 200 µs a step, for which three wait.
    void oneCause() {
        QFETCH(const std::function<void(Job&, int)>, plant);
        QFETCH(const std::string, cause);
        QFETCH(const std::string, text);
        const StepWait wait = ofRankTwo({}, plant);
        QCOMPARE(wait.rank, 2);
        QCOMPARE(wait.collective, std::string("AllReduce"));
        QVERIFY(isNear(wait.seconds, 600e-6));
        QCOMPARE(wait.chain, std::vector<int>{2});
        QCOMPARE(wait.victims, (std::vector<int>{0, 1, 3}));
        QCOMPARE(wait.cause, cause);
        QVERIFY(isNear(wait.explained, 1.0));
        QCOMPARE(wait.parts.size(), std::size_t{1});
        QCOMPARE(wait.text, text);
    }

    // A quarter longer at four fifths of the clock: all of it is the clock's, by what held it.
    void lowerClock_data() {
        QTest::addColumn<double>("reasons");
        QTest::addColumn<QString>("cause");
        QTest::newRow("no reasons are recorded") << -1.0 << "lower_clock";
        QTest::newRow("none of the reasons") << 0.0 << "lower_clock";
        QTest::newRow("slowdown by heat, in software") << 32.0 << "heat";
        QTest::newRow("cap of power") << 4.0 << "power_limit";
    }
    void lowerClock() {
        QFETCH(const double, reasons);
        QFETCH(const QString, cause);
        const StepWait wait
            = atLowClock(1.25, reasons < 0.0 ? std::nullopt : std::optional(reasons));
        QCOMPARE(wait.rank, 2);
        QCOMPARE(wait.cause, cause.toStdString());
        QVERIFY(isNear(wait.explained, 1.0, 1e-3));
        QVERIFY(isNear(wait.seconds, 3 * 0.25 * meanUsualS(), 1e-3));
    }
    // Six tenths longer: in proportion to the clock are 0.2 × 1.6 = 0.32 of them, 53 %; 5 % longer
    // is no more than the clock tells.
    void clockAndKernels() {
        const StepWait both = atLowClock(1.6, std::nullopt);
        QCOMPARE(both.cause, std::string(kUnexplained));
        QVERIFY(isNear(both.explained, 1.0, 1e-3));
        QVERIFY(isNear(partOf(both, "lower_clock"), 3 * 0.32 * meanUsualS(), 1e-3));
        QVERIFY(isNear(partOf(both, "slower_kernels"), 3 * 0.28 * meanUsualS(), 1e-3));
        QCOMPARE(atLowClock(1.05, std::nullopt).cause, std::string("lower_clock"));
    }

    // Halves of two causes name none; of 180 and 20 µs the first explains nine tenths.
    void twoCauses() {
        const auto plant = [](std::int64_t late) {
            return ofRankTwo({}, [late](Job& job, int step) {
                job.lateHost(2, late);
                job.compute(2, usual(step) + 200 * kUs - late);
            });
        };
        const StepWait halves = plant(100 * kUs);
        QCOMPARE(halves.cause, std::string(kUnexplained));
        QVERIFY(isNear(halves.explained, 1.0));
        QVERIFY(isNear(partOf(halves, "host_late"), 300e-6));
        QVERIFY(isNear(partOf(halves, "slower_kernels"), 300e-6));
        const StepWait most = plant(180 * kUs);
        QCOMPARE(most.cause, std::string("host_late"));
        QVERIFY(isNear(most.explained, 0.9));
        QVERIFY(isNear(partOf(most, "slower_kernels"), 60e-6));
    }

    // Before one exchange of each step rank 2 computes 600 µs longer, before the other rank 1's
    // host is 20 µs late: a thirtieth of it, told by the exchange of the step in which it is.
    void unequalCauses() {
        Job job;
        const std::vector<int> all{0, 1, 2, 3};
        for (int step = 0; step < kSteps; ++step) {
            const std::int64_t begin = job.now(0);
            for (const int rank : all)
                job.compute(rank, usual(step) + (rank == 2 ? 600 * kUs : 0));
            job.allReduce(all, "world");
            job.lateHost(1, 20 * kUs);
            for (const int rank : all)
                job.compute(rank, usual(step));
            job.allReduce(all, "world");
            job.step(all, step, begin);
        }
        const auto store = job.trace.store();
        const auto waits = waitsIn(store);
        QCOMPARE(waits.size(), std::size_t{2});
        QCOMPARE(the(waits, "AllReduce", 2).cause, std::string("slower_kernels"));
        QVERIFY(isNear(the(waits, "AllReduce", 2).seconds, 3 * 600e-6));
        QCOMPARE(the(waits, "AllReduce", 1).cause, std::string("host_late"));
        QVERIFY(isNear(the(waits, "AllReduce", 1).seconds, 3 * 20e-6));
    }

    // Rank 2 computes 200 µs longer in every second step; in the others one rank after the other is
    // late by 5 µs.
    void everySecondStep() {
        Job job;
        const std::vector<int> all{0, 1, 2, 3};
        for (int step = 0; step < kSteps; ++step) {
            const std::int64_t begin = job.now(0);
            for (const int rank : all) {
                const bool isLate = step % 2 == 1 ? rank == 2 : rank == step / 2 % 4;
                job.compute(rank, usual(step) + (isLate ? (step % 2 == 1 ? 200 : 5) * kUs : 0));
            }
            job.allReduce(all, "world");
            job.step(all, step, begin);
        }
        const auto store = job.trace.store();
        const auto waits = waitsIn(store);
        QCOMPARE(waits.size(), std::size_t{4});
        QCOMPARE(waits.front().rank, 2);
        QCOMPARE(waits.front().cause, std::string("slower_kernels"));
        QVERIFY(waits.front().seconds > 3 * 100e-6);
        for (const int rank : {0, 1, 3})
            QCOMPARE(the(waits, "AllReduce", rank).cause, std::string(kUnexplained));
    }

    // The recording of rank 3 begins when the others have computed for 500 µs; that it is 300 µs
    // late nobody saw. It runs no more than they do.
    void recordingThatBeginsLate() {
        Job job;
        const std::vector<int> all{0, 1, 2, 3};
        for (const int rank : {0, 1, 2})
            job.compute(rank, 500 * kUs, "forward");
        job.lateHost(3, 800 * kUs);
        for (int step = 0; step < kSteps; ++step) {
            for (const int rank : all)
                job.compute(rank, usual(step));
            job.allReduce(all, "world");
        }
        const auto store = job.trace.store();
        const auto waits = waitsIn(store);
        QCOMPARE(waits.size(), std::size_t{1});
        QCOMPARE(waits.front().rank, 3);
        QVERIFY(isNear(waits.front().seconds, 3 * 300e-6 / kSteps));
        QCOMPARE(waits.front().cause, std::string(kUnexplained));
        QVERIFY(waits.front().parts.empty());
    }

    // Two pipelines of three stages side by side, filled and drained alike; the host of rank 5, of
    // the last stage, is late with each micro-batch of the second. All that the gradients of each
    // stage wait for is its doing.
    void pipelinesSideBySide() {
        Job job;
        for (int step = 0; step < kSteps; ++step) {
            for (int batch = 0; batch < 4; ++batch) {
                for (int pipeline = 0; pipeline < 2; ++pipeline) {
                    for (int rank = pipeline; rank < 6; rank += 2) {
                        job.lateHost(rank, rank == 5 ? 100 * kUs : 0);
                        job.compute(rank, usual(step) / 4, "forward");
                        if (rank < 4)
                            job.message(rank, rank + 2);
                    }
                    for (int rank = pipeline + 4; rank > 1; rank -= 2) {
                        job.compute(rank, usual(step) / 2, "backward");
                        job.message(rank, rank - 2);
                    }
                    job.compute(pipeline, usual(step) / 2, "backward");
                }
            }
            for (int rank = 0; rank < 6; rank += 2)
                job.allReduce({rank, rank + 1}, "dp");
        }
        const auto store = job.trace.store();
        double other = 0.0;
        double whole = 0.0;
        for (const StepWait& wait : waitsIn(store)) {
            (wait.rank == 5 ? whole : other) += wait.seconds;
            QVERIFY2(wait.rank < 0 || wait.cause == (wait.rank == 5 ? "host_late" : kUnexplained),
                (std::to_string(wait.rank) + ": " + wait.text).c_str());
        }
        QVERIFY2(whole > 0.0 && other < 0.05 * whole, std::to_string(other / whole).c_str());
    }

    // Rank 2's host is 300 µs late. The others compute their next 100 µs while they wait; rank 2
    // has them still to do when the exchange ends, 10 µs behind its arrival, so that they wait for
    // 90 µs again: it runs no more than they do.
    void lateOnceMoreForTheSameReason() {
        Job job;
        for (int rank = 0; rank < 4; ++rank)
            job.compute(rank, 50 * kUs, "warmup");
        for (int step = 0; step < kSteps; ++step) {
            job.lateHost(2, 300 * kUs);
            std::vector<std::int64_t> arrivals;
            for (int rank = 0; rank < 4; ++rank) {
                job.compute(rank, usual(step));
                arrivals.push_back(job.now(rank));
                job.compute(rank, 100 * kUs, "next");
            }
            const std::int64_t end = job.reduceBeside(arrivals);
            for (int rank = 0; rank < 4; ++rank)
                arrivals[static_cast<std::size_t>(rank)] = std::max(end, job.now(rank));
            const std::int64_t over = job.reduceBeside(arrivals);
            for (int rank = 0; rank < 4; ++rank)
                job.now(rank) = over;
        }
        const auto store = job.trace.store();
        const auto waits = waitsIn(store);
        QCOMPARE(waits.size(), std::size_t{1});
        QCOMPARE(waits.front().rank, 2);
        QVERIFY(isNear(waits.front().seconds, 3 * 390e-6));
        QCOMPARE(waits.front().cause, std::string("host_late"));
        QVERIFY(isNear(waits.front().explained, 1.0));
    }

    // Rank 0 is slow in one group, rank 3's host is late in the other.
    void twoRanks() {
        Job job;
        for (int rank = 0; rank < 4; ++rank)
            job.compute(rank, 50 * kUs, "warmup");
        for (int step = 0; step < kSteps; ++step) {
            job.lateHost(3, 200 * kUs);
            for (int rank = 0; rank < 4; ++rank)
                job.compute(rank, usual(step) + (rank == 0 ? 200 * kUs : 0));
            job.allReduce({0, 1}, "a");
            job.allReduce({2, 3}, "b");
            job.allReduce({0, 1, 2, 3}, "world");
        }
        const auto store = job.trace.store();
        const auto waits = waitsIn(store);
        QCOMPARE(waits.size(), std::size_t{2});
        QCOMPARE(the(waits, "AllReduce along a", 0).cause, std::string("slower_kernels"));
        QVERIFY(isNear(the(waits, "AllReduce along a", 0).seconds, 200e-6));
        QCOMPARE(the(waits, "AllReduce along b", 3).cause, std::string("host_late"));
        QVERIFY(isNear(the(waits, "AllReduce along b", 3).seconds, 200e-6));
    }

    // Rank 0 computes 300 µs longer, so rank 1 waits in tp0 and comes late to rank 3 in dp1.
    void handedOnOverTwoGroups() {
        Job job;
        for (int step = 0; step < kSteps; ++step) {
            for (int rank = 0; rank < 4; ++rank)
                job.compute(rank, usual(step) + (rank == 0 ? 300 * kUs : 0));
            job.allReduce({0, 1}, "tp0");
            job.allReduce({2, 3}, "tp1");
            job.allReduce({0, 2}, "dp0");
            job.allReduce({1, 3}, "dp1");
        }
        const auto store = job.trace.store();
        const auto waits = waitsIn(store);
        QCOMPARE(waits.size(), std::size_t{3});
        for (const StepWait& wait : waits) {
            QCOMPARE(wait.rank, 0);
            QCOMPARE(wait.cause, std::string("slower_kernels"));
            QVERIFY(isNear(wait.seconds, 300e-6));
        }
        const StepWait handedOn = the(waits, "AllReduce along dp1", 0);
        QCOMPARE(handedOn.chain, (std::vector<int>{0, 1}));
        QCOMPARE(handedOn.victims, std::vector<int>{3});
        // The summary of the collectives has the same waiting.
        const auto summary = communicationOf(studyOf(store));
        double waitS = 0.0;
        for (const RankCommunication& rank : summary.value().ranks)
            waitS += rank.waitS;
        QVERIFY(isNear(waitS, kSteps * 900e-6));
    }

    // Rank 0 sends 300 µs late and rank 1 does something else meanwhile, so that the two meet at
    // once; rank 2 has the message late, and rank 3 waits for it.
    void lateMessage() {
        Job job;
        for (int step = 0; step < kSteps; ++step) {
            job.compute(0, usual(step));
            job.lateHost(0, 300 * kUs);
            job.compute(1, usual(step));
            job.message(0, 2);
            job.message(1, 3);
            job.compute(1, 300 * kUs, "other");
            job.compute(2, 500 * kUs);
            job.compute(3, 500 * kUs);
            job.allReduce({0, 1}, "dp0");
            job.allReduce({2, 3}, "dp1");
        }
        const auto store = job.trace.store();
        const auto waits = waitsIn(store);
        const StepWait wait = the(waits, "AllReduce along dp1", 0);
        QVERIFY(isNear(wait.seconds, 300e-6));
        QCOMPARE(wait.cause, std::string("late_messages"));
        QCOMPARE(wait.chain, (std::vector<int>{0, 2}));
        QCOMPARE(wait.victims, std::vector<int>{3});
    }

    // The same stages, but rank 0 is slow: that tells why its messages are late.
    void lateMessageOfASlowRank() {
        Job job;
        for (int step = 0; step < kSteps; ++step) {
            job.compute(0, usual(step) + 400 * kUs);
            job.compute(1, usual(step));
            job.message(0, 2);
            job.message(1, 3);
            job.compute(2, 500 * kUs);
            job.compute(3, 500 * kUs);
            job.allReduce({0, 1}, "dp");
            job.allReduce({2, 3}, "dp");
        }
        const auto store = job.trace.store();
        const auto waits = waitsIn(store);
        QCOMPARE(waits.size(), std::size_t{1});
        QCOMPARE(waits.front().rank, 0);
        QVERIFY(isNear(waits.front().seconds, 800e-6));
        QCOMPARE(waits.front().cause, std::string("slower_kernels"));
        QVERIFY(isNear(waits.front().explained, 1.0));
        QVERIFY(isNear(partOf(waits.front(), "late_messages"), 400e-6));
    }

    // The transfers of one group take 300 µs longer than those of its peers.
    void slowTransfers() {
        Job job;
        for (int step = 0; step < kSteps; ++step) {
            for (int rank = 0; rank < 4; ++rank)
                job.compute(rank, usual(step));
            job.allReduce({0, 1}, "tp0", kTransfer + 300 * kUs);
            job.allReduce({2, 3}, "tp1");
            job.allReduce({0, 2}, "dp0");
            job.allReduce({1, 3}, "dp1");
        }
        const auto store = job.trace.store();
        const auto waits = waitsIn(store);
        QCOMPARE(waits.size(), std::size_t{2});
        for (const auto& [group, rank] : std::map<std::string, int>{{"dp0", 0}, {"dp1", 1}}) {
            const StepWait wait = the(waits, "AllReduce along " + group, rank);
            QCOMPARE(wait.cause, std::string("slow_transfers"));
            QVERIFY(isNear(wait.seconds, 300e-6));
        }
    }

    // Rank 1 has sent its gradients back and waits 400 µs while rank 0 computes the last of them.
    void stagesGoInTurn() {
        Job job;
        for (int step = 0; step < kSteps; ++step) {
            job.compute(0, usual(step), "forward");
            job.message(0, 1);
            job.compute(1, usual(step), "forward");
            job.compute(1, 400 * kUs, "backward");
            job.message(1, 0);
            job.compute(0, 400 * kUs, "backward");
            job.allReduce({0, 1}, "world");
        }
        const auto store = job.trace.store();
        const auto waits = waitsIn(store);
        QCOMPARE(waits.front().rank, -1);
        QCOMPARE(waits.front().cause, std::string("in_turn"));
        QVERIFY(isNear(waits.front().seconds, 400e-6));
        QVERIFY(isNear(waits.front().explained, 1.0));
    }

    // Everybody is late now and then: kernels, hosts and clocks vary without a cause.
    void chanceNamesNothing() {
        for (unsigned seed = 0; seed < 100; ++seed) {
            std::mt19937 random(seed);
            std::exponential_distribution<double> late(1.0 / 20'000.0);
            std::normal_distribution<double> clock(1.98e9, 15e6);
            const int ranks = 2 + static_cast<int>(seed % 3) * 2;
            const int steps = 3 + static_cast<int>(seed % 10);
            Job job;
            std::vector<int> all;
            for (int rank = 0; rank < ranks; ++rank) {
                all.push_back(rank);
                std::vector<double> readings;
                for (int i = 0; i < 60; ++i)
                    readings.push_back(clock(random));
                job.trace.series("sm_clock", rank, kBegin - 10 * kMs, kMs, readings);
            }
            for (int step = 0; step < steps; ++step) {
                const std::int64_t begin = job.now(0);
                for (const char* part : {"forward", "backward"}) {
                    for (const int rank : all) {
                        job.lateHost(rank, std::llround(late(random)));
                        job.compute(rank, usual(step) / 2 + std::llround(late(random)), part);
                    }
                    for (int rank = 0; part[0] == 'f' && rank < ranks; rank += 2)
                        job.allReduce({rank, rank + 1}, "tp");
                }
                job.allReduce(all, "world");
                job.step(all, step, begin);
            }
            const auto store = job.trace.store();
            const auto waits = waitsIn(store, steps);
            QVERIFY(!waits.empty());
            for (const StepWait& wait : waits)
                QVERIFY2(
                    wait.cause == kUnexplained, (std::to_string(seed) + ": " + wait.cause).c_str());
        }
    }

    // A rank that is late in one of ten collectives of each step alone is told from chance by the
    // steps.
    void lateOnceAStep() {
        Job job;
        for (int step = 0; step < kSteps; ++step) {
            const std::int64_t begin = job.now(0);
            for (int layer = 0; layer < 10; ++layer) {
                for (int rank = 0; rank < 2; ++rank)
                    job.compute(rank, usual(step) / 10 + (rank == 1 && layer == 4 ? 100 * kUs : 0));
                job.allReduce({0, 1}, "world");
            }
            for (int rank = 0; rank < 2; ++rank)
                job.trace.iteration(rank, step, begin, job.now(0));
        }
        const auto store = job.trace.store();
        const auto waits = waitsIn(store);
        QCOMPARE(waits.front().rank, 1);
        QCOMPARE(waits.front().cause, std::string("slower_kernels"));
        QVERIFY(isNear(waits.front().seconds, 100e-6));
    }

    // Three ranks that never meet, as the others of their groups were not recorded: rank 1 computes
    // 300 µs longer and communicates so much less; two wait for it.
    void withoutACommonClock() {
        PlantedTrace trace;
        for (int step = 0; step < 6; ++step) {
            for (int rank = 0; rank < 3; ++rank) {
                const std::int64_t begin = kBegin + (7 * rank + 3 * step) * kMs;
                const std::int64_t work = usual(step) + (rank == 1 ? 300 * kUs : 0);
                trace.kernel(rank, "7", "gemm", begin, work);
                trace.kernel(rank, "24", "ncclDevKernel_AllReduce", begin + work, 3 * kMs - work, 0,
                    collectiveDetail("allreduce", 1 << 20, "dp", {rank, rank + 8}));
                trace.iteration(rank, step, begin, begin + 3 * kMs);
            }
        }
        const auto store = trace.store();
        const auto waits = waitsIn(store, 6);
        QCOMPARE(waits.size(), std::size_t{1});
        QCOMPARE(waits.front().collective, std::string(kOwnStep));
        QCOMPARE(waits.front().rank, 1);
        QVERIFY(isNear(waits.front().seconds, 600e-6));
        QCOMPARE(waits.front().cause, std::string("slower_kernels"));
        QCOMPARE(waits.front().victims, (std::vector<int>{0, 2}));
    }

    // Rank 1 of three causes 10, 12 and 11 s. Beyond the even part these are 20/3, 8 and 22/3: the
    // mean is 22/3 with an error of 0.385, t = 19 with two degrees of freedom, for which 99.99 %
    // are below 100. 10, 10.01 and 10.02 s are named, t = 2,000.
    void roundsAgainstChance() {
        const auto isNamed = [](const std::vector<double>& seconds) {
            WaitRounds rounds;
            for (const double one : seconds) {
                rounds.add(1, one);
                rounds.close();
            }
            return rounds.isBeyondChance(1, 3);
        };
        QVERIFY(!isNamed({10.0, 12.0, 11.0}));
        QVERIFY(isNamed({10.0, 10.01, 10.02}));
        QVERIFY(!isNamed({10.0, 10.0}));
        QVERIFY(isNamed({10.0, 12.0, 11.0, 10.0, 12.0, 11.0}));
        // Rank 1 in every second round, rank 2 a little in the others: four pairs are alike.
        const auto isEverySecondNamed = [](int count) {
            WaitRounds rounds;
            for (int i = 0; i < count; ++i) {
                rounds.add(1 + i % 2, i % 2 == 0 ? 10.0 : 0.1);
                rounds.close();
            }
            return rounds.isBeyondChance(1, 3);
        };
        QVERIFY(!isEverySecondNamed(6));
        QVERIFY(isEverySecondNamed(8));
    }
};

TRAINSCOPE_TEST(tst_StepWaits)
#include "tst_StepWaits.moc"
