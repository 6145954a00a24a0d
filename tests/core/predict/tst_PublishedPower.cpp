// Power against published measurements: A100s of a pipeline by how busy they are (Perseus and
// EnvPipe; Chung et al., SOSP 2024), nodes of H100s at the wall (MLPerf Training 4.1).

#include <QtTest>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "core/analysis/statistics/Means.h"
#include "core/predict/power/NodePower.h"
#include "core/predict/power/PowerModel.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

#include <cmath>
#include <string>
#include <vector>

using namespace trainscope;
using namespace trainscope::predict;

namespace {

struct StagePower {
    double busySeconds = 0.0; // of a step
    double seconds = 0.0;
    double joules = 0.0;
};

double sumOf(const QJsonValue& value) {
    if (!value.isArray())
        return value.toDouble();
    double sum = 0.0;
    for (const QJsonValue& one : value.toArray())
        sum += sumOf(one);
    return sum;
}

std::vector<StagePower> stagesOf(const std::string& path) {
    QFile file(QString::fromStdString(path));
    std::vector<StagePower> stages;
    if (!file.open(QIODevice::ReadOnly))
        return stages;
    const QJsonArray ranks = QJsonDocument::fromJson(file.readAll()).array();
    for (const QJsonValue& rank : ranks) {
        const QJsonObject times = rank[u"time_breakdown"].toObject();
        const auto steps = static_cast<double>(rank[u"iter_time"].toArray().size());
        stages.push_back({(sumOf(times[u"forward"]) + sumOf(times[u"backward"])) / steps,
            sumOf(rank[u"iter_time"]) / steps, sumOf(rank[u"iter_energy"]) / steps});
    }
    return stages;
}

// Medians of the readings of a node at rest and in training, between which there are few.
struct NodeLevels {
    double restW = 0.0;
    double trainingW = 0.0;
};

NodeLevels levelsOf(const std::string& path) {
    QFile file(QString::fromStdString(path));
    std::vector<double> rest;
    std::vector<double> training;
    if (!file.open(QIODevice::ReadOnly))
        return {};
    constexpr double kRestBelowW = 4500.0;
    constexpr double kTrainingAboveW = 6500.0;
    while (!file.atEnd()) {
        const QByteArray line = file.readLine();
        if (!line.contains("power_reading"))
            continue;
        const auto entry = QJsonDocument::fromJson(line.mid(line.indexOf('{'))).object();
        const double watts = entry[u"value"].toDouble();
        if (watts < kRestBelowW)
            rest.push_back(watts);
        else if (watts > kTrainingAboveW)
            training.push_back(watts);
    }
    return {analysis::medianOf(rest), analysis::medianOf(training)};
}

} // namespace

class tst_PublishedPower : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void nodesByHand() {
        QCOMPARE(nodePower(8 * 500.0, 8, {300.0, 1.05}), 8 * 300.0 + 1.05 * 4000.0);
        QCOMPARE(nodePower(0.0, 2, {300.0, 1.05}), 600.0);
    }

    // The cards are taken to be PCIe, whose limit the busiest stage reaches. Forward and backward
    // passes are products under the limit of 300 W, the rest of the step
    // waits; by the constants of the catalogue, nothing of these runs is fitted.
    void pipelinesOfA100() {
        const std::string root = test::realFiles();
        if (root.empty())
            QSKIP("SKIPPED: the shared real files are not there (TRAINSCOPE_SHARED)");
        const GpuPower gpu = gpuPowerOf(*catalogue::findGpuModel("A100 PCIe"));
        double error = 0.0;
        int count = 0;
        for (const char* name : {"perseus", "envpipe"}) {
            const auto stages
                = stagesOf(root + "/data/zeus/" + name + "_A100_gpt3xl_pp4_0.prof.json");
            QCOMPARE(stages.size(), std::size_t{4});
            for (const StagePower& stage : stages) {
                const double measured = stage.joules / stage.seconds;
                const std::vector<TimedLoad> loads{
                    {stage.busySeconds, gpu.activeW[Activity::Gemm], 1.0},
                    {stage.seconds - stage.busySeconds, gpu.activeW[Activity::Waiting], 0.0, true}};
                // Seconds as measured, so the clock that the limit leaves is in them.
                const double clock = clockOfPlayed(gpu, loads, gpu.limitW, 50.0);
                const double watts = meanPowerPlayed(gpu, loads, clock, 50.0).watts;
                qInfo("%s: busy %.1f %%, %.1f W, measured %.1f W", name,
                    100 * stage.busySeconds / stage.seconds, watts, measured);
                error += std::abs(watts / measured - 1.0);
                ++count;
            }
        }
        qInfo("mean error %.1f %%", 100 * error / count);
        QVERIFY(error / count < 0.03);
    }

    void nodesOfH100() {
        const std::string root = test::realFiles();
        if (root.empty())
            QSKIP("SKIPPED: the shared real files are not there (TRAINSCOPE_SHARED)");
        double rest = 0.0;
        double training = 0.0;
        constexpr int kNodes = 8;
        for (int node = 0; node < kNodes; ++node) {
            const NodeLevels levels
                = levelsOf(root + "/data/mlperf_power/dell_64xH100_llama2_lora_node_"
                    + std::to_string(node) + ".txt");
            rest += std::abs(nodePower(8 * 117.0, 8) / levels.restW - 1.0) / kNodes;
            training += std::abs(nodePower(8 * 687.0, 8) / levels.trainingW - 1.0) / kNodes;
        }
        qInfo("rest %.1f %%, training %.1f %%", 100 * rest, 100 * training);
        QVERIFY(training < 0.03);
        QVERIFY(rest < 0.08);
    }

    // Rest is 491 W and the most 1132 W: 8 % at most for nodes of another maker, whose host is
    // what rest leaves. Three A100 PCIe of 40 GB draw 250 W at most, 36 W at rest.
    void anotherMaker() {
        const double host = (491.0 - 1.04 * 3 * 36.0) / 3.0;
        QVERIFY(std::abs(nodePower(3 * 250.0, 3, {host, 1.04}) / 1132.0 - 1.0) < 0.08);
    }
};

TRAINSCOPE_TEST(tst_PublishedPower)
#include "tst_PublishedPower.moc"
