// One pass over random traces says what the two passes say.

#include "core/analysis/traces/PlantedTrace.h"

#include "core/analysis/traces/DeviceActivity.h"
#include "support/TestProgram.h"

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
        const auto both = deviceTraces(store, run, table, window, choice).value();
        const auto kernels = traceBreakdown(store, run, table, window, choice).value();
        const auto activities = deviceActivity(store, run, window, choice).value();
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
};

TRAINSCOPE_TEST(tst_DeviceTraces)
#include "tst_DeviceTraces.moc"
