// Files and the metrics that they become, with unit, width and subject; and the words of folder
// names.

#include "importers/charllm/RunPlan.h"
#include "importers/charllm/SeriesMap.h"
#include "support/TestProgram.h"

#include <QtTest>

using namespace trainscope;
using namespace trainscope::importers;
using namespace trainscope::importers::charllm;

class tst_SeriesMap : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void metrics_data() {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<QByteArray>("metric");
        QTest::addColumn<QByteArray>("unit");
        QTest::addColumn<double>("scale");
        QTest::addColumn<int>("bits");
        QTest::newRow("power") << QByteArray("gpu_power_3.csv") << QByteArray("gpu_power")
                               << QByteArray("W") << 1.0 << 0;
        QTest::newRow("amd power")
            << QByteArray("power_3.csv") << QByteArray("gpu_power") << QByteArray("W") << 1.0 << 0;
        QTest::newRow("memory power") << QByteArray("mem_power_3.csv") << QByteArray("mem_power")
                                      << QByteArray("W") << 1.0 << 0;
        QTest::newRow("temperature")
            << QByteArray("gpu_thermal_3.csv") << QByteArray("gpu_temperature") << QByteArray("°C")
            << 1.0 << 0;
        QTest::newRow("clock") << QByteArray("sm_clock_3.csv") << QByteArray("sm_clock")
                               << QByteArray("Hz") << 1e6 << 0;
        QTest::newRow("utilisation")
            << QByteArray("gpu_util_3.csv") << QByteArray("gpu_utilization") << QByteArray("1")
            << 0.01 << 0;
        QTest::newRow("nvlink") << QByteArray("nvlink_rx_throughput_3.csv")
                                << QByteArray("nvlink_rx") << QByteArray("B") << 1024.0 << 32;
        QTest::newRow("pcie") << QByteArray("pcie_tx_bytes_3.csv") << QByteArray("pcie_tx")
                              << QByteArray("B") << 1.0 << 32;
        QTest::newRow("pcie rate")
            << QByteArray("pcie_tx_throughput_3.csv") << QByteArray("pcie_tx_rate")
            << QByteArray("B/s") << 1000.0 << 0;
        QTest::newRow("own") << QByteArray("retired_pages_3.csv") << QByteArray("retired_pages")
                             << QByteArray("1") << 1.0 << 0;
    }
    void metrics() {
        QFETCH(QByteArray, file);
        QFETCH(QByteArray, metric);
        QFETCH(QByteArray, unit);
        QFETCH(double, scale);
        QFETCH(int, bits);
        const auto description = describeSeries(*telemetryName(file.toStdString()), 8);
        QCOMPARE(description.metric.name, metric.toStdString());
        QCOMPARE(description.metric.unit, unit.toStdString());
        QCOMPARE(description.scale, scale);
        QCOMPARE(description.counterBits, bits);
        QCOMPARE(description.metric.kind == MetricKind::Counter, bits > 0);
        QVERIFY(description.subject == (Subject{SubjectKind::Gpu, 3, -1, {}}));
    }

    void sensors() {
        QVERIFY(describeSeries(*telemetryName("gpu_power_0.csv"), 8).sensor == SensorKind::Instant);
        QVERIFY(
            describeSeries(*telemetryName("mem_power_0.csv"), 8).sensor == SensorKind::Averaged);
        QVERIFY(describeSeries(*telemetryName("power_0.csv"), 8).sensor == SensorKind::Unknown);
    }

    void nodes() {
        const auto ib = describeSeries(*telemetryName("system_ib_rx_bytes_rank_16_id_ib1.csv"), 8);
        QCOMPARE(ib.metric.name, std::string("ib_rx"));
        QCOMPARE(ib.counterBits, 64);
        QVERIFY(ib.subject == (Subject{SubjectKind::Link, -1, 2, "ib1"}));
        QCOMPARE(
            describeSeries(*telemetryName("system_ib_rx_bytes_rank_16_id_ib1.csv"), 4).subject.node,
            4);
        const auto cpu = describeSeries(*telemetryName("system_cpu_temp_rank_8.csv"), 8);
        QCOMPARE(cpu.metric.name, std::string("cpu_temperature"));
        QVERIFY(cpu.subject == (Subject{SubjectKind::Node, -1, 1, {}}));
        const auto own = describeSeries(*telemetryName("system_cpu_iowait_rank_0.csv"), 8);
        QCOMPARE(own.metric.name, std::string("cpu_iowait"));
        QVERIFY(own.metric.kind == MetricKind::Gauge);
        QCOMPARE(describeSeries(*telemetryName("system_memory_free_rank_0.csv"), 8).metric.unit,
            std::string("B"));
    }

    void folderNames_data() {
        QTest::addColumn<QByteArray>("folder");
        QTest::addColumn<QByteArray>("model");
        QTest::addColumn<int>("overlap"); // -1: not said
        QTest::addColumn<int>("recompute");
        QTest::addColumn<int>("microBatch");
        QTest::newRow("base") << QByteArray("gpt3-175b_3_00000") << QByteArray("gpt3-175b") << 0
                              << 0 << -1;
        QTest::newRow("overlap") << QByteArray("gpt3-175b_3_10000") << QByteArray("gpt3-175b") << 1
                                 << 0 << -1;
        QTest::newRow("recompute")
            << QByteArray("llama3-70b_1_01000") << QByteArray("llama3-70b") << 0 << 1 << -1;
        QTest::newRow("both") << QByteArray("mixtral_8x7b_2_11000") << QByteArray("mixtral_8x7b")
                              << 1 << 1 << -1;
        QTest::newRow("micro-batch")
            << QByteArray("gpt3-175b_2_mbs4") << QByteArray("gpt3-175b") << -1 << -1 << 4;
        QTest::newRow("other") << QByteArray("my_run_folder") << QByteArray() << -1 << -1 << -1;
        QTest::newRow("plain") << QByteArray("results") << QByteArray() << -1 << -1 << -1;
        QTest::newRow("underscores") << QByteArray("__") << QByteArray() << -1 << -1 << -1;
    }
    void folderNames() {
        QFETCH(QByteArray, folder);
        QFETCH(QByteArray, model);
        QFETCH(int, overlap);
        QFETCH(int, recompute);
        QFETCH(int, microBatch);
        LaunchConfig launch;
        applyFolderName(folder.toStdString(), launch);
        QCOMPARE(launch.model.value_or(""), model.toStdString());
        QCOMPARE(launch.overlap ? int{*launch.overlap} : -1, overlap);
        QCOMPARE(launch.recompute ? int{*launch.recompute} : -1, recompute);
        QCOMPARE(launch.microBatch.value_or(-1), microBatch);
        QCOMPARE(launch.origin, model.isEmpty() ? std::string() : std::string("folder name"));
    }

    void folderNameYieldsToTheFile() {
        LaunchConfig launch;
        launch.overlap = false;
        launch.origin = "x.yaml";
        applyFolderName("gpt3-175b_3_11000", launch);
        QVERIFY(!*launch.overlap);
        QVERIFY(*launch.recompute);
        QCOMPARE(launch.origin, std::string("x.yaml"));
    }

    void rankLists() {
        QCOMPARE(listRanks({}), std::string());
        QCOMPARE(listRanks({3}), std::string("3"));
        QCOMPARE(listRanks({3, 4}), std::string("3, 4"));
        QCOMPARE(listRanks({0, 3, 5, 6, 7, 12}), std::string("0, 3, 5-7, 12"));
    }
};

TRAINSCOPE_TEST(tst_SeriesMap)
#include "tst_SeriesMap.moc"
