// Replays of a planted run: the graph of a step is read once, for whoever asks, until more is
// imported.

#include "core/analysis/replay/Replay.h"
#include "core/analysis/traces/PlantedRun.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;

namespace {

// Steps of 100 µs, each a kernel of 94 for which the host waits.
struct EvenSteps : test::PlantedTrace {
    explicit EvenSteps(std::int64_t count) {
        for (std::int64_t k = 0; k < count; ++k) {
            const std::int64_t at = test::kEpoch + k * 100 * test::kUs;
            host(0, "main", SpanKind::Runtime, "cudaLaunchKernel", at + test::kUs, 2 * test::kUs,
                k + 1);
            host(0, "main", SpanKind::Runtime, "cudaDeviceSynchronize", at + 5 * test::kUs,
                94 * test::kUs);
            work(0, "7", SpanKind::Kernel, "K", at + 4 * test::kUs, 94 * test::kUs, k + 1);
            iteration(-1, k, at, at + 100 * test::kUs);
        }
    }
};

StepReplay replayed(const store::Store& store, const ReplayRequest& request) {
    const auto made = replayOf(test::studyOf(store), request);
    if (!made.hasValue())
        qFatal("%s", made.error().describe().c_str());
    return made.value();
}

} // namespace

class tst_Replay : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aStepIsReadOnce() {
        EvenSteps steps(5);
        const auto store = steps.store();
        const StepReplay path = replayed(store, {{}, {}, false, {}, true});
        QVERIFY(path.waits.empty() && !path.path.pieces.empty());
        const StepReplay all = replayed(store, {});
        QCOMPARE(all.graph.get(), path.graph.get());
        QCOMPARE(all.replayedS, path.replayedS);
        const StepReplay third = replayed(store, {{}, 3, false, {}, false});
        QVERIFY(third.graph != path.graph);
        QCOMPARE(third.iterations.size(), std::size_t{1});
        QCOMPARE(replayed(store, {}).graph.get(), path.graph.get());
    }

    // A change leaves what is kept as it was.
    void aChangeKeepsTheMeasuredStep() {
        EvenSteps steps(5);
        const auto store = steps.store();
        const StepReplay before = replayed(store, {});
        const StepReplay changed = replayed(store, {{}, {}, false, {"kernel:K=0.5x"}, false});
        QVERIFY(changed.changedS && *changed.changedS < changed.replayedS);
        QCOMPARE(changed.replayedS, before.replayedS);
        const StepReplay after = replayed(store, {});
        QCOMPARE(after.graph.get(), before.graph.get());
        QVERIFY(!after.changedS);
        QCOMPARE(after.path.seconds, before.path.seconds);
    }

    // Its run has the same name and number.
    void anotherStoreIsReadItself() {
        EvenSteps five(5);
        EvenSteps six(6);
        const auto first = five.store();
        const auto second = six.store();
        QCOMPARE(replayed(first, {}).iterations.size() + 1, replayed(second, {}).iterations.size());
    }

    void importedTelemetryIsSeen() {
        EvenSteps steps(5);
        auto store = steps.store();
        const StepReplay before = replayed(store, {});
        test::PlantedTrace telemetry;
        telemetry.power(0, test::kEpoch, 400.0);
        telemetry.power(0, test::kEpoch + 500 * test::kUs, 400.0);
        QVERIFY(telemetry.addTo(store).hasValue());
        QVERIFY(replayed(store, {}).graph != before.graph);
    }
};

TRAINSCOPE_TEST(tst_Replay)
#include "tst_Replay.moc"
