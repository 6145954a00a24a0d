// Monitors of boards and of people's own, AMD's JSON, and CodeCarbon's tables.

#include "importers/support/ImportAll.h"
#include "support/TestProgram.h"

#include <QtTest>

#include <array>

using namespace trainscope;
using namespace trainscope::test;
using namespace std::string_literals;

namespace {

using Values = std::vector<double>;

class tst_Monitors : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void tegrastats_data() {
        QTest::addColumn<std::string>("line");
        QTest::newRow("dated") << "03-01-2026 10:00:00 RAM 12574/62841MB (lfb 2x4MB) CPU "
                                  "[2%@1036,4%@806,off] EMC_FREQ 3%@665 GR3D_FREQ 40%@[305,0] "
                                  "cpu@51C gpu@48C VDD_GPU_SOC 2800mW/2900mW VDD_IN 9000mW/9000mW"s;
        QTest::newRow("without date or unit")
            << "RAM 12574/62841MB (lfb 2x4MB) CPU [2%@1036,4%@806] EMC_FREQ 3%@665 GR3D_FREQ "
               "40%@305 CPU@51C GPU@48C VDD_GPU_SOC 2800/2900 VDD_IN 9000/9000"s;
    }
    void tegrastats() {
        QFETCH(std::string, line);
        ImportedAll log;
        importFile("tegrastats.log", line + "\n" + line + "\n", log);
        QCOMPARE(log.ofGpu("gpu_utilization").at(0), 0.40);
        QCOMPARE(log.ofGpu("sm_clock").at(0), 305e6);
        QCOMPARE(log.ofGpu("gpu_temperature").at(0), 48.0);
        QCOMPARE(log.ofGpu("mem_used").at(0), 12574.0 * 1024 * 1024);
        QCOMPARE(log.ofGpu("mem_total").at(0), 62841.0 * 1024 * 1024);
        QCOMPARE(log.ofNode("cpu_utilization").at(0), 0.03); // of the two that are on
        QCOMPARE(log.ofNode("vdd_gpu_soc").at(0), 2.8);
        QCOMPARE(log.ofNode("node_power").at(0), 9.0);
    }

    void jsonLines_data() {
        QTest::addColumn<std::string>("text");
        QTest::newRow("GPU in the key")
            << R"({"time": "2026-03-01 10:00:00", "cpu_usage": 20, "gpu_power:0": 100, "gpu_power:1": 200}
{"time": "2026-03-01 10:00:01", "cpu_usage": 30, "gpu_power:0": 110, "gpu_power:1": 210}
)"s;
        QTest::newRow("GPU in a member")
            << R"({"timestamp": 1772359200, "gpu": 0, "power_w": 100, "cpu_usage": 20}
{"timestamp": 1772359200, "gpu": 1, "power_w": 200}
{"timestamp": 1772359201, "gpu": 0, "power_w": 110, "cpu_usage": 30}
{"timestamp": 1772359201, "gpu": 1, "power_w": 210}
)"s;
        QTest::newRow("GPU as an object")
            << R"({"ts": 1772359200.0, "cpu_usage": 20, "gpu0": {"power_w": 100}, "gpu1": {"power_w": 200}}
{"ts": 1772359201.0, "cpu_usage": 30, "gpu0": {"power_w": 110}, "gpu1": {"power_w": 210}}
)"s;
    }
    void jsonLines() {
        QFETCH(std::string, text);
        ImportedAll log;
        importFile("monitor.jsonl", text, log);
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
        ImportedAll log;
        importFile(name.toStdString(), text.toStdString(), log);
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
        ImportedAll log;
        importFile("rocm.json",
            R"x({"card0": {"Average Graphics Package Power (W)": "100.0", "GPU use (%)": "50",
"Card series": "AMD Instinct MI210", "Serial Number": "692231000131", "VBIOS version": "113"
}
, "card1" : {
    "Average Graphics Package Power (W)" : "N/A (Secondary die)",
                                           "Card series" : "AMD Instinct MI210"
}
})x",
            log);
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

    void diesOfRocmText() {
        ImportedAll log;
        importFile("smi.txt",
            "======= ROCm System Management Interface =======\n"
            "GPU[0]\t\t: Average Graphics Package Power (W): 240.0\n"
            "GPU[1]\t\t: Average Graphics Package Power (W): N/A (Secondary die)\n"
            "GPU[0]\t\t: Card series: \t\tAMD Instinct MI250X\n",
            log);
        QCOMPARE(log.sink.gpus.size(), std::size_t{2});
        QCOMPARE(log.ofGpu("gpu_power", 0), (Values{240}));
        QVERIFY(log.ofGpu("gpu_power", 1).empty());
    }

    void powersOfAmdCsv() {
        ImportedAll log;
        importFile(
            "amd.csv", "gpu,current_socket_power,average_socket_power\n0,717,N/A\n1,N/A,94\n", log);
        QCOMPARE(log.ofGpu("gpu_power", 0), (Values{717}));
        QCOMPARE(log.ofGpu("gpu_power", 1), (Values{94}));
    }

    // 0.003 kWh in 60 s are 180 W, 0.004 kWh 240 W.
    void runsOfCodeCarbon() {
        ImportedAll log;
        importFile("emissions.csv",
            "timestamp,project_name,run_id,duration,emissions,energy_consumed\n"
            "2026-03-01T10:02:00,demo,a,60.0,0.001,0.003\n"
            "2026-03-01T10:04:00,demo,b,60.0,0.001,0.004\n",
            log);
        QCOMPARE(log.sink.runs.size(), std::size_t{2});
        QCOMPARE(log.sink.allSeries.size(), std::size_t{2});
        QCOMPARE(log.sink.allSeries[0].values, (Values{180, 180}));
        QCOMPARE(log.sink.allSeries[1].values, (Values{240, 240}));
        QCOMPARE((log.sink.allSeries[0].times[1] - log.sink.allSeries[0].times[0]).seconds(), 60.0);
    }

    // The same run at 60 s and at 120 s: 0.003 kWh, then 0.002 kWh more (120 W).
    void codeCarbonThatGoesOn() {
        ImportedAll log;
        importFile("emissions.csv",
            "timestamp,project_name,run_id,duration,emissions,energy_consumed\n"
            "2026-03-01T10:01:00,demo,a,60.0,0.001,0.003\n"
            "2026-03-01T10:02:00,demo,a,120.0,0.001,0.005\n",
            log);
        QCOMPARE(log.sink.runs.size(), std::size_t{1});
        const auto watts = log.ofNode("node_power");
        QCOMPARE(watts.size(), std::size_t{4});
        QVERIFY(qAbs(watts[0] - 180.0) < 1e-9 && qAbs(watts[3] - 120.0) < 1e-9);
    }
};

} // namespace

TRAINSCOPE_TEST(tst_Monitors)
#include "tst_Monitors.moc"
