// Monitors of boards and of people's own, AMD's JSON, and CodeCarbon's tables.

#include "importers/support/ImportAll.h"
#include "support/TestProgram.h"

using namespace trainscope::test;
using namespace std::string_literals;

namespace {

using Values = std::vector<double>;

bool areNear(const Values& values, const Values& expected) {
    return std::equal(values.begin(), values.end(), expected.begin(), expected.end(),
        [](double value, double other) { return std::abs(value - other) < 1e-9; });
}

const std::vector<ToldFile> kMonitorFiles{
    {"dies of rocm-smi as text", "smi.txt",
        "======= ROCm System Management Interface =======\n"
        "GPU[0]\t\t: Average Graphics Package Power (W): 240.0\n"
        "GPU[1]\t\t: Average Graphics Package Power (W): N/A (Secondary die)\n"
        "GPU[0]\t\t: Card series: \t\tAMD Instinct MI250X\n",
        {{"gpu_power", {240}}, {"gpu_power 1", {}}}},
    {"powers of amd-smi as CSV", "amd.csv",
        "gpu,current_socket_power,average_socket_power\n0,717,N/A\n1,N/A,94\n",
        {{"gpu_power", {717}}, {"gpu_power 1", {94}}}},
    // Without tiles a device is a GPU, with tiles each of them is.
    {"xpu-smi dump", "xpu.csv",
        "Timestamp, DeviceId, GPU Utilization (%), GPU Power (W), GPU Core Temperature (Celsius "
        "Degree)\n06:14:46.000,    0, 50.00, 105.25, 40\n06:14:46.000,    1, N/A, 106.25, 41\n"
        "06:14:47.000,    0, 60.00, 115.25, 42\n06:14:47.000,    1, N/A, 116.25, 43\n",
        {{"gpu_power 1", {106.25, 116.25}}, {"gpu_temperature", {40, 42}}}},
    {"xpu-smi dump with tiles", "xpu.csv",
        "Timestamp, DeviceId, TileId, GPU Power (W), GPU Energy Consumed (J)\n"
        "06:14:46.000, 0, 0, 105, 1000\n06:14:46.000, 0, 1, 106, 2000\n"
        "06:14:47.000, 0, 0, 105, 1105\n06:14:47.000, 0, 1, 106, 2106\n",
        {{"gpu_power", {105, 105}}, {"gpu_power 1", {106, 106}}, {"gpu_energy 1", {2000, 2106}}}},
    {"hl-smi", "hl.csv",
        "timestamp, index, name, power.draw [W], temperature.aip [C], utilization.aip [%]\n"
        "Tue Jan  6 10:00:00 UTC 2026, 0, HL-225, 226 W, 36 C, 80 %\n"
        "Tue Jan  6 10:00:01 UTC 2026, 0, HL-225, 228 W, 37 C, 81 %\n",
        {{"gpu_power", {226, 228}}, {"gpu_temperature", {36, 37}},
            {"gpu_utilization", {0.80, 0.81}}, {"seconds gpu_power", {0, 1}}}},
};

class tst_Monitors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void files_data() {
        QTest::addColumn<std::size_t>("place");
        for (std::size_t i = 0; i < kMonitorFiles.size(); ++i)
            QTest::newRow(kMonitorFiles[i].row) << i;
    }
    void files() {
        QFETCH(std::size_t, place);
        const std::string fault = faultOf(kMonitorFiles[place]);
        QVERIFY2(fault.empty(), fault.c_str());
    }

    void tegrastats_data() {
        const auto row = columns<std::string>("line");
        row("dated",
            "03-01-2026 10:00:00 RAM 12574/62841MB (lfb 2x4MB) CPU "
            "[2%@1036,4%@806,off] EMC_FREQ 3%@665 GR3D_FREQ 40%@[305,0] "
            "cpu@51C gpu@48C VDD_GPU_SOC 2800mW/2900mW VDD_IN 9000mW/9000mW");
        row("without date or unit",
            "RAM 12574/62841MB (lfb 2x4MB) CPU [2%@1036,4%@806] EMC_FREQ 3%@665 GR3D_FREQ "
            "40%@305 CPU@51C GPU@48C VDD_GPU_SOC 2800/2900 VDD_IN 9000/9000");
    }
    void tegrastats() {
        QFETCH(std::string, line);
        const ImportedAll log("tegrastats.log", line + "\n" + line + "\n");
        QCOMPARE(log.ofGpu("gpu_utilization").at(0), 0.40);
        QCOMPARE(log.ofGpu("sm_clock").at(0), 305e6);
        QCOMPARE(log.ofGpu("gpu_temperature").at(0), 48.0);
        QCOMPARE(log.ofGpu("mem_used").at(0), 12574.0 * 1024 * 1024);
        QCOMPARE(log.ofGpu("mem_total").at(0), 62841.0 * 1024 * 1024);
        QCOMPARE(log.ofNode("cpu_utilization").at(0), 0.03); // mean of the two that are on
        QCOMPARE(log.ofNode("vdd_gpu_soc").at(0), 2.8);
        QCOMPARE(log.ofNode("node_power").at(0), 9.0);
    }

    void jsonLines_data() {
        const auto row = columns<std::string>("text");
        row("GPU in the key",
            R"({"time": "2026-03-01 10:00:00", "cpu_usage": 20, "gpu_power:0": 100, "gpu_power:1": 200}
{"time": "2026-03-01 10:00:01", "cpu_usage": 30, "gpu_power:0": 110, "gpu_power:1": 210}
)"s);
        row("GPU in a member",
            R"({"timestamp": 1772359200, "gpu": 0, "power_w": 100, "cpu_usage": 20}
{"timestamp": 1772359200, "gpu": 1, "power_w": 200}
{"timestamp": 1772359201, "gpu": 0, "power_w": 110, "cpu_usage": 30}
{"timestamp": 1772359201, "gpu": 1, "power_w": 210}
)"s);
        row("milliseconds since the start",
            R"({"elapsed_ms": 500, "cpu_usage": 20, "gpu0_power_w": 100, "gpu1_power_w": 200}
{"elapsed_ms": 1500, "cpu_usage": 30, "gpu0_power_w": 110, "gpu1_power_w": 210}
)"s);
        row("GPU as an object",
            R"({"ts": 1772359200.0, "cpu_usage": 20, "gpu0": {"power_w": 100}, "gpu1": {"power_w": 200}}
{"ts": 1772359201.0, "cpu_usage": 30, "gpu0": {"power_w": 110}, "gpu1": {"power_w": 210}}
)"s);
    }
    void jsonLines() {
        QFETCH(std::string, text);
        const ImportedAll log("monitor.jsonl", text);
        QCOMPARE(log.ofGpu("gpu_power", 0), (Values{100, 110}));
        QCOMPARE(log.ofGpu("gpu_power", 1), (Values{200, 210}));
        QCOMPARE(log.seconds("gpu_power", 1), (Values{0, 1}));
        QCOMPARE(log.ofNode("cpu_utilization"), (Values{0.2, 0.3}));
    }

    // Two packages of two dies: their power is 240 + 260 W, whatever the second dies say instead.
    void diesOfPackages_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("text");
        const auto each = [](const char* name, const QByteArray& none) {
            const std::array<QByteArray, 4> power{"240.0", none, "260.0", none};
            QByteArray text = "======================= ROCm System Management Interface "
                              "=======================\n";
            QByteArray table = "device,Average Graphics Package Power (W)\n";
            QByteArray json = "{";
            QByteArray amd = "[";
            for (int i = 0; i < 4; ++i) {
                const QByteArray index = QByteArray::number(i);
                const QByteArray& watts = power[static_cast<std::size_t>(i)];
                text += "GPU[" + index + "]\t\t: Average Graphics Package Power (W): " + watts
                    + "\n";
                table += "card" + index + "," + watts + "\n";
                json += (i == 0 ? "\"card" : ", \"card") + index
                    + "\": {\"Average Graphics Package Power (W)\": \"" + watts + "\"}";
                amd += (i == 0 ? "" : ", ") + QByteArray("{\"gpu\": ") + index
                    + ", \"power\": {\"socket_power\": {\"value\": \"" + watts
                    + "\", \"unit\": \"W\"}}}";
            }
            QTest::addRow("text, %s", name) << QByteArray("smi.txt") << text;
            QTest::addRow("table, %s", name) << QByteArray("smi.csv") << table;
            QTest::addRow("JSON, %s", name) << QByteArray("smi.json") << json + "}\n";
            QTest::addRow("amd-smi JSON, %s", name) << QByteArray("amd.json") << amd + "]\n";
        };
        each("a text", "N/A (Secondary die)");
        each("none", "N/A");
        each("zero", "0.0");
    }
    void diesOfPackages() {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, text);
        const ImportedAll log(name.toStdString(), text.toStdString());
        QCOMPARE(log.sink.gpus.size(), std::size_t{4});
        double watts = 0.0;
        for (int rank = 0; rank < 4; ++rank) {
            const Values power = log.ofGpu("gpu_power", rank);
            QCOMPARE(power.empty(), rank % 2 == 1);
            watts += power.empty() ? 0.0 : power.front();
        }
        QCOMPARE(watts, 500.0);
    }

    void cardsOfRocm() {
        const ImportedAll log("rocm.json",
            R"x({"card0": {"Average Graphics Package Power (W)": "100.0", "GPU use (%)": "50",
"Card series": "AMD Instinct MI210", "Serial Number": "692231000131", "VBIOS version": "113"
}
, "card1" : {
    "Average Graphics Package Power (W)" : "N/A (Secondary die)",
                                           "Card series" : "AMD Instinct MI210"
}
})x");
        QCOMPARE(log.sink.gpus.size(), std::size_t{2});
        for (const auto& [key, gpu] : log.sink.gpus)
            QCOMPARE(gpu.model, "AMD Instinct MI210"s);
        QCOMPARE(log.ofGpu("gpu_power", 0), (Values{100}));
        QVERIFY(log.ofGpu("gpu_power", 1).empty()); // missing, and the device is there
        for (const RecordedSeries& series : log.sink.allSeries)
            QVERIFY2(series.description.metric.name == "gpu_power"
                    || series.description.metric.name == "gpu_utilization",
                series.description.metric.name.c_str());
    }

    // As amd-smi monitor writes it: units in the cells, heads that come again, partitions.
    void amdMonitor_data() {
        // row: "$" is the GPU, "#" the second
        const auto row = columns<std::string, std::string, bool>("head", "row", "hasStamps");
        row("earlier", "GPU  POWER  GPU_TEMP  MEM_TEMP  GFX_UTIL  GFX_CLOCK  VRAM_USED\n",
            "  $  18$ W     42 °C     41 °C      83 %   1613 MHz     1024 MB\n", false);
        row("later",
            " TIMESTAMP  GPU  XCP  POWER   GPU_T   MEM_T   GFX_CLK   GFX%   ENC%    VRAM_USAGE\n",
            "176726160#    $    0  18$ W   42 °C   41 °C  1613 MHz   83 %    N/A   1.0/192.0 GB\n",
            true);
    }
    void amdMonitor() {
        QFETCH(std::string, head);
        QFETCH(std::string, row);
        QFETCH(bool, hasStamps);
        std::string text = "'CTRL' + 'C' to stop watching output:\n";
        for (char second = '0'; second < '3'; ++second) {
            text += head;
            for (char gpu = '0'; gpu < '2'; ++gpu) {
                std::string line = row;
                std::replace(line.begin(), line.end(), '#', second);
                std::replace(line.begin(), line.end(), '$', gpu);
                text += line;
            }
        }
        const ImportedAll log("monitor.txt", text);
        QCOMPARE(log.warnings(),
            hasStamps ? ""s
                      : "The file has no time stamps: 1 s between readings was assumed, and energy "
                        "and duration rest on it. Say --period.\n"s);
        QCOMPARE(log.ofGpu("gpu_power", 1), (Values{181, 181, 181}));
        QCOMPARE(log.seconds("gpu_power", 1), (Values{0, 1, 2}));
        QCOMPARE(log.ofGpu("hotspot_temperature", 0), (Values{42, 42, 42}));
        QCOMPARE(log.ofGpu("mem_temperature", 0), (Values{41, 41, 41}));
        QVERIFY(areNear(log.ofGpu("gpu_utilization", 0), {0.83, 0.83, 0.83}));
        QCOMPARE(log.ofGpu("sm_clock", 0), (Values{1613e6, 1613e6, 1613e6}));
        QCOMPARE(log.ofGpu("mem_used", 0).at(0), 1073741824.0);
    }

    void gpustatText() {
        const ImportedAll log("gpustat.txt",
            "node1        Thu Jan  1 10:00:00 2026  535.104\n"
            "[0] NVIDIA A100-SXM4-40GB | 50'C,  30 %,  99 %,  300 / 400 W | 39000 / 40960 MB | "
            "a(9M)\n"
            "node1        Thu Jan  1 10:00:02 2026  535.104\n"
            "[0] NVIDIA A100-SXM4-40GB | 52'C,  30 %,  97 %,  310 / 400 W | 39000 / 40960 MB | "
            "a(9M)\n");
        QCOMPARE(log.ofGpu("gpu_power"), (Values{300, 310}));
        QCOMPARE(log.ofGpu("power_limit"), (Values{400, 400}));
        QVERIFY(areNear(log.ofGpu("gpu_utilization"), {0.99, 0.97}));
        QVERIFY(areNear(log.ofGpu("fan_speed"), {0.30, 0.30}));
        QCOMPARE(log.ofGpu("gpu_temperature"), (Values{50, 52}));
        QCOMPARE(log.ofGpu("mem_used").at(0), 39000.0 * 1024 * 1024);
        QCOMPARE(log.seconds("gpu_power"), (Values{0, 2}));
        QCOMPARE(log.sink.gpus.begin()->second.model, std::string("NVIDIA A100-SXM4-40GB"));
    }

    // A damaged stamp is none at the start of all times.
    void recordWithoutItsStamp() {
        const ImportedAll log("monitor.jsonl", R"({"time": "17672x1600", "gpu": 0, "power_w": 100}
{"time": 1767261601, "gpu": 0, "power_w": 101}
{"gpu": 0, "power_w": 102}
{"time": 1767261603, "gpu": 0, "power_w": 103}
)");
        QCOMPARE(log.ofGpu("gpu_power"), (Values{101, 103}));
        QCOMPARE(log.seconds("gpu_power"), (Values{0, 2}));
        QCOMPARE(log.reports.at(0).value().skipped, std::int64_t{2});
    }

    // Records of two recorders, 8 ms apart.
    void recordsOfTwoRecorders() {
        std::string text;
        for (int i = 0; i < 20; ++i) {
            for (const char* behind : {".000", ".008"})
                text += R"({"time": )" + std::to_string(1'767'261'600 + i) + behind
                    + R"(, "gpu": 0, "power_w": )" + std::to_string(100 + i % 5) + "}\n";
        }
        const ImportedAll log("monitor.jsonl", text);
        QCOMPARE(log.reports.at(0).value().gaps, std::int64_t{0});
        VERIFY_SAYS(log.warnings(), "8 ms apart, then 992 ms pass");
    }

    // 0.003 kWh in 60 s are 180 W, 0.004 kWh 240 W.
    void runsOfCodeCarbon() {
        const ImportedAll log("emissions.csv",
            "timestamp,project_name,run_id,duration,emissions,energy_consumed\n"
            "2026-03-01T10:02:00,demo,a,60.0,0.001,0.003\n"
            "2026-03-01T10:04:00,demo,b,60.0,0.001,0.004\n");
        QCOMPARE(log.sink.runs.size(), std::size_t{2});
        QCOMPARE(log.sink.allSeries.size(), std::size_t{2});
        QCOMPARE(log.sink.allSeries[0].values, (Values{180, 180}));
        QCOMPARE(log.sink.allSeries[1].values, (Values{240, 240}));
        QCOMPARE((log.sink.allSeries[0].times[1] - log.sink.allSeries[0].times[0]).seconds(), 60.0);
    }

    // The same run at 60 s and at 120 s: 0.003 kWh, then 0.002 kWh more (120 W).
    void codeCarbonThatGoesOn() {
        const ImportedAll log("emissions.csv",
            "timestamp,project_name,run_id,duration,emissions,energy_consumed\n"
            "2026-03-01T10:01:00,demo,a,60.0,0.001,0.003\n"
            "2026-03-01T10:02:00,demo,a,120.0,0.001,0.005\n");
        QCOMPARE(log.sink.runs.size(), std::size_t{1});
        const auto watts = log.ofNode("node_power");
        QCOMPARE(watts.size(), std::size_t{4});
        QVERIFY(qAbs(watts[0] - 180.0) < 1e-9 && qAbs(watts[3] - 120.0) < 1e-9);
    }
};

} // namespace

TRAINSCOPE_TEST(tst_Monitors)
#include "tst_Monitors.moc"
