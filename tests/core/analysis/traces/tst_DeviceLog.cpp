// A device's activity over time, in a plant whose stretches are worked out by hand, read at once
// and in windows.

#include <QtTest>

#include "core/analysis/traces/DeviceLog.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "core/store/Fixture.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

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

class tst_DeviceLog : public QObject {
    Q_OBJECT

private Q_SLOTS:
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

TRAINSCOPE_TEST(tst_DeviceLog)
#include "tst_DeviceLog.moc"
