// Whatever was captured and whatever is selected, each share is of traced time and lies between 0
// and 100 %.

#include "core/analysis/traces/PlantedTrace.h"

#include "core/analysis/traces/TraceSelection.h"
#include "core/analysis/traces/TraceSums.h"
#include "core/store/KeptSums.h"
#include "support/TestProgram.h"
#include "support/TracesInWindow.h"

#include <algorithm>
#include <random>

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

class ShareDice {
public:
    explicit ShareDice(std::uint64_t seed)
        : m_random(seed) { }
    std::int64_t below(std::int64_t end) {
        return static_cast<std::int64_t>(m_random() % static_cast<std::uint64_t>(end));
    }

private:
    std::mt19937_64 m_random;
};

// Captures with pauses that are short or long against them, of two ranks, one of which has a device
// more; work over each other, beyond the end of its capture, and in none; launches whose numbers
// come again in the next capture, where some are of work of the capture before.
PlantedTrace plantCaptures(ShareDice& dice) {
    PlantedTrace trace;
    trace.devices["9"] = 1;
    const std::int64_t captures = 1 + dice.below(4);
    for (int rank = 0; rank < 2; ++rank) {
        std::int64_t now = 1000 + dice.below(500);
        std::int64_t step = 0;
        for (std::int64_t capture = 0; capture < captures; ++capture) {
            const std::int64_t begin = now;
            const std::int64_t works = 1 + dice.below(12);
            for (std::int64_t i = 1; i <= works; ++i) {
                now += dice.below(200);
                const std::int64_t start = now + dice.below(150);
                const std::int64_t length = dice.below(dice.below(4) == 0 ? 900 : 90);
                const std::string stream = std::to_string(7 + dice.below(rank == 0 ? 3 : 2));
                const bool hasCall = dice.below(5) > 0;
                if (hasCall && dice.below(8) > 0)
                    trace.host(rank, "1", SpanKind::Runtime, "cudaLaunchKernel", now, 5, i);
                const std::int64_t kind = dice.below(6);
                if (kind == 0)
                    trace.work(rank, stream, SpanKind::Copy, "Memcpy HtoD", start, length,
                        hasCall ? i : 0);
                else if (kind == 1)
                    trace.kernel(rank, stream, "ncclDevKernel_AllReduce_Sum", start, length,
                        hasCall ? i : 0);
                else
                    trace.kernel(rank, stream, "a_gemm", start, length, hasCall ? i : 0);
            }
            now += dice.below(300);
            if (dice.below(5) > 0 || captures == 1)
                trace.captures.push_back(
                    {"capture " + std::to_string(capture), rank, {{begin}, {now}}});
            if (dice.below(3) > 0)
                trace.iteration(rank, step++, begin, now);
            now += dice.below(dice.below(2) == 0 ? 100 : 20'000);
        }
    }
    return trace;
}

void isShare(DurationNs part, DurationNs all) {
    QVERIFY2(part.ns >= 0 && part <= all,
        qPrintable(QStringLiteral("%1 of %2").arg(part.ns).arg(all.ns)));
}

void areShares(const TimeBreakdown& times) {
    isShare(times.busy, times.traced);
    isShare(times.compute, times.busy);
    isShare(times.communication, times.busy);
    isShare(times.exposedCommunication, times.communication);
    isShare(times.overlap, times.compute);
    isShare(times.copy, times.busy);
    isShare(times.idle, times.traced);
    QCOMPARE(
        (times.compute + times.exposedCommunication + times.copy + times.idle).ns, times.traced.ns);
}

void areShares(const WindowPhases& phases) {
    DurationNs all;
    for (const Phase phase : kAllPhases) {
        isShare(phases.time[phase], phases.traced);
        all = all + phases.time[phase];
    }
    QCOMPARE(all.ns, phases.traced.ns);
    isShare(phases.waiting(), phases.traced);
}

// Waiting for the host is idle time.
void areShares(const LaunchStatistics& launches, DurationNs idle) {
    isShare(launches.hostBound, idle);
    for (const StreamQueue& queue : launches.queues)
        QVERIFY(queue.meanDepth >= 0.0);
}

void areShares(const store::Store& store, TimeRange window) {
    const Run run = store.findRun("run").value();
    const RunStudy study{store, run};
    const IterationChoice choice{store.iterations(run.id).value(), std::nullopt};
    const auto traces = deviceTraces(study, KernelCategories::builtIn(), window, choice);
    for (const DeviceTrace& trace : traces.value()) {
        areShares(trace.breakdown);
        areShares(trace.activity.phases);
        QCOMPARE(trace.activity.phases.traced.ns, trace.breakdown.traced.ns);
        areShares(trace.activity.launches, trace.breakdown.idle);
        for (const IterationBreakdown& iteration : trace.breakdown.iterations)
            areShares(iteration);
        for (const IterationPhases& iteration : trace.activity.iterations)
            areShares(iteration);
    }
    const auto selection = selectionOf(
        study, [window](int) { return window; }, KernelCategories::builtIn());
    for (std::size_t i = 0; i < selection.value().devices.size(); ++i) {
        areShares(selection.value().devices[i]);
        areShares(selection.value().launches[i].launches, selection.value().devices[i].idle);
    }
}

// Ends of captures and of work, moments between, and in the pauses.
std::vector<TimeRange> selectionsOf(const PlantedTrace& trace, ShareDice& dice) {
    std::vector<std::int64_t> moments{0, 900, 200'000};
    for (const Capture& capture : trace.captures) {
        for (const std::int64_t at : {capture.range.begin.ns, capture.range.end.ns}) {
            moments.push_back(at);
            moments.push_back(at + dice.below(400));
            moments.push_back(at - dice.below(400));
        }
    }
    std::vector<TimeRange> selections{kAllTime};
    const auto pick
        = [&] { return moments[static_cast<std::size_t>(dice.below(std::ssize(moments)))]; };
    while (selections.size() < 12) {
        const std::int64_t a = pick();
        const std::int64_t b = pick();
        if (a != b)
            selections.push_back({{std::min(a, b)}, {std::max(a, b)}});
    }
    return selections;
}

} // namespace

class tst_SelectionShares : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // [0, 100) is captured and [1000, 1100): work in [10, 50) and [1010, 1060), launched at 5 and
    // 1005. A selection to the middle of the pause ends with 40 traced ns, none of them idle.
    void aPauseIsNoWaiting() {
        PlantedTrace trace;
        trace.captures = {{"a", 0, {{0}, {100}}}, {"b", 0, {{1000}, {1100}}}};
        trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", 5, 1, 1);
        trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", 1005, 1, 2);
        trace.kernel(0, "7", "a_gemm", 10, 40, 1);
        trace.kernel(0, "7", "a_gemm", 1010, 50, 2);
        const auto store = trace.store();
        const auto selection = selectionOf(
            {store, store.findRun("run").value()},
            [](int) {
                return TimeRange{{0}, {500}};
            },
            KernelCategories::builtIn());
        QCOMPARE(selection.value().launches.front().traced.ns, 40);
        QCOMPARE(selection.value().launches.front().launches.hostBound.ns, 0);
    }

    void everyShareIsOfTracedTime() {
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            ShareDice dice(seed);
            PlantedTrace trace = plantCaptures(dice);
            auto store = trace.store();
            const auto selections = selectionsOf(trace, dice);
            for (const bool isKept : {false, true}) {
                if (isKept) {
                    const auto sums = sumTraces({store, store.findRun("run").value()});
                    QVERIFY(store::keepSums(store, sums.value()).hasValue());
                }
                for (const TimeRange& selection : selections) {
                    areShares(store, selection);
                    if (QTest::currentTestFailed())
                        qFatal("seed %llu, %lld to %lld, kept %d",
                            static_cast<unsigned long long>(seed),
                            static_cast<long long>(selection.begin.ns),
                            static_cast<long long>(selection.end.ns), isKept ? 1 : 0);
                }
            }
        }
    }
};

TRAINSCOPE_TEST(tst_SelectionShares)
#include "tst_SelectionShares.moc"
