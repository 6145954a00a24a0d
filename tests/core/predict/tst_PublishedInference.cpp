// Inference against published measurements: static batches of LMDeploy and first tokens of
// TensorRT-LLM on A100 in 16 bits, and single samples of gpt-fast, which waits for its weights.
// None of them was fitted to but gpt-fast's Llama 2 7B on one GPU.

#include "core/predict/power/PowerModel.h"
#include "core/predict/prediction/JobRequest.h"
#include "core/predict/prediction/Prediction.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::predict;

namespace {

enum class MeasuredQuantity { Step, FirstToken, Token };

struct PublishedServing {
    const char* source;
    const char* model;
    int tensor;
    int batch;
    int prompt;
    int generated;
    MeasuredQuantity quantity;
    double value; // s, of a step batch · generated / (tokens/s)
};

constexpr double tokensPerSecond(int batch, int generated, double rate) {
    return batch * generated / rate;
}

constexpr const char* kLmdeploy = "LMDeploy 0.1.0a1, A100 (FP16)";
constexpr const char* kTensorRt = "TensorRT-LLM 0.5, A100 (FP16)";
constexpr const char* kGptFast = "gpt-fast, A100";

constexpr auto kWholeStep = MeasuredQuantity::Step;
constexpr auto kFirstToken = MeasuredQuantity::FirstToken;
constexpr auto kNextToken = MeasuredQuantity::Token;
constexpr std::array kPublished{
    // docs/en/benchmark/a100_fp16.md: batches whose caches fit all at once.
    PublishedServing{
        kLmdeploy, "llama2-7b", 1, 1, 128, 128, kWholeStep, tokensPerSecond(1, 128, 102.21)},
    PublishedServing{
        kLmdeploy, "llama2-7b", 1, 1, 2048, 2048, kWholeStep, tokensPerSecond(1, 2048, 93.78)},
    PublishedServing{
        kLmdeploy, "llama2-7b", 1, 16, 128, 128, kWholeStep, tokensPerSecond(16, 128, 1272.47)},
    PublishedServing{
        kLmdeploy, "llama2-7b", 1, 16, 128, 2048, kWholeStep, tokensPerSecond(16, 2048, 1010.62)},
    PublishedServing{
        kLmdeploy, "llama2-7b", 1, 16, 2048, 128, kWholeStep, tokensPerSecond(16, 128, 348.87)},
    PublishedServing{
        kLmdeploy, "llama2-7b", 1, 16, 2048, 2048, kWholeStep, tokensPerSecond(16, 2048, 601.63)},
    PublishedServing{
        kLmdeploy, "llama2-7b", 1, 32, 128, 2048, kWholeStep, tokensPerSecond(32, 2048, 1462.12)},
    PublishedServing{
        kLmdeploy, "llama2-7b", 1, 64, 128, 128, kWholeStep, tokensPerSecond(64, 128, 3024.07)},
    PublishedServing{
        kLmdeploy, "llama2-13b", 1, 1, 128, 128, kWholeStep, tokensPerSecond(1, 128, 56.58)},
    PublishedServing{
        kLmdeploy, "llama2-13b", 1, 16, 128, 128, kWholeStep, tokensPerSecond(16, 128, 757.3)},
    PublishedServing{
        kLmdeploy, "llama2-13b", 1, 16, 128, 2048, kWholeStep, tokensPerSecond(16, 2048, 605.88)},
    PublishedServing{
        kLmdeploy, "llama2-13b", 1, 64, 128, 128, kWholeStep, tokensPerSecond(64, 128, 2033.22)},
    PublishedServing{
        kLmdeploy, "llama2-70b", 4, 1, 128, 128, kWholeStep, tokensPerSecond(1, 128, 33.63)},
    PublishedServing{
        kLmdeploy, "llama2-70b", 4, 16, 128, 128, kWholeStep, tokensPerSecond(16, 128, 439.77)},
    PublishedServing{
        kLmdeploy, "llama2-70b", 4, 16, 2048, 2048, kWholeStep, tokensPerSecond(16, 2048, 399.42)},
    PublishedServing{
        kLmdeploy, "llama2-70b", 4, 32, 128, 2048, kWholeStep, tokensPerSecond(32, 2048, 853.56)},
    PublishedServing{
        kLmdeploy, "llama2-70b", 4, 64, 128, 2048, kWholeStep, tokensPerSecond(64, 2048, 1391.8)},
    PublishedServing{
        kLmdeploy, "llama2-70b", 4, 64, 2048, 2048, kWholeStep, tokensPerSecond(64, 2048, 930.46)},
    PublishedServing{kLmdeploy, "llama2-7b", 1, 1, 2048, 128, kFirstToken, 0.139},
    PublishedServing{kLmdeploy, "llama2-13b", 1, 1, 2048, 128, kFirstToken, 0.242},
    PublishedServing{kLmdeploy, "llama2-70b", 4, 1, 2048, 128, kFirstToken, 0.402},
    // docs/source/performance.md, Low Latency.
    PublishedServing{kTensorRt, "llama2-7b", 1, 1, 128, 1, kFirstToken, 0.016},
    PublishedServing{kTensorRt, "llama2-7b", 1, 1, 2048, 1, kFirstToken, 0.133},
    PublishedServing{kTensorRt, "llama2-70b", 4, 1, 128, 1, kFirstToken, 0.047},
    PublishedServing{kTensorRt, "llama2-70b", 4, 1, 2048, 1, kFirstToken, 0.377},
    // README.md, 5 tokens of prompt, 200 generated.
    PublishedServing{kGptFast, "llama2-7b", 1, 1, 5, 200, kNextToken, 1.0 / 104.9},
    PublishedServing{kGptFast, "llama2-7b", 2, 1, 5, 200, kNextToken, 1.0 / 168.84},
    PublishedServing{kGptFast, "llama2-7b", 4, 1, 5, 200, kNextToken, 1.0 / 254.02},
    PublishedServing{kGptFast, "llama2-7b", 8, 1, 5, 200, kNextToken, 1.0 / 328.43},
    PublishedServing{kGptFast, "llama2-70b", 2, 1, 5, 200, kNextToken, 1.0 / 21.32},
    PublishedServing{kGptFast, "llama2-70b", 4, 1, 5, 200, kNextToken, 1.0 / 38.01},
    PublishedServing{kGptFast, "llama2-70b", 8, 1, 5, 200, kNextToken, 1.0 / 62.50},
};

Job jobOfPublished(const PublishedServing& row) {
    JobRequest request;
    request.model = *catalogue::modelCatalogue().byName(row.model);
    request.cluster = clusterFrom("1x8xA100 SXM4 80GB").value();
    request.cluster.gpusPerNode = row.tensor;
    request.layout.tensor = row.tensor;
    request.workload = Workload::Inference;
    request.microBatch = request.globalBatch = row.batch;
    request.sequence = row.prompt + row.generated;
    request.generated = row.generated;
    request.precision = Precision::Fp16;
    return jobOf(request).value();
}

double valueOf(const Prediction& prediction, MeasuredQuantity quantity) {
    switch (quantity) {
    case MeasuredQuantity::Step:
        return prediction.seconds;
    case MeasuredQuantity::FirstToken:
        return prediction.serving->firstTokenSeconds;
    case MeasuredQuantity::Token:
        break;
    }
    return prediction.serving->tokenSeconds;
}

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

class tst_PublishedInference : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void servedAsMeasured() {
        std::map<std::string, std::pair<double, int>> errors;
        int covered = 0;
        double all = 0.0;
        for (const PublishedServing& row : kPublished) {
            const auto prediction = Predictor().predict(jobOfPublished(row)).value();
            const double value = valueOf(prediction, row.quantity);
            const double error = value / row.value - 1.0;
            qInfo("%s %s TP %d, batch %d, %d + %d: %.4f s, measured %.4f s, %+.1f %%", row.source,
                row.model, row.tensor, row.batch, row.prompt, row.generated, value, row.value,
                100.0 * error);
            auto& [sum, count] = errors[row.source];
            sum += std::abs(error);
            ++count;
            all += std::abs(error);
            const double low = prediction.low / prediction.seconds;
            const double high = prediction.high / prediction.seconds;
            covered += low * value <= row.value && row.value <= high * value ? 1 : 0;
            QVERIFY(std::abs(error) < 0.35);
            QVERIFY(!prediction.isOom);
        }
        for (const auto& [source, sum] : errors)
            qInfo("%s: %.1f %%, %d", source.c_str(), 100.0 * sum.first / sum.second, sum.second);
        qInfo("all: %.1f %%, %d of %zu in the interval", 100.0 * all / kPublished.size(), covered,
            kPublished.size());
        QVERIFY(all / kPublished.size() < 0.15);
        QVERIFY(covered >= 0.85 * kPublished.size());
    }

    // Power against published measurements: A100s of a pipeline by how busy they are (Perseus and
    // EnvPipe; Chung et al., SOSP 2024).

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

TRAINSCOPE_TEST(tst_PublishedInference)
#include "tst_PublishedInference.moc"
