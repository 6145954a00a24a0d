// Words of columns and settings as metrics, and names of GPUs as families.

#include "importers/common/GpuIdentity.h"
#include "importers/common/MetricWords.h"
#include "importers/common/TextCleaning.h"
#include "support/TestProgram.h"

using namespace trainscope::importers;
using namespace std::string_literals;

class tst_MetricWords : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void keys_data() {
        // metric: empty: none
        // gpu: -1: not said
        const auto row = test::columns<QString, QString, int>("metric", "unit", "gpu");

        row("gpu_usage:0", "gpu_utilization", "", 0);
        row("gpu_temperature:1", "gpu_temperature", "", 1);
        row("gpu_power_limit:0", "power_limit", "", 0);
        row("gpu_mem_used:0", "mem_used", "", 0);
        row("power_draw_W", "gpu_power", "w", -1);
        row("gpu_watts", "gpu_power", "watts", -1);
        row("gpu_w", "gpu_power", "w", -1);
        row("Power (W)", "gpu_power", "W", -1);
        row("GPU Power [mW]", "gpu_power", "mW", -1);
        row("gpuPowerDraw", "gpu_power", "", -1);
        row("GPU3 Temp (C)", "gpu_temperature", "C", 3);
        row("gpus.2.power_w", "gpu_power", "w", 2);
        row("cpu_power_w", "cpu_power", "w", -1);
        row("cpu_usage", "cpu_utilization", "", -1);
        row("system_power_watts", "node_power", "watts", -1);
        row("node_w", "node_power", "w", -1);
        row("vram_used_gb", "mem_used", "gb", -1);
        row("gpu_memory_total_mib", "mem_total", "mib", -1);
        row("gpu_mem_util_pct", "mem_utilization", "pct", -1);
        row("memory_clock_mhz", "mem_clock", "mhz", -1);
        row("sm_freq", "sm_clock", "", -1);
        row("fan_speed_pct", "fan_speed", "pct", -1);
        row("hbm_temp", "mem_temperature", "", -1);
        row("hotspot_temp_c", "hotspot_temperature", "c", -1);
        row("avg_gpu_power", "gpu_power", "", -1);
        // Whole names of nvidia-smi, whose words alone would not do.
        row("enforced.power.limit", "power_limit", "", -1);
        row("utilization.enc", "encoder_utilization", "", -1);
        row("clocks_current_video", "video_clock", "", -1);
        row("tx_pci", "pcie_tx_rate", "", -1);
        // A sum of all GPUs, energy, names and counters are no readings of one GPU.
        for (const char* key : {"total_gpu_power", "gpu_energy_j", "gpu_name", "loss", "time",
                 "gpu", "learning_rate", "power_of_two", "step"})
            row(key, "", "", -1);
    }
    void keys() {
        QFETCH(QString, metric);
        QFETCH(QString, unit);
        QFETCH(int, gpu);
        const auto found = metricOfKey(QTest::currentDataTag());
        QCOMPARE(found ? QString::fromLatin1(found->metric.metric) : QString(), metric);
        if (!found)
            return;
        QCOMPARE(QString::fromStdString(found->unit), unit);
        QCOMPARE(found->gpu.value_or(-1), gpu);
    }

    void bytesAndText() {
        QVERIFY(isText("timestamp, index\n"));
        QVERIFY(isText("a\n\0\0\0b\n"s)); // a crash left NUL bytes
        QVERIFY(isText("\xff\xfe"s + "a\0b\0"s));
        QVERIFY(isText("\x1b[31mred\x1b[0m\r\n"));
        QVERIFY(isText("Gr\xfc\xdf"
                       "e\n")); // Latin-1
        QVERIFY(!isText("SQLite format 3\0"s + std::string(4000, 'x') + "\n"));
        QVERIFY(!isText("\0\0\0\1\0\2\0\3 a | b | Watts\n"s));
        QVERIFY(!isText(std::string(100, '\0')));
    }

    void nulBytesAreNoPartOfLines() {
        const std::string text = "one\n\0\0\0two\n"s;
        const auto stream = asUtf8(memoryStream(text));
        std::string read(64, ' ');
        std::size_t size = 0;
        while (true) {
            const auto part = std::as_writable_bytes(std::span(read).subspan(size));
            const auto count = stream->read(part);
            QVERIFY(count.hasValue());
            if (count.value() == 0)
                break;
            size += count.value();
        }
        QCOMPARE(read.substr(0, size), "one\ntwo\n"s);
    }

    void wordsStandAlone() {
        QVERIFY(standsAsWord("job-gpt3_3", "gpt3_3"));
        QVERIFY(!standsAsWord("gpt3_31", "gpt3_3"));
        QVERIFY(standsAsWord("gpt3_31-gpt3_3", "gpt3_3")); // not only the first place
        QVERIFY(!standsAsWord("anything", ""));
    }
    void theInnermostFolderDecides() {
        QCOMPARE(
            gpuFamilyOfPath("results-h100/optimization-sweep-h200/gpt3-175b"), std::string("H200"));
        QCOMPARE(
            gpuFamilyOfPath("Sweep_MI250/llama3-70b/llama3-70b_1_00000"), std::string("MI250"));
    }
    void whatNamesSeveralOrNoneDecidesNothing() {
        QCOMPARE(gpuFamilyOfPath("h100-vs-h200/run"), std::string());
        QCOMPARE(gpuFamilyOfPath("h100/h100-vs-h200/run"), std::string("H100"));
        QCOMPARE(gpuFamilyOfPath("gh2000/run_3"), std::string());
        QCOMPARE(gpuFamilyOfPath(""), std::string());
    }
};

TRAINSCOPE_TEST(tst_MetricWords)
#include "tst_MetricWords.moc"
