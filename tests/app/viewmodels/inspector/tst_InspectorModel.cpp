// The inspector's rows: one energy, readings that changed, what is folded, masks in words.

#include "app/viewmodels/inspector/InspectorModel.h"
#include "app/viewmodels/inspector/KernelFigures.h"
#include "core/report/RunTables.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::app;
using analysis::EstimatedEnergy;
using analysis::MemoryUse;
using analysis::NoEnergy;
using analysis::PartEnergy;

namespace {

MetricStatistics gauge(const char* name, const char* unit, double mean, double least, double most) {
    return {{name, unit, MetricKind::Gauge, {}}, mean, least, most, {}};
}

MetricStatistics counter(const char* name, const char* unit, double total) {
    return {{name, unit, MetricKind::Counter, {}}, {}, {}, {}, total};
}

MetricStatistics shared(const char* name, MetricKind kind, std::map<std::string, double> shares) {
    MetricStatistics made{{name, "1", kind, {}}, {}, {}, {}, {}};
    made.shares = std::move(shares);
    return made;
}

// Twelve readings of one GPU and its node over 10 s.
RunStatistics planted() {
    RunStatistics run{"train", "NVIDIA H100", DurationNs{10'000'000'000}, 5e3, {}, {{}}};
    run.gpus[0].energy = 5e3;
    run.energyCoverage = 1.0;
    run.energySource = "by the energy counter, resolution 0.1 s";
    run.nodeEnergy = 6e3;
    run.nodes = 1;
    run.notOfGpus = 1.0 / 6.0;
    run.metrics = {gauge("gpu_power", "W", 500, 100, 700), counter("gpu_energy", "J", 4.9e3),
        gauge("energy", "J", 26.73e3, 3e3, 50e3), gauge("gpu_temperature", "°C", 45, 40, 50),
        gauge("mem_clock", "Hz", 2.6e9, 2.6e9, 2.6e9), counter("pcie_rx", "B", 2e9),
        counter("nvlink_rx", "B", 0), counter("ecc_corrected", "1", 0),
        shared("throttle_reasons", MetricKind::Mask,
            {{"none", 0.72}, {"sw_power_cap", 0.251}, {"gpu_idle", 0.029}}),
        shared("pstate", MetricKind::State, {{"P0", 1.0}}),
        shared("xid", MetricKind::State, {{"none", 1.0}}),
        MetricStatistics{{"fan_speed", "1", MetricKind::Gauge, {}}, {}, {}, {}, {}}};
    return run;
}

const Fact* find(const FactListModel& list, const QString& label) {
    const auto found = std::find_if(list.facts().begin(), list.facts().end(),
        [&label](const Fact& fact) { return fact.label == label; });
    return found == list.facts().end() ? nullptr : &*found;
}

PartEnergy known(double joules, double low, double high) {
    return {EstimatedEnergy{joules, low, high}, {}};
}

// 1,000 J: 700 of compute by two kernels, of which one is told, 300 idle; copies are not told.
analysis::EnergyByPhase plantedEnergy() {
    analysis::EnergyByPhase energy;
    energy.sum.total = known(1000.0, 980.0, 1020.0);
    energy.sum.phases[analysis::Phase::Compute] = known(700.0, 650.0, 750.0);
    energy.sum.phases[analysis::Phase::Copy] = {{}, NoEnergy::NotTold};
    energy.sum.phases[analysis::Phase::Idle] = known(300.0, 280.0, 320.0);
    energy.sum.kernels[{"a_gemm", "gemm"}] = {2.0, known(500.0, 400.0, 600.0)};
    energy.sum.kernels[{"b_norm", "normalisation"}] = {1.0, {{}, NoEnergy::NotTold}};
    energy.sum.kernels[{"", "copy"}] = {1.0, known(50.0, 40.0, 60.0)};
    return energy;
}

constexpr std::int64_t kGb = 1'000'000'000;

// 10 GB at the peak, 2 s behind the start: 6 of activations in two blocks, 4 of parameters.
analysis::DeviceMemory plantedDevice(int rank) {
    analysis::DeviceMemory device;
    device.rank = rank;
    device.peakAllocated = 10.0 * kGb;
    device.peakTime = TimeNs{3 * kGb};
    device.reservedThen = 12.0 * kGb;
    device.peakReserved = 13.0 * kGb;
    device.steps = {{7, {TimeNs{kGb}, TimeNs{2 * kGb}}, 40, 5.0 * kGb, 9.0 * kGb}};
    analysis::AllocatorRecord record;
    record.rank = rank;
    record.events = 9;
    record.peak.time = device.peakTime;
    record.peak.allocated = 10 * kGb;
    record.peak.byUse = {{MemoryUse::Activation, 6 * kGb}, {MemoryUse::Parameter, 4 * kGb}};
    record.peak.largest
        = {{MemoryUse::Activation, 3 * kGb, 2, {"mm (ops.py:3)", "forward (m.py:9)"}},
            {MemoryUse::Parameter, 4 * kGb, 1, {}}};
    analysis::OutOfMemory out;
    out.requested = 2 * kGb;
    out.reserved = 12 * kGb;
    out.allocated = 10 * kGb;
    out.calls = {"softmax (m.py:4)"};
    record.outOfMemory = {out};
    record.outOfMemoryCount = 1;
    device.record = record;
    return device;
}

report::RunMemory plantedRun(std::vector<int> ranks) {
    report::RunMemory run{"train", TimeNs{kGb}, {}};
    for (const int rank : ranks)
        run.devices.push_back(plantedDevice(rank));
    return run;
}

std::vector<std::string> cellsOf(const text::Table& table, std::size_t row) {
    std::vector<std::string> cells;
    for (const text::Cell& cell : table.rows.at(row))
        cells.push_back(cell.inCsv());
    return cells;
}

using Cells = std::vector<std::string>;

} // namespace

class tst_InspectorModel : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void oneEnergyWithItsSource() {
        InspectorModel inspector;
        inspector.showStatistics(std::vector{planted()});
        const Fact* energy = find(*inspector.selection(), QStringLiteral("Energy, 1 GPU"));
        QVERIFY(energy != nullptr);
        QCOMPARE(energy->value, QStringLiteral("5 kJ"));
        QCOMPARE(energy->note,
            QStringLiteral("by the energy counter, resolution 0.1 s; 6 kJ of 1 node in all; 16.7 % "
                           "not of the GPUs"));
        QCOMPARE(inspector.text().count(QStringLiteral("nergy,")), 1);
        QVERIFY(!inspector.text().contains(QStringLiteral("26.73 kJ")));
        QVERIFY(!inspector.text().contains(QStringLiteral("4.9 kJ")));
        const Fact* power = find(*inspector.selection(), QStringLiteral("Mean power per GPU"));
        QVERIFY(power != nullptr);
        QCOMPARE(power->value, QStringLiteral("500 W"));
        QCOMPARE(power->note, QStringLiteral("100 W to 700 W"));
    }

    void readingsThatChanged() {
        InspectorModel inspector;
        inspector.showStatistics(std::vector{planted()});
        QStringList labels;
        for (const Fact& fact : inspector.telemetry()->facts())
            labels.append(fact.label);
        QCOMPARE(labels, test::texts("gpu_temperature", "pcie_rx, total", "throttle_reasons"));
        const Fact& reasons = inspector.telemetry()->facts().back();
        QCOMPARE(reasons.value, QStringLiteral("None 72 %"));
        QCOMPARE(
            reasons.note, QStringLiteral("Software power cap 25.1 %, GPU idle 2.9 % of the time"));
    }

    void constantsAreFolded() {
        InspectorModel inspector;
        inspector.showStatistics(std::vector{planted()});
        QCOMPARE(inspector.constantsText(),
            QStringLiteral("5 readings stayed constant, 1 without data"));
        QCOMPARE(find(*inspector.constants(), QStringLiteral("mem_clock"))->value,
            QStringLiteral("2.6 GHz"));
        QCOMPARE(find(*inspector.constants(), QStringLiteral("ecc_corrected, total"))->value,
            QStringLiteral("none"));
        QCOMPARE(
            find(*inspector.constants(), QStringLiteral("pstate"))->value, QStringLiteral("P0"));
        QCOMPARE(
            find(*inspector.constants(), QStringLiteral("xid"))->value, QStringLiteral("None"));
        RunStatistics one = planted();
        one.metrics = {gauge("mem_clock", "Hz", 2.6e9, 2.6e9, 2.6e9)};
        inspector.showStatistics(std::vector{one});
        QCOMPARE(inspector.constantsText(), QStringLiteral("1 reading stayed constant"));
        QCOMPARE(inspector.telemetry()->facts().size(), std::size_t{0});
        one.metrics.clear();
        inspector.showStatistics(std::vector{one});
        QCOMPARE(inspector.constantsText(), QString());
    }

    // Each of several runs has its own head, in both lists where it has rows there.
    void ofSeveralRuns() {
        InspectorModel inspector;
        RunStatistics other = planted();
        other.name = "train 2";
        other.metrics = {gauge("mem_clock", "Hz", 2.6e9, 2.6e9, 2.6e9)};
        inspector.showStatistics(std::vector{planted(), other});
        const auto heads = [](const FactListModel& list) {
            return std::count_if(list.facts().begin(), list.facts().end(),
                [](const Fact& fact) { return fact.isHead; });
        };
        QCOMPARE(heads(*inspector.telemetry()), 1);
        QCOMPARE(heads(*inspector.constants()), 2);
        QCOMPARE(inspector.constantsText(),
            QStringLiteral("6 readings stayed constant, 1 without data"));
    }

    void eachFigureNamesItsWindow() {
        InspectorModel inspector;
        inspector.startStatistics(
            QStringLiteral("Selection · 12.3 s"), QStringLiteral("over the selected 12.3 s"));
        inspector.showStatistics(std::vector{planted()});
        QCOMPARE(inspector.windowText(), QStringLiteral("over the selected 12.3 s"));
        QVERIFY(inspector.text().contains(QStringLiteral("Telemetry, over the selected 12.3 s\n")));
        inspector.clear();
        QCOMPARE(inspector.windowText(), QString());
    }

    void oneMetricIsNotMetrics() {
        InspectorModel inspector;
        RunStatistics run = planted();
        run.told = RunStatistics::Told{0, 1, {}};
        inspector.showStatistics(std::vector{run});
        QCOMPARE(inspector.engineText(), QStringLiteral("Asking the engine: 0 of 1 metric…"));
        run.told = RunStatistics::Told{1, 3, Error{ErrorCode::Unreadable, "no", {}}};
        inspector.showStatistics(std::vector{run});
        QCOMPARE(
            inspector.engineText(), QStringLiteral("1 of 3 metrics: the engine does not answer."));
    }

    // A table of the inspector that is read only while it is asked for, and the table of energies
    // that it shows.
    void energiesOfPhasesThenOfKernels() {
        const auto made = report::tracedEnergyTable(std::vector{plantedEnergy()});
        QStringList names;
        for (const auto& row : made.table.rows)
            names.push_back(QString::fromStdString(row.front().inCsv()));
        QCOMPARE(names,
            QStringList(
                {QStringLiteral("compute"), QStringLiteral("idle"), QStringLiteral("a_gemm")}));
        QCOMPARE(made.sources[0].name, std::string()); // a phase selects no kernel
        QCOMPARE(made.sources[2].name, std::string("a_gemm"));
        QCOMPARE(
            made.table.notes.front(), "copy: " + std::string(reasonOf(NoEnergy::NotTold)) + ".");
        QCOMPARE(made.table.notes[1],
            std::string("Left out: 1 kernel name, whose energy the readings do not tell."));
    }

    void isShownWhileItIsAskedFor() {
        AskedTables table({QStringLiteral("What?"), {}, QStringLiteral("Reading…")}, 1);
        auto* figures = table.tables().front().value<TableModel*>();
        QSignalSpy selected(&table, &AskedTables::rowSelected);
        const AskedReading reading{{report::tracedEnergyTable(std::vector{plantedEnergy()})}, {4},
            QStringLiteral("Nothing.")};
        table.show(reading);
        QCOMPARE(table.models().front().count(), 0);
        table.setAsked(true);
        table.showDoing();
        QVERIFY(!table.text().isEmpty());
        table.show(reading);
        QCOMPARE(table.models().front().count(), 3);
        QVERIFY(table.text().isEmpty());
        figures->select(0); // a phase
        QVERIFY(selected.isEmpty());
        figures->select(2);
        QCOMPARE(selected.size(), 1);
        QCOMPARE(selected.front().front().value<std::size_t>(), std::size_t{4});
        table.setAsked(false);
        QCOMPARE(table.models().front().count(), 0);
    }

    void saysWhyThereIsNothing() {
        AskedTables table({QStringLiteral("What?"), {}, QStringLiteral("Reading…")}, 1);
        table.setAsked(true);
        table.show(AskedReading{{}, {}, QStringLiteral("Nothing was traced.")});
        QCOMPARE(table.text(), QStringLiteral("Nothing was traced."));
        table.show(Error{ErrorCode::NotFound, "The file is gone.", "/a"});
        QVERIFY(table.text().contains(QStringLiteral("The file is gone.")));
    }

    // Memory of PyTorch's allocator in the inspector: its tables, and that they are shown while
    // they are asked for.
    void tablesOfOneDevice() {
        const std::vector<report::RunMemory> runs{plantedRun({0})};
        const auto devices = report::memoryDevicesTable(runs);
        QCOMPARE(cellsOf(devices, 0), (Cells{"0", "10000000000", "2", "12000000000", ""}));
        QCOMPARE(devices.notes.size(), std::size_t{1});
        QVERIFY(devices.notes[0].starts_with("Rank 0: Ran out of memory: asked for 2 GB"));
        const auto uses = report::memoryUsesTable(runs);
        QCOMPARE(uses.rows.size(), std::size_t{2});
        QCOMPARE(cellsOf(uses, 0), (Cells{"Parameters", "4000000000", "0.4", ""}));
        QCOMPARE(cellsOf(uses, 1), (Cells{"Activations", "6000000000", "0.6", ""}));
        const auto live = report::memoryLiveTable(runs);
        QCOMPARE(cellsOf(live, 0),
            (Cells{"mm (ops.py:3) < forward (m.py:9)", "6000000000", "2", "3000000000",
                "Activations"}));
        QCOMPARE(cellsOf(live, 1)[0], std::string("calls not recorded"));
        const auto steps = report::memoryStepsTable(runs);
        QCOMPARE(cellsOf(steps, 0), (Cells{"7", "40", "5000000000", "9000000000"}));
    }

    void severalDevicesSayWhoseARowIs() {
        const std::vector<report::RunMemory> runs{plantedRun({0, 3})};
        const auto uses = report::memoryUsesTable(runs);
        QCOMPARE(uses.columns.size(), std::size_t{5});
        QCOMPARE(cellsOf(uses, 2), (Cells{"Parameters", "3", "4000000000", "0.4", ""}));
        const auto live = report::memoryLiveTable(runs);
        QCOMPARE(cellsOf(live, 1)[1], std::string("3")); // most bytes first, over both
        const auto both = report::memoryStepsTable(std::vector{plantedRun({0}), plantedRun({1})});
        QCOMPARE(cellsOf(both, 1)[1], std::string("train 1"));
    }

    void shownWhileAskedFor() {
        AskedTables asked({QStringLiteral("Memory held"), {}, {}}, 2, true);
        const std::vector<report::RunMemory> runs{plantedRun({0})};
        const AskedReading reading{
            {{report::memoryDevicesTable(runs), {}}, {report::memoryUsesTable(runs), {}}}, {},
            QStringLiteral("None.")};
        QSignalSpy changed(&asked, &AskedTables::askedChanged);
        const TableModel& devices = asked.models().front();
        asked.show(reading);
        QCOMPARE(devices.count(), 0); // nobody asked
        asked.setAsked(true);
        QCOMPARE(changed.count(), 1);
        asked.show(reading);
        QCOMPARE(devices.count(), 1);
        QCOMPARE(asked.models().back().count(), 2);
        QVERIFY(devices.note().contains(QStringLiteral("Ran out of memory")));
        QVERIFY(asked.models().back().text().contains(QStringLiteral("Activations")));
        asked.show(AskedReading{{}, {}, QStringLiteral("None.")});
        QCOMPARE(asked.text(), QStringLiteral("None."));
        asked.setAsked(false);
        QVERIFY(asked.text().isEmpty());
        QCOMPARE(devices.count(), 0);
    }
};

TRAINSCOPE_GUI_TEST(tst_InspectorModel)
#include "tst_InspectorModel.moc"
