// Entries of users in a database: saved comparisons, layouts entered by hand, tags and notes; and
// the figures that it keeps.

#include "core/store/Fixture.h"

#include "core/store/RunNotes.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::store;
using namespace trainscope::test;

namespace {

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

    void runsGoByTheirNumbers() {
        Fixture fixture;
        Store store = fixture.create();
        for (const char* name : {"r10", "r1", "r2", "r11"})
            addSeries(
                store, gauge("gpu_power", 0), {1, 2}, {3.0, 4.0}, std::string("/d/") + name, name);
        std::vector<std::string> names;
        for (const Run& run : got(store.runs()))
            names.push_back(run.name);
        QCOMPARE(names, (std::vector<std::string>{"r1", "r2", "r10", "r11"}));
        const auto paths = got(store::sourcePaths(store));
        QCOMPARE(paths.size(), 4U);
        QCOMPARE(paths.front().second, std::string("/d/r10")); // the first that was imported
    }

    void labelsOfSomeRunsChangeTogether() {
        Fixture fixture;
        Store store = fixture.create();
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {3.0, 4.0}, "/data/a.csv", "a");
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {3.0, 4.0}, "/data/b.csv", "b");
        const RunId a = got(store.findRun("a")).id;
        const RunId b = got(store.findRun("b")).id;
        ok(store::setNote(store, b, "fan 3"));
        ok(store::changeLabels(store, std::vector{a, b}, [](RunLabels& labels) {
            labels.tags.emplace_back("paper");
            labels.note += "!";
            return Status();
        }));
        const std::vector<RunLabels> both{{a, {"paper"}, "!"}, {b, {"paper"}, "fan 3!"}};
        QVERIFY(got(store::runLabels(store)) == both);
        const auto refused
            = store::changeLabels(store, std::vector{a, b}, [b](RunLabels& labels) -> Status {
                  if (labels.run == b)
                      return Error{ErrorCode::Refused, "not this one", {}};
                  labels.note = "another";
                  return {};
              });
        QVERIFY(codeOf(refused) == ErrorCode::Refused);
        QVERIFY(got(store::runLabels(store)) == both);
    }

    void labelsStayWithTheirRun() {
        Fixture fixture;
        Store store = fixture.create();
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {3.0, 4.0});
        const RunId run = got(store.findRun("run")).id;
        QVERIFY(got(store::runLabels(store)).empty());
        ok(store::setTags(store, run, std::vector<std::string>{" slow ", "", "paper", "slow"}));
        ok(store::setNote(store, run, " fan 3 was broken\n"));
        const std::vector<RunLabels> wanted{{run, {"paper", "slow"}, "fan 3 was broken"}};
        QVERIFY(got(store::runLabels(store)) == wanted);
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {5.0, 6.0}); // imported again
        QVERIFY(got(store::runLabels(store)) == wanted);
        ok(store::setTags(store, run, {}));
        QVERIFY(got(store::runLabels(store))
            == (std::vector<RunLabels>{{run, {}, "fan 3 was broken"}}));
        ok(store::setNote(store, run, "  "));
        QVERIFY(got(store::runLabels(store)).empty());
        QVERIFY(codeOf(store::setNote(store, {run.value + 1}, "x")) == ErrorCode::NotFound);
        QVERIFY(codeOf(store::setTags(store, {run.value + 1}, {})) == ErrorCode::NotFound);
        ok(store::setNote(store, run, "goes with its run"));
        ok(store::removeRun(store, run));
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {5.0, 6.0}, "/data/b.csv", "new");
        QVERIFY(got(store::runLabels(store)).empty());
    }

    void figuresAreKeptUntilTheirRunChanges() {
        Fixture fixture;
        Store store = fixture.create();
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {3.0, 4.0});
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {3.0, 4.0}, "/data/b.csv", "other");
        const RunId run = got(store.findRun("run")).id;
        const RunId other = got(store.findRun("other")).id;
        const KeptFigures kept{
            run, "v1", {{"a", 1.5, ""}, {"b", std::nullopt, "was not recorded"}}};
        ok(store::keepFigures(store,
            std::vector<KeptFigures>{
                kept, {other, "v1", {{"a", 2.0, ""}}}, {{run.value + 7}, "v1", {}}}));
        const auto read = got(store::keptFigures(fixture.view()));
        QCOMPARE(read.size(), 2U);
        QCOMPARE(read[0].run.value, run.value);
        QCOMPARE(read[0].basis, std::string("v1"));
        QCOMPARE(read[0].figures.size(), 2U);
        QCOMPARE(read[0].figures[0].value, std::optional(1.5));
        QVERIFY(!read[0].figures[1].value);
        QCOMPARE(read[0].figures[1].absentWhy, std::string("was not recorded"));
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {5.0, 6.0}); // imported again
        const auto left = got(store::keptFigures(store));
        QCOMPARE(left.size(), 1U);
        QCOMPARE(left[0].run.value, other.value);
        ok(store::removeRun(store, other));
        QVERIFY(got(store::keptFigures(store)).empty());
    }

    void whatFiguresDependOn() {
        Fixture fixture;
        Store store = fixture.create();
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {3.0, 4.0});
        const RunId run = got(store.findRun("run")).id;
        const auto basis = [&store] { return got(store::figureBases(store)).front().second; };
        std::string before = basis();
        QCOMPARE(basis(), before);
        ok(store::setTags(store, run, std::vector<std::string>{"slow"})); // changes no figure
        QCOMPARE(basis(), before);
        const auto hasChanged = [&] { return std::exchange(before, basis()) != before; };
        ok(store::setEnteredLayout(store, run, R"({"tp":8})"));
        QVERIFY(hasChanged());
        ok(store::setMachine(store, run, R"({"gpu_model":"NVIDIA H200"})"));
        QVERIFY(hasChanged());
        ok(store::setAirflow(store, run, std::vector<int>{1, 0}));
        QVERIFY(hasChanged());
        addSeries(store, gauge("gpu_power", 0), {1, 2}, {3.0, 4.0}); // imported again
        QVERIFY(hasChanged());
    }
};

TRAINSCOPE_TEST(tst_UserTables)
#include "tst_UserTables.moc"
