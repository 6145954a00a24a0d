// The figures of a stretch of a trace that can be read off.

#include "core/analysis/traces/PlantedRun.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "core/analysis/traces/SpanColumns.h"
#include "core/analysis/traces/TraceSelection.h"
#include "core/analysis/traces/TraceSums.h"
#include "core/store/KeptSums.h"
#include "support/TestProgram.h"
#include "support/TracesInWindow.h"

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
    return selectionOf(
        studyOf(store), [window](int) { return window; }, KernelCategories::builtIn())
        .value();
}

void compare(const OperatorRow& row, const char* name, std::int64_t timeUs, std::int64_t selfUs) {
    QCOMPARE(row.name, std::string(name));
    QCOMPARE(row.count, std::int64_t{1});
    QCOMPARE(row.time.ns, timeUs * kUs);
    QCOMPARE(row.self.ns, selfUs * kUs);
}

constexpr const char* kAllReduce
    = R"({"Collective name":"allreduce","In msg nelems":1024,"Out msg nelems":1024,"Group size":2,)"
      R"("dtype":"BFloat16","Process Group Name":"3","Process Group Description":"TP_GROUP",)"
      R"("Process Group Ranks":"[0, 1]"})";

// Rank 0: two iterations on its own clock; forward and backward are annotated on the host, and
// kernels run later than they are launched. Rank 1 marks none.
PlantedTrace plantedColumns() {
    PlantedTrace trace;
    trace.iteration(0, 7, 1'000, 2'000);
    trace.iteration(0, 8, 2'000, 3'000);
    trace.host(0, "1", SpanKind::Annotation, "## forward ##", 1'000, 100);
    trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", 1'010, 5, 1);
    trace.host(0, "1", SpanKind::Runtime, "ncclLaunch", 1'030, 5, 2);
    trace.host(0, "1", SpanKind::Annotation, "## backward ##", 1'200, 100);
    trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", 1'210, 5, 3);
    trace.host(0, "1", SpanKind::Runtime, "cudaMemcpyAsync", 1'250, 5, 4);
    trace.kernel(0, "7", "ampere_bf16_gemm", 1'500, 100, 1);
    trace.kernel(0, "9", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 1'600, 50, 2, kAllReduce);
    trace.kernel(0, "7", "ampere_bf16_gemm", 2'000, 100, 3);
    trace.work(0, "7", SpanKind::Copy, "Memcpy DtoH", 2'200, 10, 4, R"({"bytes":4096})");
    trace.kernel(
        0, "7", "ampere_bf16_gemm", 3'500, 10); // after both iterations, launched by nobody
    trace.kernel(0, "9", "ncclDevKernel_Broadcast", 3'600, 10); // says nothing of itself
    trace.kernel(1, "7", "flash_fwd_kernel", 1'700, 10);
    return trace;
}

QString ask(const store::Store& store, const char* sql) {
    QStringList lines;
    store::QueryOptions options;
    options.spanColumns = spanColumns(store, KernelCategories::builtIn());
    const auto status = store::query(
        store, sql, {},
        [&lines](const std::vector<store::SqlValue>& row) {
            QStringList cells;
            for (const auto& value : row)
                cells.append(value.type == store::SqlValue::Type::Integer
                        ? QString::number(value.integer)
                        : value.type == store::SqlValue::Type::Text
                        ? QString::fromStdString(value.text)
                        : QStringLiteral("-"));
            lines.append(cells.join(QLatin1Char(',')));
            return true;
        },
        options);
    return status.hasValue() ? lines.join(QLatin1Char(';'))
                             : QString::fromStdString(status.error().describe());
}

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
        QVERIFY(!stopped.hasValue() && stopped.error().code == ErrorCode::Cancelled);
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
            QVERIFY(store::keepSums(store, sumTraces(studyOf(store)).value()).hasValue());
            QVERIFY(TraceSums::open(studyOf(store)).value().has_value());
            check();
        }
    }
    void theLongest() {
        PlantedTrace trace;
        plantSmall(trace);
        const auto store = trace.store();
        const auto find = [&](TimeRange window, SpanGroup group, const std::string& name) {
            return longestSpan(
                studyOf(store), [window](int) { return window; }, group, name,
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

    // The computed columns of `spans`, of a planted trace whose answers are known.
    void everyColumn() {
        PlantedTrace trace = plantedColumns();
        const auto store = trace.store();
        QCOMPARE(
            ask(store,
                "SELECT start_ns, stream, correlation, category, iteration, phase, bytes, "
                "communicator FROM spans WHERE rank=0 AND stream IS NOT NULL ORDER BY start_ns"),
            QStringLiteral("1500,7,1,gemm,7,forward,-,-;"
                           "1600,9,2,all_reduce,7,forward,2048,TP_GROUP [0, 1];"
                           "2000,7,3,gemm,8,backward,-,-;"
                           "2200,7,4,-,8,backward,4096,-;"
                           "3500,7,-,gemm,-,forward,-,-;"
                           "3600,9,-,broadcast,-,-,-,-"));
    }

    // A launch has no stream of its own, no category and no phase, but an iteration.
    void onTheHost() {
        PlantedTrace trace = plantedColumns();
        const auto store = trace.store();
        QCOMPARE(ask(store,
                     "SELECT name, stream, category, iteration, phase, bytes, communicator FROM "
                     "spans WHERE correlation=3 AND kind='runtime'"),
            QStringLiteral("cudaLaunchKernel,-,-,7,-,-,-"));
    }

    // Ranks step together: one that marked no iterations has those of the lowest that did.
    void iterationsOfARankThatMarkedNone() {
        PlantedTrace trace = plantedColumns();
        const auto store = trace.store();
        QCOMPARE(ask(store, "SELECT category, iteration, phase FROM spans WHERE rank=1"),
            QStringLiteral("attention,7,forward"));
    }

    void groups() {
        PlantedTrace trace = plantedColumns();
        const auto store = trace.store();
        QCOMPARE(ask(store,
                     "SELECT category, sum(duration_ns), count(*) FROM spans WHERE kind='kernel' "
                     "GROUP BY category ORDER BY 2 DESC, 1"),
            QStringLiteral("gemm,210,3;all_reduce,50,1;attention,10,1;broadcast,10,1"));
    }

    void namesAndTypesAreListed() {
        PlantedTrace trace = plantedColumns();
        const auto store = trace.store();
        store::QueryOptions options;
        options.spanColumns = spanColumns(store, KernelCategories::builtIn());
        const auto tables = store::sqlTables(store, options).value();
        QCOMPARE(tables[0].name, std::string("samples"));
        QCOMPARE(tables[1].name, std::string("spans"));
        QCOMPARE(tables[1].columns.back().name, std::string("communicator"));
        QCOMPARE(tables[1].columns.size(), std::size_t{18});
        for (const auto& column : tables[1].columns)
            QVERIFY(!column.help.empty());
    }

    // A reading of computed columns can be stopped.
    void stops() {
        PlantedTrace trace = plantedColumns();
        const auto store = trace.store();
        store::QueryOptions options;
        options.spanColumns = spanColumns(
            store, KernelCategories::builtIn(), [](const ProgressState&) { return false; });
        bool isStopped = false;
        options.proceed = [&isStopped] { return !isStopped; };
        const auto status = store::query(
            store, "SELECT phase FROM spans", [&isStopped](const auto&) { isStopped = true; }, {},
            options);
        QVERIFY(!status.hasValue());
        QCOMPARE(static_cast<int>(status.error().code), static_cast<int>(ErrorCode::Cancelled));
    }

    // Whatever was captured and whatever is selected, each share is of traced time and lies between
    // 0 and 100 %.

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
            studyOf(store),
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
                    const auto sums = sumTraces(studyOf(store));
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

TRAINSCOPE_TEST(tst_TraceSelection)
#include "tst_TraceSelection.moc"
