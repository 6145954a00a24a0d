// LoRA: adapters as they are written and counted, and what training them alone takes and leaves
// out.

#include "core/analysis/machine/ModelShape.h"
#include "core/predict/prediction/JobRequest.h"
#include "core/predict/prediction/Prediction.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::predict;
using analysis::adapterParametersOf;
using analysis::Adapters;
using analysis::adaptersFrom;

namespace {

JobRequest adapted(const char* model, const char* layout, int gpus) {
    JobRequest request;
    request.model = *catalogue::modelCatalogue().byName(model);
    request.model.nextTokenLayers = 0;
    request.cluster = clusterFrom(std::to_string(gpus) + "xH100").value();
    request.layout = layoutFrom(layout).value();
    request.workload = Workload::Lora;
    request.sequence = 4096;
    request.globalBatch = 32;
    return request;
}

// Matrix products alone.
double productFlop(const LayerWork& work) {
    double flop = 0.0;
    for (const Operator& one : work.operators) {
        if (one.kind == OperatorKind::Gemm || one.kind == OperatorKind::GroupedGemm
            || one.kind == OperatorKind::Router)
            flop += forwardWork(one).flop + backwardWork(one).flop;
    }
    return flop;
}

} // namespace

class tst_Adapters : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void writtenAndRead() {
        QCOMPARE(textOf(Adapters{}), std::string("16:qkv"));
        for (const char* text : {"16:qkv", "8:qkv+out", "64:out+up+down"})
            QCOMPARE(textOf(adaptersFrom(text).value()), std::string(text));
        QCOMPARE(textOf(adaptersFrom("32").value()), std::string("32:qkv"));
        QCOMPARE(textOf(adaptersFrom("4:all").value()), std::string("4:qkv+out+up+down"));
        for (const char* text : {"", "0:qkv", "x:qkv", "16:", "16:kv", "16:qkv+", "-4"})
            QVERIFY2(!adaptersFrom(text).hasValue(), text);
    }

    // Llama 3 70B: queries, keys and values of 8192 + 2 · 1024 from 8192, rank 16.
    void parametersByHand() {
        const catalogue::TrainingModel model = *catalogue::modelCatalogue().byName("llama3-70b");
        QCOMPARE(adapterParametersOf(model, {}, 1.0, false), 16.0 * (8192 + 10240));
        QCOMPARE(adapterParametersOf(model, {}, 2.0, false), 16.0 * (8192 + 5120));
        const Adapters all = adaptersFrom("16:all").value();
        QCOMPARE(adapterParametersOf(model, all, 1.0, false),
            16.0 * (18432 + 16384 + (8192 + 57344) + (28672 + 8192)));
        QCOMPARE(adapterParametersOf(model, all, 1.0, true), 16.0 * (18432 + 16384)); // no experts
    }

    // 4 FLOP a token for each weight of the model and its head, forward and gradients of inputs,
    // and 6 for each of the adapters. The embedding's table and the norms multiply nothing.
    void fourForEachFrozenWeight_data() {
        test::columns<QByteArray, QByteArray>("name", "adapters");
        for (const char* name : {"gpt3-175b", "llama3-70b", "llama3-8b", "mixtral-8x7b",
                 "qwen3-30b-a3b", "deepseek-v3"}) {
            QTest::addRow("%s usual", name) << QByteArray(name) << QByteArray("16:qkv");
            QTest::addRow("%s all", name) << QByteArray(name) << QByteArray("64:all");
        }
    }
    void fourForEachFrozenWeight() {
        QFETCH(const QByteArray, name);
        QFETCH(const QByteArray, adapters);
        JobRequest request = adapted(name.constData(), "tp=1", 1);
        request.cluster.nodes = request.cluster.gpusPerNode = 1;
        request.globalBatch = 1;
        request.adapters = adaptersFrom(adapters.constData()).value();
        const Job job = jobOf(request).value();
        const auto& model = job.model;
        const int dense = model.experts > 1 ? model.denseLayers : model.layers;
        const int mixed = model.layers - dense;
        double flop = dense * productFlop(layerWork(job, false)) + productFlop(lossWork(job));
        if (mixed > 0)
            flop += mixed * productFlop(layerWork(job, true));
        const double table = 1.0 * model.hidden * model.vocabulary;
        const double norms = (2.0 * model.layers + 1.0) * model.hidden;
        const double frozen
            = analysis::parametersOf(model).active - norms - (model.tiedEmbeddings ? 0.0 : table);
        const double trained = dense * adapterParametersOf(model, job.adapters, 1.0, false)
            + mixed * adapterParametersOf(model, job.adapters, 1.0, true);
        const double expected = 4096.0 * (4.0 * frozen + 6.0 * trained);
        QVERIFY2(std::abs(flop / expected - 1.0) < 1e-9,
            qPrintable(QString::number(flop / expected, 'g', 12)));
    }

    void operatorsCountTheParameters() {
        for (const char* name : {"llama3-70b", "deepseek-v3"}) {
            for (const char* layout : {"tp=1", "tp=8"}) {
                JobRequest request = adapted(name, layout, 8);
                request.adapters = adaptersFrom("8:all").value();
                const Job job = jobOf(request).value();
                const double tensor = job.layout.grid.degrees().tensor;
                QCOMPARE(layerWork(job, false).adapterParameters,
                    adapterParametersOf(job.model, job.adapters, tensor, false));
            }
        }
    }

    // An adapter's numbers are added where its matrix's result is: behind queries, keys and values
    // to all of 4,096 tokens of a part of them, behind attention's output and the MLP, with
    // sequence parallelism, to a GPU's eighth of the tokens.
    void addedWhereTheResultIs() {
        JobRequest request = adapted("llama3-70b", "tp=8", 8);
        request.adapters = adaptersFrom("16:all").value();
        Job job = jobOf(request).value();
        QVERIFY(job.sequenceParallel);
        const auto added = [&job] {
            double numbers = 0.0;
            for (const Operator& one : layerWork(job, false).operators)
                numbers += one.name == "adapter_sum" ? one.m * one.n : 0.0;
            return numbers;
        };
        const double inside = 4096.0 * (10240 + 2 * 28672) / 8.0;
        QCOMPARE(added(), inside + 2.0 * 4096 * 8192 / 8.0);
        job.sequenceParallel = false;
        QCOMPARE(added(), inside + 2.0 * 4096 * 8192);
    }

    // Frozen weights have no states, adapters all of them: 2 + 4 + 12 B. Activations for frozen
    // weights are not kept: of 8,192 tokens a layer 2 · 8192 B before the MLP and 2 · 28672 B
    // before its last product, half of both on each of two GPUs; the adapter's 2 · 16 B are.
    void memoryByHand() {
        const Job job = jobOf(adapted("llama3-70b", "tp=2,pp=4", 8)).value();
        const auto need = analysis::stageNeedOf(memoryRequestOf(job), 1);
        const double each = 20 * 16.0 * (8192 + 5120);
        QVERIFY(std::abs(need.gradients / (4.0 * each) - 1.0) < 1e-9);
        QVERIFY(std::abs(need.optimizer / (12.0 * each) - 1.0) < 1e-9);
        JobRequest full = adapted("llama3-70b", "tp=2,pp=4", 8);
        full.workload = Workload::Training;
        const auto all = analysis::stageNeedOf(memoryRequestOf(jobOf(full).value()), 1);
        QVERIFY(std::abs((need.weights - 2.0 * each) / all.weights - 1.0) < 1e-9);
        const double frozen = 2.0 * (8192 + 28672) / 2 - 2.0 * 16;
        const double passes = 20.0 * std::min(3, job.microbatches());
        QVERIFY(std::abs((all.held - need.held) / (passes * job.sequence * frozen) - 1.0) < 1e-9);
    }

    // Less than training of all weights, more with more adapters; their gradients are next to
    // nothing to reduce and their optimizer next to nothing to run.
    void time() {
        const auto predicted = [](const char* adapters, Workload workload) {
            JobRequest request = adapted("llama3-8b", "tp=1", 16);
            request.workload = workload;
            request.adapters = adaptersFrom(adapters).value();
            return Predictor().predict(jobOf(request).value()).value();
        };
        const auto training = predicted("16", Workload::Training);
        const auto usual = predicted("16", Workload::Lora);
        const auto all = predicted("16:all", Workload::Lora);
        QVERIFY(usual.seconds < 0.85 * training.seconds);
        QVERIFY(all.seconds > usual.seconds && all.seconds < training.seconds);
        const Breakdown& step = usual.step.breakdown;
        QVERIFY(step[StepPart::Optimizer] > 0.0);
        QVERIFY(step[StepPart::Optimizer]
            < 0.01 * training.step.breakdown[StepPart::Optimizer] * 16); // not sharded
        QVERIFY(step[StepPart::DataParallel] > 0.0);
        QVERIFY(step[StepPart::DataParallel] < 0.05 * usual.seconds);
    }
};

TRAINSCOPE_TEST(tst_Adapters)
#include "tst_Adapters.moc"
