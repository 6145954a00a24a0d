// The plan of an import as a list that the user edits.

#include "app/viewmodels/importing/ImportPlanModel.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::app;
using importers::ClockKind;
using importers::ImportUnit;

using Model = ImportPlanModel;

class tst_ImportPlanModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void empty();
    void edits();
    void faults();
    void oneOffsetForAll();
    void startOfUndatedSources();
    void clocksThatChange();
    void periodOfSourcesWithoutStamps();
    void topologiesFollowTheirRuns();
    void proposalsOfAnotherTarget();
    void unrecognised();
};

static std::vector<ImportUnit> twoUnits() {
    ImportUnit trace;
    trace.importer = "kineto";
    trace.path = "rank3.json";
    trace.bytes = 1'000'000;
    trace.runName = "run";
    trace.rank = 3;
    ImportUnit log;
    log.importer = "nvsmi";
    log.path = "gpu.csv";
    log.bytes = 500'000;
    log.runName = "gpu";
    log.clock = ClockKind::Local;
    return {trace, log};
}

void tst_ImportPlanModel::empty() {
    Model model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    QCOMPARE(model.rowCount(), 0);
    QVERIFY(!model.valid());
    model.setUnits(twoUnits());
    QCOMPARE(model.rowCount(), 2);
    QCOMPARE(model.rowCount(model.index(0)), 0);
    QVERIFY(model.valid());
}

void tst_ImportPlanModel::edits() {
    Model model;
    model.setUnits(twoUnits());
    QSignalSpy changes(&model, &Model::changed);
    model.setRunName({0}, QStringLiteral(" other "));
    model.set({0}, QStringLiteral("rank"), QStringLiteral("5"));
    model.set({1}, QStringLiteral("zone"), QStringLiteral("+2"));
    model.setSelected({1}, false);
    QCOMPARE(changes.count(), 4);
    const auto units = model.units();
    QCOMPARE(units[0].runName, std::string("other"));
    QCOMPARE(units[0].rank, std::optional(5));
    QCOMPARE(units[1].utcOffsetSeconds, std::optional<std::int64_t>(7200));
    QVERIFY(!units[1].enabled);
    QCOMPARE(textOf(*findImportField("zone"), model.rows()[1]), std::string("UTC+02:00"));
    QCOMPARE(model.selectedCount(), 1);
}

void tst_ImportPlanModel::faults() {
    Model model;
    model.setUnits(twoUnits());
    model.set({0}, QStringLiteral("rank"), QStringLiteral("three"));
    QVERIFY(!model.valid());
    QVERIFY(model.problem().contains(QStringLiteral("rank3.json")));
    QCOMPARE(model.units()[0].rank, std::optional(3));
    // A fault in what is not imported does no harm.
    model.setSelected({0}, false);
    QVERIFY(model.valid());
    model.set({1}, QStringLiteral("zone"), QStringLiteral("Berlin"));
    QVERIFY(!model.valid());
    QVERIFY(model.rows()[1].faulty.contains("zone"));
    model.set({1}, QStringLiteral("zone"), QStringLiteral("UTC"));
    model.setRunName({1}, QStringLiteral("  "));
    QVERIFY(!model.valid());
    model.selectAll(false);
    QVERIFY(!model.valid());
}

void tst_ImportPlanModel::oneOffsetForAll() {
    Model model;
    model.setUnits(twoUnits());
    model.set({0, 1}, QStringLiteral("zone"), QStringLiteral("-05:30"));
    QVERIFY(!model.units()[0].utcOffsetSeconds.has_value());
    QCOMPARE(model.units()[1].utcOffsetSeconds, std::optional<std::int64_t>(-19800));
}

void tst_ImportPlanModel::startOfUndatedSources() {
    auto units = twoUnits();
    units[1].importer = "trainlog";
    units[1].clock = ClockKind::None;
    Model model;
    model.setUnits(units);
    model.set({1}, QStringLiteral("start"), QStringLiteral("2026-04-22 00:08:54.5"));
    // date -u -d '2026-04-22 00:08:54' +%s
    QVERIFY(model.units()[1].saidStart == TimeNs{1'776'816'534'500'000'000});
    QVERIFY(model.valid());
    model.set({1}, QStringLiteral("start"), QStringLiteral("yesterday"));
    QVERIFY(!model.valid());
    model.set({1}, QStringLiteral("start"), QString());
    QVERIFY(model.valid());
    QVERIFY(!model.units()[1].saidStart);
    // A time zone for all is none of its own.
    model.set({0, 1}, QStringLiteral("zone"), QStringLiteral("UTC+02:00"));
    QVERIFY(model.valid());
    QVERIFY(!model.units()[1].saidStart);
}

// In Berlin clocks went from 02:00 to 03:00 on 2026-03-29: until then they were one hour ahead of
// UTC, and have no 02:30, which UTC has.
void tst_ImportPlanModel::clocksThatChange() {
    auto units = twoUnits();
    // date -u -d '2026-03-29 01:30:00' +%s
    units[1].start = TimeNs{1'774'747'800'000'000'000};
    units[0].importer = "trainlog";
    units[0].clock = ClockKind::None;
    Model model;
    model.setUnits(units);
    model.set({1}, QStringLiteral("zone"), QStringLiteral("Europe/Berlin"));
    model.set({0}, QStringLiteral("start"), QStringLiteral("2026-03-29 02:30:00"));
    QCOMPARE(model.units()[1].utcOffsetSeconds, std::optional<std::int64_t>(3600));
    QVERIFY(model.valid());
    // date -u -d '2026-03-29 02:30:00' +%s
    QVERIFY(model.units()[0].saidStart == TimeNs{1'774'751'400'000'000'000});
}

void tst_ImportPlanModel::periodOfSourcesWithoutStamps() {
    auto units = twoUnits();
    units[1].clock = ClockKind::None;
    units[1].hasNoStamps = true;
    Model model;
    model.setUnits(units);
    model.set({0}, QStringLiteral("period"), QStringLiteral("2 s")); // has stamps
    QVERIFY(!model.units()[0].saidPeriod);
    model.set({1}, QStringLiteral("period"), QStringLiteral("250 ms"));
    QVERIFY(model.units()[1].saidPeriod == DurationNs{250'000'000});
    model.set({1}, QStringLiteral("period"), QStringLiteral("often"));
    QVERIFY(model.problem().contains(QStringLiteral("Period of readings of gpu.csv takes")));
    model.set({1}, QStringLiteral("period"), QString());
    QVERIFY(model.valid());
    QVERIFY(!model.units()[1].saidPeriod);
}

void tst_ImportPlanModel::topologiesFollowTheirRuns() {
    Model model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    auto units = twoUnits();
    ImportUnit second = units[0]; // another rank of the same run
    second.path = "rank4.json";
    ImportUnit topology;
    topology.importer = "topology";
    topology.path = "topo.xml";
    topology.machine = importers::MachineUnit{.gpus = {0}, .runs = {"gpu", "run"}};
    units.push_back(second);
    units.push_back(topology);
    model.setUnits(units);
    const auto shown = [&model] { return model.at(3, "runName").toString(); };
    const auto faulty = [&shown] { return shown().isEmpty(); };
    QCOMPARE(shown(), QStringLiteral("gpu, run"));
    model.setRunName({1}, QStringLiteral("log"));
    QCOMPARE(shown(), QStringLiteral("run, log"));
    // The run goes on under its name until its last source has another.
    model.setRunName({0}, QStringLiteral("new"));
    QCOMPARE(shown(), QStringLiteral("run, log, new"));
    model.setRunName({2}, QStringLiteral("new"));
    QCOMPARE(shown(), QStringLiteral("log, new"));
    // Typed it is of that one alone, and of those beside it again when that is taken back.
    model.setRunName({3}, QStringLiteral("other"));
    QCOMPARE(shown(), QStringLiteral("other"));
    QCOMPARE(model.units()[3].runName, std::string("other"));
    model.setRunName({3}, QString());
    QVERIFY(!faulty());
    QCOMPARE(shown(), QStringLiteral("log, new"));
    topology.machine->runs.clear();
    model.setUnits({topology});
    QVERIFY(model.at(0, "runName").toString().isEmpty());
    QVERIFY(model.problem().contains(QStringLiteral("name the run")));
    model.setRunName({0}, QStringLiteral("known"));
    QVERIFY(model.valid());
}

// A database with the run of the log: what the user said stays.
void tst_ImportPlanModel::proposalsOfAnotherTarget() {
    Model model;
    const auto alone = twoUnits();
    auto joined = alone;
    joined[0].runName = "there";
    joined[0].rank = 5;
    joined[0].notes = {"Part of run \"there\"."};
    joined[1].runName = "there";
    model.setUnits(alone);
    model.setRunName({1}, QStringLiteral("mine"));
    model.changeProposals(alone, joined);
    QCOMPARE(model.units()[0].runName, std::string("there"));
    QCOMPARE(model.units()[0].rank, std::optional(5));
    QCOMPARE(model.units()[0].notes.size(), std::size_t{1});
    QCOMPARE(model.units()[1].runName, std::string("mine"));
    model.set({0}, QStringLiteral("rank"), QStringLiteral("7"));
    model.changeProposals(joined, alone);
    QCOMPARE(model.units()[0].runName, std::string("run"));
    QCOMPARE(model.units()[0].rank, std::optional(7));
    QVERIFY(model.units()[0].notes.empty());
}

void tst_ImportPlanModel::unrecognised() {
    QCOMPARE(unrecognisedRows({{"photo.jpg", "A JPEG picture."}}).front().reason,
        QStringLiteral("A JPEG picture."));
    // Without the folders that all of them share.
    const auto rows = unrecognisedRows({{"/data/recordings/eager/photo.jpg", "A picture."},
        {"/data/recordings/compiled/photo.jpg", "A picture."}});
    QCOMPARE(rows[0].brief, QStringLiteral("eager"));
    QCOMPARE(rows[1].brief, QStringLiteral("compiled"));
    QCOMPARE(rows[1].path, QStringLiteral("/data/recordings/compiled/photo.jpg"));
}

TRAINSCOPE_TEST(tst_ImportPlanModel)
#include "tst_ImportPlanModel.moc"
