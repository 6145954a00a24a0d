// Disks that fail: a read, write, sync or lock that answers with an error, half a write, a full
// disk, at many places of everything that changes a database. Nothing that was committed is lost,
// nothing half done stays, and the message is one sentence. TRAINSCOPE_FAULTS_EVERY=1 tries each
// place.

#include "core/store/Changes.h"
#include "core/store/Contents.h"
#include "core/store/FaultVfs.h"
#include "support/TestProgram.h"

using namespace trainscope::store;
using namespace trainscope::test;

Q_DECLARE_METATYPE(trainscope::test::Fault)

namespace {

constexpr int kPlaces = 3; // tried for each kind of fault, where not all are

struct Kind {
    const char* name;
    Fault fault;
    bool lasts;
};
constexpr std::array<Kind, 7> kKinds{Kind{"read", Fault::Read, false},
    {"reads from then on", Fault::Read, true}, {"write", Fault::Write, false},
    {"writes from then on", Fault::Write, true}, {"full disk", Fault::Full, true},
    {"short write", Fault::ShortWrite, true}, {"sync", Fault::Sync, false}};

bool isOneSentence(const std::string& text) {
    return text.size() > 20 && text.back() == '.' && text.find(". ") == std::string::npos;
}

// The calls of one kind that the work makes.
template <typename Work>
int callsOf(Fault fault, Work&& work) {
    faultPlan = {fault, std::numeric_limits<int>::max(), false, 0};
    ok(work());
    const int calls = faultPlan.calls;
    faultPlan = {};
    return calls;
}

} // namespace

class tst_Faults : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { installFaultVfs(); }
    void cleanup() { faultPlan = {}; }

    void allOrNothing_data() {
        columns<int, int>("operation", "kind");
        for (int operation = 0; operation < static_cast<int>(kOperations.size()); ++operation) {
            for (int kind = 0; kind < static_cast<int>(kKinds.size()); ++kind)
                QTest::addRow("%s, %s", kOperations[static_cast<std::size_t>(operation)].name,
                    kKinds[static_cast<std::size_t>(kind)].name)
                    << operation << kind;
        }
    }
    void allOrNothing() {
        QFETCH(int, operation);
        QFETCH(int, kind);
        const auto work = kOperations[static_cast<std::size_t>(operation)].work;
        const auto [name, fault, lasts] = kKinds[static_cast<std::size_t>(kind)];
        const Fixture fixture;
        const std::filesystem::path base = fixture.path.string() + ".base";
        const auto trial = [&] { return work(fixture.path); };
        makeBase(work, base, fixture.path);
        const std::string before = got(contentsOf(base));
        copyTo(base, fixture.path);
        const int calls = callsOf(fault, trial);
        const std::string after = got(contentsOf(fixture.path));
        int failures = 0;
        int trials = 0;
        for (int place = 0; place < calls; place += faultStep(calls, kPlaces), ++trials) {
            copyTo(base, fixture.path);
            faultPlan = {fault, place, lasts, 0};
            const Status status = trial();
            faultPlan = {};
            const std::string where = "place " + std::to_string(place);
            failures += status.hasValue() ? 0 : 1;
            if (!status.hasValue())
                QVERIFY2(isOneSentence(status.error().message),
                    (where + ": " + status.error().message).c_str());
            const std::string left
                = got(contentsOf(fixture.path, SQLITE_OPEN_READWRITE), where.c_str());
            QVERIFY2(left == after || (!status.hasValue() && left == before), where.c_str());
            QVERIFY2(checkedWhole(fixture.path), where.c_str());
            // And it goes on from there.
            if (left != after)
                ok(trial());
        }
        qInfo("%d of %d places, %d told", trials, calls, failures);
        QVERIFY(trials > 0 && failures > 0);
    }

    void recordingsKeepWhatWasCommitted_data() {
        const auto row = columns<int>("kind");
        for (int kind = 0; kind < static_cast<int>(kKinds.size()); ++kind)
            row(kKinds[static_cast<std::size_t>(kind)].name, kind);
    }
    void recordingsKeepWhatWasCommitted() {
        QFETCH(int, kind);
        const auto [name, fault, lasts] = kKinds[static_cast<std::size_t>(kind)];
        const Fixture fixture;
        int committed = 0;
        const auto record = [&] {
            committed = 0;
            return recordOne(fixture.path, [&committed](int samples) { committed = samples; });
        };
        { const Store empty = fixture.create(); }
        const std::filesystem::path base = fixture.path.string() + ".base";
        std::filesystem::copy_file(fixture.path, base);
        const int calls = callsOf(fault, record);
        int failures = 0;
        int trials = 0;
        for (int place = 0; place < calls; place += faultStep(calls, kPlaces), ++trials) {
            copyTo(base, fixture.path);
            faultPlan = {fault, place, lasts, 0};
            const Status status = record();
            faultPlan = {};
            const std::string where = "place " + std::to_string(place);
            failures += status.hasValue() ? 0 : 1;
            if (!status.hasValue())
                QVERIFY2(isOneSentence(status.error().message),
                    (where + ": " + status.error().message).c_str());
            QVERIFY2(checkedWhole(fixture.path), where.c_str());
            QVERIFY2(samplesIn(fixture.path, "job") >= committed, where.c_str());
        }
        qInfo("%d of %d places, %d told", trials, calls, failures);
        QVERIFY(trials > 0 && failures > 0);
    }

    void withoutLocks() {
        const Fixture fixture;
        fixture.filled([&](Store& store) { ok(importRun(store, "run")); });
        faultPlan = {Fault::Lock, 0, true, 0};
        for (const OpenMode mode : {OpenMode::ReadOnly, OpenMode::ReadWrite}) {
            const auto opened = Store::open(fixture.path, mode);
            QVERIFY(!opened.hasValue() && opened.error().code == ErrorCode::Refused);
            VERIFY_SAYS(opened.error().message, "without working file locks");
            QVERIFY(isOneSentence(opened.error().message));
        }
        const auto made = Store::openOrCreate(fixture.path.string() + ".new");
        VERIFY_FAILS(made, "without working file locks");
    }

    // Then readers and writers wait for each other, which is slower and no less safe.
    void withoutSharedMemory() {
        const Fixture fixture;
        { const Store store = fixture.create(); }
        faultPlan = {Fault::SharedMemory, 0, true, 0};
        {
            Store store = fixture.create();
            ok(importRun(store, "run"));
            const Store reader = fixture.view();
            QCOMPARE(got(reader.runs()).size(), std::size_t{1});
        }
        QVERIFY(checkedWhole(fixture.path));
    }

    void withoutSharedMemoryAReaderIsToldAtTheEnd() {
        const Fixture fixture;
        { const Store store = fixture.create(); }
        faultPlan = {Fault::SharedMemory, 0, true, 0};
        Store store = fixture.create();
        sqlite3_busy_timeout(store.connection().database.handle(), 20);
        Store reader = fixture.view();
        {
            const ReadSnapshot reading(reader.connection().database);
            QCOMPARE(got(reader.runs()).size(), std::size_t{0});
            const Status refused = importRun(store, "run");
            QVERIFY(!refused.hasValue() && refused.error().code == ErrorCode::Refused);
            QVERIFY2(refused.error().message.starts_with("Another program was reading"),
                refused.error().message.c_str());
            QVERIFY(isOneSentence(refused.error().message));
        }
        ok(importRun(store, "run"));
        QCOMPARE(got(reader.runs()).size(), std::size_t{1});
    }
};

TRAINSCOPE_TEST(tst_Faults)
#include "tst_Faults.moc"
