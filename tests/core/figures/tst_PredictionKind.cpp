// A run as a job to be predicted, and the kind of figure that shows it: what the run says is taken,
// what it leaves open is told, what is asked for instead is changed.

#include "core/analysis/traces/PlantedTrace.h"
#include "core/figures/Kinds.h"
#include "core/figures/prediction/AskedJob.h"
#include "core/figures/prediction/PredictedOverlay.h"
#include "core/figures/prediction/PredictionFigure.h"
#include "core/model/Metric.h"
#include "core/plot/prediction/PredictionWords.h"
#include "core/predict/prediction/RunRequest.h"
#include "core/predict/support/CatalogueJob.h"
#include "core/text/Times.h"
#include "support/TestProgram.h"

#include <fmt/format.h>

using namespace trainscope::figures;
using namespace trainscope::plot;

namespace {

// 16 H200 in two nodes; steps of 3 s.
Run launchedRun() {
    Run run;
    run.name = "job";
    run.launch.model = "llama3-70b";
    run.launch.nodes = 2;
    run.launch.gpusPerNode = 8;
    run.launch.tensorParallel = 4;
    run.launch.pipelineParallel = 2;
    run.launch.microBatch = 2;
    run.launch.globalBatch = 64;
    run.launch.sequenceLength = 4096;
    run.launch.recompute = true;
    run.launch.recomputeGranularity = "selective";
    run.launch.origin = "test";
    return run;
}

predict::JobRequest sameByHand(const char* layout) {
    predict::JobRequest request = test::jobRequest("llama3-70b", "2x8xH200", layout, 64, 4096);
    request.microBatch = 2;
    request.recompute = predict::Recompute::Selective;
    return request;
}

std::string csvRow(const std::string& name, const predict::JobRequest& request) {
    plot::PredictionFigureData one;
    one.asked = std::make_shared<const plot::PredictedJob>(predictedJob(request, name).value());
    const std::string csv = predictionCsv(one);
    const std::size_t at = csv.find("\nstep,") + 1;
    return csv.substr(at, csv.find('\n', at) - at);
}

} // namespace

class tst_PredictionKind : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        m_trace.run = launchedRun();
        for (int rank = 0; rank < 16; ++rank)
            m_trace.gpus.push_back({rank, rank / 8, rank % 8, "NVIDIA H200", {}});
        for (std::int64_t i = 0; i < 4; ++i)
            m_trace.iteration(-1, i, kFirst + 3 * kSecondNs * i, kFirst + 3 * kSecondNs * (i + 1));
        m_trace.series(metric::kGpuPower, 0, kFirst, kSecondNs, std::vector<double>(13, 500.0));
        m_store.emplace(m_trace.store());
        m_run = m_store->findRun("job").value();
    }

    void aRunIsAJob() {
        const auto made = predict::requestOf({*m_store, m_run}).value();
        const auto& request = made.request;
        QCOMPARE(request.model.name, std::string("llama3-70b"));
        QCOMPARE(request.cluster.gpu.name, std::string("H200 SXM"));
        QCOMPARE(request.cluster.nodes, 2);
        QCOMPARE(request.cluster.gpusPerNode, 8);
        QCOMPARE(request.layout.tensor.value(), 4);
        QCOMPARE(request.layout.pipeline.value(), 2);
        QCOMPARE(request.microBatch, 2);
        QCOMPARE(request.globalBatch, 64);
        QCOMPARE(request.sequence, 4096);
        QVERIFY(request.recompute == predict::Recompute::Selective);
        // Precision and sharding are not said.
        QVERIFY(request.precision == predict::Precision::Bf16);
        QCOMPARE(made.notes.size(), std::size_t{2});
    }

    // A job of inference takes nothing from the run's words on training.
    void aRunOfInferenceIsAJob() {
        Run served = m_run;
        served.launch.workload = Workload::Inference;
        served.launch.generatedTokens = 512;
        served.launch.zeroStage = 1;
        const auto made = predict::requestOf({*m_store, served}).value();
        QVERIFY(made.request.workload == Workload::Inference);
        QCOMPARE(made.request.generated, 512);
        QVERIFY(made.request.recompute == predict::Recompute::None);
        QVERIFY(!made.request.layout.zeroStage);
        const auto job = predict::jobOf(made.request).value();
        QCOMPARE(job.prompt(), 4096 - 512);
        served.launch.generatedTokens.reset();
        const auto silent = predict::requestOf({*m_store, served}).value();
        QCOMPARE(silent.request.generated, 0);
        VERIFY_SAYS(silent.notes.back(), "how many tokens");
    }

    // The way in which it is run is taken, and comes back with the predicted job.
    void aRunSaysHowItIsExecuted() {
        Run run = m_run;
        run.launch.contextParallel = 2;
        run.launch.contextExchange = "all-to-all";
        run.launch.cudaGraphs = true;
        run.launch.offload = "optimizer:0.25,activations:3";
        const auto made = predict::requestOf({*m_store, run}).value();
        const predict::JobRequest& request = made.request;
        QVERIFY(request.execution.context == predict::ContextExchange::AllToAll);
        QVERIFY(request.execution.graphs);
        QCOMPARE(request.offload.layers, 3);
        QCOMPARE(request.offload.optimizer, 0.25);
        const LaunchConfig back = predict::launchOf(predict::jobOf(request).value());
        QCOMPARE(back.contextExchange.value(), std::string("all-to-all"));
        QVERIFY(back.cudaGraphs.value());
        QCOMPARE(back.offload.value(), std::string("optimizer:0.25,activations:3"));
        run.launch.offload = "optimizer:much";
        const auto unread = predict::requestOf({*m_store, run}).value();
        QVERIFY(unread.request.offload.isNone());
        VERIFY_SAYS(unread.notes, "'optimizer:much'");
    }

    // 16 GPUs on nodes of 12, the second of which has 4: as many on both, and no 24. On three nodes
    // of 6, 6 and 4 they cannot be.
    void nodesThatAreNotFull() {
        Run uneven = m_run;
        uneven.launch.nodes.reset();
        uneven.launch.gpusPerNode = 12;
        const auto made = predict::requestOf({*m_store, uneven}).value();
        QCOMPARE(made.request.cluster.nodes, 2);
        QCOMPARE(made.request.cluster.gpusPerNode, 8);
        VERIFY_SAYS(made.notes.front(), "do not fill its nodes of 12; 2 nodes of 8 are taken");
        QCOMPARE(predict::jobOf(made.request).value().gpus(), 16);
        uneven.launch.gpusPerNode = 6;
        const auto none = predict::requestOf({*m_store, uneven});
        QVERIFY(!none.hasValue() && none.error().code == ErrorCode::NotFound);
    }

    void whatIsMissingIsNamed() {
        Run bare = m_run;
        bare.launch.sequenceLength.reset();
        const auto made = predict::requestOf({*m_store, bare});
        QVERIFY(!made.hasValue() && made.error().code == ErrorCode::NotFound);
        QCOMPARE(made.error().message,
            std::string("job does not say its sequence length, as a prediction needs."));
        // All of it in one sentence; what is known stays.
        bare.launch.model = "llama4-nobody";
        bare.launch.microBatch.reset();
        const auto known = predict::knownRequestOf({*m_store, bare}).value();
        QCOMPARE(known.unknownText,
            std::string(
                "job does not say the shape of its model llama4-nobody, its micro-batch and "
                "its sequence length, as a prediction needs."));
        QCOMPARE(known.unknown.size(), std::size_t{3});
        QCOMPARE(known.request.globalBatch, 64);
        QCOMPARE(known.request.cluster.gpus(), 16);
        QCOMPARE(known.request.layout.pipeline.value(), 2);
    }

    void asLaunchedBesideTheMeasured() {
        const std::string csv = csvOf({});
        VERIFY_SAYS(csv, "step,measured · job,,s,3,,");
        VERIFY_SAYS(csv, csvRow("as launched", sameByHand("tp=4,pp=2")));
    }

    void whatAnotherLayoutWouldCost() {
        const std::string csv = csvOf({{"layout", "tp=8,pp=2"}});
        VERIFY_SAYS(csv, csvRow("as launched", sameByHand("tp=4,pp=2")));
        const std::string row = csvRow(
            "TP 8 · PP 2 · DP 1, micro-batch 2, selective recomputation", sameByHand("tp=8,pp=2"));
        VERIFY_SAYS(csv, row);
    }

    void whatCannotBeIsRefused() {
        const auto figure = loaded({{"layout", "tp=3"}});
        QVERIFY(!figure.hasValue() && figure.error().code == ErrorCode::Usage);
    }

    // The run measured 500 W of one GPU, all the time; the other GPUs tell nothing, so means of all
    // that are predicted stand against it.
    void predictedOverMeasured() {
        const auto measured = measuredTracksOf({*m_store, m_run}).value();
        QCOMPARE(measured.iterations, std::size_t{4});
        QCOMPARE(measured.seconds, 3.0);
        QCOMPARE(measured.tracks.size(), std::size_t{1});
        const auto& power = measured.tracks.front();
        QCOMPARE(power.metric, std::string(metric::kGpuPower));
        QCOMPARE(power.values.size(), std::size_t{1});
        for (const float watts : power.values.at(0))
            QCOMPARE(watts, 500.0F);
        const std::string csv = csvOf({}, "prediction-tracks");
        QVERIFY2(csv.find("measured,gpu_power,at 0.00208333 of the step,W,500,500,500")
                != std::string::npos,
            csv.substr(0, 2000).c_str());
        VERIFY_SAYS(csv, "residual,gpu_power,p90,W,");
    }

    // Two GPUs of which one is predicted 10 W too high and one 30 W too low in the first half of a
    // step and right in the second.
    void residualsAreThoseOfEveryGpu() {
        constexpr int kColumns = 240;
        MeasuredTracks measured;
        measured.iterations = 2;
        measured.seconds = 1.0;
        auto& power = measured.tracks.emplace_back();
        power.metric = metric::kGpuPower;
        for (const int rank : {0, 1})
            power.values[rank] = std::vector<float>(kColumns, 400.0F);
        predict::PredictedTelemetry telemetry;
        telemetry.periodSeconds = 2.0 / kColumns; // a step takes 2 s
        for (const double off : {10.0, -30.0}) {
            auto& gpu = telemetry.gpus.emplace_back();
            gpu.rank = off > 0.0 ? 0 : 1;
            for (int i = 0; i < 2 * kColumns; ++i)
                gpu.watts.push_back(i % kColumns < kColumns / 2 ? 400.0 + off : 400.0);
            gpu.watts[5] = 9999.0; // the first step's, which is not taken
        }
        const auto laid = overlayOf(measured, telemetry, 2.0);
        QVERIFY(!laid.seconds);
        const auto& track = laid.tracks.front();
        QCOMPARE(track.told.gpus, std::size_t{2});
        QCOMPARE(track.told.bias, -5.0); // (10 − 30 + 0 + 0) / 4
        QCOMPARE(track.told.mean, 10.0);
        QCOMPARE(track.told.p90, 30.0);
        QCOMPARE(track.told.level, 400.0);
        QCOMPARE(track.residual.front(), -10.0F);
        QCOMPARE(track.residual.back(), 0.0F);
        QCOMPARE(track.predicted.low.front(), 370.0F);
        QCOMPARE(track.predicted.high.front(), 410.0F);
        // A run without iterations has no moment that a step begins at: means stand against it.
        measured.iterations = 0;
        const auto level = overlayOf(measured, telemetry, 2.0);
        QCOMPARE(level.seconds.value(), 1.0);
        QCOMPARE(level.tracks.front().predicted.mean.front(), 395.0F);
        // Another number of GPUs gives the means.
        measured.tracks.front().values.erase(1);
        QCOMPARE(overlayOf(measured, telemetry, 2.0).tracks.front().told.bias, -5.0);
        QCOMPARE(overlayOf(measured, telemetry, 2.0).tracks.front().told.gpus, std::size_t{0});
    }

    void whatElseWouldDo() {
        const auto job = predict::jobOf(sameByHand("tp=4,pp=2")).value();
        const auto all = predict::whatIfsOf(job).value();
        const std::string csv = csvOf({}, "prediction");
        for (const predict::WhatIfRow& row : all) {
            for (const predict::WhatIfPoint& point : row.points) {
                const std::string line = fmt::format("what_if,{},\"step time, {:g} times\",s,{}",
                    toString(row.what), point.factor, point.made.seconds);
                QVERIFY2(point.made.isOom || csv.find(line) != std::string::npos, line.c_str());
            }
        }
    }

    // A job by hand, which no run of the database is.
    void layoutsAreRankedByHand() {
        const Given job{{"model", "llama3-8b"}, {"cluster", "8xH100"}, {"global-batch", "64"},
            {"top", "3"}, {"against", "8xH200"}};
        Request request = requestOf(job);
        const auto figure = load(*findKind("decision"), *m_store, request).value();
        QVERIFY(figure.runs.empty());
        predict::SearchRequest search = test::searchRequest("llama3-8b", "8xH100", 64);
        const auto found = predict::searchLayouts(search).value();
        const std::string csv = figure.csv();
        std::size_t ranked = 0;
        const auto perhaps = csv.find("\nranking_perhaps,"); // behind: those that fit perhaps
        for (std::size_t at = csv.find(",step_time,s,", csv.find("ranking,")); at < perhaps;
             at = csv.find(",step_time,s,", at + 1))
            ++ranked;
        QCOMPARE(ranked, std::size_t{3});
        const std::string best = choiceWords(found.top.front().choice);
        VERIFY_SAYS(csv, "ranking,\"" + best + "\",step_time");
        VERIFY_SAYS(csv, "clusters,1x8xH200 SXM,tokens_per_s_per_gpu");
        request.options.add("objective", "beauty");
        QCOMPARE(load(*findKind("decision"), *m_store, request).error().code, ErrorCode::Usage);
    }

    // 8 GPUs: the best layout is the answer, and 300 G tokens take 300e9 / (8 · rate) seconds.
    void theBestLayoutIsTheAnswer() {
        const Request request = requestOf({{"model", "llama3-8b"}, {"cluster", "8xH100"},
            {"global-batch", "64"}, {"tokens", "300B"}});
        const auto figure = load(*findKind("decision"), *m_store, request).value();
        predict::SearchRequest search = test::searchRequest("llama3-8b", "8xH100", 64);
        const auto found = predict::searchLayouts(search).value();
        const auto& best = found.top.front().prediction;
        const double seconds = 300e9 / (8.0 * best.tokensPerSecondPerGpu);
        const double joules = best.outlook.meanW * 8.0 * seconds;
        const std::string csv = figure.csv();
        const auto valueOf = [&csv](const std::string& row) {
            const std::size_t at = csv.find(row);
            return at == std::string::npos ? 0.0 : std::stod(csv.substr(at + row.size()));
        };
        const auto isAbout
            = [](double value, double expected) { return std::abs(value / expected - 1.0) < 1e-9; };
        QVERIFY2(isAbout(valueOf("figures,training_time,,s,"), seconds), csv.c_str());
        QVERIFY(isAbout(valueOf("figures,training_energy,,J,"), joules));
        QVERIFY(isAbout(valueOf("figures,step_time,,s,"), best.seconds));
        QVERIFY(isAbout(valueOf("figures,memory_headroom,,B,"), *best.capacityB - best.memoryB));
        VERIFY_SAYS(csv, "what_if,micro_batch,");
        VERIFY_SAYS(csv, "ranking,\"" + choiceWords(found.top.front().choice) + "\",ties,1,1");
    }

    void interruptionsNeedTokens() {
        const Request request = requestOf({{"model", "llama3-8b"}, {"cluster", "8xH100"},
            {"global-batch", "64"}, {"restart-time", "60"}});
        const auto figure = load(*findKind("decision"), *m_store, request);
        VERIFY_FAILS(figure, "say how many tokens it is on");
    }

    void wordsOfATraining() {
        QCOMPARE(tokenWords(15e12), std::string("15T tokens"));
        QCOMPARE(tokenWords(300e9), std::string("300B tokens"));
        predict::Training made;
        made.tokens = 1e12;
        made.seconds = {86400.0 * 10.0, {86400.0 * 9.0, 86400.0 * 11.5}};
        made.energyJ = {3.6e9 * 2.0, {3.6e9 * 1.5, 3.6e9 * 2.5}};
        QCOMPARE(timeWords(made), std::string("10 days (9 days to 11.5 days)"));
        QCOMPARE(energyWords(made), std::string("2 MWh (1.5 to 2.5)"));
        // Nine tenths of the time get it on: 11.1 days.
        made.goodput = {9000.0, 600.0, 20.0, 300.0, {0.9, {0.8, 0.95}}};
        made.elapsedSeconds = {86400.0 * 10.0 / 0.9, {86400.0 * 9.0 / 0.95, 86400.0 * 11.5 / 0.8}};
        QCOMPARE(goodputWords(made),
            std::string("90 % (80 to 95) of the time are steps, which makes 11.1 days (9.47 days "
                        "to 14.4 days): an interruption every 2 h 30 min takes 5 min 0 s, a "
                        "checkpoint every 10 min 0 s takes 20 s"));
    }

    // The figures to decide by come first, with a training's in front.
    void cardsAreInTheirOrder() {
        const auto job = predict::jobOf(sameByHand("tp=4,pp=2")).value();
        const auto made = predict::Predictor().predict(job).value();
        std::string keys;
        for (const auto& card : predictedCards(job, made, {1e12}))
            keys += card.key + " ";
        QCOMPARE(keys,
            std::string("training_time training_energy elapsed_time step_time memory_headroom "
                        "power hottest tokens_per_s_per_gpu mfu memory energy clock "));
        QCOMPARE(predictedCards(job, made, {}).front().key, std::string("step_time"));
        // 300 W are less than an H200 draws at its lowest clock.
        auto capped = sameByHand("tp=4,pp=2");
        capped.cluster.powerLimitW = 90.0;
        const auto low = predict::jobOf(capped).value();
        for (const auto& card : predictedCards(low, predict::Predictor().predict(low).value(), {}))
            QCOMPARE(card.isWarning && card.note.find("does not keep") != std::string::npos,
                card.key == "power");
    }

    // One thing is otherwise at a time: a row each, with the days that the predictor says.
    void whatWouldChangeIt() {
        const auto job = predict::jobOf(sameByHand("tp=4,pp=2")).value();
        PredictionFigureData data;
        data.asked
            = std::make_shared<const PredictedJob>(predictedJob(sameByHand("tp=4,pp=2")).value());
        data.whatIf = predict::whatIfsOf(job).value();
        const auto table = changesTable(*data.asked, {1e12}, data.whatIf);
        QCOMPARE(table.rows.size(), predict::kWhatIfs);
        const auto words = table.inWords(text::Digits::Three);
        for (std::size_t i = 0; i < data.whatIf.size(); ++i) {
            QCOMPARE(words[i].front(), std::string(titleOf(data.whatIf[i].what)));
            for (const auto& point : data.whatIf[i].points) {
                if (point.factor != 2.0 || point.made.isOom)
                    continue;
                const double seconds = 1e12 / (point.made.tokensPerSecondPerGpu * job.gpus());
                QVERIFY2(
                    words[i].back().starts_with(text::seconds(seconds)), words[i].back().c_str());
            }
        }
        QVERIFY(!data.has(PredictionPanel::Choices));
        QVERIFY(reasonsOf(data).front().starts_with("A step takes "));
        VERIFY_SAYS(reasonsOf(data).back(), "were not ranked");
        for (const auto& row : changesTable(*data.asked, {}, data.whatIf).inWords())
            QVERIFY(row.back().find("days") == std::string::npos);
    }

    // Each option of a job says the member of the request that it is of.
    void aJobByHandSaysItsWork() {
        const Given asked{{"model", "llama3-8b"}, {"cluster", "2x8xH100"}, {"layout", "tp=2,cp=2"},
            {"micro-batch", "2"}, {"global-batch", "64"}, {"seq-len", "8192"},
            {"precision", "fp8,weights=fp8"}, {"recompute", "block:3"},
            {"offload", "optimizer:0.5,activations:4"}, {"workload", "lora"}, {"generated", "128"},
            {"adapters", "8:qkv+out"}, {"unfused-attention", ""}, {"context-exchange", "gather"},
            {"attention-precision", "fp8"}, {"cuda-graphs", ""}, {"stack", "torchtitan"},
            {"network-gbit", "400"}, {"power-limit", "500"}, {"clock", "1500"}};
        OptionValues values;
        for (const auto& [name, value] : asked)
            values.add(name, value);
        QCOMPARE(values.names().size(), jobOptions().described().size());
        predict::JobRequest job;
        QVERIFY(jobOptions().apply(values, job).hasValue());
        QCOMPARE(job.model.name, std::string("llama3-8b"));
        QCOMPARE(job.cluster.nodes, 2);
        QCOMPARE(job.layout.context.value_or(0), 2);
        QCOMPARE(job.microBatch, 2);
        QCOMPARE(job.globalBatch, 64);
        QCOMPARE(job.sequence, 8192);
        QVERIFY(job.precision == predict::Precision::Fp8);
        QCOMPARE(job.kept.weights.value_or(0.0), 1.0); // B
        QVERIFY(job.recompute == predict::Recompute::Full);
        QCOMPARE(job.recomputedLayers, 3);
        QCOMPARE(job.offload.optimizer, 0.5);
        QCOMPARE(job.offload.layers, 4);
        QVERIFY(job.workload == Workload::Lora);
        QCOMPARE(job.generated, 128);
        QCOMPARE(job.adapters.rank, 8);
        QVERIFY(job.attention == predict::AttentionKind::Unfused);
        QVERIFY(
            job.execution == (predict::Execution{predict::ContextExchange::Gather, true, true}));
        QCOMPARE(job.stack, std::string("torchtitan"));
        QCOMPARE(job.cluster.networkBandwidth.value_or(0.0), 50e9); // 400 Gbit/s
        QCOMPARE(job.cluster.powerLimitW.value_or(0.0), 500.0);
        QCOMPARE(job.cluster.clockHz.value_or(0.0), 1.5e9);
        // A recomputation of the whole takes the layers back, an offload what was said before.
        OptionValues other;
        other.add("recompute", "full");
        other.add("offload", "optimizer");
        QVERIFY(jobOptions().apply(other, job).hasValue());
        QCOMPARE(job.recomputedLayers, 0);
        QCOMPARE(job.offload.layers, 0);
        QCOMPARE(job.offload.optimizer, 1.0);
    }

    void aTrainingByHandSaysItsInterruptions() {
        OptionValues values;
        for (const auto& [name, value] : Given{{"tokens", "1T"}, {"gpu-hours-between", "5000"},
                 {"checkpoint-interval", "600"}, {"checkpoint-time", "0"}, {"restart-time", "120"},
                 {"slow-nodes", "0.01"}, {"slow-by", "0.2"}})
            values.add(name, value);
        predict::TrainingAsked training;
        QVERIFY(trainingOptions().apply(values, training).hasValue());
        QCOMPARE(training.tokens.value_or(0.0), 1e12);
        QVERIFY(
            training.reliability == (predict::Reliability{5000.0, 600.0, 0.0, 120.0, 0.01, 0.2}));
    }

    void aJobByHandSaysEnough() {
        const auto figure
            = load(*findKind("prediction"), *m_store, requestOf({{"model", "llama3-8b"}}));
        VERIFY_FAILS(figure, "--global-batch");
    }

    // The parts of the step and of each stage's memory add up.
    void thePartsAddUp() {
        const auto job = predictedJob(sameByHand("tp=4,pp=2")).value();
        const auto& made = job.prediction;
        const auto sumOf = [](const std::vector<PredictedPart>& parts) {
            double sum = 0.0;
            for (const auto& part : parts)
                sum += part.value;
            return sum;
        };
        QVERIFY(std::abs(sumOf(partsOf(made.breakdown())) / made.seconds - 1.0) < 1e-9);
        for (const auto& stage : made.memory)
            QVERIFY(std::abs(sumOf(partsOf(stage)) - stage.total()) < 1.0);
    }

private:
    static constexpr std::int64_t kFirst = 1'735'689'600'000'000'000;
    static constexpr std::int64_t kSecondNs = 1'000'000'000;
    using Given = std::vector<std::pair<const char*, const char*>>;

    static Request requestOf(const Given& options) {
        Request request;
        for (const auto& [name, value] : options)
            request.options.add(name, value);
        return request;
    }
    Result<Figure> loaded(const Given& options, const char* kind = "prediction") {
        Request request = requestOf(options);
        request.runs = {m_run};
        return load(*findKind(kind), *m_store, request);
    }
    std::string csvOf(const Given& options, const char* kind = "prediction") {
        const auto figure = loaded(options, kind);
        if (!figure.hasValue())
            return figure.error().message;
        return figure.value().emptyText + figure.value().csv();
    }

    test::PlantedTrace m_trace;
    std::optional<store::Store> m_store;
    Run m_run;
};

TRAINSCOPE_TEST(tst_PredictionKind)
#include "tst_PredictionKind.moc"
