// Samples of hardware counters in reports that were made for the test.

#include "importers/nsys/MadeReport.h"
#include "importers/nsys/Metrics.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::test;

namespace {

const CollectedSeries* seriesOf(const ImportedReports& imported, const std::string& metric) {
    const auto found
        = std::find_if(imported.sink.seriesList.begin(), imported.sink.seriesList.end(),
            [&](const CollectedSeries& one) { return one.description.metric.name == metric; });
    return found == imported.sink.seriesList.end() ? nullptr : &*found;
}

} // namespace

class tst_NsysCounters : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void countersOfGpus() {
        MadeReport report;
        report.startAt(MadeReport::kStart);
        report.gpu(0, "NVIDIA H100", "a");
        report.gpu(1, "NVIDIA H100", "b");
        report.context(kProcess, 1);
        report.kernel("k", 0, 10, kProcess, 1, 1);
        report.database.run(
            "CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, sourceId INTEGER,"
            " typeName TEXT, metricId INTEGER, metricName TEXT)");
        report.database.run(
            "CREATE TABLE GPU_METRICS (rawTimestamp INTEGER, timestamp INTEGER, typeId"
            " INTEGER, metricId INTEGER, value INTEGER)");
        constexpr std::int64_t kType = 0x12340001; // GPU 1's
        const std::array<const char*, 3> names{"SMs Active [Throughput %]",
            "DRAM Read Bandwidth [Throughput %]", "GPC Clock Frequency [MHz]"};
        for (std::int64_t i = 0; i < 3; ++i) {
            for (const std::int64_t gpu : {0, 1})
                report.database.add("TARGET_INFO_GPU_METRICS",
                    {kType - 1 + gpu, std::int64_t{1}, "GPU", i,
                        std::string(names[static_cast<std::size_t>(i)])});
        }
        report.database.add(
            "GPU_METRICS", {nullptr, std::int64_t{100}, kType, std::int64_t{0}, std::int64_t{80}});
        report.database.add(
            "GPU_METRICS", {nullptr, std::int64_t{200}, kType, std::int64_t{0}, std::int64_t{40}});
        report.database.add(
            "GPU_METRICS", {nullptr, std::int64_t{100}, kType, std::int64_t{1}, std::int64_t{25}});
        // 1 980 000 000 and 2 500 000 000 Hz as numbers of 32 bits with sign.
        report.database.add("GPU_METRICS",
            {nullptr, std::int64_t{100}, kType, std::int64_t{2}, std::int64_t{1'980'000'000}});
        report.database.add("GPU_METRICS",
            {nullptr, std::int64_t{200}, kType, std::int64_t{2}, std::int64_t{-1'794'967'296}});
        report.database.add("GPU_METRICS",
            {nullptr, std::int64_t{100}, kType - 1, std::int64_t{0}, std::int64_t{1}});
        ImportedReports imported;
        importReport(report, imported);
        QVERIFY(imported.reports[0].hasValue());
        QCOMPARE(imported.sink.seriesList.size(), std::size_t{3});
        const CollectedSeries* active = seriesOf(imported, metric::kSmActive);
        QVERIFY(active != nullptr);
        QCOMPARE(active->description.scale, 0.01);
        QCOMPARE(active->values, (std::vector<double>{80.0, 40.0}));
        QCOMPARE(active->times[1].ns, MadeReport::kStart + 200);
        QCOMPARE(active->description.subject.rank, 0);
        const CollectedSeries* clock = seriesOf(imported, metric::kSmClock);
        QVERIFY(clock != nullptr);
        QCOMPARE(clock->values, (std::vector<double>{1.98e9, 2.5e9}));
        QVERIFY(seriesOf(imported, "dram_read_bandwidth_utilization") != nullptr);
        QCOMPARE(imported.sink.gpus[0].local, 1);
        QCOMPARE(imported.reports[0].value().warnings.size(), std::size_t{1});
    }
    void countersOfNetworkAdapters() {
        MadeReport report;
        report.startAt(MadeReport::kStart);
        report.database.run(
            "CREATE TABLE TARGET_INFO_NETWORK_METRICS (metricsListId, metricsIdx, name,"
            " description, unit)");
        report.database.run("CREATE TABLE TARGET_INFO_NIC_INFO (GUID, stateName, nicId, name)");
        report.database.run("CREATE TABLE NIC_ID_MAP (nicId, globalId)");
        report.database.run(
            "CREATE TABLE NET_NIC_METRIC (start, end, globalId, portId, metricsListId,"
            " metricsIdx, value)");
        report.database.add("TARGET_INFO_NETWORK_METRICS",
            {std::int64_t{1}, std::int64_t{0}, "IB: Bytes sent", "", "bytes/ms"});
        report.database.add(
            "TARGET_INFO_NIC_INFO", {std::int64_t{9}, "up", std::int64_t{3}, "mlx5_0"});
        report.database.add("NIC_ID_MAP", {std::int64_t{3}, std::int64_t{77}});
        report.database.add("NET_NIC_METRIC",
            {std::int64_t{10}, std::int64_t{20}, std::int64_t{77}, std::int64_t{1}, std::int64_t{1},
                std::int64_t{0}, std::int64_t{5000}});
        ImportedReports imported;
        importReport(report, imported);
        QVERIFY(imported.reports[0].hasValue());
        QCOMPARE(imported.sink.seriesList.size(), std::size_t{1});
        const SeriesDescription& series = imported.sink.seriesList[0].description;
        QCOMPARE(series.subject.device, std::string("mlx5_0"));
        QCOMPARE(series.metric.unit, std::string("B/s"));
        QCOMPARE(series.scale * imported.sink.seriesList[0].values[0], 5e6); // 5000 B in each ms
    }
    void namesOfCounters() {
        using importers::nsys::gpuCounter;
        QCOMPARE(
            gpuCounter("Tensor Active [Throughput %]").metric.name, std::string("tensor_active"));
        QCOMPARE(gpuCounter("SYS Clock Frequency [MHz]").metric.name,
            std::string("sys_clock_frequency"));
        QCOMPARE(gpuCounter("SYS Clock Frequency [MHz]").metric.unit, std::string("Hz"));
        QCOMPARE(gpuCounter("Compute Warps in Flight [Avg]").metric.label,
            std::string("Compute Warps in Flight [Avg]"));
        QCOMPARE(gpuCounter("PCIe RX Throughput [Throughput %]").scale, 0.01);
    }
};

TRAINSCOPE_TEST(tst_NsysCounters)
#include "tst_NsysCounters.moc"
