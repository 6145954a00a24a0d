// Power against published measurements: A100s of a pipeline by how busy they are (Perseus and
// EnvPipe; Chung et al., SOSP 2024).

#include <QtTest>

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

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
    double busySeconds = 0.0; // per step
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

} // namespace

class tst_PublishedPower : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
};

TRAINSCOPE_TEST(tst_PublishedPower)
#include "tst_PublishedPower.moc"
