// Clusters and layouts as people write them, and jobs that cannot be.

#include "core/analysis/machine/ModelShape.h"
#include "core/predict/prediction/JobRequest.h"
#include "core/predict/prediction/Prediction.h"
#include "core/predict/support/CatalogueJob.h"
#include "support/TestProgram.h"

using namespace trainscope::predict;

class tst_JobRequest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void layoutsAreWrittenAsTheyAreRead() {
        for (const char* text : {"tp=2,dp=8,zero=3,shard=4", "dp=4,pp=4,schedule=zero-bubble",
                 "dp=4,pp=4,vpp=2", "dp=16,zero=2"}) {
            JobRequest request = test::jobRequest("llama3-8b", "2x8xH100", text, 64);
            QCOMPARE(textOf(jobOf(request).value().layout), std::string(text));
        }
    }

    // 126 layers, embedding and loss on 16 stages of 8 pieces: a layer each, none on both ends.
    void endsCountAsLayers() {
        JobRequest request = test::jobRequest(
            "llama3.1-405b", "16x8xH100", "tp=8,pp=16,vpp=8,embedding-layer,loss-layer", 32);
        const auto& chunks = jobOf(request).value().layout.chunks;
        QCOMPARE(chunks.size(), std::size_t{128});
        QCOMPARE(chunks.front().layers, 0);
        QCOMPARE(chunks.back().layers, 0);
        QCOMPARE(chunks.at(1).layers, 1);
        request.layout = layoutFrom("tp=8,pp=16,vpp=8,embedding-layer").value();
        QVERIFY(!jobOf(request).hasValue()); // 127 by 128
    }

    // Adam's numbers wait in the host's memory: none on the GPU, and its step is the host's.
    void offloadedOptimizer() {
        JobRequest request = test::jobRequest("llama3-8b", "1x8xH100", "", 64);
        const Prediction on = Predictor().predict(jobOf(request).value()).value();
        request.offload.optimizer = 1.0;
        const Prediction off = Predictor().predict(jobOf(request).value()).value();
        QVERIFY(on.memory.front().optimizer > 0.0);
        QCOMPARE(off.memory.front().optimizer, 0.0);
        // An eighth of the parameters: 4 B through 63 GB/s, 28 B of the host's 25 GB/s.
        const double parameters = analysis::parametersOf(request.model).total / 8;
        const double seconds = parameters * (4.0 / 63e9 + 28.0 / 25e9);
        const double optimizer = off.step.breakdown[StepPart::Optimizer];
        QVERIFY(std::abs(optimizer / seconds - 1.0) < 0.01);
        request.offload.optimizer = 1.5;
        QVERIFY(!jobOf(request).hasValue());
    }

    void clusters_data() {
        const auto row
            = test::columns<QByteArray, int, int, QByteArray>("text", "nodes", "perNode", "gpu");
        row("nodes", "4x8xH200", 4, 8, "H200 SXM");
        row("blanks", "4 x 8 x H200", 4, 8, "H200 SXM");
        row("GPUs", "64xH100", 8, 8, "H100 SXM5");
        row("name", "h100", 1, 8, "H100 SXM5");
        row("few", "2xA100 SXM4 80GB", 1, 2, "A100 SXM4 80GB");
        row("trays", "72xGB200", 18, 4, "GB200 NVL72");
        row("GH200", "16xGH200", 16, 1, "GH200");
    }
    void clusters() {
        QFETCH(const QByteArray, text);
        const auto cluster = clusterFrom(text.constData()).value();
        QTEST(cluster.nodes, "nodes");
        QTEST(cluster.gpusPerNode, "perNode");
        QTEST(QByteArray::fromStdString(cluster.gpu.name), "gpu");
    }

    void clustersThatAreNone() {
        for (const char* text : {"", "4x8", "4x8xK80", "0x8xH100", "12xH100", "x",
                 // 2^32 GPUs, and more than there are ranks
                 "536870912x8xH100", "2147483647xA100", "125001x8xH100"})
            QVERIFY2(!clusterFrom(text).hasValue(), text);
    }

    void layouts() {
        const auto request = layoutFrom("tp=8, pp=4,vpp=2,zero=3,schedule=interleaved").value();
        QCOMPARE(request.tensor, std::optional(8));
        QCOMPARE(request.pipeline, std::optional(4));
        QCOMPARE(request.virtualStages, std::optional(2));
        QCOMPARE(request.zeroStage, std::optional(3));
        QVERIFY(request.schedule == layout::ScheduleKind::Interleaved);
        QCOMPARE(layoutFrom("fsdp").value().fsdp, std::optional(true));
        QCOMPARE(layoutFrom("stage-layers=19-21-21-19").value().stageLayers,
            (std::vector<int>{19, 21, 21, 19}));
        QVERIFY(layoutFrom("").hasValue());
        for (const char* text : {"tp", "tp=0", "tp=x", "xy=2", "tp=8;pp=4", "schedule=none"})
            QVERIFY2(!layoutFrom(text).hasValue(), text);
    }

    // 126 layers and embedding and loss make 128 pieces; 61 layers with one further token make 64
    // with the loss, of which the last stage has two less.
    void layersThatDoNotDivide() {
        catalogue::TrainingModel model;
        model.layers = 126;
        layout::LayoutRequest request = layoutFrom("pp=16,vpp=8").value();
        divideLayers(model, request);
        QVERIFY(request.embeddingCounts && request.lossCounts);
        model.layers = 61;
        model.nextTokenLayers = 1;
        request = layoutFrom("pp=16").value();
        divideLayers(model, request);
        QCOMPARE(request.stageLayers.size(), std::size_t(16));
        QCOMPARE(request.stageLayers.front(), 4);
        QCOMPARE(request.stageLayers.back(), 1); // 3 − loss − further token
        int sum = 0;
        for (const int layers : request.stageLayers)
            sum += layers;
        QCOMPARE(sum, 61);
    }

    // As tables say them; the layout tells why it cannot be.
    void piecesThatCannotBe() {
        catalogue::TrainingModel model;
        model.layers = 61;
        for (const auto& [stages, pieces] : {std::pair(0, 1), {-4, 1}, {8, 0}, {60'000, 60'000}}) {
            layout::LayoutRequest request;
            request.pipeline = stages;
            request.virtualStages = pieces;
            divideLayers(model, request);
            QVERIFY(request.stageLayers.empty() && !request.embeddingCounts);
        }
    }

    void numbersBeyondAnyJob() {
        QVERIFY(clusterFrom("125000x8xH100").hasValue());
        JobRequest request;
        request.model = *catalogue::modelCatalogue().byName("llama3-8b");
        request.cluster = clusterFrom("1x8xH100").value();
        request.microBatch = 2'000'000'000; // times DP 8 is beyond 32 bits
        request.globalBatch = 64;
        QVERIFY(!jobOf(request).hasValue());
        request.microBatch = 100'000'000;
        const auto job = jobOf(request);
        VERIFY_FAILS(job, "DP 8 = 800000000");
        request.cluster.nodes = 2'147'483'647; // as a form may say
        QVERIFY(!jobOf(request).hasValue());
    }

    void whatDoesNotDivide() {
        JobRequest request = test::jobRequest("mixtral-8x7b", "1x6xH200", "ep=3", 24);
        QCOMPARE(jobOf(request).error().message,
            std::string("EP 3 does not divide the 8 experts of mixtral-8x7b."));
        request.layout = layoutFrom("ep=2,cp=3").value();
        QCOMPARE(jobOf(request).error().message,
            std::string("CP 3 cuts a sample into 6 chunks, which do not divide its 4096 tokens."));
        request.sequence = 6 * 700;
        QVERIFY(jobOf(request).hasValue());
    }

    void jobsThatCannotBe_data() {
        const auto row = test::columns<QByteArray, int, QByteArray>("layout", "batch", "reason");
        row("ranks", "tp=3", 64, "64 ranks");
        row("batch", "tp=8", 63, "global batch of 63");
        row("experts", "ep=8", 64, "EP 8 is more");
        row("layers", "pp=64,vpp=2", 64, "80 layers");
    }
    void jobsThatCannotBe() {
        QFETCH(const QByteArray, layout);
        QFETCH(const int, batch);
        QFETCH(const QByteArray, reason);
        JobRequest request = test::jobRequest("llama3-70b", "64xH100", layout.constData(), batch);
        const auto job = jobOf(request);
        VERIFY_FAILS(job, reason.constData());
    }
};

TRAINSCOPE_TEST(tst_JobRequest)
#include "tst_JobRequest.moc"
