// What users add to a database: saved comparisons and layouts entered by hand.

#include "core/store/Fixture.h"

#include "core/store/Writing.h"
#include "core/store/database/Database.h"
#include "core/store/database/Schema.h"
#include "support/TestProgram.h"

#include <QObject>

#include <sqlite3.h>

using namespace trainscope;
using namespace trainscope::store;
using namespace trainscope::test;

namespace {

// A database as version 3 wrote it, with one run.
void makeVersion3(const std::filesystem::path& path) {
    Database database = got(
        Database::open(path.string(), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, path.string()));
    ok(database.script("PRAGMA application_id=" + std::to_string(kApplicationId)));
    ok(migrate(database, migrations().first(3)));
    ok(database.script(R"(
INSERT INTO meta VALUES('uuid', '00000000-0000-4000-8000-000000000000');
INSERT INTO run(id, name, imported_name, begin_ns, end_ns) VALUES(1, 'old', 'old', 5, 9);
INSERT INTO cluster(run, airflow) VALUES(1, '1,0');
INSERT INTO source VALUES(7, '/old', 1, 'abc', 3, 'charllm 1', '{}');
INSERT INTO source_run VALUES(7, 1, '{"launch":{"model":"gpt3-175b","origin":"old.yaml"}}');
PRAGMA journal_mode=WAL;)"));
}

ErrorCode codeOf(const Status& status) {
    return status.hasValue() ? ErrorCode::Internal : status.error().code;
}

std::vector<std::string> namesOf(const Store& store) {
    std::vector<std::string> names;
    for (const SavedComparison& one : got(store.comparisons()))
        names.push_back(one.name);
    return names;
}

} // namespace

class tst_UserTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void comparisonsAreKeptByName() {
        Fixture fixture;
        {
            Store store = fixture.create();
            QVERIFY(got(store.comparisons()).empty());
            ok(store::saveComparison(store, "b", R"({"runs":["x"]})"));
            ok(store::saveComparison(store, "a", "{}"));
            ok(store::saveComparison(store, "b", R"({"runs":["y"]})"));
        }
        const auto saved = got(fixture.view().comparisons());
        QCOMPARE(saved.size(), 2U);
        QCOMPARE(saved[0].name, std::string("a"));
        QCOMPARE(saved[1].spec, std::string(R"({"runs":["y"]})"));
        QVERIFY(saved[1].createdAt.ns > 0);
        QVERIFY(saved[1].changedAt > saved[1].createdAt);
    }

    void renamingAndRemoving() {
        Fixture fixture;
        Store store = fixture.create();
        ok(store::saveComparison(store, "a", "1"));
        ok(store::saveComparison(store, "b", "2"));
        QVERIFY(codeOf(store::renameComparison(store, "a", "b")) == ErrorCode::Usage);
        QVERIFY(codeOf(store::renameComparison(store, "a", "")) == ErrorCode::Usage);
        QVERIFY(codeOf(store::renameComparison(store, "c", "d")) == ErrorCode::NotFound);
        ok(store::renameComparison(store, "a", "a"));
        ok(store::renameComparison(store, "a", "c"));
        QCOMPARE(namesOf(store), (std::vector<std::string>{"b", "c"}));
        QCOMPARE(got(store.comparisons()).back().spec, std::string("1"));
        ok(store::removeComparison(store, "b"));
        QVERIFY(codeOf(store::removeComparison(store, "b")) == ErrorCode::NotFound);
        QVERIFY(codeOf(store::saveComparison(store, "", "{}")) == ErrorCode::Usage);
        QCOMPARE(namesOf(store), (std::vector<std::string>{"c"}));
    }

    void viewersMayNotWrite() {
        Fixture fixture;
        { const Store store = fixture.create(); }
        Store store = fixture.view();
        QVERIFY(codeOf(store::saveComparison(store, "a", "{}")) == ErrorCode::Refused);
        QVERIFY(codeOf(store::setEnteredLayout(store, {1}, "{}")) == ErrorCode::Refused);
    }

    void anEnteredLayoutStaysWithItsRun() {
        Fixture fixture;
        Store store = fixture.create();
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {3.0, 4.0});
        const RunId run = got(store.findRun("run")).id;
        QVERIFY(!got(store.enteredLayout(run)));
        ok(store::setEnteredLayout(store, run, R"({"tp":8})"));
        ok(store::setEnteredLayout(store, run, R"({"tp":4})"));
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {5.0, 6.0});
        QCOMPARE(got(store.findRun("run")).id.value, run.value);
        QCOMPARE(got(store.enteredLayout(run)).value(), std::string(R"({"tp":4})"));
        QVERIFY(
            codeOf(store::setEnteredLayout(store, {run.value + 1}, "{}")) == ErrorCode::NotFound);
        ok(store::removeRun(store, run));
        QVERIFY(!got(store.enteredLayout(run)));
        // A new run may get the number of the old one.
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {5.0, 6.0}, "/data/b.csv", "new");
        QVERIFY(!got(store.enteredLayout(got(store.findRun("new")).id)));
    }

    void takingALayoutBack() {
        Fixture fixture;
        Store store = fixture.create();
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {3.0, 4.0});
        const RunId run = got(store.findRun("run")).id;
        ok(store::setEnteredLayout(store, run, "{}"));
        ok(store::setEnteredLayout(store, run, std::nullopt));
        QVERIFY(!got(store.enteredLayout(run)));
    }

    void theMachineStaysWithItsRun() {
        Fixture fixture;
        Store store = fixture.create();
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {3.0, 4.0});
        const RunId run = got(store.findRun("run")).id;
        QVERIFY(!got(store.machine(run)));
        ok(store::setMachine(store, run, R"({"nodes_per_rack":4})"));
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {5.0, 6.0});
        QCOMPARE(got(store.machine(run)).value(), std::string(R"({"nodes_per_rack":4})"));
        QVERIFY(codeOf(store::setMachine(store, {run.value + 1}, "{}")) == ErrorCode::NotFound);
        ok(store::setMachine(store, run, std::nullopt));
        QVERIFY(!got(store.machine(run)));
    }

    void aDatabaseOfVersion3IsBroughtUp() {
        Fixture fixture;
        makeVersion3(fixture.path);
        {
            Store store = fixture.view(); // reading brings it up, too
            QCOMPARE(got(store.airflow({1})), (std::vector<int>{1, 0}));
            QVERIFY(got(store.comparisons()).empty());
        }
        Store store = got(Store::open(fixture.path, OpenMode::ReadWrite));
        QCOMPARE(got(store.runs()).front().name, std::string("old"));
        ok(store::setEnteredLayout(store, {1}, "{}"));
        ok(store::setMachine(store, {1}, "{}"));
        QCOMPARE(got(store.airflow({1})), (std::vector<int>{1, 0}));
        ok(store::saveComparison(store, "a", "{}"));
        QVERIFY(got(store.enteredLayout({1})).has_value());
    }
};

TRAINSCOPE_TEST(tst_UserTables)
#include "tst_UserTables.moc"
