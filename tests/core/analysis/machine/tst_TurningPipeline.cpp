// Memory of pipelines whose pieces turn back: the first stage has the last piece.

#include <QtTest>

#include "support/MemoryLaunch.h"
#include "support/TestProgram.h"

#include <vector>

using namespace trainscope;
using namespace trainscope::analysis;
using test::isAbout;

class tst_TurningPipeline : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Eight layers in four pieces of two: 1 and 4 are of the first stage, which has both tables of
    // 50,000 words and makes the logits, 6 B for each of 100 tokens; the other stage has neither.
    // 18 B a parameter, 12 h² + 2 h of them a layer.
    void theFirstStageHasTheLoss() {
        layout::LayoutRequest layout;
        layout.worldSize = 2;
        layout.gpusPerNode = 2;
        layout.pipeline = 2;
        layout.layers = 8;
        layout.microbatches = 4;
        layout.schedule = layout::ScheduleKind::ZeroBubbleV;
        catalogue::TrainingModel model;
        model.layers = 8;
        model.hidden = 1000;
        model.heads = model.kvHeads = 10;
        model.headSize = 100;
        model.ffn = 4000;
        model.vocabulary = 50000;
        MemoryRequest request{{model}, layout::makeLayout(layout).value()};
        request.sequence = 100;
        const std::vector<StageNeed> needs = stageNeedsOf(request);
        const double layers = 4 * (12e6 + 2e3);
        QVERIFY(isAbout(needs[0].states(), 18.0 * (layers + 2 * 50e6), 1e-12));
        QVERIFY(isAbout(needs[1].states(), 18.0 * layers, 1e-12));
        QVERIFY(isAbout(needs[0].logits, 6.0 * 100 * 50000, 1e-12));
        QCOMPARE(needs[1].logits, 0.0);
    }
};

TRAINSCOPE_TEST(tst_TurningPipeline)
#include "tst_TurningPipeline.moc"
