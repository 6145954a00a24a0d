// Fewer heads of keys than GPUs of a tensor-parallel group: each GPU has a whole one.

#include "support/MemoryLaunch.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;
using test::isAbout;
using test::partsOf;
using test::requestOf;

class tst_KeyHeads : public QObject {
    Q_OBJECT

private Q_SLOTS:
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

TRAINSCOPE_TEST(tst_KeyHeads)
#include "tst_KeyHeads.moc"
