// Every way of writing an nvidia-smi log that is known, as small texts: what is GPU, time, value
// and unit.
#include "importers/meters/ImportLogs.h"
#include "support/TestProgram.h"

#include <QTest>

using namespace trainscope;
using namespace trainscope::test;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
// 2026-04-22T00:00:00Z: 20 565 days after the epoch.
constexpr std::int64_t kDay = 20'565LL * 86'400 * kSecond;
const double kNan = std::numeric_limits<double>::quiet_NaN();

QString listed(const std::vector<double>& values) {
    QStringList texts;
    for (const double value : values)
        texts << (std::isnan(value) ? QStringLiteral("-") : QString::number(value, 'g', 12));
    return texts.join(QLatin1Char(' '));
}

std::string utf16(const std::string& text) {
    std::string out("\xff\xfe", 2);
    for (const char c : text) {
        out += c;
        out += '\0';
    }
    return out;
}

} // namespace

class tst_Variations : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void values_data() {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<std::string>("metric");
        QTest::addColumn<int>("rank");
        QTest::addColumn<QString>("expected"); // SI
        const std::string full = "timestamp, index, power.draw [W], clocks.current.sm [MHz], "
                                 "utilization.gpu [%], memory.used [MiB]\n"
                                 "2026/04/22 00:00:00.000, 0, 115.49 W, 1980 MHz, 100 %, 2 MiB\n"
                                 "2026/04/22 00:00:00.003, 1, 80.00 W, 345 MHz, 0 %, 4 MiB\n"
                                 "2026/04/22 00:00:01.000, 0, [N/A], 1980 MHz, 50 %, 2 MiB\n"
                                 "2026/04/22 00:00:01.003, 1, 81.25 W, 345 MHz, 0 %, 4 MiB\n";
        QTest::newRow("power") << full << std::string("gpu_power") << 0
                               << QStringLiteral("115.49 -");
        QTest::newRow("clock in Hz")
            << full << std::string("sm_clock") << 1 << QStringLiteral("345000000 345000000");
        QTest::newRow("utilisation as a fraction")
            << full << std::string("gpu_utilization") << 0 << QStringLiteral("1 0.5");
        QTest::newRow("memory in bytes")
            << full << std::string("mem_used") << 1 << QStringLiteral("4194304 4194304");
        QTest::newRow("UTF-16 as PowerShell writes it")
            << utf16(full) << std::string("gpu_power") << 1 << QStringLiteral("80 81.25");

        std::string crlf = full;
        for (std::size_t at = 0; (at = crlf.find('\n', at)) != std::string::npos; at += 2)
            crlf.replace(at, 1, "\r\n");
        QTest::newRow("CRLF") << crlf << std::string("gpu_power") << 1
                              << QStringLiteral("80 81.25");

        QTest::newRow("nounits") << std::string(
            "timestamp, index, power.draw [W], memory.used [MiB]\n"
            "2026/04/22 00:00:00.000, 0, 115.49, 2\n")
                                 << std::string("mem_used") << 0 << QStringLiteral("2097152");
        QTest::newRow("spreadsheet")
            << std::string("timestamp;index;power.draw [W]\n22.04.2026 00:00:00;0;115,49 W\n"
                           "22.04.2026 00:00:01;0;116,51 W\n")
            << std::string("gpu_power") << 0 << QStringLiteral("115.49 116.51");
        QTest::newRow("wide") << std::string(
            "timestamp,GPU0,GPU1\n1776816000.0,100.5,200\n1776816000.2,101,\n")
                              << std::string("gpu_power") << 1 << QStringLiteral("200 -");
        QTest::newRow("no header")
            << std::string("2026/04/22 00:00:00.000, 7 %, 0 %, 2 MiB, 20146 MiB, 27, 11.64 W\n"
                           "2026/04/22 00:00:05.000, 8 %, 0 %, 148 MiB, 20000 MiB, 28, 11.36 W\n")
            << std::string("gpu_temperature") << 0 << QStringLiteral("27 28");
        QTest::newRow("no header, memory")
            << std::string("2026/04/22 00:00:00.000, 7 %, 0 %, 2 MiB, 20146 MiB, 27, 11.64 W\n"
                           "2026/04/22 00:00:05.000, 8 %, 0 %, 148 MiB, 20000 MiB, 28, 11.36 W\n")
            << std::string("mem_used") << 0 << QStringLiteral("2097152 155189248");
        const std::string glued = "timestamp,gpu_name,temperature,power_draw,memory_total\n"
                                  "2026/04/22 00:00:00.000,Tesla P100,28,180.51 W,\"16384 MiB\n"
                                  "2026/04/22 00:00:00.005\",Tesla P100,25,25.20 W,16384 MiB\n"
                                  "2026/04/22 00:01:00.000,Tesla P100,26,30.89 W,\"16384 MiB\n"
                                  "2026/04/22 00:01:00.005\",Tesla P100,25,25.28 W,16384 MiB\n";
        QTest::newRow("glued rows, first GPU")
            << glued << std::string("gpu_power") << 0 << QStringLiteral("180.51 30.89");
        QTest::newRow("glued rows, second GPU")
            << glued << std::string("gpu_power") << 1 << QStringLiteral("25.2 25.28");
        QTest::newRow("index that is always 0")
            << std::string("timestamp,gpu,index,power.draw\n2026-04-22T00:00:00Z,0, 0, 70\n"
                           "2026-04-22T00:00:00Z,1, 0, 71\n2026-04-22T00:00:01Z,0, 0, 72\n"
                           "2026-04-22T00:00:01Z,1, 0, 73\n")
            << std::string("gpu_power") << 1 << QStringLiteral("71 73");
        QTest::newRow("GPUs by uuid") << std::string(
            "timestamp, uuid, power.draw [W]\n2026/04/22 00:00:00.000, GPU-aa, 70 W\n"
            "2026/04/22 00:00:00.001, GPU-bb, 71 W\n2026/04/22 00:00:01.000, GPU-bb, 73 W\n")
                                      << std::string("gpu_power") << 1 << QStringLiteral("71 73");
        QTest::newRow("redacted UUIDs beside an index") << std::string(
            "timestamp, index, uuid, power.draw [W]\n2026/04/22 00:00:00.000, 0, GPU-xxxx, 70 W\n"
            "2026/04/22 00:00:00.001, 1, GPU-xxxx, 71 W\n")
                                                        << std::string("gpu_power") << 1
                                                        << QStringLiteral("71");
        QTest::newRow("GPUs by bus id")
            << std::string("timestamp, pci.bus_id, power.draw [W]\n2026/04/22 00:00:00.000, "
                           "00000000:18:00.0, 70 W\n"
                           "2026/04/22 00:00:00.001, 00000000:2A:00.0, 71 W\n")
            << std::string("gpu_power") << 1 << QStringLiteral("71");
        QTest::newRow("own column names")
            << std::string("timestamp,gpu_index,temperature_C,utilization_gpu_percent,power_W\n"
                           "2026-04-22T00:00:00.000Z,0, 38, 100, 387.26\n")
            << std::string("gpu_utilization") << 0 << QStringLiteral("1");
        QTest::newRow("graphics clock alone")
            << std::string(
                   "timestamp, index, clocks.gr [MHz]\n2026/04/22 00:00:00.000, 0, 1410 MHz\n")
            << std::string("sm_clock") << 0 << QStringLiteral("1410000000");
        QTest::newRow("graphics clock beside SM clock")
            << std::string("timestamp, index, clocks.gr [MHz], clocks.sm [MHz]\n2026/04/22 "
                           "00:00:00.000, 0, 1410 MHz, 1400 MHz\n")
            << std::string("graphics_clock") << 0 << QStringLiteral("1410000000");
        const std::string both
            = "timestamp, index, power.draw [W], power.draw.average [W], power.draw.instant [W]\n"
              "2026/04/22 00:00:00.000, 0, 10 W, 20 W, 30 W\n";
        QTest::newRow("instant beside average")
            << both << std::string("gpu_power") << 0 << QStringLiteral("30");
        QTest::newRow("average beside instant")
            << both << std::string("gpu_power_average") << 0 << QStringLiteral("20");
        QTest::newRow("third power column")
            << both << std::string("power_draw") << 0 << QStringLiteral("10");
        const std::string noInstant
            = "timestamp, index, power.draw [W], power.draw.instant [W]\n"
              "2026/04/22 00:00:00.000, 0, 10 W, [N/A]\n2026/04/22 00:00:01.000, 0, 11 W, [N/A]\n";
        QTest::newRow("instant without values")
            << noInstant << std::string("gpu_power") << 0 << QStringLiteral("10 11");
        const std::string instantOfOne
            = "timestamp, index, power.draw [W], power.draw.instant [W]\n"
              "2026/04/22 00:00:00.000, 0, 10 W, 30 W\n2026/04/22 00:00:00.000, 1, 20 W, [N/A]\n"
              "2026/04/22 00:00:01.000, 0, 11 W, 31 W\n2026/04/22 00:00:01.000, 1, 21 W, [N/A]\n";
        QTest::newRow("instant of one GPU, there")
            << instantOfOne << std::string("gpu_power") << 0 << QStringLiteral("30 31");
        QTest::newRow("instant of one GPU, not there")
            << instantOfOne << std::string("gpu_power") << 1 << QStringLiteral("20 21");
        QTest::newRow("throttle reasons")
            << std::string("timestamp, index, clocks_event_reasons.active\n"
                           "2026/04/22 00:00:00.000, 0, 0x0000000000000044\n")
            << std::string("throttle_reasons") << 0 << QStringLiteral("68");
        QTest::newRow("pstate") << std::string(
            "timestamp, index, pstate, power.draw [W]\n2026/04/22 00:00:00.000, 0, P8, 10 W\n")
                                << std::string("pstate") << 0 << QStringLiteral("8");
        QTest::newRow("PCIe monitor, rate")
            << std::string(
                   "timestamp_sec,relative_time_sec,gpu_id,tx_pci_mb_per_sec,cumulative_tx_gb\n"
                   "1776816000.5,0.000,0,106.00,0.5000\n")
            << std::string("pcie_tx_rate") << 0 << QStringLiteral("106000000");
        QTest::newRow("PCIe monitor, counter")
            << std::string(
                   "timestamp_sec,relative_time_sec,gpu_id,tx_pci_mb_per_sec,cumulative_tx_gb\n"
                   "1776816000.5,0.000,0,106.00,0.5000\n")
            << std::string("pcie_tx") << 0 << QStringLiteral("512000000");
        QTest::newRow("noise among rows")
            << std::string("Field \"bogus.field\" is not a valid field to query.\n"
                           "timestamp, index, power.draw [W]\n2026/04/22 00:00:00.000, 0, 70 W\n"
                           "Unable to determine the device handle for GPU0: GPU is lost\n"
                           "2026/04/22 00:00:01.000, 0, ERR!\n2026/04/22 00:00:02.000, 0, 71 W\n")
            << std::string("gpu_power") << 0 << QStringLiteral("70 - 71");
        QTest::newRow("last row cut off")
            << std::string("timestamp, index, power.draw [W]\n2026/04/22 00:00:00.000, 0, 70.25 W\n"
                           "2026/04/22 00:00:01.000, 0, 71.25 W\n2026/04/22 00:00:02.000, 0, 7")
            << std::string("gpu_power") << 0 << QStringLiteral("70.25 71.25");
        QTest::newRow("log started twice, other columns") << std::string(
            "timestamp, index, power.draw [W]\n2026/04/22 00:00:00.000, 0, 70 W\n"
            "timestamp, index, temperature.gpu, power.draw [W]\n2026/04/22 00:00:05.000, 0, 30, 71 "
            "W\n") << std::string("gpu_power") << 0 << QStringLiteral("70 71");
        const std::string table
            = "Tue Mar 25 09:12:42 2025       \n"
              "+-----------------------------------------+------------------------+----------------"
              "----"
              "--+\n"
              "| NVIDIA-SMI 560.35.03    Driver Version: 560.35.03      CUDA Version: 12.6     |\n"
              "|   0  NVIDIA A100-SXM4-40GB          On  |   00000000:18:00.0 Off |                "
              "    "
              "0 |\n"
              "| N/A   31C    P0             55W /  400W |       3MiB /  40960MiB |      7%      "
              "Default |\n"
              "|   1  NVIDIA A100-SXM4-40GB          On  |   00000000:2A:00.0 Off |                "
              "    "
              "0 |\n"
              "| 33%   30C    P8             ERR! / 400W |       5MiB /  40960MiB |    N/A       "
              "Default |\n";
        QTest::newRow("drawn table, temperature")
            << table << std::string("gpu_temperature") << 0 << QStringLiteral("31");
        QTest::newRow("drawn table, power limit")
            << table << std::string("power_limit") << 1 << QStringLiteral("400");
        QTest::newRow("drawn table, memory")
            << table << std::string("mem_used") << 1 << QStringLiteral("5242880");
        QTest::newRow("no header, limit before power")
            << std::string("2026/04/22 00:00:00.000, 700.00 W, 123.50 W\n"
                           "2026/04/22 00:00:05.000, 700.00 W, 324.25 W\n")
            << std::string("gpu_power") << 0 << QStringLiteral("123.5 324.25");
        QTest::newRow("no header, nothing moves")
            << std::string("2026/04/22 00:00:00.000, 700.00 W, 70.50 W\n"
                           "2026/04/22 00:00:05.000, 700.00 W, 70.50 W\n")
            << std::string("power_limit") << 0 << QStringLiteral("700 700");
        QTest::newRow("no header, memory clock before SM clock")
            << std::string("2026/04/22 00:00:00.000, 2619 MHz, 1980 MHz\n"
                           "2026/04/22 00:00:05.000, 2619 MHz, 345 MHz\n")
            << std::string("sm_clock") << 0 << QStringLiteral("1980000000 345000000");
        QTest::newRow("other order within the first rows")
            << std::string("timestamp, index, temperature.gpu, power.draw [W]\n"
                           "2026/04/22 00:00:00.000, 0, 30, 70 W\n"
                           "timestamp, index, power.draw [W], temperature.gpu\n"
                           "2026/04/22 00:00:05.000, 0, 71 W, 31\n"
                           "2026/04/22 00:00:06.000, 0, 72 W, 32\n")
            << std::string("gpu_temperature") << 0 << QStringLiteral("30 31 32");
        // 104 °F are (104 − 32) / 1.8 = 40 °C, 212 °F are 100 °C.
        QTest::newRow("Fahrenheit in the header") << std::string(
            "timestamp, index, temperature.gpu [F]\n2026/04/22 00:00:00.000, 0, 104\n"
            "2026/04/22 00:00:01.000, 0, 212\n") << std::string("gpu_temperature")
                                                  << 0 << QStringLiteral("40 100");
        QTest::newRow("Fahrenheit as a suffix")
            << std::string("timestamp,gpu_index,temperature_F\n2026/04/22 00:00:00.000,0,104\n")
            << std::string("gpu_temperature") << 0 << QStringLiteral("40");
        QTest::newRow("Fahrenheit in the cells")
            << std::string("timestamp, index, temperature.gpu\n2026/04/22 00:00:00.000, 0, 104 °F\n"
                           "2026/04/22 00:00:01.000, 0, 212 °F\n")
            << std::string("gpu_temperature") << 0 << QStringLiteral("40 100");
        QTest::newRow("cells in another unit than the header's")
            << std::string(
                   "timestamp, index, power.draw [mW]\n2026/04/22 00:00:00.000, 0, 100.00 W\n"
                   "2026/04/22 00:00:01.000, 0, 101000 mW\n"
                   "2026/04/22 00:00:02.000, 0, 102.00 W\n")
            << std::string("gpu_power") << 0 << QStringLiteral("100 101 102");
        QTest::newRow("megajoules") << std::string(
            "timestamp,index,energy [MJ],power.draw [W]\n2026/04/22 00:00:00.000,0,1.5,100\n")
                                    << std::string("gpu_energy") << 0 << QStringLiteral("1500000");
        QTest::newRow("milliwatts in capitals")
            << std::string("TIMESTAMP,INDEX,POWER_MW\n2026/04/22 00:00:00.000,0,100000\n")
            << std::string("gpu_power") << 0 << QStringLiteral("100");
        QTest::newRow("a remark in parentheses")
            << std::string("timestamp, index, power (average)\n2026/04/22 00:00:00.000, 0, 70\n")
            << std::string("gpu_power") << 0 << QStringLiteral("70");
        QTest::newRow("below zero")
            << std::string("timestamp, index, power.draw [W], temperature.gpu\n"
                           "2026/04/22 00:00:00.000, 0, -1 W, 40\n"
                           "2026/04/22 00:00:01.000, 0, -100 W, 40\n"
                           "2026/04/22 00:00:02.000, 0, 5 W, 40\n")
            << std::string("gpu_power") << 0 << QStringLiteral("- - 5");
        for (const char* header : {"util [fraction]", "util (ratio)", "gpu_util_ratio"}) {
            QTest::newRow(header) << "timestamp,index,power.draw [W]," + std::string(header)
                    + "\n2026/04/22 00:00:00.000,0,70,0.95\n2026/04/22 00:00:01.000,0,70,1\n"
                                  << std::string("gpu_utilization") << 0
                                  << QStringLiteral("0.95 1");
        }
        QTest::newRow("minus one is missing")
            << std::string("timestamp, index, power.draw [W]\n2026/04/22 00:00:00.000, 0, -1\n"
                           "2026/04/22 00:00:01.000, 0, 5\n")
            << std::string("gpu_power") << 0 << QStringLiteral("- 5");
    }
    void values() {
        QFETCH(std::string, text);
        QFETCH(std::string, metric);
        QFETCH(int, rank);
        QFETCH(QString, expected);
        ImportedLog imported;
        importText(text, imported);
        QCOMPARE(imported.reports.size(), std::size_t{1});
        QVERIFY2(imported.reports[0].hasValue(),
            imported.reports[0].hasValue() ? "" : imported.reports[0].error().describe().c_str());
        QCOMPARE(listed(imported.values(metric, rank)), expected);
    }
    void sharesUpToOne_data() {
        QTest::addColumn<std::string>("cells");
        QTest::addColumn<bool>("isWarned");
        QTest::newRow("with decimals") << std::string("0.95 1") << true;
        QTest::newRow("whole percent of an idle GPU") << std::string("0 1") << false;
        QTest::newRow("beyond 1") << std::string("0.95 90") << false;
    }
    // Without a unit it is %; what may as well be a fraction is told.
    void sharesUpToOne() {
        QFETCH(std::string, cells);
        QFETCH(bool, isWarned);
        const std::size_t blank = cells.find(' ');
        ImportedLog imported;
        importText("timestamp,index,power.draw [W],util\n2026/04/22 00:00:00.000,0,70,"
                + cells.substr(0, blank) + "\n2026/04/22 00:00:01.000,0,70,"
                + cells.substr(blank + 1) + "\n",
            imported);
        const auto& warnings = imported.reports[0].value().warnings;
        QCOMPARE(warnings.size(), std::size_t{isWarned ? 1U : 0U});
        if (isWarned)
            QVERIFY(warnings[0].text.find("\"util [fraction]\"") != std::string::npos);
    }
    void firstTime_data() {
        QTest::addColumn<QString>("stamp");
        QTest::addColumn<qint64>("expected");
        QTest::addColumn<int>("clock");
        const int utc = static_cast<int>(importers::ClockKind::Utc);
        const int local = static_cast<int>(importers::ClockKind::Local);
        const int none = static_cast<int>(importers::ClockKind::None);
        QTest::newRow("nvidia-smi")
            << QStringLiteral("2026/04/22 00:03:09.407") << qint64(kDay + 189'407'000'000) << local;
        QTest::newRow("ISO with Z")
            << QStringLiteral("2026-04-22T00:00:01.5Z") << qint64(kDay + kSecond * 3 / 2) << utc;
        QTest::newRow("ISO with offset")
            << QStringLiteral("2026-04-22T08:00:01+08:00") << qint64(kDay + kSecond) << utc;
        QTest::newRow("ISO west of Greenwich")
            << QStringLiteral("2026-04-21T20:00:00-0400") << qint64(kDay) << utc;
        QTest::newRow("ISO without zone") << QStringLiteral("2026-04-22T00:00:01.000001")
                                          << qint64(kDay + kSecond + 1000) << local;
        QTest::newRow("unix seconds")
            << QStringLiteral("1776816000.335") << qint64(kDay + 335'000'000) << utc;
        QTest::newRow("unix ms") << QStringLiteral("1776816000335") << qint64(kDay + 335'000'000)
                                 << utc;
        QTest::newRow("unix us") << QStringLiteral("1776816000000001") << qint64(kDay + 1000)
                                 << utc;
        QTest::newRow("unix ns") << QStringLiteral("1776816000000000007") << qint64(kDay + 7)
                                 << utc;
        QTest::newRow("since the start")
            << QStringLiteral("12.25") << qint64(12'250'000'000) << none;
        QTest::newRow("leap day") << QStringLiteral("2028/02/29 00:00:00.000")
                                  << qint64((20'565LL + 678) * 86'400 * kSecond) << local;
    }
    void firstTime() {
        QFETCH(QString, stamp);
        QFETCH(qint64, expected);
        QFETCH(int, clock);
        ImportedLog imported;
        importText(
            "timestamp, index, power.draw [W]\n" + stamp.toStdString() + ", 0, 70 W\n", imported);
        QCOMPARE(imported.units.size(), std::size_t{1});
        QCOMPARE(static_cast<int>(imported.units[0].clock), clock);
        const auto times = imported.times("gpu_power", 0);
        QCOMPARE(times.size(), std::size_t{1});
        QCOMPARE(qint64(times[0]), expected);
    }
};

TRAINSCOPE_TEST(tst_Variations)
#include "tst_Variations.moc"
