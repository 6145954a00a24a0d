// Parameters and FLOP of models against published numbers and formulas.

#include "core/analysis/machine/ModelShape.h"
#include "support/MemoryLaunch.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using catalogue::TrainingModel;
using test::isAbout;
using test::partsOf;
using test::requestOf;

namespace {

const catalogue::ModelCatalogue& builtInCatalogue() {
    static const catalogue::ModelCatalogue catalogue{catalogue::builtInModels(), {}};
    return catalogue;
}

const TrainingModel& named(const char* name) {
    return *builtInCatalogue().byName(name);
}

} // namespace

class tst_ModelWork : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // In 10⁹, to the digits that the models' makers print.
    void publishedParameters_data() {
        const auto row = test::columns<QByteArray, double, double, double>(
            "model", "total", "active", "within");
        row("GPT-3 175B, Narayanan et al. table 1", "gpt3-175b", 174.6, 174.6, 0.05);
        row("OPT-30B", "gpt3-30b", 30.0, 30.0, 0.05);
        row("Llama 3 405B", "llama3-405b", 405.9, 405.9, 0.1);
        row("Llama 3 70B", "llama3-70b", 70.55, 70.55, 0.01);
        row("Llama 3 8B", "llama3-8b", 8.03, 8.03, 0.005);
        row("Llama 2 7B", "llama2-7b", 6.74, 6.74, 0.005);
        row("Llama 2 70B", "llama2-70b", 68.98, 68.98, 0.01);
        row("Mixtral 8x7B", "mixtral-8x7b", 46.7, 12.88, 0.01);
        row("Mixtral 8x22B", "mixtral-8x22b", 140.6, 39.15, 0.05);
        row("GPT-NeoX-20B", "gpt-neox-20b", 20.55, 20.55, 0.01);
        row("Qwen3-30B-A3B", "qwen3-30b-a3b", 30.5, 3.3, 0.06);
        row("Qwen3-235B-A22B", "qwen3-235b-a22b", 235.0, 22.0, 0.2);
        row("gpt-oss-120b", "gpt-oss-120b", 116.83, 5.7, 0.1);
        // 671B and 37B, and the module that predicts one token more, 11.5B of which 0.6B are met.
        row("DeepSeek-V3", "deepseek-v3", 682.5, 38.2, 0.5);
        row("Kimi K2", "kimi-k2", 1026.0, 32.9, 1.0);
    }
    void publishedParameters() {
        QFETCH(const QByteArray, model);
        QFETCH(const double, total);
        QFETCH(const double, active);
        QFETCH(const double, within);
        const auto found = parametersOf(named(model.constData()));
        QVERIFY2(std::abs(found.total / 1e9 - total) <= within,
            qPrintable(QString::number(found.total)));
        QVERIFY2(std::abs(found.active / 1e9 - active) <= within,
            qPrintable(QString::number(found.active)));
    }

    // The general form is the published one for every GPT: 72·B·s·l·h²·(1 + s/6h + V/12lh).
    void theFormulaOfNarayanan() {
        std::mt19937 random(3);
        for (int trial = 0; trial < 200; ++trial) {
            TrainingModel gpt;
            gpt.layers = 1 + static_cast<int>(random() % 120);
            gpt.heads = 1 + static_cast<int>(random() % 96);
            gpt.kvHeads = gpt.heads;
            gpt.headSize = 16 * (1 + static_cast<int>(random() % 16));
            gpt.hidden = gpt.heads * gpt.headSize;
            gpt.ffn = 4 * gpt.hidden;
            gpt.vocabulary = 1000 + static_cast<int>(random() % 100000);
            const int sequence = 128 + static_cast<int>(random() % 8192);
            const double l = gpt.layers;
            const double h = gpt.hidden;
            const double s = sequence;
            const double expected
                = 72 * s * l * h * h * (1 + s / (6 * h) + gpt.vocabulary / (12 * l * h));
            QCOMPARE(workOf(gpt, Workload::Training, sequence).flopPerSample, expected);
        }
    }

    // Narayanan et al. table 1: 175B, batch 1536 on 1024 A100: 140 TFLOP/s per GPU with
    // recomputation. Eq. 3 there with 96 instead of 72, of layers only, is 4/3 of ours without the
    // logits.
    void numbersOf175B() {
        const TrainingModel& gpt = named("gpt3-175b");
        const double one = workOf(gpt, Workload::Training, 2048).flopPerSample;
        // 72·2048·96·12288² = 2.13745e15; s/6h = 1/36; V/12lh = 51200/14155776.
        const double expected
            = 72.0 * 2048 * 96 * 12288.0 * 12288.0 * (1.0 + 1.0 / 36.0 + 51200.0 / 14155776.0);
        QCOMPARE(one, expected);
        QVERIFY(std::abs(one / 2048 / 6 / 174.6e9 - 1.03) < 0.01); // about 6 FLOP a parameter
    }

    void groupedQueriesGateAndExpertsByHand() {
        TrainingModel model;
        model.layers = 2;
        model.hidden = 8;
        model.heads = 4;
        model.kvHeads = 2;
        model.headSize = 2;
        model.ffn = 16;
        model.gatedMlp = true;
        model.vocabulary = 10;
        model.experts = 4;
        model.expertsPerToken = 2;
        // A layer: q and out 8×8 twice, k and v 8×4 twice = 192; experts 2 × 3×8×16 = 768; router
        // 8×4 = 32: 992 weights; two layers 1984; logits 80: 2064 × 2 FLOP. Scores: 4 × 2 × 8 = 64
        // a position; 5 of them 320.
        const double weights = 2.0 * 2064;
        QCOMPARE(workOf(model, Workload::Training, 5).flopPerSample, 3 * 5 * (weights + 320));
        QCOMPARE(workOf(model, Workload::Lora, 5).flopPerSample, 5 * (2 * weights + 3 * 320));
        // All 4 experts: 1536; with norms 16 a layer: 1776, two of them 3552; embeddings 160,
        // norm 8.
        QCOMPARE(parametersOf(model).total, 2 * (192.0 + 1536 + 32 + 16) + 168);
        QCOMPARE(parametersOf(model).active, 2 * (192.0 + 768 + 32 + 16) + 168);
        model.tiedEmbeddings = true;
        QCOMPARE(parametersOf(model).total, 2 * (192.0 + 1536 + 32 + 16) + 88);
    }

    void inferenceByHand() {
        TrainingModel model;
        model.layers = 1;
        model.hidden = 4;
        model.heads = model.kvHeads = 1;
        model.headSize = 4;
        model.ffn = 16;
        model.vocabulary = 8;
        // Weights 64 + 128 + 32 = 224, 448 FLOP a token; scores 16 a position. Prompt of 3 meets 9
        // positions, the two tokens after it 4 and 5.
        QCOMPARE(
            workOf(model, Workload::Inference, 5, 2).flopPerSample, 5 * 448.0 + 16.0 * (9 + 4 + 5));
        QCOMPARE(workOf(model, Workload::Inference, 5).flopPerSample, 5 * 448.0 + 16.0 * 25);
        QCOMPARE(workOf(model, Workload::Inference, 5, 2).tokensPerSample, 5.0);
    }

    // One of two layers looks back at 2 tokens: 5 and 2 positions a token in place of twice 5. In
    // inference the prompt of 3 meets 9 and 6 positions, the two tokens after it 4 + 5 and 2 + 2.
    void windowsByHand() {
        TrainingModel model;
        model.layers = 2;
        model.hidden = 4;
        model.heads = model.kvHeads = 1;
        model.headSize = 4;
        model.ffn = 16;
        model.vocabulary = 8;
        model.window = 2;
        // Weights of a layer 64 + 128, of the logits 32: 832 FLOP a token; 16 a position and layer.
        QCOMPARE(
            workOf(model, Workload::Training, 5).flopPerSample, 3 * 5 * (832.0 + 16.0 * (5 + 2)));
        QCOMPARE(workOf(model, Workload::Inference, 5, 2).flopPerSample,
            5 * 832.0 + 16.0 * (9 + 4 + 5 + 6 + 2 + 2));
        model.window = 7;
        QCOMPARE(
            workOf(model, Workload::Training, 5).flopPerSample, 3 * 5 * (832.0 + 16.0 * (5 + 5)));
    }

    // Models of equal layers and hidden size are told apart by what else is stated.
    void byShapeWithWhatIsStated() {
        LaunchConfig launch;
        launch.layers = 32;
        launch.hiddenSize = 4096;
        launch.attentionHeads = 32;
        launch.ffnSize = 11008;
        launch.gatedMlp = true;
        launch.vocabulary = 32000;
        const TrainingModel llama2 = shapeOf(launch, builtInCatalogue()).value().model;
        QCOMPARE(llama2.kvHeads, 32); // not the 8 of Llama 3 8B
        QVERIFY(std::abs(parametersOf(llama2).total / 1e9 - 6.74) < 0.005);
        launch.kvHeads = 8;
        launch.ffnSize = 14336;
        QCOMPARE(shapeOf(launch, builtInCatalogue()).value().model.name, std::string("llama3-8b"));
        // A run of GPT-NeoX with Llama's layers, but two matrices: its log says 13,112,975,360
        // parameters, biases among them. 40 · (12 · 5120² + 2 · 5120) + 5120 + 2 · 51200 · 5120.
        LaunchConfig neox;
        neox.layers = 40;
        neox.hiddenSize = 5120;
        neox.attentionHeads = 40;
        neox.gatedMlp = false;
        neox.vocabulary = 51200;
        const ModelShape shape = shapeOf(neox, builtInCatalogue()).value();
        QCOMPARE(parametersOf(shape.model).total, 13'107'614'720.0);
        VERIFY_SAYS(shape.origin, "4 × hidden");
    }

    // Megatron-LM prints hidden / heads as its kv_channels, which latent attention does not use:
    // 7168 / 128 = 56 in place of 192.
    void latentHeadsAreTheModelsOwn() {
        LaunchConfig launch;
        launch.model = "deepseek-v3";
        launch.attentionHeads = 128;
        launch.headSize = 56;
        QCOMPARE(shapeOf(launch, builtInCatalogue()).value().model.headSize, 192);
        launch.model.reset();
        launch.layers = 61;
        launch.hiddenSize = 7168;
        launch.experts = 256;
        const TrainingModel unnamed = shapeOf(launch, builtInCatalogue()).value().model;
        QCOMPARE(parametersOf(unnamed).total, parametersOf(named("deepseek-v3")).total);
    }

    void theConfigurationGoesBeforeTheCatalogue() {
        LaunchConfig launch;
        launch.model = "mixtral-8x7b";
        launch.layers = 32;
        launch.hiddenSize = 6144; // as some published configurations say by mistake
        launch.attentionHeads = 32;
        launch.kvHeads = 8;
        launch.ffnSize = 14336;
        const auto shape = shapeOf(launch, builtInCatalogue()).value();
        const TrainingModel& model = shape.model;
        QCOMPARE(model.hidden, 6144);
        QCOMPARE(model.headSize, 192);
        QCOMPARE(model.experts, 8);
        QCOMPARE(model.expertsPerToken, 2);
        QCOMPARE(model.vocabulary, 32000);
        QVERIFY(model.gatedMlp);
        VERIFY_SAYS(shape.origin, "own layers and hidden size");
    }

    void byNameAloneAndByShapeAlone() {
        LaunchConfig byName;
        byName.model = "llama3-70b";
        QCOMPARE(shapeOf(byName, builtInCatalogue()).value().model.ffn, 28672);
        LaunchConfig byShape;
        byShape.layers = 80;
        byShape.hiddenSize = 8192;
        QCOMPARE(shapeOf(byShape, builtInCatalogue()).value().model.vocabulary, 128256);
    }

    void aModelOfNoCatalogue() {
        LaunchConfig launch;
        launch.layers = 12;
        launch.hiddenSize = 768;
        launch.attentionHeads = 12;
        const auto unknown = shapeOf(launch, builtInCatalogue());
        VERIFY_FAILS(unknown, "vocabulary");
        launch.vocabulary = 50304;
        const auto shape = shapeOf(launch, builtInCatalogue()).value();
        QCOMPARE(shape.model.ffn, 3072);
        VERIFY_SAYS(shape.origin, "4 × hidden");
        launch.gatedMlp = true;
        QVERIFY(!shapeOf(launch, builtInCatalogue()).hasValue()); // its size has no such default
        QVERIFY(!shapeOf({}, builtInCatalogue()).hasValue());
    }

    // Fewer heads of keys than GPUs of a tensor-parallel group: each GPU has a whole one.

    void ofOneForFiveGpus() {
        LaunchConfig launch = test::smallLaunch();
        launch.workload = Workload::Inference;
        launch.kvHeads = 1;
        launch.gpusPerNode = launch.tensorParallel = 5;
        // Queries and what leaves attention are h² each, keys and values h · 100 each: a fifth of
        // the first, all of the others, where a fifth of these would be 4/5 · 2 · 100 h less.
        const double layer = (2e6 + 8e6 + 2e3) / 5 + 2.0 * 1000 * 100;
        QVERIFY(isAbout(partsOf(launch).weights, 2.0 * (10 * layer + 500e3 / 5), 1e-12));
        // Every second product kept: 2h, and of the queries, of what leaves attention and inside
        // the MLP a fifth, of the keys all, 2 B each.
        launch.workload = Workload::Training;
        launch.sequenceParallel = false;
        MemoryRequest request = requestOf(launch);
        request.recompute = Recomputation::PerOperator;
        const double kept = 2.0 * (2000 + (1000 + 1000 + 4000) / 5.0 + 100);
        QVERIFY(isAbout(stageNeedOf(request, 0).held, 10 * kept * 100, 1e-12));
    }
};

TRAINSCOPE_TEST(tst_ModelWork)
#include "tst_ModelWork.moc"
