// Tables that people make themselves: words with units, dates in all orders, decimal commas, no
// header, damaged stamps.

#include "importers/common/SaidColumns.h"
#include "importers/support/ImportAll.h"
#include "support/TestProgram.h"

using namespace trainscope::test;
using namespace std::string_literals;

namespace {

using Values = std::vector<double>;

const std::vector<ToldFile> kMadeFiles{
    // The node's reading stands in the row of each GPU and counts once.
    {"GPU, CPU and node", "log.csv",
        "time,gpu,gpu_power_w,cpu_power_w,system_power_w\n"
        "2026-03-01 10:00:00,0,100,50,400\n2026-03-01 10:00:00,1,110,50,400\n"
        "2026-03-01 10:00:01,0,120,60,500\n2026-03-01 10:00:01,1,130,60,500\n",
        {{"gpu_power", {100, 120}}, {"gpu_power 1", {110, 130}}, {"node cpu_power", {50, 60}},
            {"node node_power", {400, 500}}, {"cpu_power", {}}}},
    {"bytes without a unit", "log.csv",
        "timestamp,gpu,power_w,mem_used\n2026-03-01 10:00:00,0,100,17179869184\n"
        "2026-03-01 10:00:01,0,100,8589934592\n",
        {{"mem_used", {17179869184.0, 8589934592.0}}}},
    {"NUL bytes, as a crash leaves them", "log.csv",
        "timestamp, index, power.draw [W]\n2026/03/01 10:00:00.000, 0, 100.00 W\n"s
            + std::string(3000, '\0') + "2026/03/01 10:00:01.000, 0, 120.00 W\n",
        {{"gpu_power", {100, 120}}}},
    // As a script around NVML writes them: everything in the library's own units.
    {"names of the library", "nvml.csv",
        "time_s,power_mw,energy_mj,sm_mhz,mem_mhz,memutil,used_b,reasons,pcie_tx_kbs\n"
        "1795732620.0,70000,3000000,345,2619,5,500000000,1,7632\n"
        "1795732621.0,90000,3080000,1980,2619,6,500000000,4,6412\n"
        "1795732622.0,90000,3170000,1980,2619,7,600000000,132,6485\n",
        {{"gpu_energy", {3000, 3080, 3170}}, {"mem_clock", {2.619e9, 2.619e9, 2.619e9}},
            {"sm_clock", {345e6, 1.98e9, 1.98e9}}, {"mem_utilization", {0.05, 0.06, 0.07}},
            {"mem_used", {5e8, 5e8, 6e8}}, {"throttle_reasons", {1, 4, 132}},
            {"pcie_tx_rate", {7.632e6, 6.412e6, 6.485e6}}}},
    // Two GPUs whose counters lie apart, and the energy of each row.
    {"energy that counts up", "counter.csv",
        "timestamp,gpu,energy [J]\n2026-03-01 10:00:00,0,5000\n2026-03-01 10:00:00,1,90\n"
        "2026-03-01 10:00:01,0,5100\n2026-03-01 10:00:01,1,190\n",
        {{"gpu_energy", {5000, 5100}}, {"gpu_energy 1", {90, 190}}}},
    {"energy of a row", "row.csv",
        "timestamp,gpu,energy [J]\n2026-03-01 10:00:00,0,100\n2026-03-01 10:00:01,0,120\n"
        "2026-03-01 10:00:02,0,80\n2026-03-01 10:00:03,0,100\n",
        {{"gpu_energy", {}}, {"energy_of_row", {100, 120, 80, 100}}}},
    // Kept as written, and told.
    {"power above all limits", "smi.csv",
        "timestamp, index, power.draw [W], power.limit [W]\n"
        "2026/03/01 10:00:00.000, 0, 60.00 W, 150.00 W\n"
        "2026/03/01 10:00:01.000, 0, 3868.00 W, 150.00 W\n",
        {{"gpu_power", {60, 3868}}}, "1 reading of power cannot be: 3868 W"},
    {"an energy counter", "log.csv",
        "timestamp,gpu,power_w,energy_j\n2026-03-01T10:00:00Z,0,100,5000\n"
        "2026-03-01T10:00:01Z,0,100,5100\n2026-03-01T10:00:02Z,0,100,5200\n"
        "2026-03-01T10:00:03Z,0,100,5300\n",
        {{"gpu_energy", {5000, 5100, 5200, 5300}}}, ""},
    // 3 s at 100 W are 300 J, and the counter counts 3.
    {"a counter against its power", "log.csv",
        "timestamp,gpu,power_w,energy_j\n2026-03-01T10:00:00Z,0,100,5000\n"
        "2026-03-01T10:00:01Z,0,100,5001\n2026-03-01T10:00:02Z,0,100,5002\n"
        "2026-03-01T10:00:03Z,0,100,5003\n",
        {{"gpu_energy", {5000, 5001, 5002, 5003}}},
        "counts 3 J, where the power beside it amounts to 300 J"},
    {"milliwatts under watts", "log.csv",
        "timestamp,gpu,power_w\n2026-03-01T10:00:00Z,0,100000\n"
        "2026-03-01T10:00:01Z,0,120000\n2026-03-01T10:00:02Z,0,140000\n",
        {{"gpu_power", {100'000, 120'000, 140'000}}}, "another unit"},
    // The heads of rocm-smi say what is measured in brackets, too; the last ones hold the unit.
    {"heads with remarks", "log.csv",
        "timestamp,device,Average Graphics Package Power (W),Temperature (Sensor edge) (C),"
        "Temperature (Sensor junction) (C),Temperature (Sensor memory) (C)\n"
        "1767261600,card0,240,50,60,55\n1767261600,card1,N/A (Secondary die),51,61,56\n"
        "1767261601,card0,250,50,60,55\n1767261601,card1,N/A (Secondary die),51,61,56\n",
        {{"gpu_power", {240, 250}}, {"gpu_temperature 1", {51, 51}},
            {"hotspot_temperature 1", {61, 61}}, {"mem_temperature", {55, 55}}},
        ""},
    {"both signs in numbers", "log.csv",
        "time;gpu;power\n1767261600;0;1.205,50\n1767261601;0;1.305,50\n1767261602;0;905,50\n",
        {{"gpu_power", {1205.5, 1305.5, 905.5}}}},
    {"decimal commas in times", "log.csv", "time;power\n0,5;100,5\n1,0;101,5\n1,5;102,5\n",
        {{"gpu_power", {100.5, 101.5, 102.5}}, {"seconds gpu_power", {0, 0.5, 1}}}},
    {"bars", "log.txt", "time|gpu|power\n1767261600|0|100\n1767261601|0|110\n",
        {{"gpu_power", {100, 110}}}},
};

class tst_MadeTables : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void files_data() {
        QTest::addColumn<std::size_t>("place");
        for (std::size_t i = 0; i < kMadeFiles.size(); ++i)
            QTest::newRow(kMadeFiles[i].row) << i;
    }
    void files() {
        QFETCH(std::size_t, place);
        const std::string fault = faultOf(kMadeFiles[place]);
        QVERIFY2(fault.empty(), fault.c_str());
    }

    // One row a second, 100, 120 and 140 W: 240 J.
    void namesOfPower_data() {
        // number: stands for 100 W
        const auto row = columns<double>("number");
        for (const char* name : {"power_draw_W", "gpu_watts", "gpu_w", "Power (W)", "GPU Power",
                 "gpuPower", "board_power_w", "GPU power draw [Watts]"})
            row(name, 100.0);
        row("GPU Power [mW]", 100'000.0);
        row("power_kw", 0.1);
    }
    void namesOfPower() {
        QFETCH(double, number);
        std::string text = "timestamp,"s + QTest::currentDataTag() + "\n";
        for (int i = 0; i < 3; ++i)
            text += "2026-03-01T10:00:0" + std::to_string(i) + "Z,"
                + QString::number(number * (1.0 + 0.2 * i), 'f', 4).toStdString() + "\n";
        const ImportedAll log("log.csv", text);
        QVERIFY2(qAbs(log.joules() - 240.0) < 1e-6, log.warnings().c_str());
    }

    void dates_data() {
        // start: date -u -d … +%s
        const auto row = columns<std::string, qint64>("text", "start");
        row("date and time apart",
            "Date,Time,GPU,Power (W)\n2025-12-31,23:59:58,0,100\n2025-12-31,23:59:59,0,100\n"
            "2026-01-01,00:00:00,0,100\n",
            1'767'225'598);
        row("time before date",
            "Time,Date,GPU,Power (W)\n23:59:58,31.12.2025,0,100\n23:59:59,31.12.2025,0,100\n"
            "00:00:00,01.01.2026,0,100\n",
            1'767'225'598);
        row("day first",
            "timestamp,gpu,power_w\n13-03-2026 10:00:00,0,100\n13-03-2026 10:00:01,0,100\n"
            "13-03-2026 10:00:02,0,100\n",
            1'773'396'000);
        row("month first, afternoon",
            "timestamp,gpu,power_w\n03/13/2026 09:59:59 PM,0,100\n03/13/2026 10:00:00 PM,0,100\n"
            "03/13/2026 10:00:01 PM,0,100\n",
            1'773'439'199);
        // 1 and 2 April, where the order shows at midnight only.
        row("day first by midnight",
            "timestamp,gpu,power_w\n01/04/2026 23:59:59,0,100\n02/04/2026 00:00:00,0,100\n"
            "02/04/2026 00:00:01,0,100\n",
            1'775'087'999);
        row("milliseconds behind a comma",
            "timestamp,gpu,power_w\n2026-03-13 10:00:00,000,0,100\n"
            "2026-03-13 10:00:01,000,0,100\n2026-03-13 10:00:02,000,0,100\n",
            1'773'396'000);
    }
    void dates() {
        QFETCH(std::string, text);
        QFETCH(qint64, start);
        const ImportedAll log("log.csv", text);
        QCOMPARE(log.seconds("gpu_power"), (Values{0, 1, 2}));
        QCOMPARE(log.sink.ofGpu("gpu_power", 0)->times.front().ns, start * 1'000'000'000);
        QCOMPARE(log.joules(), 200.0);
    }

    // The first 64 KiB are of the 3rd of April or the 4th of March; a 13th far behind tells.
    void orderShownLate() {
        std::string text = "timestamp,gpu,power_w\n";
        const auto row = [](const char* date, int second) {
            return QString::asprintf(
                "%s %02d:%02d:%02d,0,100.0\n", date, second / 3600, second / 60 % 60, second % 60)
                .toStdString();
        };
        for (int second = 0; second < 4000; ++second)
            text += row("03-04-2026", second);
        text += row("13-04-2026", 0);
        const ImportedAll log("log.csv", text);
        const auto* series = log.sink.ofGpu("gpu_power", 0);
        QVERIFY(series != nullptr);
        QCOMPARE(series->times.front().ns / 1'000'000'000, 1'775'174'400); // 2026-04-03
        QCOMPARE(log.seconds("gpu_power")[3999], 3999.0);
    }

    void orderThatNothingTells() {
        const ImportedAll log("log.csv",
            "timestamp,gpu,power_w\n03/04/2026 10:00:00,0,100\n03/04/2026 10:00:01,0,100\n");
        QCOMPARE(log.seconds("gpu_power"), (Values{0, 1}));
        VERIFY_SAYS(log.warnings(), "day or with the month first");
    }

    void decimalCommas_data() {
        const auto row = columns<std::string, double>("text", "joules");
        row("power alone",
            "timestamp,gpu,power_w\n2026-03-01 10:00:00,0,100,5\n"
            "2026-03-01 10:00:01,0,120,5\n2026-03-01 10:00:02,0,140,5\n",
            241.0);
        row("power before temperature",
            "timestamp,gpu,power_w,temp_c\n2026-03-01 10:00:00,0,100,25,61\n"
            "2026-03-01 10:00:01,0,120,25,62\n2026-03-01 10:00:02,0,140,25,63\n",
            240.5);
        row("both",
            "timestamp,gpu,temp_c,power_w\n2026-03-01 10:00:00,0,61,5,100,5\n"
            "2026-03-01 10:00:01,0,62,5,120,5\n2026-03-01 10:00:02,0,63,5,140,5\n",
            241.0);
        row("between semicolons",
            "timestamp;gpu;power_w\n2026-03-01 10:00:00;0;100,5\n"
            "2026-03-01 10:00:01;0;120,5\n2026-03-01 10:00:02;0;140,5\n",
            241.0);
        row("quoted",
            "timestamp,gpu,power_w\n2026-03-01 10:00:00,0,\"100,5\"\n"
            "2026-03-01 10:00:01,0,\"120,5\"\n2026-03-01 10:00:02,0,\"140,5\"\n",
            241.0);
    }
    void decimalCommas() {
        QFETCH(std::string, text);
        QFETCH(double, joules);
        const ImportedAll log("log.csv", text);
        QVERIFY2(qAbs(log.joules() - joules) < 1e-9, log.warnings().c_str());
    }

    // Columns: time, index, name, GPU %, memory %, MiB used, MiB, °C, W, MHz, MHz. Power alone has
    // decimals; the other bare numbers stay columns until somebody says what they are.
    void headerless() {
        std::string text;
        for (int i = 0; i < 12; ++i)
            text += QString::asprintf("2026/03/01 10:00:%02d.000, 0, NVIDIA GeForce RTX 4070, 55, "
                                      "%d, 1500, 12282, 60, 24.00, 2100, 5001\n",
                i, i % 3)
                        .toStdString();
        const ImportedAll log("smi.csv", text);
        QCOMPARE(log.sink.gpus.size(), std::size_t{1}); // 0, 1, 2 are no indices
        QCOMPARE(log.ofGpu("gpu_power"), Values(12, 24.0));
        QCOMPARE(log.ofGpu("column_4"), Values(12, 55.0));
        QVERIFY(log.ofGpu("gpu_utilization").empty());
        importers::sayColumns(
            importers::saidColumnsIn("column 4=gpu_utilization[%]; column 8=gpu_temperature[C]")
                .value());
        const ImportedAll said("smi.csv", text);
        importers::sayColumns({});
        QCOMPARE(said.ofGpu("gpu_utilization"), Values(12, 0.55));
        QCOMPARE(said.ofGpu("gpu_temperature"), Values(12, 60.0));
    }

    // The memory's clock is the one of three that stays.
    void headerlessClocks() {
        std::string text;
        Values moving;
        for (int i = 0; i < 12; ++i) {
            moving.push_back(1900e6 + 1e6 * i);
            text += QString::asprintf("2026/03/01 10:00:%02d.000, 0, %d.00 W, 5001 MHz, %d MHz, "
                                      "%d MHz\n",
                i, 100 + i, 2100 + i, 1900 + i)
                        .toStdString();
        }
        const ImportedAll log("smi.csv", text);
        QCOMPARE(log.ofGpu("mem_clock"), Values(12, 5001e6));
        QCOMPARE(log.ofGpu("sm_clock"), moving);
    }

    // Two rows a reading: their whole numbers are indices. Numbers that stay at 50 may be either of
    // two things and is left as a column.
    void headerlessTwoGpus() {
        std::string text;
        for (int i = 0; i < 12; ++i) {
            for (int gpu = 0; gpu < 2; ++gpu)
                text += QString::asprintf(
                    "2026/03/01 10:00:%02d.000, %d, 50, %d.50\n", i, gpu, 100 + 10 * gpu)
                            .toStdString();
        }
        const ImportedAll log("smi.csv", text);
        QCOMPARE(log.sink.gpus.size(), std::size_t{2});
        QCOMPARE(log.ofGpu("gpu_power", 1), Values(12, 110.5));
        QCOMPARE(log.ofGpu("column_3", 0), Values(12, 50.0));
        QVERIFY(log.ofGpu("gpu_temperature", 0).empty());
        QVERIFY(log.ofGpu("gpu_utilization", 0).empty());
    }

    // The file ends within the last number, where all others have two decimals.
    void lastRowIsCut_data() {
        const auto row = columns<std::string, int>("end", "rows");
        row("cut number", "2026/03/01 10:00:02.000,0,10", 2);
        row("cut decimals", "2026/03/01 10:00:02.000,0,100.0", 2);
        row("cut stamp", "2026/03/01 10:0", 2);
        row("whole, without a line feed", "2026/03/01 10:00:02.000,0,100.00", 3);
        row("no value", "2026/03/01 10:00:02.000,0,[N/A]", 3);
    }
    void lastRowIsCut() {
        QFETCH(std::string, end);
        QFETCH(int, rows);
        const ImportedAll log("log.csv",
            "timestamp,index,power.draw\n2026/03/01 10:00:00.000,0,100.00\n"
            "2026/03/01 10:00:01.000,0,100.00\n"
                + end);
        QCOMPARE(log.ofGpu("gpu_power").size(), static_cast<std::size_t>(rows));
        QCOMPARE(log.warnings().empty(), rows == 3);
    }

    void namesOfTime_data() {
        const auto row = columns<std::string, std::string>("first", "second");
        row("epoch_time", "1772359200", "1772359201");
        row("timestamp_ms", "1772359200000", "1772359201000");
        row("Local Time", "2026-03-01 10:00:00", "2026-03-01 10:00:01");
        row("# timestamp", "2026-03-01 10:00:00", "2026-03-01 10:00:01");
        row("time", "10:00:00", "10:00:01");
    }
    void namesOfTime() {
        QFETCH(std::string, first);
        QFETCH(std::string, second);
        const ImportedAll log("log.csv",
            "# written by a script\n"s + QTest::currentDataTag() + ",watts\n" + first + ",100\n"
                + second + ",120\n");
        QCOMPARE(log.ofGpu("gpu_power"), (Values{100, 120}));
        QCOMPARE(log.seconds("gpu_power"), (Values{0, 1}));
        QVERIFY2(log.warnings().empty(), log.warnings().c_str());
    }

    // The user's words about columns go before their names and cells.
    void saidColumns() {
        importers::SaidColumns columns;
        for (const char* said : {"P_tot=gpu_power[mW]", "when=time", "junk=ignore"})
            QVERIFY(importers::addSaidColumn(columns, said).hasValue());
        importers::sayColumns(columns);
        const ImportedAll log("log.csv",
            "when,P_tot,junk\n2026-03-01 10:00:00,100000,7\n2026-03-01 10:00:01,120000,8\n");
        importers::sayColumns({});
        QCOMPARE(log.ofGpu("gpu_power"), (Values{100, 120}));
        QCOMPARE(log.sink.allSeries.size(), std::size_t{1});
        const ImportedAll unsaid("log.csv", "when,P_tot,junk\n2026-03-01 10:00:00,100000,7\n");
        QVERIFY(unsaid.plan.units.empty());
    }

    void saidColumnsWithoutAHeader() {
        importers::SaidColumns columns;
        QVERIFY(importers::addSaidColumn(columns, "column 3=gpu_temperature[C]").hasValue());
        importers::sayColumns(columns);
        const ImportedAll log("smi.csv",
            "2026/03/01 10:00:00.000, 0, 50, 100.50\n2026/03/01 10:00:01.000, 0, 50, 110.50\n");
        importers::sayColumns({});
        QCOMPARE(log.ofGpu("gpu_temperature"), (Values{50, 50}));
    }

    void saidColumnsThatAreNone() {
        importers::SaidColumns columns;
        for (const char* said :
            {"P_tot", "=gpu_power", "P=gpu_power[parsec]", "P=gpu_power[W", "P="})
            QVERIFY2(!importers::addSaidColumn(columns, said).hasValue(), said);
    }

    void damagedStamps_data() {
        // kept: rows
        const auto row = columns<QList<QByteArray>, QList<int>>("stamps", "kept");
        using Stamps = QList<QByteArray>;
        row("future",
            Stamps{"2026/03/01 10:00:00", "2026/03/01 10:00:01", "2062/03/01 10:00:02",
                "2026/03/01 10:00:03"},
            QList<int>{0, 1, 3});
        row("past",
            Stamps{"2026/03/01 10:00:00", "2026/03/01 10:00:01", "1996/03/01 10:00:02",
                "2026/03/01 10:00:03"},
            QList<int>{0, 1, 3});
        row("the first",
            Stamps{"2062/03/01 10:00:00", "2026/03/01 10:00:01", "2026/03/01 10:00:02",
                "2026/03/01 10:00:03"},
            QList<int>{1, 2, 3});
        row("the last",
            Stamps{"2026/03/01 10:00:00", "2026/03/01 10:00:01", "2026/03/01 10:00:02",
                "2062/03/01 10:00:03"},
            QList<int>{0, 1, 2});
        row("a recording that is resumed",
            Stamps{"2026/03/01 10:00:00", "2026/03/01 10:00:01", "2026/03/21 10:00:00",
                "2026/03/21 10:00:01"},
            QList<int>{0, 1, 2, 3});
    }
    void damagedStamps() {
        QFETCH(QList<QByteArray>, stamps);
        QFETCH(QList<int>, kept);
        std::string text = "timestamp, index, power.draw [W]\n";
        for (qsizetype i = 0; i < stamps.size(); ++i)
            text += stamps[i].toStdString() + ".000, 0, " + std::to_string(i) + ".00 W\n";
        const ImportedAll log("log.csv", text);
        Values expected;
        for (const int row : kept)
            expected.push_back(row);
        QCOMPARE(log.ofGpu("gpu_power"), expected);
        const bool isTold = log.warnings().find("damaged") != std::string::npos;
        QCOMPARE(isTold, kept.size() < stamps.size());
    }

    // A row a second, whose energy is that of the second before it: falling, or growing as power.
    void energyOfEachRow_data() {
        const auto row = columns<QList<double>>("watts");
        row("falls", QList<double>{100, 120, 110, 140, 130});
        row("grows", QList<double>{100, 120, 140, 150, 160});
    }
    void energyOfEachRow() {
        QFETCH(QList<double>, watts);
        std::string text = "timestamp,gpu,power_w,energy_j\n";
        for (qsizetype i = 0; i < watts.size(); ++i)
            text += "2026-03-01T10:00:0" + std::to_string(i) + "Z,0," + std::to_string(watts[i])
                + "," + std::to_string(watts[i]) + "\n";
        const ImportedAll log("log.csv", text);
        QVERIFY(log.ofGpu("gpu_energy").empty());
        QCOMPARE(log.ofGpu("energy_of_row"), Values(watts.begin(), watts.end()));
        VERIFY_SAYS(log.warnings(), "the energy since the row before");
    }

    // Two recorders, each with a header and columns of its own, row by row: the later head counts,
    // and the rows of the other are told.
    void twoRecorders() {
        std::string text = "timestamp,gpu,power_w\n2026-03-01T10:00:00Z,0,100\n"
                           "timestamp,gpu,temperature_c,utilization_percent\n";
        for (int i = 1; i <= 3; ++i) {
            const std::string at = "2026-03-01T10:00:0" + std::to_string(i) + "Z,0,";
            text
                += at + std::to_string(50 + i) + ",90\n" + at + std::to_string(100 + 10 * i) + "\n";
        }
        const ImportedAll log("log.csv", text);
        QCOMPARE(log.ofGpu("gpu_power"), (Values{100}));
        QCOMPARE(log.ofGpu("gpu_temperature"), (Values{51, 52, 53}));
        QCOMPARE(log.sink.gpus.size(), std::size_t{1});
        QCOMPARE(log.reports.at(0).value().skipped, std::int64_t{3});
        VERIFY_SAYS(log.warnings(), "has 3 cells instead of 4");
    }

    // A log of two GPUs that is begun again, with its header, is one recorder's.
    void headerThatComesAgain() {
        std::string text;
        for (int i = 0; i < 20; ++i) {
            if (i == 0 || i == 5)
                text += "timestamp, power.draw [W]\n";
            const std::string at = "2026/03/01 10:00:" + std::to_string(10 + i);
            text += at + ".000, 100.00 W\n" + at + ".004, 300.00 W\n";
        }
        const ImportedAll log("log.csv", text);
        QCOMPARE(log.ofGpu("gpu_power", 0), Values(20, 100.0));
        QCOMPARE(log.ofGpu("gpu_power", 1), Values(20, 300.0));
        QCOMPARE(log.warnings(), std::string());
    }

    // A GPU that is named is there, whatever its cells say instead of numbers.
    void textsMakeDevices() {
        const ImportedAll log("log.csv",
            "timestamp,gpu,power_w\n2026-03-01T10:00:00Z,0,100\n"
            "2026-03-01T10:00:00Z,1,N/A (Secondary die)\n2026-03-01T10:00:01Z,0,110\n"
            "2026-03-01T10:00:01Z,1,N/A (Secondary die)\n");
        QCOMPARE(log.sink.gpus.size(), std::size_t{2});
        QCOMPARE(log.ofGpu("gpu_power", 0), (Values{100, 110}));
        QVERIFY(log.ofGpu("gpu_power", 1).empty());
        QCOMPARE(log.warnings(), std::string());
    }

    // 03/04 is the 3rd of April or the 4th of March: the unit asks, and takes what is said.
    void datesThatAreAsked() {
        const auto tree = importers::memoryTree({{"log.csv",
            "time,gpu,power_w\n03/04/2026 10:00:00,0,100\n03/04/2026 10:00:01,0,100\n"}});
        auto plan = importers::planImport(*tree, {});
        auto unit = plan.value().units.at(0);
        QVERIFY(unit.asksDates);
        const auto dayOf = [&](importers::DateOrder said) {
            unit.saidDates = said;
            RecordingSink sink;
            const auto report
                = importers::findImporter(unit.importer)->import(*tree, unit, sink, {});
            const bool isWarned = report.value().warningCount > 0;
            return std::pair(
                sink.ofGpu("gpu_power", 0)->times.front().ns / 86'400'000'000'000, isWarned);
        };
        // Days since 1970: 2026-03-04 is 20516, 2026-04-03 is 20546.
        QCOMPARE(dayOf(importers::DateOrder::Unknown), std::pair(std::int64_t{20516}, true));
        QCOMPARE(dayOf(importers::DateOrder::MonthFirst), std::pair(std::int64_t{20516}, false));
        QCOMPARE(dayOf(importers::DateOrder::DayFirst), std::pair(std::int64_t{20546}, false));
    }

    // Columns that are said of one source hold for it alone.
    void columnsOfOneSource() {
        const auto tree = importers::memoryTree({{"log.csv",
            "time,gpu,temperature_c,P_tot\n2026-03-01T10:00:00Z,0,50,100000\n"
            "2026-03-01T10:00:01Z,0,51,120000\n"}});
        auto plan = importers::planImport(*tree, {});
        auto unit = plan.value().units.at(0);
        QVERIFY(!unit.columns.empty());
        QCOMPARE(unit.heads, std::string("gpu\np_tot\ntemperature_c\ntime\n"));
        unit.saidColumns = importers::saidColumnsIn("P_tot=gpu_power[mW]; gpu=gpu").value();
        RecordingSink sink;
        QVERIFY(importers::findImporter("nvsmi")->import(*tree, unit, sink, {}).hasValue());
        const RecordedSeries* power = sink.ofGpu("gpu_power", 0);
        QVERIFY(power != nullptr);
        QCOMPARE(power->values.back() * power->description.scale, 120.0);
        unit.saidColumns.clear();
        RecordingSink plain;
        QVERIFY(importers::findImporter("nvsmi")->import(*tree, unit, plain, {}).hasValue());
        QVERIFY(plain.ofGpu("gpu_power", 0) == nullptr);
    }

    // Two GPUs at 100 and 110 W for two seconds, 420 J, in columns that blanks alone part.
    void partedByBlanks_data() {
        // stamp: "#" is the second
        // row: "$" is the GPU, behind the stamp
        const auto row = columns<std::string, std::string, std::string>("header", "stamp", "row");
        row("gaps", "timestamp            gpu  power_w  temp_c\n", "2026-01-01 10:00:0#",
            "  $      1$0.0     5$");
        row("single blanks", "time gpu power.draw utilization.gpu\n", "2026-01-01T10:00:0#",
            " $ 1$0 99");
        row("units", "timestamp           index power.draw memory.used\n",
            "2026/01/01 10:00:0#.000", "   $   1$0.00 W   4000 MiB");
        row("words in heads", "Time           GPU   GPU Power [W]   GPU Temp (C)\n", "176726160#",
            "   $    1$0.25     50");
        row("date and time", "date time gpu power\n", "2026-01-01 10:00:0#", " $ 1$0");
        row("comment", "# time   gpu   power(W)\n", "176726160#", "    $    1$0");
        row("half of the day", "timestamp  gpu  power\n", "01/13/2026 10:00:0# AM", "  $  1$0");
        row("a column of words", "timestamp            gpu  state    power_w\n",
            "2026-01-01 10:00:0#", "  $    running  1$0.0");
        row("no header", "", "2026/01/01  10:00:0#.000", "  $  1$0.00 W  9# %");
    }
    void partedByBlanks() {
        QFETCH(std::string, header);
        QFETCH(std::string, stamp);
        QFETCH(std::string, row);
        std::string text = header;
        for (char second = '0'; second < '3'; ++second) {
            for (char gpu = '0'; gpu < '2'; ++gpu) {
                std::string line = stamp + row + "\n";
                std::replace(line.begin(), line.end(), '#', second);
                std::replace(line.begin(), line.end(), '$', gpu);
                text += line;
            }
        }
        const ImportedAll log("log.txt", text);
        QVERIFY2(log.warnings().empty(), log.warnings().c_str());
        QCOMPARE(log.seconds("gpu_power", 1), (Values{0, 1, 2}));
        QVERIFY(qAbs(log.joules(0) + log.joules(1) - 420.0) < 1.01); // at 100.25 W
        QVERIFY(log.ofGpu("gpu_power", 2).empty());
    }

    // 100 W for 2.5 s, however the time since the start is counted.
    void unitsOfTime_data() {
        const auto row = columns<double>("perSecond");
        row("time_ms", 1e3);
        row("elapsed_us", 1e6);
        row("t_ns", 1e9);
        row("Elapsed (min)", 1.0 / 60.0);
        row("time [s]", 1.0);
        row("relative_time", 1.0);
    }
    void unitsOfTime() {
        QFETCH(double, perSecond);
        std::string text = QTest::currentDataTag() + ",gpu_power_w\n"s;
        for (int i = 0; i < 6; ++i)
            text += QByteArray::number((1000.0 + 0.5 * i) * perSecond, 'g', 17).toStdString()
                + ",100\n";
        const ImportedAll log("log.csv", text);
        QVERIFY2(qAbs(log.joules() - 250.0) < 1e-6, log.warnings().c_str());
    }

    // Four GPUs that are as busy as each other and draw what each draws.
    void alikeInOneReadingAlone() {
        std::string text = "timestamp, power.draw [W], utilization.gpu [%]\n";
        for (int i = 0; i < 8; ++i) {
            for (int gpu = 0; gpu < 4; ++gpu)
                text += "2026/01/01 10:00:0" + std::to_string(i) + ".0" + std::to_string(10 + gpu)
                    + ", 1" + std::to_string(gpu) + "0.00 W, 9" + std::to_string(i) + " %\n";
        }
        const ImportedAll log("log.csv", text);
        QCOMPARE(log.sink.gpus.size(), std::size_t{4});
        QCOMPARE(log.ofGpu("gpu_power", 3).at(0), 130.0);
    }

    // Words of a table's head in a sentence, and what follows is no row of it.
    void proseIsNoTable() {
        const ImportedAll log("notes.txt",
            "time gpu power temperature\n1 2 GPUs were used by 3 people\n"
            "2 4 of them had no power at all\n3 hours later the time was over\n");
        QVERIFY(log.plan.units.empty());
    }

    // Bare numbers tell nothing of themselves: a file of them is read where somebody says what they
    // are, and the refusal says how.
    void bareNumbersThatAreSaid() {
        const std::string text = "1767261600,45.5,33\n1767261601,46.5,34\n1767261602,47.5,35\n";
        const ImportedAll refused("p.csv", text);
        QVERIFY(refused.plan.units.empty());
        VERIFY_SAYS(refused.plan.unrecognised.at(0).reason, "--column");
        importers::sayColumns(importers::saidColumnsIn("column 2=gpu_power[W]").value());
        const ImportedAll log("p.csv", text);
        importers::sayColumns({});
        QCOMPARE(log.ofGpu("gpu_power"), (Values{45.5, 46.5, 47.5}));
    }

    // The sheet says what was understood of columns that have names of their own.
    void understoodColumnsAreTold() {
        const auto tree = importers::memoryTree({{"log.csv",
            "t,gpu,P (mW)\n2026-03-01T10:00:00Z,0,100\n2026-03-01T10:00:01Z,0,100\n"}});
        const auto plan = importers::planImport(*tree, {});
        std::string notes;
        for (const auto& unit : plan.value().units) {
            for (const std::string& note : unit.notes)
                notes += note + "\n";
        }
        QVERIFY2(notes.find("P (mW) is gpu_power in mW") != std::string::npos
                || plan.value().units.empty(),
            notes.c_str());
    }
};

} // namespace

TRAINSCOPE_TEST(tst_MadeTables)
#include "tst_MadeTables.moc"
