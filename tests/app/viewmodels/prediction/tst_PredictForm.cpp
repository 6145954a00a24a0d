// The form of a prediction: what its fields make, what is wrong with them, and what goes together.

#include "app/viewmodels/prediction/PredictForm.h"
#include "support/TestProgram.h"

using namespace trainscope;
using app::PredictForm;

namespace {

const app::FormField& fieldOf(const PredictForm& form, const char* key) {
    static const app::FormField none;
    for (const auto& field : form.rows()) {
        if (field.key == QLatin1String(key))
            return field;
    }
    return none;
}

void setAll(PredictForm& form, const std::vector<std::pair<const char*, const char*>>& texts) {
    for (const auto& [key, text] : texts)
        form.set(QLatin1String(key), QLatin1String(text));
}

} // namespace

class tst_PredictForm : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Never empty: an example that can be changed, which is possible.
    void beginsWithAnExample() {
        const PredictForm form;
        QVERIFY(form.request());
        QCOMPARE(form.request()->model.name, std::string("llama3-70b"));
        QCOMPARE(form.request()->cluster.gpus(), 32);
        QVERIFY(form.fault().isEmpty());
        const auto job = predict::jobOf(*form.request());
        QVERIFY(job.hasValue());
        QVERIFY(!predict::Predictor().predict(job.value()).value().isOom);
        QCOMPARE(*form.training().tokens, 1e12);
    }

    void trainingsAreAskedFor() {
        PredictForm form;
        setAll(form, {{"tokens", "300B"}, {"restart_time", "60"}});
        QVERIFY(form.training() == (predict::TrainingAsked{300e9, {.restartSeconds = 60.0}}));
        setAll(form, {{"tokens", "many"}});
        QVERIFY(!form.training().tokens);
        QVERIFY(fieldOf(form, "tokens").fault.contains(QStringLiteral("as in 300e9")));
        QVERIFY(form.request()); // the job can be predicted all the same
        setAll(form, {{"tokens", "300B"}, {"restart_time", "-1"}});
        QVERIFY(fieldOf(form, "restart_time").fault.contains(QStringLiteral("0 or above")));
        QVERIFY(fieldOf(form, "tokens").fault.isEmpty());
        setAll(form, {{"tokens", ""}, {"restart_time", "60"}});
        QVERIFY(fieldOf(form, "tokens").fault.contains(QStringLiteral("how many tokens")));
        setAll(form, {{"restart_time", ""}});
        QVERIFY(form.fault().isEmpty());
        QVERIFY(form.training() == predict::TrainingAsked{});
        setAll(form, {{"tokens", "2T"}, {"workload", "inference"}});
        QVERIFY(fieldOf(form, "tokens").key.isEmpty());
        QVERIFY(form.training() == predict::TrainingAsked{});
    }

    // Another run's job has the same tokens and interruptions, which no run says.
    void trainingsStayWithAnotherJob() {
        PredictForm form;
        setAll(form, {{"tokens", "2T"}, {"restart_time", "60"}});
        auto request = *form.request();
        request.globalBatch = 256;
        form.begin(request);
        QVERIFY(form.training() == (predict::TrainingAsked{2e12, {.restartSeconds = 60.0}}));
    }

    void makesTheRequest() {
        PredictForm form;
        QSignalSpy edited(&form, &PredictForm::edited);
        setAll(form,
            {{"model", "gpt3-175b"}, {"gpu", "H200 SXM"}, {"nodes", "2"}, {"network", "40"},
                {"tp", "4"}, {"pp", "2"}, {"vpp", "5"}, {"sharding", "3: and parameters (FSDP)"},
                {"micro_batch", "2"}, {"global_batch", "64"}, {"sequence", "8192"},
                {"precision", "fp8"}, {"recompute", "full"}});
        QCOMPARE(edited.size(), 13);
        const auto& request = form.request();
        QVERIFY(request);
        QCOMPARE(request->model.name, std::string("gpt3-175b"));
        QCOMPARE(request->cluster.gpu.name, std::string("H200 SXM"));
        QCOMPARE(request->cluster.gpus(), 16);
        QCOMPARE(request->cluster.networkBandwidth.value(), 40e9);
        QCOMPARE(request->layout.tensor.value(), 4);
        QCOMPARE(request->layout.virtualStages.value(), 5);
        QCOMPARE(request->layout.zeroStage.value(), 3);
        QCOMPARE(request->microBatch, 2);
        QCOMPARE(request->globalBatch, 64);
        QCOMPARE(request->sequence, 8192);
        QVERIFY(request->precision == predict::Precision::Fp8);
        QVERIFY(request->recompute == predict::Recompute::Full);
        QVERIFY(!request->cluster.powerLimitW && !request->cluster.clockHz);
    }

    // CUDA graphs, exchanges of context parallelism and offloading go into the job and back.
    void executionIsAskedFor() {
        PredictForm form;
        setAll(form,
            {{"stack", "mlperf-nemo-25.04"}, {"precision", "fp8"}, {"tp", "4"}, {"cp", "2"},
                {"context_exchange", "all-to-all"}, {"cuda_graphs", "as CUDA graphs"},
                {"offload", "optimizer:0.5,activations:4"}});
        QVERIFY(form.request());
        const predict::JobRequest asked = *form.request();
        QVERIFY(asked.execution.context == predict::ContextExchange::AllToAll);
        QVERIFY(asked.execution.graphs);
        QCOMPARE(asked.offload.optimizer, 0.5);
        QCOMPARE(asked.offload.layers, 4);
        PredictForm other;
        other.begin(asked);
        QVERIFY(other.request()->execution == asked.execution);
        QCOMPARE(fieldOf(other, "offload").text, QStringLiteral("optimizer:0.5,activations:4"));
        setAll(form, {{"offload", "weights"}});
        QVERIFY(!form.request());
        QVERIFY(fieldOf(form, "offload").fault.contains(QStringLiteral("activations:N")));
        setAll(form, {{"offload", ""}});
        QCOMPARE(form.request()->offload.layers, 0);
        QCOMPARE(form.request()->offload.optimizer, 0.0);
    }

    // A field that does not apply says why: exchanges of one GPU, hosts that nobody waits for,
    // interruptions of no training.
    void fieldsThatDoNotApplyAreClosed() {
        PredictForm form;
        QVERIFY(fieldOf(form, "context_exchange").closed.contains(QStringLiteral("CP 1")));
        QVERIFY(!fieldOf(form, "cuda_graphs").closed.isEmpty());
        QVERIFY(fieldOf(form, "restart_time").closed.isEmpty());
        setAll(form,
            {{"stack", "mlperf-nemo-25.04"}, {"precision", "fp8"}, {"tp", "4"}, {"cp", "2"},
                {"tokens", ""}});
        QVERIFY(fieldOf(form, "context_exchange").closed.isEmpty());
        QVERIFY(fieldOf(form, "cuda_graphs").closed.isEmpty());
        QVERIFY(fieldOf(form, "restart_time").closed.contains(QStringLiteral("tokens")));
        setAll(form, {{"workload", "inference"}});
        QVERIFY(fieldOf(form, "cuda_graphs").key.isEmpty());
        QVERIFY(fieldOf(form, "offload").key.isEmpty());
        QVERIFY(form.request());
    }

    void interruptionsAreAskedFor() {
        PredictForm form;
        setAll(form,
            {{"gpu_hours_between", "50000"}, {"checkpoint_interval", "1800"},
                {"checkpoint_time", "0"}, {"restart_time", "300"}});
        QVERIFY(form.training().reliability == (predict::Reliability{50000.0, 1800.0, 0.0, 300.0}));
        setAll(form, {{"slow_nodes", "0.01"}, {"slow_by", "0.2"}});
        QCOMPARE(form.training().reliability.slowNodes, std::optional(0.01));
        QCOMPARE(form.training().reliability.slowBy, std::optional(0.2));
        setAll(form, {{"slow_nodes", "2"}, {"slow_by", ""}});
        QVERIFY(!form.training().reliability.slowNodes);
        QVERIFY(fieldOf(form, "slow_nodes").fault.contains(QStringLiteral("from 0 to 1")));
        setAll(form, {{"slow_nodes", ""}});
        setAll(form, {{"checkpoint_interval", "0"}});
        QVERIFY(!form.training().reliability.checkpointInterval);
        QVERIFY(fieldOf(form, "checkpoint_interval").fault.contains(QStringLiteral("above 0")));
        QVERIFY(form.request()); // the job can be predicted all the same
        auto request = *form.request();
        request.globalBatch = 256;
        form.begin(request);
        QCOMPARE(form.training().reliability.restartSeconds.value_or(0.0), 300.0);
    }

    void typesAndSoftware() {
        PredictForm form;
        setAll(form,
            {{"model", "llama3-8b"}, {"precision", "bf16-pure"}, {"stack", "pytorch-compiled"}});
        QCOMPARE(textOf(predict::StatedPrecision{form.request()->precision, form.request()->kept}),
            std::string("bf16-pure"));
        QCOMPARE(form.request()->stack, std::string("pytorch-compiled"));
        QCOMPARE(fieldOf(form, "precision").text, QStringLiteral("bf16-pure"));
        QCOMPARE(fieldOf(form, "stack").text, QStringLiteral("pytorch-compiled"));
        setAll(form, {{"precision", "bf16"}, {"stack", "usual"}});
        QVERIFY(form.request()->kept.isUsual());
        QVERIFY(form.request()->stack.empty());
        QCOMPARE(fieldOf(form, "stack").current(), 0);
    }

    // On the screen with the reader's mark, in what is kept with a point.
    void decimalsAreTheReaders() {
        QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany));
        PredictForm form;
        setAll(form, {{"model", "llama3-70b"}, {"network", "12,5"}});
        QCOMPARE(form.request()->cluster.networkBandwidth.value(), 12.5e9);
        QCOMPARE(fieldOf(form, "network").typed(), QStringLiteral("12,5"));
        const QJsonObject kept = form.encoded();
        QCOMPARE(kept.value(QLatin1String("network")).toString(), QStringLiteral("12.5"));
        QLocale::setDefault(QLocale::c());
        PredictForm other;
        other.restore(kept);
        QCOMPARE(other.request()->cluster.networkBandwidth.value(), 12.5e9);
        QCOMPARE(fieldOf(other, "network").typed(), QStringLiteral("12.5"));
    }

    void whatCannotBeReadIsSaidAtItsField() {
        PredictForm form;
        setAll(form, {{"model", "llama3-8b"}, {"tp", "two"}});
        QVERIFY(!form.request());
        QVERIFY(!fieldOf(form, "tp").fault.isEmpty());
        QVERIFY(fieldOf(form, "pp").fault.isEmpty());
        setAll(form, {{"tp", "2"}});
        QVERIFY(form.request());
        QVERIFY(form.fault().isEmpty());
        setAll(form, {{"network", "0"}});
        QVERIFY(!form.request());
        QVERIFY(!fieldOf(form, "network").fault.isEmpty());
    }

    // A choice that is none changes nothing.
    void onlyChoicesAreTaken() {
        PredictForm form;
        setAll(form, {{"model", "llama9"}, {"nope", "1"}});
        QCOMPARE(form.request()->model.name, std::string("llama3-70b"));
    }

    void theAnswerIsSaidAtTheFieldChangedLast() {
        PredictForm form;
        setAll(form, {{"model", "llama3-8b"}, {"tp", "3"}});
        form.showFault(QStringLiteral("TP 3 does not divide"));
        QCOMPARE(fieldOf(form, "tp").fault, QStringLiteral("TP 3 does not divide"));
        QCOMPARE(form.fault(), QStringLiteral("TP 3 does not divide"));
        form.showFault({});
        QVERIFY(form.fault().isEmpty());
    }

    // No answer is about the other cluster: what is wrong with it is said until it is put right.
    void faultsOfTheOtherClusterStay() {
        PredictForm form;
        setAll(form,
            {{"model", "llama3-8b"}, {"tp", "3"}, {"against_gpu", "H200 SXM"},
                {"against_nodes", "x"}});
        form.showFault(QStringLiteral("TP 3 does not divide"));
        QCOMPARE(fieldOf(form, "tp").fault, QStringLiteral("TP 3 does not divide"));
        form.showFault({});
        QVERIFY(fieldOf(form, "tp").fault.isEmpty());
        QVERIFY(!fieldOf(form, "against_nodes").fault.isEmpty());
        setAll(form, {{"against_nodes", "2"}});
        QVERIFY(form.fault().isEmpty());
    }

    // 700 W and 1980 MHz are the H100's own.
    void slidersEndAtWhatTheGpuHas() {
        PredictForm form;
        setAll(form, {{"model", "llama3-8b"}});
        QCOMPARE(fieldOf(form, "power_limit").high, 700.0);
        QCOMPARE(fieldOf(form, "power_limit").low, 210.0);
        QCOMPARE(fieldOf(form, "clock").high, 1980.0);
        form.slide(QStringLiteral("power_limit"), 450.4);
        form.slide(QStringLiteral("clock"), 1200.0);
        QCOMPARE(form.request()->cluster.powerLimitW.value(), 450.0);
        QCOMPARE(form.request()->cluster.clockHz.value(), 1.2e9);
        QCOMPARE(fieldOf(form, "power_limit").shown, QStringLiteral("450 W"));
        form.slide(QStringLiteral("power_limit"), 700.0);
        QVERIFY(!form.request()->cluster.powerLimitW);
        // Another GPU has other ends.
        form.slide(QStringLiteral("power_limit"), 450.0);
        setAll(form, {{"gpu", "B200 SXM"}});
        QCOMPARE(fieldOf(form, "power_limit").high, 1000.0);
        QVERIFY(!form.request()->cluster.powerLimitW);
        setAll(form, {{"gpu", "GH200"}});
        QVERIFY(!fieldOf(form, "power_limit").isSlider());
    }

    // 4 nodes of 8 are 8 of 4, or 32 of 1.
    void anotherGpuKeepsTheNumberOfGpus() {
        PredictForm form;
        setAll(form, {{"model", "llama3-8b"}, {"gpu", "GB200 NVL72"}});
        QCOMPARE(form.request()->cluster.nodes, 8);
        QCOMPARE(form.request()->cluster.gpusPerNode, 4);
        setAll(form, {{"gpu", "GH200"}});
        QCOMPARE(form.request()->cluster.nodes, 32);
        QCOMPARE(form.request()->cluster.gpusPerNode, 1);
    }

    void arrowsDoubleAndHalve() {
        PredictForm form;
        setAll(form, {{"model", "llama3-8b"}, {"tp", "2"}});
        form.step(QStringLiteral("tp"), true);
        QCOMPARE(form.request()->layout.tensor.value(), 4);
        for (int i = 0; i < 4; ++i)
            form.step(QStringLiteral("tp"), false);
        QCOMPARE(form.request()->layout.tensor.value(), 1);
        form.step(QStringLiteral("model"), true);
        QCOMPARE(form.request()->model.name, std::string("llama3-8b"));
    }

    // A model of a run, which no catalogue has, and a division of its layers.
    void keepsWhatNoFieldTells() {
        predict::JobRequest launched;
        launched.model = catalogue::builtInModels().front();
        launched.model.name = "mine";
        launched.model.layers = 10;
        launched.cluster.gpu = *catalogue::findGpuModel("H200");
        launched.layout.tensor = 8;
        launched.layout.pipeline = 2;
        launched.layout.stageLayers = {6, 4};
        launched.globalBatch = 8;
        PredictForm form;
        form.begin(launched);
        QVERIFY(form.request());
        QCOMPARE(form.request()->model, launched.model);
        QCOMPARE(form.request()->layout.stageLayers, launched.layout.stageLayers);
        setAll(form, {{"pp", "1"}});
        QVERIFY(form.request()->layout.stageLayers.empty());
        setAll(form, {{"pp", "2"}});
        QCOMPARE(form.request()->layout.stageLayers, launched.layout.stageLayers);
    }

    // An interleaved schedule has virtual stages, shard groups are of so many replicas: 32 GPUs in
    // TP 4 leave 8 ranks for groups of 4, in TP 8 and PP 2 two.
    void whatNoFieldTellsGoesWhereItCannotBe() {
        PredictForm form;
        setAll(form, {{"model", "llama3-70b"}, {"global_batch", "128"}});
        predict::JobRequest layout = *form.request();
        layout.layout = predict::layoutFrom("tp=8,pp=4,vpp=2,schedule=interleaved").value();
        form.takeLayout(layout);
        QVERIFY(form.request()->layout.schedule == layout::ScheduleKind::Interleaved);
        setAll(form, {{"vpp", "5"}});
        QVERIFY(!form.request()->layout.schedule);
        QVERIFY(predict::jobOf(*form.request()).hasValue());
        setAll(form, {{"vpp", "2"}});
        QVERIFY(form.request()->layout.schedule == layout::ScheduleKind::Interleaved);
        layout.layout = predict::layoutFrom("tp=4,zero=3,shard=4").value();
        form.takeLayout(layout);
        QCOMPARE(form.request()->layout.shardSize.value_or(0), 4);
        setAll(form, {{"tp", "8"}, {"pp", "2"}});
        QVERIFY(!form.request()->layout.shardSize);
        QVERIFY(predict::jobOf(*form.request()).hasValue());
    }

    // A ranked layout leaves model, cluster and batch as they are.
    void takesALayout() {
        PredictForm form;
        setAll(form, {{"model", "llama3-70b"}, {"global_batch", "96"}});
        predict::JobRequest layout = *form.request();
        layout.globalBatch = 8;
        layout.layout.tensor = 2;
        layout.layout.pipeline = 8;
        layout.layout.zeroStage = 3;
        layout.microBatch = 4;
        layout.recompute = predict::Recompute::Full;
        layout.recomputedLayers = 3;
        form.takeLayout(layout);
        QCOMPARE(form.request()->globalBatch, 96);
        QCOMPARE(form.request()->layout.tensor.value(), 2);
        QCOMPARE(form.request()->layout.pipeline.value(), 8);
        QCOMPARE(form.request()->layout.zeroStage.value(), 3);
        QCOMPARE(form.request()->microBatch, 4);
        QCOMPARE(form.request()->recomputedLayers, 3);
        // Another kind of recomputation is of all layers.
        setAll(form, {{"recompute", "selective"}});
        QCOMPARE(form.request()->recomputedLayers, 0);
    }

    // Inference has no gradients, so nothing that concerns them; it generates tokens.
    void fieldsFollowTheWorkload() {
        PredictForm form;
        setAll(form,
            {{"model", "llama3-8b"}, {"vpp", "2"}, {"recompute", "full"}, {"tp", "4"},
                {"workload", "inference"}});
        for (const char* key : {"vpp", "sharding", "recompute"})
            QVERIFY(fieldOf(form, key).key.isEmpty());
        QCOMPARE(fieldOf(form, "generated").text, QStringLiteral("0"));
        setAll(form, {{"generated", "256"}});
        const auto& request = form.request();
        QVERIFY(request && request->workload == Workload::Inference);
        QCOMPARE(request->generated, 256);
        QCOMPARE(request->layout.tensor.value(), 4);
        QVERIFY(!request->layout.virtualStages && !request->layout.zeroStage);
        QVERIFY(request->recompute == predict::Recompute::None);
        setAll(form, {{"generated", "4096"}});
        QVERIFY(!form.request());
        QVERIFY(!fieldOf(form, "generated").fault.isEmpty());
        PredictForm other;
        other.restore(form.encoded());
        QCOMPARE(other.rows(), form.rows());
        setAll(form, {{"workload", "lora"}, {"adapters", "32:all"}});
        QVERIFY(fieldOf(form, "generated").key.isEmpty());
        QVERIFY(form.request());
        QCOMPARE(form.request()->generated, 0);
        QCOMPARE(form.request()->adapters.rank, 32);
        setAll(form, {{"adapters", "much"}});
        QVERIFY(!form.request());
        setAll(form, {{"workload", "training"}});
        QVERIFY(form.request());
        QCOMPARE(form.request()->layout.zeroStage.value(), 1);
    }

    void survivesJson() {
        PredictForm form;
        setAll(form, {{"model", "mixtral-8x7b"}, {"ep", "8"}, {"tp", "1"}, {"precision", "fp8"}});
        form.slide(QStringLiteral("clock"), 1500.0);
        PredictForm other;
        other.restore(form.encoded());
        QCOMPARE(other.rows(), form.rows());
        QVERIFY(other.request());
        other.restore({});
        QCOMPARE(other.request()->model.name, std::string("llama3-70b"));
        // Settings that cannot be understood are ignored.
        other.restore({{QStringLiteral("model"), QStringLiteral("gone")},
            {QStringLiteral("nodes"), 7}, {QStringLiteral("tp"), QStringLiteral("2")}});
        QCOMPARE(other.request()->model.name, std::string("llama3-70b"));
        QCOMPARE(fieldOf(other, "nodes").text, QStringLiteral("4"));
        QCOMPARE(fieldOf(other, "tp").text, QStringLiteral("2"));
    }
};

TRAINSCOPE_TEST(tst_PredictForm)
#include "tst_PredictForm.moc"
