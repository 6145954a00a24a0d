// Memory of PyTorch's allocator in the inspector: its tables, and that they are shown while they
// are asked for.

#include "app/viewmodels/inspector/AskedTables.h"
#include "core/report/MemoryTables.h"
#include "support/TestProgram.h"

#include <QSignalSpy>
#include <QtTest>

using namespace trainscope;
using namespace trainscope::app;
using analysis::MemoryUse;

namespace {

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

class tst_MemoryTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
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

TRAINSCOPE_TEST(tst_MemoryTables)
#include "tst_MemoryTables.moc"
