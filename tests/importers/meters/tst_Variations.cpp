// Every way of writing an nvidia-smi log that is known, as small texts: what is GPU, time, value
// and unit.

#include "importers/meters/ImportLogs.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
// 2026-04-22T00:00:00Z: 20 565 days after the epoch.
constexpr std::int64_t kDay = 20'565LL * 86'400 * kSecond;

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
        // expected: SI
        const auto row
            = columns<std::string, std::string, int, QString>("text", "metric", "rank", "expected");
        const std::string full = "timestamp, index, power.draw [W], clocks.current.sm [MHz], "
                                 "utilization.gpu [%], memory.used [MiB]\n"
                                 "2026/04/22 00:00:00.000, 0, 115.49 W, 1980 MHz, 100 %, 2 MiB\n"
                                 "2026/04/22 00:00:00.003, 1, 80.00 W, 345 MHz, 0 %, 4 MiB\n"
                                 "2026/04/22 00:00:01.000, 0, [N/A], 1980 MHz, 50 %, 2 MiB\n"
                                 "2026/04/22 00:00:01.003, 1, 81.25 W, 345 MHz, 0 %, 4 MiB\n";
        row("power", full, "gpu_power", 0, "115.49 -");
        row("clock in Hz", full, "sm_clock", 1, "345000000 345000000");
        row("utilisation as a fraction", full, "gpu_utilization", 0, "1 0.5");
        row("memory in bytes", full, "mem_used", 1, "4194304 4194304");
        row("UTF-16 as PowerShell writes it", utf16(full), "gpu_power", 1, "80 81.25");

        std::string crlf = full;
        for (std::size_t at = 0; (at = crlf.find('\n', at)) != std::string::npos; at += 2)
            crlf.replace(at, 1, "\r\n");
        row("CRLF", crlf, "gpu_power", 1, "80 81.25");

        row("nounits",
            "timestamp, index, power.draw [W], memory.used [MiB]\n"
            "2026/04/22 00:00:00.000, 0, 115.49, 2\n",
            "mem_used", 0, "2097152");
        row("spreadsheet",
            "timestamp;index;power.draw [W]\n22.04.2026 00:00:00;0;115,49 W\n"
            "22.04.2026 00:00:01;0;116,51 W\n",
            "gpu_power", 0, "115.49 116.51");
        row("wide", "timestamp,GPU0,GPU1\n1776816000.0,100.5,200\n1776816000.2,101,\n", "gpu_power",
            1, "200 -");
        row("no header",
            "2026/04/22 00:00:00.000, 7 %, 0 %, 2 MiB, 20146 MiB, 27, 11.64 W\n"
            "2026/04/22 00:00:05.000, 8 %, 0 %, 148 MiB, 20000 MiB, 28, 11.36 W\n",
            "gpu_temperature", 0, "27 28");
        row("no header, memory",
            "2026/04/22 00:00:00.000, 7 %, 0 %, 2 MiB, 20146 MiB, 27, 11.64 W\n"
            "2026/04/22 00:00:05.000, 8 %, 0 %, 148 MiB, 20000 MiB, 28, 11.36 W\n",
            "mem_used", 0, "2097152 155189248");
        const std::string glued = "timestamp,gpu_name,temperature,power_draw,memory_total\n"
                                  "2026/04/22 00:00:00.000,Tesla P100,28,180.51 W,\"16384 MiB\n"
                                  "2026/04/22 00:00:00.005\",Tesla P100,25,25.20 W,16384 MiB\n"
                                  "2026/04/22 00:01:00.000,Tesla P100,26,30.89 W,\"16384 MiB\n"
                                  "2026/04/22 00:01:00.005\",Tesla P100,25,25.28 W,16384 MiB\n";
        row("glued rows, first GPU", glued, "gpu_power", 0, "180.51 30.89");
        row("glued rows, second GPU", glued, "gpu_power", 1, "25.2 25.28");
        row("index that is always 0",
            "timestamp,gpu,index,power.draw\n2026-04-22T00:00:00Z,0, 0, 70\n"
            "2026-04-22T00:00:00Z,1, 0, 71\n2026-04-22T00:00:01Z,0, 0, 72\n"
            "2026-04-22T00:00:01Z,1, 0, 73\n",
            "gpu_power", 1, "71 73");
        row("GPUs by uuid",
            "timestamp, uuid, power.draw [W]\n2026/04/22 00:00:00.000, GPU-aa, 70 W\n"
            "2026/04/22 00:00:00.001, GPU-bb, 71 W\n2026/04/22 00:00:01.000, GPU-bb, 73 W\n",
            "gpu_power", 1, "71 73");
        row("redacted UUIDs beside an index",
            "timestamp, index, uuid, power.draw [W]\n2026/04/22 00:00:00.000, 0, GPU-xxxx, 70 W\n"
            "2026/04/22 00:00:00.001, 1, GPU-xxxx, 71 W\n",
            "gpu_power", 1, "71");
        row("GPUs by bus id",
            "timestamp, pci.bus_id, power.draw [W]\n2026/04/22 00:00:00.000, "
            "00000000:18:00.0, 70 W\n"
            "2026/04/22 00:00:00.001, 00000000:2A:00.0, 71 W\n",
            "gpu_power", 1, "71");
        row("own column names",
            "timestamp,gpu_index,temperature_C,utilization_gpu_percent,power_W\n"
            "2026-04-22T00:00:00.000Z,0, 38, 100, 387.26\n",
            "gpu_utilization", 0, "1");
        row("graphics clock alone",
            "timestamp, index, clocks.gr [MHz]\n2026/04/22 00:00:00.000, 0, 1410 MHz\n", "sm_clock",
            0, "1410000000");
        row("graphics clock beside SM clock",
            "timestamp, index, clocks.gr [MHz], clocks.sm [MHz]\n2026/04/22 "
            "00:00:00.000, 0, 1410 MHz, 1400 MHz\n",
            "graphics_clock", 0, "1410000000");
        const std::string both
            = "timestamp, index, power.draw [W], power.draw.average [W], power.draw.instant [W]\n"
              "2026/04/22 00:00:00.000, 0, 10 W, 20 W, 30 W\n";
        row("instant beside average", both, "gpu_power", 0, "30");
        row("average beside instant", both, "gpu_power_average", 0, "20");
        row("third power column", both, "power_draw", 0, "10");
        const std::string noInstant
            = "timestamp, index, power.draw [W], power.draw.instant [W]\n"
              "2026/04/22 00:00:00.000, 0, 10 W, [N/A]\n2026/04/22 00:00:01.000, 0, 11 W, [N/A]\n";
        row("instant without values", noInstant, "gpu_power", 0, "10 11");
        const std::string instantOfOne
            = "timestamp, index, power.draw [W], power.draw.instant [W]\n"
              "2026/04/22 00:00:00.000, 0, 10 W, 30 W\n2026/04/22 00:00:00.000, 1, 20 W, [N/A]\n"
              "2026/04/22 00:00:01.000, 0, 11 W, 31 W\n2026/04/22 00:00:01.000, 1, 21 W, [N/A]\n";
        row("instant of one GPU, there", instantOfOne, "gpu_power", 0, "30 31");
        row("instant of one GPU, not there", instantOfOne, "gpu_power", 1, "20 21");
        row("throttle reasons",
            "timestamp, index, clocks_event_reasons.active\n"
            "2026/04/22 00:00:00.000, 0, 0x0000000000000044\n",
            "throttle_reasons", 0, "68");
        row("pstate",
            "timestamp, index, pstate, power.draw [W]\n2026/04/22 00:00:00.000, 0, P8, 10 W\n",
            "pstate", 0, "8");
        row("PCIe monitor, rate",
            "timestamp_sec,relative_time_sec,gpu_id,tx_pci_mb_per_sec,cumulative_tx_gb\n"
            "1776816000.5,0.000,0,106.00,0.5000\n",
            "pcie_tx_rate", 0, "106000000");
        row("PCIe monitor, counter",
            "timestamp_sec,relative_time_sec,gpu_id,tx_pci_mb_per_sec,cumulative_tx_gb\n"
            "1776816000.5,0.000,0,106.00,0.5000\n",
            "pcie_tx", 0, "512000000");
        row("noise among rows",
            "Field \"bogus.field\" is not a valid field to query.\n"
            "timestamp, index, power.draw [W]\n2026/04/22 00:00:00.000, 0, 70 W\n"
            "Unable to determine the device handle for GPU0: GPU is lost\n"
            "2026/04/22 00:00:01.000, 0, ERR!\n2026/04/22 00:00:02.000, 0, 71 W\n",
            "gpu_power", 0, "70 - 71");
        row("last row cut off",
            "timestamp, index, power.draw [W]\n2026/04/22 00:00:00.000, 0, 70.25 W\n"
            "2026/04/22 00:00:01.000, 0, 71.25 W\n2026/04/22 00:00:02.000, 0, 7",
            "gpu_power", 0, "70.25 71.25");
        row("log started twice, other columns",
            "timestamp, index, power.draw [W]\n2026/04/22 00:00:00.000, 0, 70 W\n"
            "timestamp, index, temperature.gpu, power.draw [W]\n2026/04/22 00:00:05.000, 0, 30, 71 "
            "W\n",
            "gpu_power", 0, "70 71");
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
        row("drawn table, temperature", table, "gpu_temperature", 0, "31");
        row("drawn table, power limit", table, "power_limit", 1, "400");
        row("drawn table, memory", table, "mem_used", 1, "5242880");
        row("no header, limit before power",
            "2026/04/22 00:00:00.000, 700.00 W, 123.50 W\n"
            "2026/04/22 00:00:05.000, 700.00 W, 324.25 W\n",
            "gpu_power", 0, "123.5 324.25");
        row("no header, nothing moves",
            "2026/04/22 00:00:00.000, 700.00 W, 70.50 W\n"
            "2026/04/22 00:00:05.000, 700.00 W, 70.50 W\n",
            "power_limit", 0, "700 700");
        row("no header, memory clock before SM clock",
            "2026/04/22 00:00:00.000, 2619 MHz, 1980 MHz\n"
            "2026/04/22 00:00:05.000, 2619 MHz, 345 MHz\n",
            "sm_clock", 0, "1980000000 345000000");
        row("other order within the first rows",
            "timestamp, index, temperature.gpu, power.draw [W]\n"
            "2026/04/22 00:00:00.000, 0, 30, 70 W\n"
            "timestamp, index, power.draw [W], temperature.gpu\n"
            "2026/04/22 00:00:05.000, 0, 71 W, 31\n"
            "2026/04/22 00:00:06.000, 0, 72 W, 32\n",
            "gpu_temperature", 0, "30 31 32");
        // 104 °F are (104 − 32) / 1.8 = 40 °C, 212 °F are 100 °C.
        row("Fahrenheit in the header",
            "timestamp, index, temperature.gpu [F]\n2026/04/22 00:00:00.000, 0, 104\n"
            "2026/04/22 00:00:01.000, 0, 212\n",
            "gpu_temperature", 0, "40 100");
        row("Fahrenheit as a suffix",
            "timestamp,gpu_index,temperature_F\n2026/04/22 00:00:00.000,0,104\n", "gpu_temperature",
            0, "40");
        row("Fahrenheit in the cells",
            "timestamp, index, temperature.gpu\n2026/04/22 00:00:00.000, 0, 104 °F\n"
            "2026/04/22 00:00:01.000, 0, 212 °F\n",
            "gpu_temperature", 0, "40 100");
        row("cells in another unit than the header's",
            "timestamp, index, power.draw [mW]\n2026/04/22 00:00:00.000, 0, 100.00 W\n"
            "2026/04/22 00:00:01.000, 0, 101000 mW\n"
            "2026/04/22 00:00:02.000, 0, 102.00 W\n",
            "gpu_power", 0, "100 101 102");
        row("megajoules",
            "timestamp,index,energy [MJ],power.draw [W]\n2026/04/22 00:00:00.000,0,1.5,100\n",
            "gpu_energy", 0, "1500000");
        row("milliwatts in capitals",
            "TIMESTAMP,INDEX,POWER_MW\n2026/04/22 00:00:00.000,0,100000\n", "gpu_power", 0, "100");
        row("a remark in parentheses",
            "timestamp, index, power (average)\n2026/04/22 00:00:00.000, 0, 70\n", "gpu_power", 0,
            "70");
        row("below zero",
            "timestamp, index, power.draw [W], temperature.gpu\n"
            "2026/04/22 00:00:00.000, 0, -1 W, 40\n"
            "2026/04/22 00:00:01.000, 0, -100 W, 40\n"
            "2026/04/22 00:00:02.000, 0, 5 W, 40\n",
            "gpu_power", 0, "- - 5");
        for (const char* header : {"util [fraction]", "util (ratio)", "gpu_util_ratio"}) {
            row(header,
                "timestamp,index,power.draw [W]," + std::string(header)
                    + "\n2026/04/22 00:00:00.000,0,70,0.95\n2026/04/22 00:00:01.000,0,70,1\n",
                "gpu_utilization", 0, "0.95 1");
        }
        row("minus one is missing",
            "timestamp, index, power.draw [W]\n2026/04/22 00:00:00.000, 0, -1\n"
            "2026/04/22 00:00:01.000, 0, 5\n",
            "gpu_power", 0, "- 5");
    }
    void values() {
        QFETCH(std::string, text);
        QFETCH(std::string, metric);
        QFETCH(int, rank);
        QFETCH(QString, expected);
        const ImportedLog imported(text);
        QCOMPARE(imported.reports.size(), std::size_t{1});
        QVERIFY2(imported.reports[0].hasValue(),
            imported.reports[0].hasValue() ? "" : imported.reports[0].error().describe().c_str());
        QCOMPARE(listed(imported.values(metric, rank)), expected);
    }
    void sharesUpToOne_data() {
        const auto row = columns<std::string, bool>("cells", "isWarned");
        row("with decimals", "0.95 1", true);
        row("whole percent of an idle GPU", "0 1", false);
        row("beyond 1", "0.95 90", false);
    }
    // Without a unit it is %; what may as well be a fraction is told.
    void sharesUpToOne() {
        QFETCH(std::string, cells);
        QFETCH(bool, isWarned);
        const std::size_t blank = cells.find(' ');
        const ImportedLog imported(
            "timestamp,index,power.draw [W],util\n2026/04/22 00:00:00.000,0,70,"
            + cells.substr(0, blank) + "\n2026/04/22 00:00:01.000,0,70," + cells.substr(blank + 1)
            + "\n");
        const auto& warnings = imported.reports[0].value().warnings;
        QCOMPARE(warnings.size(), std::size_t{isWarned ? 1U : 0U});
        if (isWarned)
            VERIFY_SAYS(warnings[0].text, "\"util [fraction]\"");
    }
    void firstTime_data() {
        const auto row = columns<QString, qint64, int>("stamp", "expected", "clock");
        const int utc = static_cast<int>(importers::ClockKind::Utc);
        const int local = static_cast<int>(importers::ClockKind::Local);
        const int none = static_cast<int>(importers::ClockKind::None);
        row("nvidia-smi", "2026/04/22 00:03:09.407", qint64(kDay + 189'407'000'000), local);
        row("ISO with Z", "2026-04-22T00:00:01.5Z", qint64(kDay + kSecond * 3 / 2), utc);
        row("ISO with offset", "2026-04-22T08:00:01+08:00", qint64(kDay + kSecond), utc);
        row("ISO west of Greenwich", "2026-04-21T20:00:00-0400", qint64(kDay), utc);
        row("ISO without zone", "2026-04-22T00:00:01.000001", qint64(kDay + kSecond + 1000), local);
        row("unix seconds", "1776816000.335", qint64(kDay + 335'000'000), utc);
        row("unix ms", "1776816000335", qint64(kDay + 335'000'000), utc);
        row("unix us", "1776816000000001", qint64(kDay + 1000), utc);
        row("unix ns", "1776816000000000007", qint64(kDay + 7), utc);
        row("since the start", "12.25", 12'250'000'000, none);
        row("leap day", "2028/02/29 00:00:00.000", qint64((20'565LL + 678) * 86'400 * kSecond),
            local);
    }
    void firstTime() {
        QFETCH(QString, stamp);
        QFETCH(qint64, expected);
        QFETCH(int, clock);
        const ImportedLog imported(
            "timestamp, index, power.draw [W]\n" + stamp.toStdString() + ", 0, 70 W\n");
        QCOMPARE(imported.units.size(), std::size_t{1});
        QCOMPARE(static_cast<int>(imported.units[0].clock), clock);
        const auto times = imported.times("gpu_power", 0);
        QCOMPARE(times.size(), std::size_t{1});
        QCOMPARE(qint64(times[0]), expected);
    }
};

TRAINSCOPE_TEST(tst_Variations)
#include "tst_Variations.moc"
