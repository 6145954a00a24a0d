// Traces that tell little, compute again or follow no known order, and the plans beside them.

#include "core/analysis/schedule/TracedCheck.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

class tst_TracedPlans : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // Without annotations, telling names and the number of micro-batches the transfers tell, and it
    // says that this is an estimate.
    void theNumberOfMicrobatchesIsEstimated() {
        for (const auto kind :
            {ScheduleKind::OneForwardOneBackward, ScheduleKind::GPipe, ScheduleKind::ZeroBubble}) {
            for (const int microbatches : {4, 6, 8, 12, 16, 24}) {
                Plant plant;
                plant.kind = kind;
                plant.microbatches = microbatches;
                plant.evidence = Evidence::None;
                plant.saysMicrobatches = false;
                PlantedPipeline planted(plant);
                const auto made = trace(planted);
                QVERIFY2(made.hasValue(),
                    qPrintable(
                        QStringLiteral("%1 of %2: ").arg(microbatches).arg(static_cast<int>(kind))
                        + failure(made)));
                QCOMPARE(made.value().traced.microbatches, microbatches);
                QVERIFY(made.value().traced.kind == kind);
                QVERIFY(made.value().isEstimated);
                QVERIFY(hasNote(made.value(), "is an estimate"));
            }
        }
    }

    // A recomputed forward pass is part of the backward pass.
    void recomputedActivations() {
        for (const auto by : {Evidence::Names, Evidence::Launches, Evidence::HostAnnotations}) {
            for (const int stages : {2, 4}) {
                Plant plant;
                plant.stages = stages;
                plant.recomputes = true;
                plant.evidence = by;
                PlantedPipeline planted(plant);
                const auto made = trace(planted);
                QVERIFY2(made.hasValue(), qPrintable(failure(made)));
                QVERIFY(made.value().isWhole);
                QVERIFY(made.value().isKnownOrder);
                // The first layer that the last stage computes again may look like a part of the
                // forward pass before it.
                const auto& tasks = made.value().traced.tasks;
                QCOMPARE(tasks.size(), planted.schedule.tasks.size());
                for (std::size_t i = 0; i < tasks.size(); ++i) {
                    const auto& task = planted.schedule.tasks[i];
                    QCOMPARE(tasks[i].microbatch, task.microbatch);
                    QVERIFY(tasks[i].kind == task.kind);
                    const double slack = by == Evidence::Names && task.stage == stages - 1
                        ? 0.11e-3 * (task.end - task.start) * 2.0
                        : 3e-9;
                    QVERIFY(std::abs(tasks[i].start - task.start * 1e-3) < slack);
                    QVERIFY(std::abs(tasks[i].end - task.end * 1e-3) < slack);
                }
            }
        }
    }

    // Numbered annotations need no known order: here micro-batches 0 and 1 change places.
    void anyOrderThatIsNumbered() {
        Plant plant;
        plant.kind = ScheduleKind::ZeroBubble;
        plant.evidence = Evidence::Numbers;
        plant.losesLastWeights = true;
        PlantedPipeline planted(plant);
        const auto made = trace(planted);
        QVERIFY2(made.hasValue(), qPrintable(failure(made)));
        const TracedSchedule& traced = made.value();
        QVERIFY(traced.isWhole);
        QVERIFY(!traced.isKnownOrder);
        QVERIFY(!traced.plans.empty());
        QVERIFY(traced.plans.front().kind == ScheduleKind::ZeroBubble);
        QVERIFY(*traced.plans.front().sameOrder > 0.999);
        const std::string sentence = planSentence(traced);
        QVERIFY(sentence.find("no known schedule; the nearest is Zero-bubble (ZB-H1)")
            != std::string::npos);
    }

    // The plan of every kind for the same durations, and how much longer the step takes.
    void plansBesideTheTrace() {
        Plant plant;
        plant.kind = ScheduleKind::ZeroBubble;
        plant.evidence = Evidence::Numbers;
        PlantedPipeline planted(plant);
        const auto store = planted.trace.store();
        const auto run = store.findRun("run").value();
        const auto made = tracedSchedule({store, run});
        QVERIFY2(made.hasValue(), qPrintable(failure(made)));
        QVERIFY(made.value().isKnownOrder);
        QCOMPARE(made.value().plans.size(), std::size_t{5});
        for (const PlanFit& fit : made.value().plans) {
            auto times = planted.times;
            const bool isHalved
                = fit.kind == ScheduleKind::Interleaved || fit.kind == ScheduleKind::ZeroBubbleV;
            if (isHalved) {
                times.clear();
                for (int piece = 0; piece < 2 * plant.stages; ++piece) {
                    const bool isBack
                        = fit.kind == ScheduleKind::ZeroBubbleV && piece >= plant.stages;
                    const int stage = isBack ? 2 * plant.stages - 1 - piece : piece % plant.stages;
                    const auto& one = planted.times[static_cast<std::size_t>(stage)];
                    times.push_back(
                        {one.forward / 2, one.inputGradient / 2, one.weightGradient / 2});
                }
            }
            const auto plan = layout::makeSchedule(
                {fit.kind, plant.stages, plant.microbatches, isHalved ? 2 : 1, times, 0.0})
                                  .value();
            QVERIFY2(std::abs(fit.makespan - plan.makespan * 1e-3) < 1e-7,
                qPrintable(QString::fromStdString(std::string(toString(fit.kind)))));
            QVERIFY(std::abs(fit.bubbleFraction - plan.bubbleFraction) < 1e-5);
        }
        const double longer = made.value().traced.makespan / made.value().plans.front().makespan;
        QVERIFY(longer > 1.0);
        QVERIFY(planSentence(made.value()).find("longer") != std::string::npos);
        const auto other = tracedSchedule({store, run}, {std::nullopt, ScheduleKind::GPipe});
        QVERIFY(other.value().planned->kind == ScheduleKind::GPipe);
        QVERIFY(other.value().traced.kind == ScheduleKind::ZeroBubble);
    }

    // Random pipelines: what is traced is what was planted, whatever tells it.
    void randomPipelines() {
        std::mt19937 dice(11);
        const auto pick
            = [&](int from, int to) { return std::uniform_int_distribution<int>(from, to)(dice); };
        for (int i = 0; i < 60; ++i) {
            Plant plant;
            plant.kind = layout::kAllSchedules[static_cast<std::size_t>(pick(0, 4))];
            const bool isV = plant.kind == ScheduleKind::ZeroBubbleV;
            plant.stages = pick(2, 5);
            plant.microbatches = plant.stages + pick(0, 7);
            plant.virtualStages = isV                     ? 2
                : plant.kind == ScheduleKind::Interleaved ? pick(2, 3)
                                                          : 1;
            plant.kernels = pick(3, 9);
            plant.sendTime = 0.02 * pick(1, 10);
            plant.evidence = isV || pick(0, 1) == 0 ? Evidence::Numbers : Evidence::Launches;
            PlantedPipeline planted(plant);
            const auto made = trace(planted);
            QVERIFY2(made.hasValue(), qPrintable(failure(made)));
            compareTasks(made.value().traced, planted.schedule);
            QVERIFY(made.value().traced.kind == plant.kind);
            QVERIFY(made.value().isKnownOrder || isV);
        }
    }
};

TRAINSCOPE_TEST(tst_TracedPlans)
#include "tst_TracedPlans.moc"
