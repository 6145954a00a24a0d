// The model's side of the traffic: the weights of a layer and what else the launch says.

#include <QtTest>

#include "core/analysis/machine/ModelShape.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;

class tst_RunTraffic : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Summed over the layers, with both tables, the weights are those of the whole model.
    void weightsSumToTheModel() {
        for (const auto& model : catalogue::builtInModels()) {
            const auto traffic = trafficModelOf(model, 2048, 1);
            const double layers = model.layers + traffic.nextTokenLayers;
            const double dense = traffic.denseLayers;
            const double sum = layers * traffic.attentionParameters
                + dense * traffic.denseMlpParameters
                + (layers - dense)
                    * (traffic.besideExperts + traffic.mlpParameters * model.experts);
            const double tables = (model.tiedEmbeddings ? 1.0 : 2.0) * traffic.embeddingParameters;
            const double total = parametersOf(model).total;
            // Apart from the last norm; beside 10¹² a double knows no more than 10⁻⁴.
            QVERIFY2(std::abs(sum + tables + model.hidden - total) < 1.0, model.name.c_str());
        }
    }

    // GPT-3 175B on TP 8: 96 layers of 12288, micro-batch 1 of 2048 tokens in 16 bits are 50.3 MB
    // between layers; a layer sends (4 · 2 · 7/8 + 2 · 7/8) of them.
    void ofALaunchConfiguration() {
        LaunchConfig launch;
        launch.model = "gpt3-175b";
        QVERIFY(!trafficModelOf(launch, catalogue::modelCatalogue()).hasValue());
        launch.sequenceLength = 2048;
        launch.microBatch = 1;
        const auto model = trafficModelOf(launch, catalogue::modelCatalogue()).value();
        layout::LayoutRequest request;
        request.nodes = 1;
        request.gpusPerNode = 8;
        request.tensor = 8;
        request.layers = 96;
        request.microbatches = 1;
        const auto traffic
            = layout::trafficOf(layout::makeLayout(request).value(), model, 0).value();
        QCOMPARE(traffic.at(0).group, std::string("tp"));
        QCOMPARE(traffic.at(0).bytes, 96 * (7.0 + 1.75) * 2048 * 12288 * 2);
    }
};

TRAINSCOPE_TEST(tst_RunTraffic)
#include "tst_RunTraffic.moc"
