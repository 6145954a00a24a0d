// The traced schedules of the sample are those that its generator played.

#include "app/sample/Sample.h"
#include "app/sample/Simulation.h"
#include "core/analysis/schedule/TracedSchedule.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::app::sample;
using app::sample::StageWork;

class tst_SampleSchedule : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        const auto path = m_folder.filePath(QStringLiteral("sample.trainscope")).toStdString();
        QVERIFY(app::writeSample(path).hasValue());
        auto store = store::Store::open(path, store::OpenMode::ReadOnly);
        QVERIFY(store.hasValue());
        m_store.emplace(std::move(store).value());
    }

    void agrees_data() {
        const auto row = test::columns<int, bool>("iteration", "isLarge");
        row("32 H200", 8, false);
        row("64 H100", 13, true);
    }

    void agrees() {
        QFETCH(int, iteration);
        QFETCH(bool, isLarge);
        const auto cluster = isLarge ? app::sample::h100Cluster() : app::sample::h200Cluster();
        const auto pipeline = app::sample::simulatePipeline(cluster);
        const auto run = m_store->findRun(cluster.runName);
        QVERIFY(run.hasValue());
        const auto made = tracedSchedule({*m_store, run.value()}, {iteration, std::nullopt});
        QVERIFY2(made.hasValue(), made.hasValue() ? "" : made.error().message.c_str());
        const TracedSchedule& traced = made.value();
        QCOMPARE(traced.traced.microbatches, app::sample::kMicrobatches);
        QVERIFY(traced.traced.kind == layout::ScheduleKind::OneForwardOneBackward);
        const auto range = pipeline.iterations[static_cast<std::size_t>(iteration - 1)];
        const double forward = cluster.forwardSeconds;
        for (const layout::ScheduleTask& task : traced.traced.tasks) {
            const auto kind = task.kind == layout::TaskKind::Forward ? StageWork::Kind::Forward
                                                                     : StageWork::Kind::Backward;
            const auto& works = pipeline.stages[static_cast<std::size_t>(task.stage)];
            const auto work = std::find_if(works.begin(), works.end(), [&](const StageWork& one) {
                return one.kind == kind && one.microbatch == task.microbatch
                    && one.begin >= range.begin && one.end <= range.end;
            });
            QVERIFY(work != works.end());
            const double begin = (traced.begin - app::sample::kStart).seconds() + task.start;
            // A turn from forward to backward shows at the first kernel whose name tells it, and
            // clocks are put on one to some microseconds.
            QVERIFY(std::abs(begin - work->begin) < 0.02 * forward);
            QVERIFY(std::abs((task.end - task.start) - (work->end - work->begin)) < 0.02 * forward);
        }
        // All that was traced is there: front and rear GPUs of each stage, one of them speaks.
        QCOMPARE(static_cast<int>(traced.stages.size()), cluster.stages());
        double busy = 0.0;
        for (std::size_t stage = 0; stage < pipeline.stages.size(); ++stage) {
            QVERIFY(traced.stages[stage].traced.has_value());
            for (const StageWork& work : pipeline.stages[stage]) {
                const double shift = (traced.begin - app::sample::kStart).seconds();
                if (work.kind != StageWork::Kind::Optimizer)
                    busy += std::max(0.0,
                        std::min(work.end - shift, traced.windowTo)
                            - std::max(work.begin - shift, traced.windowFrom));
            }
        }
        const double all = (traced.windowTo - traced.windowFrom) * cluster.stages();
        QVERIFY(std::abs(traced.tracedBubble - (1.0 - busy / all)) < 0.005);
        QVERIFY(traced.planned && traced.plannedBubble && traced.idealBubble);
        QVERIFY(
            std::abs(*traced.idealBubble
                - (cluster.stages() - 1.0) / (app::sample::kMicrobatches + cluster.stages() - 1.0))
            < 1e-12);
        // The plan sends in no time, the sample in 1.6 ms.
        QVERIFY(*traced.plannedBubble < traced.tracedBubble + 0.01);
        QVERIFY(std::abs(*traced.plannedBubble - traced.tracedBubble) < 0.06);
    }

    // The sample's pipeline obeys its dependencies, and its length is that of the 1F1B schedule.
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

private:
    QTemporaryDir m_folder;
    std::optional<store::Store> m_store;
};

TRAINSCOPE_TEST(tst_SampleSchedule)
#include "tst_SampleSchedule.moc"
