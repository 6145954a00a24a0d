// Telemetry files of clusters against figures computed from them with Python: json and csv of its
// standard library, trapezoids over the readings as they stand, repeated stamps included. nvidia-
// smi logs, a small one and, where they are, the real ones, against independently computed figures
// (telemetry_truth.json beside them): counts, first and last stamp, extremes, mean and trapezoid
// energy of every power series.

#include "importers/meters/ImportLogs.h"
#include "importers/meters/ImportMeters.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

bool importReal(const char* path, ImportedMeters& out) {
    if (realFiles().empty())
        return false;
    const auto tree = importers::openDiskTree(realFiles() + "/data/" + path);
    if (tree.hasValue())
        out.add(*tree.value());
    return tree.hasValue();
}

double lowest(const std::vector<double>& values) {
    return *std::min_element(values.begin(), values.end());
}
double highest(const std::vector<double>& values) {
    return *std::max_element(values.begin(), values.end());
}
double sumOf(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
}

double trapezoid(const std::vector<std::int64_t>& times, const std::vector<double>& values) {
    double joules = 0.0;
    for (std::size_t i = 1; i < times.size(); ++i)
        joules += 0.5 * (values[i] + values[i - 1]) * static_cast<double>(times[i] - times[i - 1])
            * 1e-9;
    return joules;
}

// Half a unit of the last digit that the truth file carries.
bool near(double value, double truth, double half) {
    return std::abs(value - truth) <= half * 1.01;
}

} // namespace

#define SKIP_WITHOUT(found)                                                                        \
    if (!(found))                                                                                  \
    QSKIP("SKIPPED: the shared real files are not there (TRAINSCOPE_SHARED)")

class tst_MeterTruth : public QObject {
    Q_OBJECT
private Q_SLOTS:
    // telemetry_truth.json: mlperf_power/dell_64xH100_llama2_lora; the switch's stamps are 18 000 s
    // behind those of the nodes in the files.
    void nodesAndSwitchOfOneRun_data() {
        // node: -1: the switch
        const auto row = columns<int, int, double, double, double, double, double, double>(
            "node", "count", "first", "last", "least", "most", "mean", "joules");
        row("0", 0, 286, 1728509261.0, 1728509569.0, 2892.0, 8580.0, 6984.3951, 2150983.5);
        row("1", 1, 287, 1728509261.0, 1728509568.0, 2854.0, 8452.0, 6880.2369, 2126874.5);
        row("2", 2, 288, 1728509259.0, 1728509568.0, 2924.0, 8398.0, 6938.559, 2147488.0);
        row("3", 3, 288, 1728509261.0, 1728509569.0, 3707.0, 9944.0, 7919.684, 2448171.0);
        row("4", 4, 286, 1728509260.0, 1728509568.0, 2931.0, 8746.0, 7155.465, 2197082.5);
        row("5", 5, 287, 1728509261.0, 1728509569.0, 3180.0, 8678.0, 7027.4251, 2161221.5);
        row("6", 6, 286, 1728509259.0, 1728509568.0, 2908.0, 8666.0, 6960.8357, 2156248.0);
        row("7", 7, 281, 1728509260.0, 1728509569.0, 3410.0, 8856.0, 7346.6263, 2260341.5);
        row("switch", -1, 310, 1728509260.0, 1728509570.0, 678.0, 725.0, 691.3677, 214324.0);
    }
    void nodesAndSwitchOfOneRun() {
        QFETCH(int, node);
        QFETCH(int, count);
        ImportedMeters imported;
        SKIP_WITHOUT(importReal("mlperf_power", imported));
        const auto dell = std::find_if(imported.units.begin(), imported.units.end(),
            [](const auto& unit) { return unit.runName == "dell_64xH100_llama2_lora"; });
        QVERIFY(dell != imported.units.end());
        QCOMPARE(dell->files.size(), std::size_t{9});
        QCOMPARE(dell->clock, importers::ClockKind::Utc);
        VERIFY_SAYS(dell->notes.back(), "5 h 0 min behind");
        const auto& report
            = imported.reports[static_cast<std::size_t>(dell - imported.units.begin())];
        QVERIFY(report.hasValue());
        QCOMPARE(report.value().rows, std::int64_t{2599});
        QCOMPARE(report.value().skipped, std::int64_t{0});
        QCOMPARE(
            report.value().facts.at("conversion_efficiency"), std::string("0.96, measured AC"));
        QCOMPARE(report.value().counts.at("repeated time stamps"), std::int64_t{440});

        const Subject subject = node < 0 ? Subject{SubjectKind::Switch, -1, -1, "sw0"}
                                         : Subject{SubjectKind::Node, -1, node, {}};
        const char* metric = node < 0 ? "switch_power" : "node_power";
        const RecordedSeries* series = imported.sink.find(metric, subject);
        QVERIFY(series != nullptr);
        QCOMPARE(series->run.value, imported.sink.allSeries.front().run.value);
        const auto watts = imported.values(metric, subject);
        const auto times = imported.times(metric, subject);
        QCOMPARE(static_cast<int>(watts.size()), count);
        QFETCH(double, first);
        QFETCH(double, last);
        QCOMPARE(static_cast<double>(times.front()), first * 1e9);
        QCOMPARE(static_cast<double>(times.back()), last * 1e9);
        QFETCH(double, least);
        QFETCH(double, most);
        QCOMPARE(lowest(watts), least);
        QCOMPARE(highest(watts), most);
        QFETCH(double, mean);
        QVERIFY(std::abs(sumOf(watts) / count - mean) < 1e-4);
        QFETCH(double, joules);
        QCOMPARE(energyOf(times, watts), joules);
    }
    void powerAnalyser() {
        ImportedMeters imported;
        SKIP_WITHOUT(importReal("mlperf_power/spl_R7525_3xA100.txt", imported));
        const auto watts = imported.ofNode("node_power", 0);
        const auto times = imported.times("node_power", {SubjectKind::Node, -1, 0, {}});
        QCOMPARE(watts.size(), std::size_t{904});
        QCOMPARE(times.front(), std::int64_t{1616102950371} * 1'000'000);
        QCOMPARE(times.back(), std::int64_t{1616103853372} * 1'000'000);
        QCOMPARE(lowest(watts), 491.1);
        QCOMPARE(highest(watts), 1131.9);
        QVERIFY(std::abs(sumOf(watts) / 904.0 - 1085.0176991150447) < 1e-9);
        QVERIFY(std::abs(energyOf(times, watts) - 980352.03065) < 1e-4);
        const auto volts = imported.ofNode("supply_voltage", 0);
        QCOMPARE(lowest(volts), 204.81);
        QCOMPARE(highest(volts), 206.75);
        QCOMPARE(imported.units.front().clock, importers::ClockKind::Local);
    }
    void dcgmCsv_data() {
        // first: µs
        const auto row = columns<int, int, qint64, qint64, double, double>(
            "gpu", "count", "first", "last", "mean", "joules");
        row("0", 0, 8, 1718783836956328, 1718783839195313, 71.14, 159.116432);
        row("1", 1, 7, 1718783836979002, 1718783839006914, 71.767143, 145.565009);
        row("6", 6, 7, 1718783837159694, 1718783839160717, 69.622857, 139.375225);
        row("7", 7, 7, 1718783836965401, 1718783839204385, 71.632857, 160.348661);
    }
    void dcgmCsv() {
        QFETCH(int, gpu);
        QFETCH(int, count);
        ImportedMeters imported;
        SKIP_WITHOUT(importReal("dcgm/dcgm_long_usec_dmon.csv", imported));
        QCOMPARE(imported.sink.gpus.size(), std::size_t{8});
        QCOMPARE(imported.reports.front().value().rows, std::int64_t{171});
        const Subject subject{SubjectKind::Gpu, gpu, -1, {}};
        const RecordedSeries* power = imported.sink.find("gpu_power", subject);
        QVERIFY(power != nullptr);
        QVERIFY(power->description.sensor == SensorKind::Instant);
        const auto watts = imported.values("gpu_power", subject);
        const auto times = imported.times("gpu_power", subject);
        QCOMPARE(static_cast<int>(watts.size()), count);
        QFETCH(qint64, first);
        QFETCH(qint64, last);
        QCOMPARE(qint64{times.front()}, first * 1000);
        QCOMPARE(qint64{times.back()}, last * 1000);
        QFETCH(double, mean);
        QVERIFY(std::abs(sumOf(watts) / count - mean) < 1e-6);
        QFETCH(double, joules);
        QVERIFY(std::abs(energyOf(times, watts) - joules) < 1e-6);
        // The mask has every moment; each reason is listed beside it as a metric of its own.
        QCOMPARE(imported.values("throttle_reasons", subject).size(), watts.size());
        QCOMPARE(imported.reports.front().value().facts.at("own_columns"),
            std::string("throttle_reason_idle, throttle_reason_sw_power_cap"));
    }
    void exporterText_data() {
        const auto row = columns<QString>("path");
        row("node", "prometheus/aicr_gpu-node-1_dcgm_exposition_0.prom");
        row("pods", "prometheus/aicr_pods_dcgm_exposition_0.prom");
    }
    void exporterText() {
        QFETCH(QString, path);
        ImportedMeters imported;
        SKIP_WITHOUT(importReal(qPrintable(path), imported));
        QCOMPARE(imported.sink.gpus.size(), std::size_t{8});
        QCOMPARE(imported.units.front().clock, importers::ClockKind::None);
        const std::vector<double> watts{
            113.611, 68.347, 65.709, 67.316, 68.717, 65.742, 67.328, 66.997};
        const std::vector<double> degrees{30, 29, 26, 29, 28, 26, 28, 26};
        for (int gpu = 0; gpu < 8; ++gpu) {
            QCOMPARE(imported.ofGpu("gpu_power", gpu),
                std::vector<double>{watts[static_cast<std::size_t>(gpu)]});
            QCOMPARE(imported.ofGpu("gpu_temperature", gpu),
                std::vector<double>{degrees[static_cast<std::size_t>(gpu)]});
            QCOMPARE(imported.ofGpu("mem_utilization", gpu).size(), std::size_t{gpu < 6 ? 1U : 0U});
        }
        const Gpu& last = imported.sink.gpus.at({1, 7});
        QCOMPARE(last.model, std::string("NVIDIA H100 80GB HBM3"));
        QVERIFY(last.uuid.starts_with("GPU-04d228d3"));
    }
    // 16 GPUs of two nodes, which come in no order; sum of all powers 1129.212 W.
    void answersOfPrometheus() {
        ImportedMeters imported;
        SKIP_WITHOUT(
            importReal("prometheus/aicr_accelerator-metrics_gpu-node-1_promapi_3.json", imported));
        QCOMPARE(imported.sink.gpus.size(), std::size_t{16});
        QCOMPARE(imported.units.front().clock, importers::ClockKind::Utc);
        double sum = 0.0;
        for (int rank = 0; rank < 16; ++rank) {
            const auto watts = imported.ofGpu("gpu_power", rank);
            QCOMPARE(watts.size(), std::size_t{1});
            sum += watts.front();
        }
        QVERIFY(std::abs(sum - 1129.212) < 1e-9);
        QCOMPARE(imported.ofGpu("gpu_power", 0).front(), 113.611); // gpu-node-1, gpu 0
        QCOMPARE(imported.ofGpu("gpu_power", 15).front(), 69.523); // gpu-node-2, gpu 7
        QCOMPARE(imported.times("gpu_power", {SubjectKind::Gpu, 3, -1, {}}).front(),
            std::int64_t{1773114089943} * 1'000'000);
        QCOMPARE(imported.sink.gpus.at({1, 8}).node, 1);
    }
    void energyCountersOfAmd() {
        ImportedMeters imported;
        SKIP_WITHOUT(importReal("amd_smi/inferencex_amdsmi_total_energy_0.csv", imported));
        QCOMPARE(imported.sink.gpus.size(), std::size_t{8});
        QCOMPARE(imported.ofGpu("gpu_energy", 0), std::vector<double>{339360563.211});
        QCOMPARE(imported.ofGpu("gpu_energy", 7), std::vector<double>{328214671.882});
        QVERIFY(imported.ofGpu("gpu_power", 0).empty()); // one reading tells no power
    }
    void rocmSmi_data() {
        const auto row
            = columns<QString, std::vector<double>, std::vector<double>>("path", "watts", "hertz");
        row("concise", "amd_smi/thamada_MI300X_x4_smi_out.txt",
            std::vector<double>{133, 131, 131, 137},
            std::vector<double>{131e6, 132e6, 132e6, 131e6});
        row("listed", "amd_smi/thamada_MI300X_x4_smi_out_a.txt",
            std::vector<double>{133, 130, 131, 136},
            std::vector<double>{137e6, 133e6, 141e6, 132e6});
    }
    void rocmSmi() {
        QFETCH(QString, path);
        QFETCH(std::vector<double>, watts);
        QFETCH(std::vector<double>, hertz);
        ImportedMeters imported;
        SKIP_WITHOUT(importReal(qPrintable(path), imported));
        for (int gpu = 0; gpu < 4; ++gpu) {
            const auto at = static_cast<std::size_t>(gpu);
            QCOMPARE(imported.ofGpu("gpu_power", gpu), std::vector<double>{watts[at]});
            QCOMPARE(imported.ofGpu("sm_clock", gpu), std::vector<double>{hertz[at]});
            QCOMPARE(imported.ofGpu("power_limit", gpu), std::vector<double>{750.0});
            QCOMPARE(imported.ofGpu("gpu_utilization", gpu), std::vector<double>{0.0});
        }
    }

    void powerSeries_data() {
        const auto row = columns<QString, int, QJsonObject>("path", "rank", "truth");
        for (const auto& root : testRoots())
            addSeries(QString::fromStdString(root) + QStringLiteral("/data/"));
        if (realFiles().empty())
            row("no real files", QString(), 0, QJsonObject());
    }

    void powerSeries() {
        QFETCH(QString, path);
        QFETCH(int, rank);
        QFETCH(QJsonObject, truth);
        if (path.isEmpty())
            QSKIP("SKIPPED: the shared real files are not there (TRAINSCOPE_SHARED)");
        const auto tree = importers::openDiskTree(path.toStdString());
        QVERIFY(tree.hasValue());
        const ImportedLog imported(*tree.value());
        QCOMPARE(imported.reports.size(), std::size_t{1});
        QVERIFY2(imported.reports[0].hasValue(), "import failed");
        QCOMPARE(imported.reports[0].value().skipped, std::int64_t{0});

        const auto times = imported.times("gpu_power", rank);
        const auto values = imported.values("gpu_power", rank);
        const auto figure
            = [&truth](const char* key) { return truth[QLatin1String(key)].toDouble(); };
        QCOMPARE(static_cast<int>(values.size()), truth[QLatin1String("n")].toInt());
        QVERIFY(near(static_cast<double>(times.front()) * 1e-9, figure("first"), 5e-4));
        QVERIFY(near(static_cast<double>(times.back()) * 1e-9, figure("last"), 5e-4));
        QCOMPARE(*std::min_element(values.begin(), values.end()), figure("min"));
        QCOMPARE(*std::max_element(values.begin(), values.end()), figure("max"));
        double sum = 0.0;
        for (const double value : values)
            sum += value;
        QVERIFY(near(sum / static_cast<double>(values.size()), figure("mean"), 5e-5));
        QVERIFY(near(trapezoid(times, values), figure("energy_trapz_J"), 5e-3));
    }

private:
    static void addSeries(const QString& data) {
        QFile file(data + QStringLiteral("telemetry_truth.json"));
        if (!file.open(QIODevice::ReadOnly))
            return;
        const QJsonObject all = QJsonDocument::fromJson(file.readAll()).object();
        for (const QString& path : all.keys()) {
            if (!path.startsWith(QStringLiteral("nvidia_smi/")))
                continue;
            const QJsonObject series = all[path].toObject()[QStringLiteral("series")].toObject();
            for (const QString& gpu : series.keys()) {
                QTest::newRow(qPrintable(path + QStringLiteral(" GPU ") + gpu))
                    << data + path << gpu.toInt() << series[gpu].toObject();
            }
        }
    }
};

TRAINSCOPE_TEST(tst_MeterTruth)
#include "tst_MeterTruth.moc"
