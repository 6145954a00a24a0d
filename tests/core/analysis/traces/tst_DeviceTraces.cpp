// One pass over random traces says what the pass over their kernels says.

#include "core/analysis/traces/DevicePass.h"
#include "core/analysis/traces/Lateness.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "core/store/Fixture.h"
#include "support/TestProgram.h"
#include "support/TracesInWindow.h"

#include <atomic>
#include <thread>

using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

constexpr std::int64_t kTracedNs = 30'000;

// Two ranks with three streams each; kernels of four names, copies and sets, some launched by a
// marked thread; three iterations.
void plant(PlantedTrace& trace, unsigned seed) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned limit) { return static_cast<std::int64_t>(random() % limit); };
    static constexpr std::array kKernels{
        "a_gemm", "softmax", "ncclDevKernel_AllReduce", "ncclDevKernel_SendRecv"};
    for (int i = 1; i <= 300; ++i) {
        const auto rank = static_cast<int>(below(2));
        const std::int64_t start = below(kTracedNs);
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
        trace.iteration(-1, k, k * kTracedNs / 3, (k + 1) * kTracedNs / 3);
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

constexpr int kDevices = 12;

// Rank r has r + 1 kernels, one after the other.
PlantedTrace planted() {
    PlantedTrace trace;
    for (int rank = 0; rank < kDevices; ++rank) {
        for (int i = 0; i <= rank; ++i)
            trace.kernel(rank, "7", "a_gemm", i * 100 * kUs, 50 * kUs);
    }
    return trace;
}

class CountingVisitor : public DeviceVisitor {
public:
    Status work(const DeviceWork&) override {
        ++count;
        return {};
    }
    int count = 0;
};

// The kernels of a device.
Result<int> countOf(const DeviceReading& reading) {
    CountingVisitor visitor;
    const auto walked = reading.walk(kAllTime, visitor);
    return walked.hasValue() ? Result<int>(visitor.count) : Result<int>(walked.error());
}

store::Store readerOf(const store::Store& store) {
    return store::Store::open(store.path(), store::OpenMode::ReadOnly).value();
}

constexpr std::int64_t kPeriod = 1'000 * kUs;

// In µs of a period:   0-100 compute, of which 60-100 under communication
//                    100-180 communication alone
//                    180-200 a copy, launched long before
//                    200-300 nothing: what follows is launched at 260 and starts 40 µs after
//                    300-350 compute
//                    350-500 nothing: what follows is launched at 490 and starts at once
//                    500-600 compute
//                    600-    nothing: the next period's first kernel is launched at 1000 − 300
PlantedTrace periods(int count) {
    PlantedTrace planted;
    std::int64_t call = 0;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t at = 1'000 * kMs + i * kPeriod;
        const auto launch = [&](std::int64_t when) {
            planted.host(
                0, "1", SpanKind::Runtime, "cudaLaunchKernel", at + when * kUs, 1 * kUs, ++call);
            return call;
        };
        planted.kernel(0, "7", "gemm", at, 100 * kUs, launch(-300));
        planted.kernel(0, "24", "ncclDevKernel_AllReduce", at + 60 * kUs, 120 * kUs, launch(-299));
        planted.work(0, "9", SpanKind::Copy, "Memcpy DtoD", at + 180 * kUs, 20 * kUs, launch(-298));
        planted.kernel(0, "7", "norm", at + 300 * kUs, 50 * kUs, launch(260));
        planted.kernel(0, "7", "gemm", at + 500 * kUs, 100 * kUs, launch(490));
    }
    return planted;
}

DeviceLogs logsOf(const RunStudy& study, std::int64_t spansPerWindow) {
    static RankClocks clocks;
    clocks = got(alignRanks(study));
    return got(DeviceLogs::open(study, clocks, spansPerWindow));
}

TimeRange ofPeriod(std::int64_t period, std::int64_t from, std::int64_t to) {
    const std::int64_t at = 1'000 * kMs + period * kPeriod;
    return {{at + from * kUs}, {at + to * kUs}};
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
        const auto devices = tracedDevices(studyOf(store)).value();
        Counter counter;
        const std::array<DeviceVisitor*, 1> visitors{&counter};
        QVERIFY(walkDevice(store, devices.front(), kAllTime, visitors).hasValue());
        QVERIFY(counter.kinds <= std::size_t{2} * (many + atOnce));
        QCOMPARE(counter.kernelNs, std::int64_t{many} * atOnce);
    }

    void saysWhatTheKernelsSay_data() {
        columns<unsigned, bool>("seed", "isWindow");
        for (unsigned seed = 0; seed < 12; ++seed)
            QTest::addRow("seed %u", seed) << seed << (seed % 2 == 1);
    }
    void saysWhatTheKernelsSay() {
        QFETCH(unsigned, seed);
        QFETCH(bool, isWindow);
        PlantedTrace trace;
        plant(trace, seed);
        const auto store = trace.store();
        const IterationChoice choice{trace.iterations, std::nullopt};
        const TimeRange window = isWindow ? TimeRange{{kTracedNs / 4}, {kTracedNs / 2}} : kAllTime;
        const auto& table = KernelCategories::builtIn();
        const auto both = deviceTraces(studyOf(store), table, window, choice).value();
        const auto kernels = traceBreakdown(studyOf(store), table, window, choice).value();
        QCOMPARE(both.size(), std::size_t(2));
        QCOMPARE(kernels.size(), both.size());
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
        const auto traces
            = deviceTraces(studyOf(store), KernelCategories::builtIn(), RankWindow(window), {})
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
            return deviceTraces(
                studyOf(store), KernelCategories::builtIn(), kAllTime, {trace.iterations, only})
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

    // A pass asks each device once, on workers, and hands out the answers in the order of the
    // devices.
    void answersComeInTheOrderOfTheDevices() {
        auto trace = planted();
        const auto written = trace.store();
        const auto store = readerOf(written);
        const auto study = studyOf(store);
        const auto devices = tracedDevices(study).value();
        QCOMPARE(devices.size(), std::size_t{kDevices});
        std::vector<std::pair<int, int>> counts;
        const auto here = std::this_thread::get_id();
        const auto status
            = forEachDevice(study, devices, countOf, [&](const DeviceTracks& device, int count) {
                  counts.emplace_back(device.rank, count);
                  return std::this_thread::get_id() == here
                      ? Status()
                      : Status(Error{ErrorCode::Internal, "taken on another thread", {}});
              });
        QVERIFY2(status.hasValue(), status.hasValue() ? "" : status.error().message.c_str());
        for (int rank = 0; rank < kDevices; ++rank)
            QCOMPARE(counts.at(static_cast<std::size_t>(rank)), std::pair(rank, rank + 1));
    }

    // Others would not see what this one has not committed yet.
    void aStoreThatMayWriteIsReadHere() {
        auto trace = planted();
        const auto store = trace.store();
        const auto study = studyOf(store);
        const auto devices = tracedDevices(study).value();
        const auto here = std::this_thread::get_id();
        int asked = 0;
        const auto ask = [&](const DeviceReading& reading) -> Result<int> {
            ++asked;
            return &reading.store == &store && std::this_thread::get_id() == here ? 0 : 1;
        };
        int elsewhere = 0;
        const auto take = [&elsewhere](const DeviceTracks&, int more) {
            elsewhere += more;
            return Status();
        };
        QVERIFY(forEachDevice(study, devices, ask, take).hasValue());
        QCOMPARE(asked, kDevices);
        QCOMPARE(elsewhere, 0);
    }

    // No two jobs read with one store at the same time, and none with the study's.
    void workersReadWithStoresOfTheirOwn() {
        auto trace = planted();
        const auto written = trace.store();
        const auto store = readerOf(written);
        const auto study = studyOf(store);
        const auto devices = tracedDevices(study).value();
        std::mutex lock;
        std::set<const store::Store*> used;
        std::atomic<bool> isShared = false;
        const auto ask = [&](const DeviceReading& reading) -> Result<int> {
            {
                const std::lock_guard guard(lock);
                isShared = isShared || !used.insert(&reading.store).second;
            }
            const auto count = countOf(reading);
            const std::lock_guard guard(lock);
            used.erase(&reading.store);
            return &reading.store == &store ? Result<int>(-1) : count;
        };
        std::vector<int> counts;
        const auto take = [&counts](const DeviceTracks&, int count) {
            counts.push_back(count);
            return Status();
        };
        QVERIFY(forEachDevice(study, devices, ask, take).hasValue());
        QVERIFY(!isShared);
        QCOMPARE(*std::min_element(counts.begin(), counts.end()), 1);
    }

    void endsWithTheFirstFailure_data() {
        columns<bool>("isAsked");
        QTest::addRow("asked") << true;
        QTest::addRow("taken") << false;
    }
    void endsWithTheFirstFailure() {
        QFETCH(bool, isAsked);
        auto trace = planted();
        const auto written = trace.store();
        const auto store = readerOf(written);
        const auto study = studyOf(store);
        const auto devices = tracedDevices(study).value();
        const Error damaged{ErrorCode::Unreadable, "rank 3 is damaged", {}};
        const auto ask = [&](const DeviceReading& reading) -> Result<int> {
            return isAsked && reading.device.rank == 3 ? Result<int>(damaged) : countOf(reading);
        };
        int taken = 0;
        const auto take = [&](const DeviceTracks& device, int) {
            ++taken;
            return !isAsked && device.rank == 3 ? Status(damaged) : Status();
        };
        const auto status = forEachDevice(study, devices, ask, take);
        QVERIFY(!status.hasValue());
        QCOMPARE(status.error().message, damaged.message);
        QCOMPARE(taken, isAsked ? 3 : 4);
    }

    // Asking costs as much as a span: tracks that take turns do not ask at each.
    void askIfTheyGoOnOnceForManySpans() {
        PlantedTrace trace;
        for (int i = 0; i < 1'000; ++i) {
            trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", 10 * i, 1, i + 1);
            trace.kernel(0, "7", "gemm", 10 * i + 5, 1, i + 1);
        }
        const auto store = trace.store();
        const auto devices = tracedDevices({store, store.findRun("run").value()}).value();
        int asked = 0;
        const Progress count = [&asked](const ProgressState&) { return ++asked > 0; };
        QVERIFY(walkDevice(store, devices.front(), kAllTime, {}, count).hasValue());
        QCOMPARE(asked, 1);
        const Progress no = [](const ProgressState&) { return false; };
        const auto stopped = walkDevice(store, devices.front(), kAllTime, {}, no);
        QVERIFY(!stopped.hasValue());
        QCOMPARE(stopped.error().code, cancelled().code);
    }

    void isCancelledByTheProgressOfTheStudy() {
        auto trace = planted();
        const auto written = trace.store();
        const auto store = readerOf(written);
        const RunStudy study{store, store.findRun("run").value(),
            [](const ProgressState& state) { return state.bytesDone < 2; }};
        const auto devices = tracedDevices(study).value();
        int taken = 0;
        const auto take = [&taken](const DeviceTracks&, int) {
            ++taken;
            return Status();
        };
        const auto status = forEachDevice(study, devices, countOf, take);
        QVERIFY(!status.hasValue());
        QCOMPARE(status.error().code, cancelled().code);
        QVERIFY(taken >= 2 && taken < kDevices);
    }

    // A device's activity over time, in a plant whose stretches are worked out by hand, read at
    // once and in windows.
    void stretches() {
        PlantedTrace planted = periods(4);
        const auto store = planted.store();
        const RunStudy study(store, got(store.findRun("run")));
        DeviceLogs logs = logsOf(study, kLoggedSpans);
        QCOMPARE(logs.recordedFrom(0).ns, 1'000 * kMs - 300 * kUs);
        ok(logs.readTo(kAllTime.end));
        const DeviceLog* log = logs.find(0);
        QVERIFY(log != nullptr && logs.find(1) == nullptr);
        const DeviceTimes times = log->timesIn(ofPeriod(1, 0, 1000));
        QCOMPARE(times[DeviceState::Compute], (100 + 50 + 100) * kUs);
        QCOMPARE(times[DeviceState::Communication], 80 * kUs);
        QCOMPARE(times[DeviceState::Copy], 20 * kUs);
        QCOMPARE(times[DeviceState::HostLate], (60 + 150 + 100) * kUs);
        QCOMPARE(times[DeviceState::Stalled], (40 + 300) * kUs);
        QCOMPARE(times[DeviceState::Idle], 0);
        QCOMPARE(times.idle(), 650 * kUs);
        const DeviceTimes part = log->timesIn(ofPeriod(2, 90, 270));
        QCOMPARE(part[DeviceState::Compute], 10 * kUs);
        QCOMPARE(part[DeviceState::HostLate], 60 * kUs);
        QCOMPARE(part[DeviceState::Stalled], 10 * kUs);
        QCOMPARE(log->timesIn(ofPeriod(9, 0, 10)).idle(), 0); // after the last work
        std::int64_t inside = 0;
        int kernels = 0;
        log->forEachKernel(ofPeriod(1, 0, 550), [&](NameId, DurationNs time) {
            inside += time.ns;
            ++kernels;
        });
        QCOMPARE(kernels, 3);
        QCOMPARE(inside, (100 + 50 + 50) * kUs);
    }

    // Windows of about three periods, whose edges lie anywhere in them.
    void windowsMakeNoDifference() {
        PlantedTrace planted = periods(40);
        const auto store = planted.store();
        const RunStudy study(store, got(store.findRun("run")));
        DeviceLogs whole = logsOf(study, kLoggedSpans);
        ok(whole.readTo(kAllTime.end));
        DeviceLogs cut = logsOf(study, 15);
        for (std::int64_t period = 0; period < 39; ++period) {
            const TimeRange range = ofPeriod(period, 0, 1000);
            ok(cut.readTo(ofPeriod(period + 1, 0, 1).begin));
            const DeviceTimes a = whole.find(0)->timesIn(range);
            const DeviceTimes b = cut.find(0)->timesIn(range);
            for (const DeviceState state :
                {DeviceState::Compute, DeviceState::Communication, DeviceState::Copy,
                    DeviceState::HostLate, DeviceState::Stalled, DeviceState::Idle})
                QCOMPARE(b[state], a[state]);
            const auto count = [&](const DeviceLogs& logs) {
                int kernels = 0;
                logs.find(0)->forEachKernel(range, [&](NameId, DurationNs) { ++kernels; });
                return kernels;
            };
            QCOMPARE(count(cut), 3);
            QCOMPARE(count(whole), 3);
        }
        // It has forgotten what is long past.
        QCOMPARE(cut.find(0)->timesIn(ofPeriod(2, 0, 1000))[DeviceState::Compute], 0);
        QVERIFY(whole.find(0)->timesIn(ofPeriod(2, 0, 1000))[DeviceState::Compute] > 0);
    }
};

TRAINSCOPE_TEST(tst_DeviceTraces)
#include "tst_DeviceTraces.moc"
