// The sample's pipeline obeys its dependencies, and its length is that of the 1F1B schedule.

#include <QtTest>

#include "app/sample/Simulation.h"
#include "support/TestProgram.h"

#include <algorithm>
#include <map>

using namespace trainscope::app::sample;

class tst_PipelineRun : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyStageRunsEveryMicrobatchOnce() {
        const auto cluster = h200Cluster();
        const auto run = simulatePipeline(cluster);
        QCOMPARE(run.stages.size(), std::size_t{4});
        for (const auto& works : run.stages) {
            const auto forwards = std::count_if(works.begin(), works.end(),
                [](const StageWork& work) { return work.kind == StageWork::Kind::Forward; });
            QCOMPARE(forwards, static_cast<std::ptrdiff_t>(run.iterations.size()) * kMicrobatches);
        }
    }

    void workOnAStageNeverOverlaps() {
        const auto run = simulatePipeline(h100Cluster());
        for (const auto& works : run.stages) {
            for (std::size_t i = 1; i < works.size(); ++i)
                QVERIFY(works[i].begin >= works[i - 1].end - 1e-9);
        }
    }

    void aForwardWaitsForThePreviousStage() {
        const auto run = simulatePipeline(h100Cluster());
        const double firstEnd = run.iterations.front().end;
        for (std::size_t stage = 1; stage < run.stages.size(); ++stage) {
            std::map<int, double> before;
            for (const auto& work : run.stages[stage - 1]) {
                if (work.kind == StageWork::Kind::Forward && work.begin < firstEnd)
                    before.emplace(work.microbatch, work.end);
            }
            for (const auto& work : run.stages[stage]) {
                if (work.kind == StageWork::Kind::Forward && work.begin < firstEnd)
                    QVERIFY(work.begin >= before.at(work.microbatch) + kHandOverSeconds - 1e-9);
            }
        }
    }

    // A pipeline of p stages and m micro-batches takes (m + p − 1) passes of forward and backward
    // when handing over costs nothing; each hand-over can only add its own time.
    void aStepTakesAsLongAsThe1F1BSchedule() {
        const auto cluster = h200Cluster();
        const auto run = simulatePipeline(cluster);
        const double ideal = (kMicrobatches + cluster.stages() - 1) * 3.0 * cluster.forwardSeconds;
        const double passes
            = run.iterations[0].end - run.iterations[0].begin - cluster.optimizerSeconds;
        QVERIFY(passes >= ideal);
        QVERIFY(passes <= ideal + 2.0 * (kMicrobatches + cluster.stages()) * kHandOverSeconds);
    }

    // 2 s of a pass and 1 s of the optimizer in 4 s: both are work, and the pass alone sends.
    void theOptimizerSendsNothing() {
        PipelineRun run;
        run.stages = {
            {{StageWork::Kind::Backward, 0, 1.0, 3.0}, {StageWork::Kind::Optimizer, 0, 3.0, 4.0}}};
        QCOMPARE(run.busyFraction(0, 0.0, 4.0), 0.75);
        QCOMPARE(run.passFraction(0, 0.0, 4.0), 0.5);
        QCOMPARE(run.passFraction(0, 3.0, 4.0), 0.0);
    }

    void busyFractionCountsThePartInsideTheWindow() {
        PipelineRun run;
        run.stages
            = {{{StageWork::Kind::Forward, 0, 1.0, 2.0}, {StageWork::Kind::Backward, 0, 3.0, 5.0}}};
        QCOMPARE(
            run.busyFraction(0, 0.0, 4.0), 0.5); // 1 s of the first and 1 s of the second in 4 s
        QCOMPARE(run.busyFraction(0, 2.0, 3.0), 0.0);
        QCOMPARE(run.busyFraction(0, 1.5, 1.75), 1.0);
    }
};

TRAINSCOPE_TEST(tst_PipelineRun)
#include "tst_PipelineRun.moc"
