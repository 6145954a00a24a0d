// The figures of a stretch of a trace that can be read off.

#include "core/analysis/traces/PlantedTrace.h"

#include "core/analysis/traces/PlantedRun.h"
#include "core/analysis/traces/TraceSelection.h"
#include "core/analysis/traces/TraceSums.h"
#include "core/store/KeptSums.h"
#include "support/TestProgram.h"

#include <algorithm>
#include <cmath>

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

constexpr const char* kReduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";

// µs: a GEMM of 40 at 10 and at 120, a collective of 30 at 150 beside the second, a copy at 60.
// The host calls linear [100, 150), in it mm [110, 140), in it empty [135, 138).
void plantSmall(PlantedTrace& trace) {
    trace.kernel(3, "7", "my_gemm_kernel", 10 * kUs, 40 * kUs, 1);
    trace.work(3, "7", SpanKind::Copy, "Memcpy HtoD", 60 * kUs, 10 * kUs);
    trace.kernel(3, "7", "my_gemm_kernel", 120 * kUs, 41 * kUs, 2);
    trace.kernel(3, "9", kReduce, 150 * kUs, 30 * kUs);
    trace.host(3, "1", SpanKind::Runtime, "cudaLaunchKernel", 5 * kUs, 2 * kUs, 1);
    trace.host(3, "1", SpanKind::CpuOp, "aten::linear", 100 * kUs, 50 * kUs);
    trace.host(3, "1", SpanKind::CpuOp, "aten::mm", 110 * kUs, 30 * kUs);
    trace.host(3, "1", SpanKind::Runtime, "cudaLaunchKernel", 115 * kUs, 2 * kUs, 2);
    trace.host(3, "1", SpanKind::CpuOp, "aten::empty", 135 * kUs, 3 * kUs);
}

TraceSelection select(const store::Store& store, TimeRange window) {
    const Run run = store.findRun("run").value();
    return selectionOf(
        {store, run}, [window](int) { return window; }, KernelCategories::builtIn())
        .value();
}

void compare(const OperatorRow& row, const char* name, std::int64_t timeUs, std::int64_t selfUs) {
    QCOMPARE(row.name, std::string(name));
    QCOMPARE(row.count, std::int64_t{1});
    QCOMPARE(row.time.ns, timeUs * kUs);
    QCOMPARE(row.self.ns, selfUs * kUs);
}

} // namespace

class tst_TraceSelection : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 130 to 170 µs cut the second GEMM on both sides and the collective at its end.
    void aStretch() {
        PlantedTrace trace;
        plantSmall(trace);
        const auto store = trace.store();
        const auto made = select(store, {{130 * kUs}, {170 * kUs}});
        QCOMPARE(made.devices.size(), std::size_t{1});
        const DeviceBreakdown& device = made.devices.front();
        QCOMPARE(device.rank, 3);
        QCOMPARE(device.window.length().ns, 40 * kUs);
        QCOMPARE(device.busy.ns, 40 * kUs);
        QCOMPARE(device.compute.ns, 31 * kUs);
        QCOMPARE(device.communication.ns, 20 * kUs);
        QCOMPARE(device.overlap.ns, 11 * kUs);
        QCOMPARE(device.exposedCommunication.ns, 9 * kUs);
        QCOMPARE(device.kernels.size(), std::size_t{2});
        QCOMPARE(device.kernels[0].time.ns, 31 * kUs);
        QCOMPARE(made.operators.size(), std::size_t{3});
        compare(made.operators[0], "aten::linear", 20, 10);
        compare(made.operators[1], "aten::mm", 10, 7);
        compare(made.operators[2], "aten::empty", 3, 3);
        QCOMPARE(made.calls.size(), std::size_t{1});
        QCOMPARE(made.calls[0].time.ns, 30 * kUs); // whole
        QCOMPARE(made.calls[0].matched, std::int64_t{0});
        QVERIFY(!made.calls[0].bandwidth);
    }
    // As without a stretch: from the first work to the last, of which 40 and 60 µs are kernels.
    void allOfIt() {
        PlantedTrace trace;
        plantSmall(trace);
        const auto store = trace.store();
        const auto made = select(store, {{-kMs}, {kMs}});
        QCOMPARE(made.devices[0].window.length().ns, 170 * kUs);
        QCOMPARE(made.devices[0].busy.ns, 110 * kUs);
        QCOMPARE(made.devices[0].copy.ns, 10 * kUs);
        QCOMPARE(made.devices[0].idle.ns, 60 * kUs);
        QCOMPARE(made.launches[0].launches.joined, std::int64_t{2});
        QCOMPARE(made.launches[0].launches.unjoined, std::int64_t{1});
        QCOMPARE(made.launches[0].launches.delay->medianNs, 5.0 * kUs);
        QCOMPARE(made.launches[0].copies.at("HtoD").count, std::int64_t{1});
        QVERIFY(select(store, {{kMs}, {2 * kMs}}).devices.empty());
    }
    void itsPartsComeOneByOne() {
        PlantedTrace trace;
        plantSmall(trace);
        const auto store = trace.store();
        const Run run = store.findRun("run").value();
        std::vector<std::size_t> filled;
        bool isOver = false;
        const auto watched = [&](const ProgressState& state) {
            isOver = isOver || state.bytesDone > state.bytesTotal;
            return true;
        };
        const auto made = selectionOf(
            {store, run, watched}, [](int) { return kAllTime; }, KernelCategories::builtIn(),
            [&](const TraceSelection& part) {
                filled.push_back(
                    part.devices.size() + part.launches.size() + part.operators.size());
            });
        QVERIFY(made.hasValue());
        QCOMPARE(filled, (std::vector<std::size_t>{2, 5}));
        QVERIFY(!isOver);
        const auto stopped = selectionOf(
            {store, run, [](const ProgressState&) { return false; }}, [](int) { return kAllTime; },
            KernelCategories::builtIn());
        QVERIFY(!stopped.hasValue());
        QVERIFY(stopped.error().code == ErrorCode::Cancelled);
    }
    // Ten all-reduces of 4,000 bytes, 1 ms apart; rank 1 comes 50 µs later, both end 50 µs after
    // that. Three begin in the stretch: 6 calls of 100 or 50 µs, of which 3 × 50 are waits, and
    // 6 × 4,000 bytes in 6 × 50 µs.
    void collectives() {
        PlantedTrace trace;
        const std::string detail = collectiveDetail("allreduce", 1'000, "0", {0, 1}, {}, "Float");
        for (std::int64_t k = 0; k < 10; ++k) {
            trace.kernel(0, "7", kReduce, k * kMs, 100 * kUs, 0, detail);
            trace.kernel(1, "7", kReduce, k * kMs + 50 * kUs, 50 * kUs, 0, detail);
        }
        const auto store = trace.store();
        const auto made = select(store, {{-1}, {2'500 * kUs}});
        QCOMPARE(made.devices.size(), std::size_t{2});
        QCOMPARE(made.calls.size(), std::size_t{1});
        const CallRow& row = made.calls.front();
        QVERIFY(row.kind == CollectiveKind::AllReduce);
        QCOMPARE(row.ranks, 2);
        QCOMPARE(row.count, std::int64_t{6});
        QCOMPARE(row.matched, std::int64_t{6});
        QCOMPARE(row.time.ns, 450 * kUs);
        QCOMPARE(*row.bytes, 24'000.0);
        QVERIFY(std::abs(row.waitS - 150e-6) < 1e-9);
        QVERIFY(std::abs(*row.bandwidth / 80e6 - 1.0) < 1e-6);
        QVERIFY(!row.isLowerBound);
    }
    // The same with a third rank that nobody traced and that comes 200 µs after rank 1: 8,000 bytes
    // in 2 × 250 µs. Then five more of the ranks 0 and 1 alone, 4,000 bytes in 50 µs on each: these
    // alone tell the bandwidth of the purpose, 80 MB/s. So do the sums that are kept.
    // Out of 20,000 collectives, one every 10 ms, those within a second or so of the stretch are
    // looked at, and its waits are those of all of them. Some wait for half a second, which reaches
    // back.
    void waitsOfAStretchAreReadAroundIt() {
        constexpr int many = 20'000;
        PlantedTrace trace;
        for (int i = 0; i < many; ++i) {
            const std::int64_t at = i * 10 * kMs;
            const std::int64_t late = i % 100 == 50 ? 400 * kMs : (i % 7) * kUs;
            const std::string detail = collectiveDetail("allreduce", 1000 + i % 100, "0", {0, 1});
            const std::int64_t end = at + late + 100 * kUs;
            trace.kernel(0, std::to_string(i % 100), kReduce, at, end - at, 0, detail);
            trace.kernel(
                1, std::to_string(i % 100), kReduce, at + late, end - at - late, 0, detail);
        }
        auto store = trace.store();
        const Run run = store.findRun("run").value();
        const TimeRange stretch{{100'449 * kMs}, {100'951 * kMs}};
        std::uint64_t calls = 0;
        const RunStudy study{store, run, [&calls](const ProgressState& state) {
                                 if (state.phase == "Matching collectives")
                                     calls = std::max(calls, state.bytesDone / sizeof(Call));
                                 return true;
                             }};
        const auto made = selectionOf(
            study, [stretch](int) { return stretch; }, KernelCategories::builtIn());
        QVERIFY(calls > 0 && calls < 1'000);
        const auto sums = sumTraces({store, run});
        QVERIFY(store::keepSums(store, sums.value()).hasValue());
        const auto kept = select(store, stretch);
        QCOMPARE(made.value().calls.size(), std::size_t{1});
        QCOMPARE(made.value().calls[0].count, kept.calls[0].count);
        QCOMPARE(made.value().calls[0].matched, kept.calls[0].matched);
        QCOMPARE(made.value().calls[0].matched, made.value().calls[0].count);
        QVERIFY(std::abs(made.value().calls[0].waitS - kept.calls[0].waitS) < 1e-12);
    }

    void collectivesWithoutSomeRank() {
        for (const int whole : {0, 5}) {
            PlantedTrace trace;
            const auto detail = [](const char* group, const std::vector<int>& ranks) {
                return collectiveDetail("allreduce", 1'000, group, ranks,
                    R"(,"Process Group Description":"dp")", "Float");
            };
            const auto add = [&trace](std::int64_t at, std::int64_t after, const std::string& of) {
                trace.kernel(0, "7", kReduce, at, 50 * kUs + after, 0, of);
                trace.kernel(1, "7", kReduce, at + 50 * kUs, after, 0, of);
            };
            for (std::int64_t k = 0; k < 5 + whole; ++k)
                add(k * kMs, (k < 5 ? 250 : 50) * kUs,
                    k < 5 ? detail("1", {0, 1, 2}) : detail("2", {0, 1}));
            auto store = trace.store();
            const Run run = store.findRun("run").value();
            const auto check = [&] {
                const auto made = select(store, kAllTime);
                QCOMPARE(made.calls.size(), std::size_t{1});
                const CallRow& row = made.calls.front();
                QCOMPARE(row.count, std::int64_t{10 + 2 * whole});
                QCOMPARE(*row.bytes, 40'000.0 + 8'000.0 * whole);
                QVERIFY(std::abs(*row.bandwidth / (whole > 0 ? 80e6 : 16e6) - 1.0) < 1e-6);
                QCOMPARE(row.isLowerBound, whole == 0);
            };
            check();
            QVERIFY(store::keepSums(store, sumTraces({store, run}).value()).hasValue());
            QVERIFY(TraceSums::open({store, run}).value().has_value());
            check();
        }
    }
    void theLongest() {
        PlantedTrace trace;
        plantSmall(trace);
        const auto store = trace.store();
        const Run run = store.findRun("run").value();
        const auto find = [&](TimeRange window, SpanGroup group, const std::string& name) {
            return longestSpan(
                {store, run}, [window](int) { return window; }, group, name,
                KernelCategories::builtIn())
                .value();
        };
        const TimeRange all{{-kMs}, {kMs}};
        using enum SpanGroup;
        QCOMPARE(find(all, KernelName, "my_gemm_kernel")->span.start.ns, 120 * kUs);
        QCOMPARE(find({{0}, {100 * kUs}}, KernelName, "my_gemm_kernel")->span.start.ns, 10 * kUs);
        QCOMPARE(find(all, KernelCategory, "all_reduce")->span.start.ns, 150 * kUs);
        QCOMPARE(find(all, OperatorName, "aten::mm")->span.duration.ns, 30 * kUs);
        QVERIFY(!find(all, KernelName, "aten::mm"));
    }
};

TRAINSCOPE_TEST(tst_TraceSelection)
#include "tst_TraceSelection.moc"
