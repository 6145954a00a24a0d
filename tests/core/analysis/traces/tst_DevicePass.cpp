// A pass asks each device once, on workers, and hands out the answers in the order of the devices.

#include "core/analysis/traces/DevicePass.h"

#include "core/analysis/traces/PlantedTrace.h"
#include "support/TestProgram.h"

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

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

} // namespace

class tst_DevicePass : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void answersComeInTheOrderOfTheDevices() {
        auto trace = planted();
        const auto written = trace.store();
        const auto store = readerOf(written);
        const RunStudy study{store, store.findRun("run").value()};
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
        const RunStudy study{store, store.findRun("run").value()};
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
        const RunStudy study{store, store.findRun("run").value()};
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
        QTest::addColumn<bool>("isAsked");
        QTest::addRow("asked") << true;
        QTest::addRow("taken") << false;
    }
    void endsWithTheFirstFailure() {
        QFETCH(bool, isAsked);
        auto trace = planted();
        const auto written = trace.store();
        const auto store = readerOf(written);
        const RunStudy study{store, store.findRun("run").value()};
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
};

TRAINSCOPE_TEST(tst_DevicePass)
#include "tst_DevicePass.moc"
