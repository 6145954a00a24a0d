// A run as a job to be predicted, and the kind of figure that shows it: what the run says is taken,
// what it leaves open is told, what is asked for instead is changed.

#include <QTemporaryDir>
#include <QTest>

#include "core/figures/Kinds.h"
#include "core/figures/prediction/PredictionFigure.h"
#include "core/model/Metric.h"
#include "core/predict/prediction/RunRequest.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace trainscope;
using namespace trainscope::figures;

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
    predict::JobRequest request;
    request.model = *catalogue::modelCatalogue().byName("llama3-70b");
    request.cluster = predict::clusterFrom("2x8xH200").value();
    request.layout = predict::layoutFrom(layout).value();
    request.microBatch = 2;
    request.globalBatch = 64;
    request.sequence = 4096;
    request.recompute = predict::Recompute::Selective;
    return request;
}

std::string csvRow(const std::string& name, const predict::JobRequest& request) {
    const auto made = predict::Predictor().predict(predict::jobOf(request).value()).value();
    plot::PredictionFigureData one;
    one.steps = {{name, {made.seconds, made.low, made.high}, {}, false, false}};
    const std::string csv = predictionCsv(one);
    return csv.substr(csv.find('\n') + 1);
}

} // namespace

class tst_PredictionKind : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        m_store.emplace(store::Store::openOrCreate(
            m_folder.filePath(QStringLiteral("p.trainscope")).toStdString())
                            .value());
        auto session = store::beginImport(*m_store, {"job", 1, "job", "job"}).value();
        const RunId id = session->run(launchedRun()).value();
        for (int rank = 0; rank < 16; ++rank)
            (void)session->gpu(id, {rank, rank / 8, rank % 8, "NVIDIA H200", {}});
        for (std::int64_t i = 0; i < 4; ++i)
            (void)session->iteration(id,
                {i, {{kFirst + 3 * kSecondNs * i}, {kFirst + 3 * kSecondNs * (i + 1)}}, -1, false});
        SeriesDescription power;
        power.metric = *findMetric(metric::kGpuPower);
        power.subject = {SubjectKind::Gpu, 0, -1, {}};
        const SeriesId series = session->series(id, power).value();
        std::vector<TimeNs> times;
        for (int second = 0; second <= 12; ++second)
            times.push_back({kFirst + kSecondNs * second});
        (void)session->samples(series, times, std::vector<double>(times.size(), 500.0));
        (void)session->finish({}, "job", 1, {});
        m_run = m_store->findRun("job").value();
    }

    void aRunIsAJob() {
        const auto made = predict::requestOf(*m_store, m_run);
        QVERIFY2(made.hasValue(), made.hasValue() ? "" : made.error().message.c_str());
        const auto& request = made.value().request;
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
        QCOMPARE(made.value().notes.size(), std::size_t{2});
    }

    void whatIsMissingIsNamed() {
        Run bare = m_run;
        bare.launch.sequenceLength.reset();
        const auto made = predict::requestOf(*m_store, bare);
        QVERIFY(!made.hasValue());
        QCOMPARE(made.error().code, ErrorCode::NotFound);
        QCOMPARE(made.error().message,
            std::string("The sequence length of job is not known, which a prediction needs."));
    }

    void asLaunchedBesideTheMeasured() {
        const std::string csv = csvOf({});
        QVERIFY2(csv.find("step,measured · job,,s,3,,") != std::string::npos, csv.c_str());
        QVERIFY2(csv.find(csvRow("as launched", sameByHand("tp=4,pp=2"))) != std::string::npos,
            csv.c_str());
    }

    void whatAnotherLayoutWouldCost() {
        const std::string csv = csvOf({{"layout", "tp=8,pp=2"}});
        QVERIFY(csv.find(csvRow("as launched", sameByHand("tp=4,pp=2"))) != std::string::npos);
        const std::string row
            = csvRow("TP 8 · PP 2 · DP 1, micro-batch 2", sameByHand("tp=8,pp=2"));
        QVERIFY2(csv.find(row) != std::string::npos, csv.c_str());
    }

    void whatCannotBeIsRefused() {
        const auto figure = loaded({{"layout", "tp=3"}});
        QVERIFY(!figure.hasValue());
        QCOMPARE(figure.error().code, ErrorCode::Usage);
    }

    // The parts of the step and of each stage's memory add up.
    void thePartsAddUp() {
        const auto request = sameByHand("tp=4,pp=2");
        const predict::Job job = predict::jobOf(request).value();
        const auto made = predict::Predictor().predict(job).value();
        const auto data = predictionData({{"job", job, made}, {}, {}});
        double seconds = 0.0;
        for (const auto& part : data.steps.back().parts)
            seconds += part.value;
        QVERIFY(std::abs(seconds - made.step.seconds) < 1e-9 * seconds);
        QCOMPARE(data.stages.size(), made.memory.size());
        for (std::size_t i = 0; i < data.stages.size(); ++i)
            QVERIFY(std::abs(data.stages[i].total() - made.memory[i].total()) < 1.0);
        QVERIFY(data.schedule);
        QCOMPARE(data.schedule->to, made.step.schedule.makespan);
        QCOMPARE(data.node.size(), std::size_t{8});
    }

private:
    static constexpr std::int64_t kFirst = 1'735'689'600'000'000'000;
    static constexpr std::int64_t kSecondNs = 1'000'000'000;
    using Given = std::vector<std::pair<const char*, const char*>>;

    Result<Figure> loaded(const Given& options) {
        Request request;
        request.runs = {m_run};
        for (const auto& [name, value] : options)
            request.options.add(name, value);
        return load(*findKind("prediction"), *m_store, request);
    }
    std::string csvOf(const Given& options) {
        const auto figure = loaded(options);
        if (!figure.hasValue())
            return figure.error().message;
        return figure.value().emptyText + figure.value().csv();
    }

    QTemporaryDir m_folder;
    std::optional<store::Store> m_store;
    Run m_run;
};

TRAINSCOPE_TEST(tst_PredictionKind)
#include "tst_PredictionKind.moc"
