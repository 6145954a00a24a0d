// Machines that lose power at many places of what changes a database: whichever part of what was
// not yet synced arrived on the disk, it is as before or as after, and whole; what was said to be
// done is done. TRAINSCOPE_FAULTS_EVERY=1 tries each place.

#include "core/store/Changes.h"
#include "core/store/FaultVfs.h"
#include "support/TestProgram.h"

using namespace trainscope::store;
using namespace trainscope::test;

namespace {

constexpr int kCuts = 40; // per operation, where not all are tried
constexpr int kNever = std::numeric_limits<int>::max();

// Runs the work until the power goes, before that write or sync; leaves the files as they may be.
template <typename Work>
Status workUntilPowerGoes(Work&& work, int place) {
    UnsyncedDisk disk;
    watchedDisk = &disk;
    faultPlan = {Fault::Power, place, true, 0};
    const Status status = work();
    faultPlan.fault = Fault::None;
    watchedDisk = nullptr;
    isPowerOff = false;
    disk.losePower(static_cast<unsigned>(place));
    return status;
}

} // namespace

class tst_PowerLoss : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { installFaultVfs(); }
    void cleanup() {
        faultPlan = {};
        watchedDisk = nullptr;
        isPowerOff = false;
    }

    void asBeforeOrAsAfter_data() {
        const auto row = columns<int>("operation");
        for (int operation = 0; operation < static_cast<int>(kOperations.size()); ++operation)
            row(kOperations[static_cast<std::size_t>(operation)].name, operation);
    }
    void asBeforeOrAsAfter() {
        QFETCH(int, operation);
        const auto change = kOperations[static_cast<std::size_t>(operation)].work;
        const Fixture fixture;
        const std::filesystem::path base = fixture.path.string() + ".base";
        const auto work = [&] { return change(fixture.path); };
        makeBase(change, base, fixture.path);
        const std::string before = got(contentsOf(base));
        copyTo(base, fixture.path);
        ok(work());
        const std::string after = got(contentsOf(fixture.path));
        copyTo(base, fixture.path);
        // With power to the end: what is done stays done.
        ok(workUntilPowerGoes(work, kNever));
        const int calls = faultPlan.calls;
        QVERIFY(got(contentsOf(fixture.path, SQLITE_OPEN_READWRITE)) == after);
        int trials = 0;
        for (int place = 0; place < calls; place += faultStep(calls, kCuts), ++trials) {
            copyTo(base, fixture.path);
            const Status status = workUntilPowerGoes(work, place);
            const std::string where = "place " + std::to_string(place);
            const std::string left
                = got(contentsOf(fixture.path, SQLITE_OPEN_READWRITE), where.c_str());
            QVERIFY2(left == after || (!status.hasValue() && left == before), where.c_str());
            QVERIFY2(checkedWhole(fixture.path), where.c_str());
        }
        qInfo("%d of %d places", trials, calls);
        QVERIFY(trials > 0);
    }

    void recordingsKeepWhatWasCommitted() {
        const Fixture fixture;
        int committed = 0;
        const auto record = [&] {
            committed = 0;
            return recordOne(fixture.path, [&committed](int samples) { committed = samples; });
        };
        { const Store empty = fixture.create(); }
        const std::filesystem::path base = fixture.path.string() + ".base";
        std::filesystem::copy_file(fixture.path, base);
        ok(workUntilPowerGoes(record, kNever));
        const int calls = faultPlan.calls;
        int trials = 0;
        for (int place = 0; place < calls; place += faultStep(calls, kCuts), ++trials) {
            copyTo(base, fixture.path);
            (void)workUntilPowerGoes(record, place);
            const std::string where = "place " + std::to_string(place);
            const std::string left
                = got(contentsOf(fixture.path, SQLITE_OPEN_READWRITE), where.c_str());
            QVERIFY2(checkedWhole(fixture.path), where.c_str());
            QVERIFY2(samplesIn(fixture.path, "job") >= committed, where.c_str());
        }
        qInfo("%d of %d places", trials, calls);
        QVERIFY(trials > 0);
    }
};

TRAINSCOPE_TEST(tst_PowerLoss)
#include "tst_PowerLoss.moc"
