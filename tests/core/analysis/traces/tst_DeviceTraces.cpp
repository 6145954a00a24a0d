// One pass over random traces says what the two passes say.

#include "core/analysis/traces/PlantedTrace.h"

#include "support/TestProgram.h"
#include "support/TracesInWindow.h"

#include <array>
#include <random>

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

constexpr std::int64_t kLength = 30'000;

// Two ranks with three streams each; kernels of four names, copies and sets, some launched by a
// marked thread; three iterations.
void plant(PlantedTrace& trace, unsigned seed) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned limit) { return static_cast<std::int64_t>(random() % limit); };
    static constexpr std::array kKernels{
        "a_gemm", "softmax", "ncclDevKernel_AllReduce", "ncclDevKernel_SendRecv"};
    for (int i = 1; i <= 300; ++i) {
        const auto rank = static_cast<int>(below(2));
        const std::int64_t start = below(kLength);
        const auto what = below(8);
        const std::string stream = "s" + std::to_string(below(3));
        if (what < 6)
            trace.kernel(
                rank, stream, kKernels[static_cast<std::size_t>(below(4))], start, below(200), i);
        else
            trace.work(rank, stream, what == 6 ? SpanKind::Copy : SpanKind::Set, "Memcpy DtoD",
                start, below(50), i);
        trace.host(rank, "1", SpanKind::Runtime, "cudaLaunchKernel", start - below(500), 1, i);
    }
    for (std::int64_t k = 0; k < 3; ++k)
        trace.iteration(-1, k, k * kLength / 3, (k + 1) * kLength / 3);
}

void compare(const TimeBreakdown& one, const TimeBreakdown& other) {
    QCOMPARE(one.window, other.window);
    QCOMPARE(one.kernelCount, other.kernelCount);
    QCOMPARE(one.kernelTime, other.kernelTime);
    QCOMPARE(one.busy, other.busy);
    QCOMPARE(one.compute, other.compute);
    QCOMPARE(one.exposedCommunication, other.exposedCommunication);
    QCOMPARE(one.idle, other.idle);
    QCOMPARE(one.copies.count, other.copies.count);
    QCOMPARE(one.sets.time, other.sets.time);
    QCOMPARE(one.categories.size(), other.categories.size());
    for (const auto& [name, sums] : one.categories)
        QCOMPARE(sums.time, other.categories.at(name).time);
}

} // namespace

class tst_DeviceTraces : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 4,000 kernels, each of its own name and of one of two categories, begin and end one after the
    // other while 2,000 of them run: each of the 6,000 pieces holds two kinds at most, and the
    // sweep tells how many there are of each.
    void manyKernelsAtOnce() {
        constexpr int many = 4'000;
        constexpr int atOnce = 2'000;
        PlantedTrace trace;
        for (int i = 0; i < many; ++i)
            trace.kernel(0, std::to_string(i % 8),
                (i % 2 == 0 ? "a_gemm" : "softmax") + std::to_string(i), i, atOnce);
        class Counter : public DeviceVisitor {
        public:
            Status piece(TimeRange range, const Running& running) override {
                kinds += running.kernels.size();
                kernelNs += range.length().ns * running.countOf(false);
                return {};
            }
            std::size_t kinds = 0;
            std::int64_t kernelNs = 0;
        };
        const auto store = trace.store();
        const auto devices = tracedDevices({store, store.findRun("run").value()}).value();
        Counter counter;
        const std::array<DeviceVisitor*, 1> visitors{&counter};
        QVERIFY(walkDevice(store, devices.front(), kAllTime, visitors).hasValue());
        QVERIFY(counter.kinds <= std::size_t{2} * (many + atOnce));
        QCOMPARE(counter.kernelNs, std::int64_t{many} * atOnce);
    }

    void saysWhatBothSay_data() {
        QTest::addColumn<unsigned>("seed");
        QTest::addColumn<bool>("isWindow");
        for (unsigned seed = 0; seed < 12; ++seed)
            QTest::addRow("seed %u", seed) << seed << (seed % 2 == 1);
    }
    void saysWhatBothSay() {
        QFETCH(unsigned, seed);
        QFETCH(bool, isWindow);
        PlantedTrace trace;
        plant(trace, seed);
        const auto store = trace.store();
        const Run run = store.findRun("run").value();
        const IterationChoice choice{trace.iterations, std::nullopt};
        const TimeRange window = isWindow ? TimeRange{{kLength / 4}, {kLength / 2}} : kAllTime;
        const auto& table = KernelCategories::builtIn();
        const auto both = deviceTraces({store, run}, table, window, choice).value();
        const auto kernels = traceBreakdown({store, run}, table, window, choice).value();
        const auto activities = deviceActivity({store, run}, window, choice).value();
        QCOMPARE(both.size(), std::size_t(2));
        QCOMPARE(kernels.size(), both.size());
        QCOMPARE(activities.size(), both.size());
        for (std::size_t i = 0; i < both.size(); ++i) {
            const DeviceBreakdown& breakdown = both[i].breakdown;
            QCOMPARE(breakdown.rank, static_cast<int>(i));
            QCOMPARE(breakdown.device, kernels[i].device);
            QVERIFY(breakdown.kernelCount > 0);
            compare(breakdown, kernels[i]);
            QCOMPARE(breakdown.kernels.size(), kernels[i].kernels.size());
            QCOMPARE(breakdown.kernels.front().name, kernels[i].kernels.front().name);
            QCOMPARE(breakdown.iterations.size(), kernels[i].iterations.size());
            for (std::size_t k = 0; k < breakdown.iterations.size(); ++k)
                compare(breakdown.iterations[k], kernels[i].iterations[k]);
            QCOMPARE(both[i].activity.rank, activities[i].rank);
            for (const Phase phase : kAllPhases)
                QCOMPARE(both[i].activity.phases.time[phase], activities[i].phases.time[phase]);
            QCOMPARE(both[i].activity.iterations.size(), activities[i].iterations.size());
        }
    }

    // Rank 1's clock is 1 ms ahead: the second of its three kernels is that of the window.
    void windowsOnTheClocksOfTheRanks() {
        PlantedTrace trace;
        for (std::int64_t i = 0; i < 3; ++i) {
            trace.kernel(0, "7", "a_gemm", i * 100 * kUs, 50 * kUs);
            trace.kernel(1, "7", "a_gemm", kMs + i * 100 * kUs, 30 * kUs);
        }
        const auto store = trace.store();
        const auto window = [](int rank) {
            return TimeRange{{rank * kMs + 100 * kUs}, {rank * kMs + 200 * kUs}};
        };
        const auto traces = deviceTraces({store, store.findRun("run").value()},
            KernelCategories::builtIn(), RankWindow(window), {})
                                .value();
        QCOMPARE(traces.size(), std::size_t{2});
        for (const DeviceTrace& one : traces) {
            QCOMPARE(one.breakdown.kernelCount, 1);
            QCOMPARE(one.breakdown.busy.ns, (one.breakdown.rank == 0 ? 50 : 30) * kUs);
            QCOMPARE(one.breakdown.window.length().ns, 100 * kUs);
            QCOMPARE(one.activity.phases.window, one.breakdown.window);
        }
    }

    // The log's iterations 10: [100, 110) and 11: [110, 120) µs; a kernel runs throughout, traced
    // from 104 µs on, so that nothing is known of the first 40 % of iteration 10. If another
    // rank was traced from 100 µs on, rank 0 did idle for them.
    void partlyTracedIterationsOfALogAreLeftOut() {
        PlantedTrace trace;
        trace.kernel(0, "7", "a_gemm", 104 * kUs, 16 * kUs);
        trace.iteration(-1, 10, 100 * kUs, 110 * kUs);
        trace.iteration(-1, 11, 110 * kUs, 120 * kUs);
        const auto traced = [&trace](std::optional<std::int64_t> only) {
            const auto store = trace.store();
            return deviceTraces({store, store.findRun("run").value()}, KernelCategories::builtIn(),
                kAllTime, {trace.iterations, only})
                .value();
        };
        const auto alone = traced({});
        QCOMPARE(alone[0].breakdown.iterations.size(), std::size_t{1});
        QCOMPARE(alone[0].breakdown.iterations[0].index, 11);
        QCOMPARE(alone[0].breakdown.iterations[0].idle.ns, 0);
        QCOMPARE(alone[0].activity.iterations.size(), std::size_t{1});
        QVERIFY(traced(10).empty());
        trace.kernel(1, "7", "a_gemm", 100 * kUs, 20 * kUs);
        const auto beside = traced({});
        QCOMPARE(beside[0].breakdown.iterations.size(), std::size_t{2});
        QCOMPARE(beside[0].breakdown.iterations[0].idle.ns, 4 * kUs);
        QCOMPARE(beside[0].breakdown.iterations[1].idle.ns, 0);
    }
};

TRAINSCOPE_TEST(tst_DeviceTraces)
#include "tst_DeviceTraces.moc"
