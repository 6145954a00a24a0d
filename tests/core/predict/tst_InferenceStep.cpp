// Inference against theory: a prompt is the model's forward pass, a token waits for the weights and
// the cache, micro-batches go through the pipeline in groups, and all of it adds up.

#include "core/analysis/machine/ModelShape.h"
#include "core/predict/power/PowerModel.h"
#include "core/predict/prediction/JobRequest.h"
#include "core/predict/prediction/Prediction.h"
#include "core/predict/search/Search.h"
#include "core/predict/step/LayerCosts.h"
#include "core/predict/support/CatalogueJob.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::predict;

namespace {

constexpr int kPrompt = 1792;
constexpr int kGenerated = 256;

JobRequest served(const char* model, const char* layout, int gpus) {
    JobRequest request
        = test::jobRequest(model, std::to_string(gpus) + "xH100", layout, 32, kPrompt + kGenerated);
    request.workload = Workload::Inference;
    request.generated = kGenerated;
    request.microBatch = 4;
    return request;
}

Rates ratesFor(const Job& job) {
    return RateTable::builtIn().ratesOf(job).value();
}

Step stepFor(const JobRequest& request) {
    const Job job = jobOf(request).value();
    return predictStep(job, ratesFor(job)).value();
}

double flopOf(const LayerWork& work) {
    double flop = 0.0;
    for (const Operator& one : work.operators) {
        const double halves = one.kind == OperatorKind::FlashAttention ? 2.0 : 1.0;
        flop += forwardWork(one).flop * one.count * halves;
    }
    return flop;
}

double modelFlop(const Job& job, Pass pass) {
    const int dense = job.model.experts > 1 ? job.model.denseLayers : job.model.layers;
    double flop = dense * flopOf(layerWork(job, false, pass)) + flopOf(lossWork(job, pass));
    if (job.model.experts > 1)
        flop += (job.model.layers - dense) * flopOf(layerWork(job, true, pass));
    return flop;
}

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
constexpr PublishedServing kPublished[]{
    // docs/en/benchmark/a100_fp16.md: batches whose caches fit all at once.
    {kLmdeploy, "llama2-7b", 1, 1, 128, 128, kWholeStep, tokensPerSecond(1, 128, 102.21)},
    {kLmdeploy, "llama2-7b", 1, 1, 2048, 2048, kWholeStep, tokensPerSecond(1, 2048, 93.78)},
    {kLmdeploy, "llama2-7b", 1, 16, 128, 128, kWholeStep, tokensPerSecond(16, 128, 1272.47)},
    {kLmdeploy, "llama2-7b", 1, 16, 128, 2048, kWholeStep, tokensPerSecond(16, 2048, 1010.62)},
    {kLmdeploy, "llama2-7b", 1, 16, 2048, 128, kWholeStep, tokensPerSecond(16, 128, 348.87)},
    {kLmdeploy, "llama2-7b", 1, 16, 2048, 2048, kWholeStep, tokensPerSecond(16, 2048, 601.63)},
    {kLmdeploy, "llama2-7b", 1, 32, 128, 2048, kWholeStep, tokensPerSecond(32, 2048, 1462.12)},
    {kLmdeploy, "llama2-7b", 1, 64, 128, 128, kWholeStep, tokensPerSecond(64, 128, 3024.07)},
    {kLmdeploy, "llama2-13b", 1, 1, 128, 128, kWholeStep, tokensPerSecond(1, 128, 56.58)},
    {kLmdeploy, "llama2-13b", 1, 16, 128, 128, kWholeStep, tokensPerSecond(16, 128, 757.3)},
    {kLmdeploy, "llama2-13b", 1, 16, 128, 2048, kWholeStep, tokensPerSecond(16, 2048, 605.88)},
    {kLmdeploy, "llama2-13b", 1, 64, 128, 128, kWholeStep, tokensPerSecond(64, 128, 2033.22)},
    {kLmdeploy, "llama2-70b", 4, 1, 128, 128, kWholeStep, tokensPerSecond(1, 128, 33.63)},
    {kLmdeploy, "llama2-70b", 4, 16, 128, 128, kWholeStep, tokensPerSecond(16, 128, 439.77)},
    {kLmdeploy, "llama2-70b", 4, 16, 2048, 2048, kWholeStep, tokensPerSecond(16, 2048, 399.42)},
    {kLmdeploy, "llama2-70b", 4, 32, 128, 2048, kWholeStep, tokensPerSecond(32, 2048, 853.56)},
    {kLmdeploy, "llama2-70b", 4, 64, 128, 2048, kWholeStep, tokensPerSecond(64, 2048, 1391.8)},
    {kLmdeploy, "llama2-70b", 4, 64, 2048, 2048, kWholeStep, tokensPerSecond(64, 2048, 930.46)},
    {kLmdeploy, "llama2-7b", 1, 1, 2048, 128, kFirstToken, 0.139},
    {kLmdeploy, "llama2-13b", 1, 1, 2048, 128, kFirstToken, 0.242},
    {kLmdeploy, "llama2-70b", 4, 1, 2048, 128, kFirstToken, 0.402},
    // docs/source/performance.md, Low Latency.
    {kTensorRt, "llama2-7b", 1, 1, 128, 1, kFirstToken, 0.016},
    {kTensorRt, "llama2-7b", 1, 1, 2048, 1, kFirstToken, 0.133},
    {kTensorRt, "llama2-70b", 4, 1, 128, 1, kFirstToken, 0.047},
    {kTensorRt, "llama2-70b", 4, 1, 2048, 1, kFirstToken, 0.377},
    // README.md, 5 tokens of prompt, 200 generated.
    {kGptFast, "llama2-7b", 1, 1, 5, 200, kNextToken, 1.0 / 104.9},
    {kGptFast, "llama2-7b", 2, 1, 5, 200, kNextToken, 1.0 / 168.84},
    {kGptFast, "llama2-7b", 4, 1, 5, 200, kNextToken, 1.0 / 254.02},
    {kGptFast, "llama2-7b", 8, 1, 5, 200, kNextToken, 1.0 / 328.43},
    {kGptFast, "llama2-70b", 2, 1, 5, 200, kNextToken, 1.0 / 21.32},
    {kGptFast, "llama2-70b", 4, 1, 5, 200, kNextToken, 1.0 / 38.01},
    {kGptFast, "llama2-70b", 8, 1, 5, 200, kNextToken, 1.0 / 62.50},
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

class tst_InferenceStep : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Prompt and passes are the model's FLOP but for the logits, of which only those of the last
    // position of the prompt are made: 2 · hidden · words for each token less.
    void operatorsAreTheWorkOfTheModel_data() {
        const auto row = test::columns<QByteArray>("name");
        for (const char* name : {"gpt3-175b", "llama3-70b", "llama3-8b", "mixtral-8x7b"})
            row(name, QByteArray(name));
    }
    void operatorsAreTheWorkOfTheModel() {
        QFETCH(const QByteArray, name);
        JobRequest request = served(name.constData(), "tp=1", 1);
        request.microBatch = request.globalBatch = 64; // every expert has its tokens
        const Job job = jobOf(request).value();
        const double made
            = modelFlop(job, Pass::Whole) + (kGenerated - 1) * modelFlop(job, Pass::Decode);
        const double logits = 2.0 * job.model.hidden * job.model.vocabulary * (kPrompt - 1);
        const double expected = analysis::workOf(job.model, Workload::Inference,
                                    kPrompt + kGenerated - 1, kGenerated - 1)
                                    .flopPerSample
            - logits;
        QVERIFY2(std::abs(made / 64 / expected - 1.0) < 1e-9,
            qPrintable(QString::number(made / 64 / expected, 'g', 12)));
    }

    // DeepSeek-V2, 2.1.3 and its appendix: 128 heads of queries meet 512 + 64 numbers of a token in
    // the cache, and sum 512 of them: 2 · 128 · (576 + 512) FLOP and 2 · 576 B a token.
    void latentCacheByHand() {
        JobRequest request = served("deepseek-v3", "tp=1", 1);
        request.cluster.nodes = request.cluster.gpusPerNode = 1;
        request.microBatch = request.globalBatch = 1;
        const LayerWork work = layerWork(jobOf(request).value(), true, Pass::Decode);
        const auto cached = std::find_if(work.operators.begin(), work.operators.end(),
            [](const Operator& one) { return one.kind == OperatorKind::CachedAttention; });
        QVERIFY(cached != work.operators.end());
        const double tokens = kPrompt + kGenerated / 2.0;
        QCOMPARE(forwardWork(*cached).flop, 2.0 * 128 * (576 + 512) * tokens);
        // The queries and what is summed are read and written besides.
        QCOMPARE(forwardWork(*cached).bytes, 2.0 * 576 * tokens + 2.0 * 128 * (576 + 512));
    }

    // Each token takes two of eight experts: one token meets two; sixteen meet 8 · (1 − (3/4)^16) =
    // 7.92.
    void fewTokensMeetFewExperts() {
        const auto busy = [](int samples) {
            JobRequest request = served("mixtral-8x7b", "tp=1", 1);
            request.cluster.nodes = request.cluster.gpusPerNode = 1;
            request.microBatch = request.globalBatch = samples;
            const LayerWork work = layerWork(jobOf(request).value(), true, Pass::Decode);
            for (const Operator& one : work.operators) {
                if (one.name == "experts_up")
                    return one.batch;
            }
            return 0.0;
        };
        QVERIFY(std::abs(busy(1) - 2.0) < 1e-9);
        QVERIFY(std::abs(busy(16) - 8.0 * (1.0 - std::pow(0.75, 16.0))) < 1e-9);
    }

    // One sample waits for 2 B of each weight but the embedding's, and for the cache.
    void aTokenWaitsForTheWeights() {
        JobRequest request = served("llama3-8b", "tp=1", 1);
        request.cluster.nodes = request.cluster.gpusPerNode = 1;
        request.microBatch = request.globalBatch = 1;
        const Job job = jobOf(request).value();
        Rates rates = ratesFor(job);
        rates.stream = 1.0;
        rates.gapSeconds = 0.0;
        const Step step = predictStep(job, rates).value();
        const double weights = 2.0 * (8.03e9 - 4096.0 * 128256.0);
        const double cache = 2.0 * 32 * 2 * 8 * 128 * (kPrompt + kGenerated / 2.0);
        const double least = (weights + cache) / 3.35e12; // an H100's bandwidth
        const double token = step.inference->tokenSeconds;
        QVERIFY2(token > least && token < 1.05 * least, qPrintable(QString::number(token / least)));
    }

    // Four stages and six micro-batches: four go together, then two. With nothing sent, prompts
    // take the stages and the slowest one for each further; tokens the stages, since no more go
    // together than there are stages.
    void groupsByHand() {
        JobRequest request = served("llama3-70b", "pp=4", 4);
        request.cluster.nodes = 1;
        request.cluster.gpusPerNode = 4;
        request.globalBatch = 24;
        const Job job = jobOf(request).value();
        Rates rates = ratesFor(job);
        rates.link = 1e18;
        rates.linkLatency = 0.0;
        const Step step = predictStep(job, rates).value();
        const auto& times = step.inference.value();
        QCOMPARE(times.inFlight, 4);
        std::vector<double> prompts;
        std::vector<double> tokens;
        for (int stage = 0; stage < 4; ++stage) {
            prompts.push_back(step.pieces[static_cast<std::size_t>(stage)].forward.total());
            tokens.push_back(times.decodePieces[static_cast<std::size_t>(stage)].forward.total());
        }
        const double through = std::accumulate(prompts.begin(), prompts.end(), 0.0);
        const double slowest = *std::max_element(prompts.begin(), prompts.end());
        QVERIFY(std::abs(times.firstTokenSeconds / (through + 3 * slowest) - 1.0) < 1e-6);
        QVERIFY(std::abs(times.prefillSeconds / (2 * through + 4 * slowest) - 1.0) < 1e-6);
        const double pass = std::accumulate(tokens.begin(), tokens.end(), 0.0);
        const double late = *std::max_element(tokens.begin(), tokens.end());
        const double decode = 255.0 * (std::max(pass, 4 * late) + std::max(pass, 2 * late));
        QVERIFY(std::abs(times.decodeSeconds / decode - 1.0) < 1e-6);
        QVERIFY(std::abs(step.schedule.makespan / times.firstTokenSeconds - 1.0) < 1e-12);
        QCOMPARE(step.schedule.tasks.size(), std::size_t{16});
        for (const layout::ScheduleTask& task : step.schedule.tasks)
            QVERIFY(task.kind == layout::TaskKind::Forward);
    }

    void partsAddUp_data() {
        const auto row = test::columns<QByteArray, QByteArray>("model", "layout");
        for (const char* layout : {"tp=1", "tp=8", "tp=4,pp=2", "pp=4", "cp=2,pp=2", "tp=2,fsdp"})
            row(layout, "llama3-8b", QByteArray(layout));
        for (const char* layout : {"ep=8", "tp=2,ep=4,pp=2", "tp=8"})
            row(layout, "mixtral-8x7b", QByteArray(layout));
        row("latent", "deepseek-v3", "tp=4,ep=8");
        row("windows", "gpt-oss-120b", "ep=8");
    }
    void partsAddUp() {
        QFETCH(const QByteArray, model);
        QFETCH(const QByteArray, layout);
        JobRequest request = served(model.constData(), layout.constData(), 16);
        request.microBatch = 1;
        const Job job = jobOf(request).value();
        const auto prediction = Predictor().predict(job).value();
        const Step& step = prediction.step;
        QVERIFY(std::abs(step.breakdown.total() / step.seconds - 1.0) < 1e-9);
        for (std::size_t i = 0; i < kStepParts; ++i)
            QVERIFY2(step.breakdown[static_cast<StepPart>(i)] >= 0.0,
                std::string(toString(static_cast<StepPart>(i))).c_str());
        for (const StepPart part :
            {StepPart::DataParallel, StepPart::Optimizer, StepPart::Recomputation})
            QCOMPARE(step.breakdown[part], 0.0);
        const Serving& serving = prediction.serving.value();
        VERIFY_RATIO((serving.prefillSeconds + serving.decodeSeconds), prediction.seconds, 1e-9);
        QVERIFY(serving.tokenSeconds < serving.firstTokenSeconds);
        QVERIFY(prediction.low < prediction.seconds && prediction.seconds < prediction.high);
        QVERIFY(prediction.outlook.meanW > 100.0 && prediction.outlook.meanW <= 700.0);
        double activities = 0.0;
        const ActivityTimes times = activitiesOf(job, step, step.slowestStage);
        for (const Activity activity : kAllActivities)
            activities += times[activity].seconds;
        QVERIFY(std::abs(activities / step.seconds - 1.0) < 1e-9);
        // Without its tasks it takes as long.
        const double estimated = predictStep(job, ratesFor(job), false).value().seconds;
        QVERIFY(std::abs(estimated / step.seconds - 1.0) < 1e-9);
    }

    void promptsAlone() {
        JobRequest request = served("llama3-8b", "pp=2", 2);
        request.cluster.nodes = 1;
        request.cluster.gpusPerNode = 2;
        request.sequence = kPrompt;
        request.generated = 0;
        const Step step = stepFor(request);
        QCOMPARE(step.inference->inFlight, 8); // nothing is kept of those that are done
        QCOMPARE(step.inference->decodeSeconds, 0.0);
        QCOMPARE(step.inference->tokenSeconds, 0.0);
        // The prompt gives the first token.
        request.sequence = kPrompt + 1;
        request.generated = 1;
        QVERIFY(std::abs(stepFor(request).seconds / step.seconds - 1.0) < 1e-9);
    }

    void moreCostsMore() {
        const auto seconds = [](int batch, int generated, const char* layout) {
            JobRequest request = served("llama3-70b", layout, 8);
            request.microBatch = request.globalBatch = batch;
            request.sequence = kPrompt + generated;
            request.generated = generated;
            return stepFor(request);
        };
        QVERIFY(seconds(16, 512, "tp=8").seconds > seconds(16, 256, "tp=8").seconds);
        const double one = seconds(1, 256, "tp=8").inference->tokenSeconds;
        const double many = seconds(32, 256, "tp=8").inference->tokenSeconds;
        QVERIFY(many > one && many < 2.0 * one); // weights are read once for all
        QVERIFY(seconds(1, 256, "tp=4,pp=2").inference->tokenSeconds > 1.3 * one);
    }

    // Weights of 16 bits and 2 · 2 · 8 · 128 B a token and layer of the micro-batches in flight.
    void memoryByHand() {
        JobRequest request = served("llama3-70b", "tp=4,pp=2", 8);
        const Job job = jobOf(request).value();
        const auto needs = analysis::stageNeedsOf(memoryRequestOf(job));
        const double cache = 2.0 * 2 * 8 * 128 / 4.0 * (kPrompt + kGenerated) * 4 * 40;
        QVERIFY(std::abs(needs[0].held / (2 * cache) - 1.0) < 1e-9);
        QCOMPARE(needs[0].gradients + needs[0].optimizer + needs[0].logits, 0.0);
        const double layers = 40.0 * (8192.0 * (8192 * 2 + 2048) + 3.0 * 8192 * 28672 + 2 * 8192);
        const double table = 8192.0 * 128256;
        QVERIFY(std::abs(needs[0].weights / (2.0 * (layers + table) / 4) - 1.0) < 1e-4);
        request.precision = Precision::Fp8; // once, along rows
        const auto narrow = analysis::stageNeedsOf(memoryRequestOf(jobOf(request).value()));
        QVERIFY(std::abs(narrow[0].weights / needs[0].weights - 0.5) < 1e-9);
    }

    void whatIsRefused_data() {
        const auto row = test::columns<QByteArray, int, bool, QByteArray>(
            "layout", "generated", "recomputes", "reason");
        row("tokens", "tp=8", 2048, false, "2048 tokens");
        row("recomputation", "tp=8", 256, true, "recomputes nothing");
        row("virtual", "pp=2,vpp=2", 256, false, "Virtual stages");
        row("zero", "zero=1", 256, false, "ZeRO 1");
    }
    void whatIsRefused() {
        QFETCH(const QByteArray, layout);
        QFETCH(const int, generated);
        QFETCH(const bool, recomputes);
        QFETCH(const QByteArray, reason);
        JobRequest request = served("llama3-8b", layout.constData(), 8);
        request.generated = generated;
        request.recompute = recomputes ? Recompute::Full : Recompute::None;
        const auto job = jobOf(request);
        VERIFY_FAILS(job, reason.constData());
        if (generated < request.sequence) {
            keepWhatApplies(request);
            QVERIFY(jobOf(request).hasValue());
        }
    }

    void trainingGeneratesNothing() {
        JobRequest request = served("llama3-8b", "tp=8", 8);
        request.workload = Workload::Training;
        QVERIFY(!jobOf(request).hasValue());
        keepWhatApplies(request);
        QVERIFY(jobOf(request).hasValue());
    }

    // The best that a search lists is as fast as it is predicted by itself, and nothing else that
    // was looked at is faster.
    void searched() {
        SearchRequest request
            = test::searchRequest("llama3-8b", "8xH100", 64, kPrompt + kGenerated);
        request.workload = Workload::Inference;
        request.generated = kGenerated;
        const auto found = searchLayouts(request).value();
        QVERIFY(!found.top.empty());
        for (const RankedLayout& one : found.top) {
            QCOMPARE(one.choice.virtualStages, 1);
            QVERIFY(one.choice.recompute == Recompute::None);
            QVERIFY(one.prediction.serving.has_value());
            QVERIFY(one.prediction.seconds >= found.top.front().prediction.seconds);
        }
        const Job best = found.top.front().job;
        QCOMPARE(best.generated, kGenerated);
        QCOMPARE(found.top.front().prediction.seconds, Predictor().predict(best).value().seconds);
    }

    // Inference against published measurements: static batches of LMDeploy and first tokens of
    // TensorRT-LLM on A100 in 16 bits, and single samples of gpt-fast, which waits for its weights.
    // None of them was fitted to but gpt-fast's Llama 2 7B on one GPU.

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
        qInfo("all: %.1f %%, %d of %zu in the interval", 100.0 * all / std::size(kPublished),
            covered, std::size(kPublished));
        QVERIFY(all / std::size(kPublished) < 0.15);
        QVERIFY(covered >= 0.85 * std::size(kPublished));
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

TRAINSCOPE_TEST(tst_InferenceStep)
#include "tst_InferenceStep.moc"
