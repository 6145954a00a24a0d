// The plan of an import by run: what its sources are together, edited at once, merged and split.

#include "app/viewmodels/importing/ImportGroupModel.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::app;
using importers::ClockKind;
using importers::ImportUnit;

using Groups = ImportGroupModel;

namespace {

constexpr std::int64_t kNoon = 1'714'564'800; // 2024-05-01 12:00:00 UTC

ImportUnit traceOf(const std::string& run, int rank, int worldSize) {
    ImportUnit unit;
    unit.importer = "kineto";
    unit.path = run + "/rank" + std::to_string(rank) + ".json";
    unit.files = {unit.path};
    unit.bytes = 1'000'000;
    unit.runName = run;
    unit.rank = rank;
    unit.worldSize = worldSize;
    unit.gpuModel = "NVIDIA H100 80GB HBM3";
    unit.start = TimeNs{(kNoon + rank) * 1'000'000'000};
    return unit;
}

ImportUnit logOf(const std::string& run) {
    ImportUnit unit;
    unit.importer = "nvsmi";
    unit.path = run + "/gpu.csv";
    unit.files = {unit.path};
    unit.bytes = 500'000;
    unit.runName = run;
    unit.clock = ClockKind::Local;
    unit.start = TimeNs{(kNoon + 3600) * 1'000'000'000};
    unit.summary = "8 GPUs, 12 metrics";
    unit.gpusPerNode = 8;
    return unit;
}

ImportUnit topologyOf(std::vector<std::string> runs, int gpus) {
    ImportUnit unit;
    unit.importer = "topology";
    unit.path = "topo.xml";
    unit.files = {unit.path};
    unit.clock = ClockKind::None;
    unit.machine = importers::MachineUnit{
        .gpus = {}, .vendor = catalogue::Vendor::Nvidia, .runs = std::move(runs)};
    for (int gpu = 0; gpu < gpus; ++gpu)
        unit.machine->gpus.push_back(gpu);
    return unit;
}

// Eight ranks of "a" with a log and a configuration, two of "b".
std::vector<ImportUnit> twoRuns() {
    std::vector<ImportUnit> units;
    for (int rank = 0; rank < 8; ++rank)
        units.push_back(traceOf("a", rank, 8));
    units.front().launchFiles = {"a/run.yaml"};
    units[1].launchFiles = {"a/run.yaml"};
    units[2].notes = {"It is a guess."};
    units[3].notes = {"It is a guess."};
    units[4].notes = {"Left out."};
    units.push_back(traceOf("b", 0, 4));
    units.push_back(traceOf("b", 2, 4));
    units.push_back(logOf("a"));
    return units;
}

struct Cell {
    QString value;
    QString hint;
    QStringList choices;
    bool isFaulty = false;
    bool isPressing = false;
};

struct Plan {
    ImportPlanModel units;
    Groups groups{units};
    QAbstractItemModelTester tester{
        &groups, QAbstractItemModelTester::FailureReportingMode::QtTest};

    explicit Plan(std::vector<ImportUnit> of) { units.setUnits(std::move(of)); }
    [[nodiscard]] QString text(int row, const char* role) const {
        return groups.at(row, role).toString();
    }
    [[nodiscard]] QStringList titles() const {
        QStringList all;
        for (int row = 0; row < groups.count(); ++row)
            all.append(text(row, "title"));
        return all;
    }
    [[nodiscard]] Cell cell(int row, const char* key) const {
        for (const QVariant& field : groups.at(row, "fields").toList()) {
            const QVariantMap map = field.toMap();
            if (map[QStringLiteral("key")] == QLatin1String(key))
                return {map[QStringLiteral("value")].toString(),
                    map[QStringLiteral("hint")].toString(),
                    map[QStringLiteral("choices")].toStringList(),
                    map[QStringLiteral("faulty")].toBool(),
                    map[QStringLiteral("pressing")].toBool()};
        }
        return {};
    }
    [[nodiscard]] QStringList keys(int row) const {
        QStringList all;
        for (const QVariant& field : groups.at(row, "fields").toList())
            all.append(field.toMap()[QStringLiteral("key")].toString());
        return all;
    }
    [[nodiscard]] int selected(int row) const { return groups.at(row, "checkState").toInt(); }
};

} // namespace

class tst_ImportGroupModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void foldedByRun() {
        const Plan plan(twoRuns());
        QCOMPARE(plan.titles(), test::texts("a", "b"));
        QCOMPARE(plan.text(0, "detail"),
            QStringLiteral("8 Kineto traces, 1 nvidia-smi log, 1 configuration · 2 remarks"));
        QCOMPARE(plan.text(0, "result"),
            QStringLiteral("ranks 0-7 of 8 · 8 GPUs, 12 metrics · NVIDIA H100 80GB HBM3 · starts "
                           "2024-05-01 12:00:00 UTC"));
        QCOMPARE(plan.text(1, "detail"), QStringLiteral("2 Kineto traces"));
        QCOMPARE(plan.text(1, "result"),
            QStringLiteral("ranks 0, 2 of 4 · NVIDIA H100 80GB HBM3 · starts 2024-05-01 12:00:00 "
                           "UTC"));
        QCOMPARE(plan.text(0, "sizeText"), QStringLiteral("8.5 MB"));
        // The traces' clock is UTC; the log leaves its zone open.
        QCOMPARE(plan.keys(0), test::texts("zone", "gpu", "airflow"));
        QCOMPARE(plan.keys(1), test::texts("gpu", "airflow"));
        QVERIFY(plan.cell(0, "zone").isPressing);
        QCOMPARE(plan.cell(1, "gpu").hint, QStringLiteral("NVIDIA H100 80GB HBM3"));
        QCOMPARE(plan.groups.scopeText(), QStringLiteral("All 2 runs"));
    }

    // A log that the plan leaves out, as one that tells the same, needs no zone.
    void leftOutSourcesAskNothing() {
        auto units = twoRuns();
        QVERIFY(Plan(units).keys(0).contains(QStringLiteral("zone")));
        units.back().enabled = false;
        const Plan plan(units);
        QVERIFY(!plan.keys(0).contains(QStringLiteral("zone")));
    }

    void unfoldsInPlace() {
        Plan plan(twoRuns());
        const QSignalSpy resets(&plan.groups, &QAbstractItemModel::modelReset);
        plan.groups.toggle(0);
        QCOMPARE(plan.groups.count(), 1 + 2 + 9 + 1);
        QCOMPARE(plan.text(1, "title"), QStringLiteral("2 sources: It is a guess."));
        QCOMPARE(plan.text(2, "title"), QStringLiteral("a/rank4.json: Left out."));
        QCOMPARE(plan.text(3, "title"), QStringLiteral("a/rank0.json"));
        QCOMPARE(plan.cell(3, "rank").value, QStringLiteral("0"));
        QCOMPARE(plan.text(11, "title"), QStringLiteral("a/gpu.csv"));
        QVERIFY(!plan.keys(11).contains(QStringLiteral("rank")));
        plan.groups.toggle(0);
        QCOMPARE(plan.titles(), test::texts("a", "b"));
        QCOMPARE(resets.count(), 0);
    }

    // The log of "a" began at 13:00 by its clock: at UTC+2 that is 11:00, before the traces.
    void editsAllSourcesOfARun() {
        Plan plan(twoRuns());
        plan.groups.set(0, QStringLiteral("zone"), QStringLiteral("+2"));
        QCOMPARE(plan.cell(0, "zone").value, QStringLiteral("UTC+02:00"));
        QVERIFY(plan.text(0, "result").contains(QStringLiteral("starts 2024-05-01 11:00:00 UTC")));
        plan.groups.set(0, QStringLiteral("gpu"), QStringLiteral("H200"));
        QCOMPARE(plan.units.machines().size(), std::size_t{1});
        QCOMPARE(plan.units.machines().at("a").gpuModel, std::string("H200"));
        plan.groups.setSelected(0, false);
        QCOMPARE(plan.units.selectedCount(), 2);
        QCOMPARE(plan.selected(0), static_cast<int>(Qt::Unchecked));
    }

    void orderOfTheAir() {
        Plan plan(twoRuns());
        plan.groups.set(0, QStringLiteral("airflow"), QStringLiteral("4, 5, 6, 7, 0, 1, 2, 3"));
        QCOMPARE(plan.units.machines().at("a").airflow, (std::vector<int>{4, 5, 6, 7, 0, 1, 2, 3}));
        QVERIFY(!plan.units.machines().contains("b"));
        plan.groups.set(0, QStringLiteral("airflow"), QStringLiteral("4, 4"));
        QVERIFY(plan.cell(0, "airflow").isFaulty);
        QVERIFY(plan.units.problem().contains(QStringLiteral("front to rear of a/")));
    }

    void oneSourceDiffers() {
        Plan plan(twoRuns());
        plan.groups.set(0, QStringLiteral("gpu"), QStringLiteral("H200"));
        plan.groups.toggle(0);
        plan.groups.set(3, QStringLiteral("gpu"), QStringLiteral("H100"));
        plan.groups.setSelected(4, false);
        QCOMPARE(plan.cell(0, "gpu").value, QString());
        QCOMPARE(plan.cell(0, "gpu").hint, QStringLiteral("H100, H200"));
        QCOMPARE(plan.selected(0), static_cast<int>(Qt::PartiallyChecked));
        QVERIFY(plan.text(0, "detail").contains(QStringLiteral("1 left out")));
        // The run is what most of it is; the one source says its own.
        QCOMPARE(plan.units.machines().size(), std::size_t{1});
        QCOMPARE(plan.units.machines().at("a").gpuModel, std::string("H200"));
        const auto units = plan.units.units();
        QCOMPARE(units[0].saidGpuModel, std::string("H100"));
        QCOMPARE(units[2].saidGpuModel, std::string());
    }

    // Dates that can be read in two ways, and columns with names of their own, are said in the
    // sheet; columns are kept for tables with the same heads.
    void datesAndColumns() {
        ImportUnit table = logOf("a");
        table.asksDates = true;
        table.columns = "Columns: P_tot is p_tot.";
        table.heads = "p_tot\ntime\n";
        Plan plan({table});
        QCOMPARE(plan.cell(0, "dates").value, QString());
        QCOMPARE(plan.cell(0, "dates").choices, test::texts("day-first", "month-first"));
        plan.groups.set(0, QStringLiteral("dates"), QStringLiteral("day-first"));
        QCOMPARE(plan.units.units().front().saidDates, importers::DateOrder::DayFirst);
        QCOMPARE(plan.cell(0, "dates").value, QStringLiteral("day-first"));
        plan.groups.set(0, QStringLiteral("dates"), QStringLiteral("month-first"));
        QCOMPARE(plan.units.units().front().saidDates, importers::DateOrder::MonthFirst);
        plan.groups.set(0, QStringLiteral("columns"), QStringLiteral("P_tot is power"));
        QVERIFY(plan.cell(0, "columns").isFaulty);
        QVERIFY(!plan.units.valid());
        plan.groups.set(
            0, QStringLiteral("columns"), QStringLiteral("P_tot=gpu_power[mW]; note=ignore"));
        QVERIFY(plan.units.valid());
        const auto said = plan.units.units().front().saidColumns;
        QCOMPARE(said.size(), std::size_t{2});
        QCOMPARE(said.at("p tot").meaning, std::string("gpu_power"));
        QCOMPARE(said.at("p tot").unit, std::string("mW"));
        plan.units.keepColumns();
        Plan again({table});
        QCOMPARE(
            again.cell(0, "columns").value, QStringLiteral("P_tot=gpu_power[mW]; note=ignore"));
        again.groups.set(0, QStringLiteral("columns"), QString());
        again.units.keepColumns();
        QCOMPARE(Plan({table}).cell(0, "columns").value, QString());
        QVERIFY(!Plan({logOf("a")}).keys(0).contains(QStringLiteral("columns")));
    }

    void namesOfTimeZones() {
        Plan plan(twoRuns());
        plan.groups.set(
            0, QStringLiteral("zone"), QStringLiteral("Europe/Berlin")); // summer time on 1 May
        QCOMPARE(plan.cell(0, "zone").value, QStringLiteral("UTC+02:00"));
        plan.groups.set(0, QStringLiteral("zone"), QStringLiteral("Middle Earth"));
        QVERIFY(plan.cell(0, "zone").isFaulty);
        QVERIFY(plan.text(0, "problem").contains(QStringLiteral("a/gpu.csv")));
        QVERIFY(!plan.units.valid());
        plan.groups.set(0, QStringLiteral("zone"), QStringLiteral("UTC"));
        QVERIFY(plan.units.valid());
        QCOMPARE(plan.units.units().back().utcOffsetSeconds, std::optional<std::int64_t>(0));
    }

    // Stamps that are said to be UTC are not held against the power of the run any more.
    void whoTellsTheZone() {
        ImportUnit log = logOf("a");
        log.importer = "trainlog";
        Plan plan({log});
        QCOMPARE(plan.cell(0, "zone").value, QString());
        QCOMPARE(plan.cell(0, "zone").hint, QStringLiteral("as power tells"));
        plan.groups.set(0, QStringLiteral("zone"), QStringLiteral("UTC"));
        QCOMPARE(plan.units.units().back().utcOffsetSeconds, std::optional<std::int64_t>(0));
        QCOMPARE(plan.cell(0, "zone").value, QStringLiteral("UTC"));
        plan.groups.set(0, QStringLiteral("zone"), QString());
        QVERIFY(!plan.units.units().back().utcOffsetSeconds);
    }

    void renamedAndMerged() {
        Plan plan(twoRuns());
        plan.groups.setRunName(1, QStringLiteral("a"));
        // Not while it is typed.
        QCOMPARE(plan.titles(), test::texts("a", "a"));
        plan.groups.settleNames();
        QCOMPARE(plan.titles(), test::texts("a"));
        QVERIFY(plan.text(0, "detail").startsWith(QStringLiteral("10 Kineto traces")));
    }

    void marksMergeAndSplit() {
        Plan plan(twoRuns());
        QVERIFY(!plan.groups.isSplittable());
        plan.groups.mark(0, false, false);
        plan.groups.mark(1, false, true);
        QCOMPARE(plan.groups.markedCount(), 2);
        QCOMPARE(plan.groups.scopeText(), QStringLiteral("2 of 2 runs"));
        plan.groups.merge();
        QCOMPARE(plan.titles(), test::texts("a"));
        // The proposed runs come back first, then a run for each source.
        plan.groups.split();
        QCOMPARE(plan.titles(), test::texts("a", "b"));
        plan.groups.clearMarks();
        plan.groups.mark(1, false, false);
        plan.groups.split();
        QCOMPARE(plan.titles(), test::texts("a", "b/rank0", "b/rank2"));
    }

    void scopeIsWhatIsMarked() {
        Plan plan(twoRuns());
        plan.groups.setScope(QStringLiteral("gpu"), QStringLiteral("B200"));
        QCOMPARE(plan.cell(0, "gpu").value, QStringLiteral("B200"));
        QCOMPARE(plan.cell(1, "gpu").value, QStringLiteral("B200"));
        plan.groups.mark(1, false, false);
        plan.groups.setScope(QStringLiteral("gpu"), QStringLiteral("H100"));
        QCOMPARE(plan.cell(0, "gpu").value, QStringLiteral("B200"));
        QCOMPARE(plan.cell(1, "gpu").value, QStringLiteral("H100"));
        QCOMPARE(plan.groups.scopeFields().size(), 1); // b's clock is UTC, and its model is known
        plan.groups.setScopeSelected(false);
        QCOMPARE(plan.units.selectedCount(), 9);
        plan.groups.mark(1, false, false); // again: not marked
        QCOMPARE(plan.groups.markedCount(), 0);
    }

    void topologyJoinsItsRun() {
        auto units = twoRuns();
        units.push_back(topologyOf({"a"}, 8));
        Plan plan(units);
        QCOMPARE(plan.titles(), test::texts("a", "b"));
        QVERIFY(plan.text(0, "detail").contains(QStringLiteral("1 topology")));
        plan.groups.setRunName(0, QStringLiteral("new"));
        plan.groups.settleNames();
        QCOMPARE(plan.titles(), test::texts("new", "b"));
        QCOMPARE(plan.units.units().back().machine->runs, std::vector<std::string>{"new"});
    }

    // Four GPUs cannot be the machine of eight: the sheet asks, and is answered by another run.
    void topologyThatDoesNotFitAsks() {
        auto units = twoRuns();
        units.push_back(topologyOf({"a"}, 4));
        Plan plan(units);
        QVERIFY(!plan.units.valid());
        QVERIFY(plan.groups.at(0, "unfolded").toBool());
        QVERIFY(plan.text(0, "problem")
                    .contains(QStringLiteral("topo.xml cannot be the machine of "
                                             "a: its nodes have GPU 7")));
        const int row = 3; // behind the run and two remarks
        QCOMPARE(plan.text(row, "title"), QStringLiteral("topo.xml"));
        QVERIFY(plan.groups.at(row, "machine").toBool());
        QCOMPARE(plan.groups.runChoices(), test::texts("a", "b"));
        plan.groups.setRunName(row, QStringLiteral("b"));
        plan.groups.settleNames();
        QVERIFY(plan.units.valid());
        QVERIFY(
            plan.text(plan.groups.count() - 1, "detail").contains(QStringLiteral("1 topology")));
    }

    void topologyOfAnotherVendorAsks() {
        auto units = twoRuns();
        units.push_back(topologyOf({"b"}, 8));
        units.back().machine->vendor = catalogue::Vendor::Amd;
        const Plan plan(units);
        QVERIFY(plan.units.problem().contains(QStringLiteral("NVIDIA's")));
    }

    // A lone topology can be said to describe a run of the database that is open.
    void runsOfTheDatabase() {
        Plan plan({topologyOf({}, 4)});
        QVERIFY(plan.units.problem().contains(QStringLiteral("name the run")));
        Run known;
        known.name = "known";
        known.gpuCount = 16;
        known.nodeCount = 2;
        Run small = known;
        small.name = "small";
        small.gpuCount = 8;
        plan.units.setKnownRuns({known, small});
        QCOMPARE(plan.groups.runChoices(), test::texts("known", "small"));
        plan.groups.setRunName(0, QStringLiteral("known"));
        QVERIFY(plan.units.problem().contains(QStringLiteral("GPU 7")));
        plan.groups.setRunName(0, QStringLiteral("small"));
        QVERIFY(plan.units.valid());
    }

    // 640 sources: an edit of all, and folding, within a frame or two of an unoptimised program.
    void manyRuns() {
        std::vector<ImportUnit> units;
        for (int run = 0; run < 10; ++run) {
            for (int rank = 0; rank < 64; ++rank)
                units.push_back(traceOf("run" + std::to_string(run), rank, 64));
        }
        Plan plan(units);
        QCOMPARE(plan.groups.count(), 10);
        QSignalSpy changes(&plan.groups, &Groups::changed);
        plan.groups.setScope(QStringLiteral("gpu"), QStringLiteral("H100"));
        QCOMPARE(changes.count(), 1);
        plan.groups.toggle(0);
        QCOMPARE(plan.groups.count(), 10 + 64);
        QCOMPARE(plan.units.machines().size(), std::size_t(10));
    }
};

TRAINSCOPE_TEST(tst_ImportGroupModel)
#include "tst_ImportGroupModel.moc"
