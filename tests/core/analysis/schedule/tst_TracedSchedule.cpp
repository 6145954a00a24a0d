// Pipelines whose passes are planted as kernels, transfers and annotations, found again.

#include "core/analysis/schedule/TracedCheck.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

class tst_TracedSchedule : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void plantedPasses_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("stages");
        QTest::addColumn<int>("microbatches");
        QTest::addColumn<int>("virtualStages");
        QTest::addColumn<int>("evidence");
        QTest::addColumn<bool>("transfers");
        QTest::addColumn<bool>("saysMicrobatches");
        const auto add = [](const char* name, ScheduleKind kind, int p, int m, int v, Evidence by,
                             bool transfers = true, bool says = true) {
            QTest::newRow(name) << static_cast<int>(kind) << p << m << v << static_cast<int>(by)
                                << transfers << says;
        };
        const auto plain = ScheduleKind::OneForwardOneBackward;
        add("names", plain, 4, 8, 1, Evidence::Names);
        add("two stages", plain, 2, 5, 1, Evidence::Names);
        add("eight stages", plain, 8, 16, 1, Evidence::Names);
        add("fewer micro-batches than stages", plain, 4, 2, 1, Evidence::Names);
        add("batch not said", plain, 4, 8, 1, Evidence::Names, true, false);
        add("launches", plain, 4, 8, 1, Evidence::Launches);
        add("launches alone", plain, 4, 8, 1, Evidence::Launches, false);
        add("annotated streams", plain, 4, 8, 1, Evidence::StreamAnnotations, false);
        add("annotated host", plain, 4, 8, 1, Evidence::HostAnnotations, false);
        add("annotated layers", plain, 4, 8, 1, Evidence::LayerAnnotations);
        add("GPipe", ScheduleKind::GPipe, 4, 6, 1, Evidence::Names);
        add("GPipe, batch not said", ScheduleKind::GPipe, 4, 6, 1, Evidence::Names, true, false);
        add("interleaved", ScheduleKind::Interleaved, 4, 8, 2, Evidence::Names);
        add("nothing tells", plain, 4, 8, 1, Evidence::None);
        add("nothing tells, GPipe", ScheduleKind::GPipe, 4, 6, 1, Evidence::None);
        add("nothing tells, interleaved", ScheduleKind::Interleaved, 4, 8, 2, Evidence::None);
        const auto zero = ScheduleKind::ZeroBubble;
        for (const auto& [name, by] : {std::pair{"launched", Evidence::Launches},
                 {"annotated streams", Evidence::StreamAnnotations},
                 {"annotated host", Evidence::HostAnnotations}, {"numbered", Evidence::Numbers},
                 {"pipelining", Evidence::Pipelining}, {"named", Evidence::Names},
                 {"untold", Evidence::None}})
            add(("zero-bubble, " + std::string(name)).c_str(), zero, 4, 8, 1, by);
        add("zero-bubble, two stages", zero, 2, 6, 1, Evidence::Names);
        add("zero-bubble, batch not said", zero, 4, 8, 1, Evidence::Launches, false, false);
        add("zero-bubble, named, batch not said", zero, 4, 8, 1, Evidence::Names, true, false);
        add("interleaved, pipelining", ScheduleKind::Interleaved, 4, 8, 2, Evidence::Pipelining);
        add("GPipe, numbered", ScheduleKind::GPipe, 4, 6, 1, Evidence::Numbers, false, false);
        add("interleaved, 6 of 4", ScheduleKind::Interleaved, 4, 6, 3, Evidence::Launches);
    }

    void plantedPasses() {
        QFETCH(int, kind);
        QFETCH(int, stages);
        QFETCH(int, microbatches);
        QFETCH(int, virtualStages);
        QFETCH(int, evidence);
        QFETCH(bool, transfers);
        QFETCH(bool, saysMicrobatches);
        Plant plant{static_cast<ScheduleKind>(kind), stages, microbatches, virtualStages};
        plant.evidence = static_cast<Evidence>(evidence);
        plant.hasTransfers = transfers;
        plant.saysMicrobatches = saysMicrobatches;
        PlantedPipeline planted(plant);
        const auto made = trace(planted);
        QVERIFY2(made.hasValue(), qPrintable(failure(made)));
        const TracedSchedule& traced = made.value();
        compareTasks(traced.traced, planted.schedule);
        QVERIFY(traced.isWhole);
        QVERIFY(traced.traced.kind == planted.schedule.kind);
        QCOMPARE(traced.traced.microbatches, microbatches);
        QVERIFY(std::abs(traced.tracedBubble - planted.schedule.bubbleFraction) < 1e-6);
        for (std::size_t stage = 0; stage < traced.stages.size(); ++stage)
            QVERIFY(std::abs(*traced.stages[stage].traced - planted.schedule.stageBubble[stage])
                < 1e-6);
        // The plan has the same durations but sends in no time.
        QVERIFY(traced.planned);
        QCOMPARE(traced.planned->tasks.size(), planted.schedule.tasks.size());
        QVERIFY(traced.planned->makespan < planted.schedule.makespan * 1e-3);
        QVERIFY(*traced.plannedBubble <= traced.tracedBubble);
        QVERIFY(traced.isKnownOrder);
        for (std::size_t i = 0; i < planted.schedule.tasks.size(); ++i) {
            const auto& a = traced.planned->tasks[i];
            const auto& b = planted.schedule.tasks[i];
            QVERIFY(std::abs((a.end - a.start) - (b.end - b.start) * 1e-3) < 3e-9);
        }
        // Zero-bubble schedules leave a third of that idle time.
        const double waits = stages - 1.0;
        const double rounds = splitsBackward(static_cast<ScheduleKind>(kind)) ? 3.0 : 1.0;
        if (virtualStages == 1)
            QVERIFY(
                std::abs(*traced.idealBubble - waits / (rounds * microbatches + waits)) < 1e-12);
    }

    // Nothing at all: it says what is missing.
    void passesThatNothingTells() {
        Plant plant;
        plant.evidence = Evidence::None;
        plant.saysMicrobatches = false;
        plant.hasTransfers = false;
        PlantedPipeline planted(plant);
        auto made = trace(planted);
        QVERIFY(!made.hasValue());
        QVERIFY(made.error().code == ErrorCode::NotFound);
        VERIFY_SAYS(made.error().message, "tell forward");
        VERIFY_SAYS(made.error().message, "number of micro-batches");
    }

    void clocksOfTheRanksAreAligned() {
        Plant plant;
        plant.clockStep = 300'000; // a third of a unit
        plant.microbatches = 24;
        PlantedPipeline planted(plant);
        const auto made = trace(planted);
        QVERIFY2(made.hasValue(), qPrintable(failure(made)));
        QVERIFY(made.value().isWhole);
        for (std::size_t i = 0; i < planted.schedule.tasks.size(); ++i)
            QVERIFY(std::abs(
                        made.value().traced.tasks[i].start - planted.schedule.tasks[i].start * 1e-3)
                < 0.06e-3);
    }

    // Two steps, of which the traces show the end of the one and the begin of the other.
    void partsOfSteps() {
        for (const bool isEnd : {true, false}) {
            Plant plant;
            plant.microbatches = 16;
            PlantedPipeline planted(plant);
            const double turn = planted.schedule.makespan * 0.5;
            PlantedTrace part;
            part.run = planted.trace.run;
            const auto shown = [&](const ScheduleTask& task) {
                return isEnd ? task.start >= turn : task.end <= turn;
            };
            for (const ScheduleTask& task : planted.schedule.tasks) {
                if (!shown(task))
                    continue;
                const bool isForward = task.kind == TaskKind::Forward;
                const auto from = planted.at(task.stage, task.start);
                part.kernel(task.stage, "7", isForward ? "a_fwd" : "a_bwd", from,
                    planted.at(task.stage, task.end) - from);
            }
            for (int rank = 0; rank < plant.stages; ++rank)
                part.iteration(rank, 3, planted.at(rank, 0.0) - 1000,
                    planted.at(rank, planted.schedule.makespan) + 1000);
            const auto store = part.store();
            const auto made = tracedSchedule({store, store.findRun("run").value()});
            QVERIFY2(made.hasValue(), qPrintable(failure(made)));
            const TracedSchedule& traced = made.value();
            QVERIFY(!traced.isWhole);
            QCOMPARE(traced.iteration.value_or(-1), 3);
            std::vector<ScheduleTask> expected;
            std::copy_if(planted.schedule.tasks.begin(), planted.schedule.tasks.end(),
                std::back_inserter(expected), shown);
            QCOMPARE(traced.traced.tasks.size(), expected.size());
            for (std::size_t i = 0; i < expected.size(); ++i) {
                QCOMPARE(traced.traced.tasks[i].microbatch, expected[i].microbatch);
                QVERIFY(traced.traced.tasks[i].kind == expected[i].kind);
            }
            QVERIFY(traced.planned && traced.plannedBubble);
            // Idle time of the planted schedule in the same window.
            const double shift = isEnd ? planted.schedule.makespan * 1e-3 - traced.windowTo : 0.0;
            double idle = 0.0;
            for (const ScheduleTask& task : expected)
                idle -= std::max(0.0,
                    std::min(task.end * 1e-3, traced.windowTo + shift)
                        - std::max(task.start * 1e-3, traced.windowFrom + shift));
            const double length = traced.windowTo - traced.windowFrom;
            idle = (idle + plant.stages * length) / (plant.stages * length);
            QVERIFY(std::abs(traced.tracedBubble - idle) < 1e-6);
            QVERIFY(!traced.notes.empty());
            const auto none
                = tracedSchedule({store, store.findRun("run").value()}, {7, std::nullopt});
            QVERIFY(!none.hasValue());
            VERIFY_SAYS(none.error().message, "iteration 7");
            const auto seen = tracedIterations({store, store.findRun("run").value()}).value();
            QCOMPARE(seen.size(), std::size_t{1});
            QCOMPARE(seen.front().index, std::int64_t{3});
            QVERIFY(!seen.front().isWhole);
        }
    }

    // A stage that was not traced is planned as the others are.
    void stagesWithoutATrace() {
        PlantedPipeline planted({});
        PlantedTrace part;
        part.run = planted.trace.run;
        for (const ScheduleTask& task : planted.schedule.tasks) {
            if (task.stage == 2)
                continue;
            const auto from = planted.at(task.stage, task.start);
            part.kernel(task.stage, "7", task.kind == TaskKind::Forward ? "a_fwd" : "a_bwd", from,
                planted.at(task.stage, task.end) - from);
            part.kernel(
                task.stage, "9", "ncclDevKernel_SendRecv", planted.at(task.stage, task.end), 1000);
        }
        const auto store = part.store();
        const auto made = tracedSchedule({store, store.findRun("run").value()});
        QVERIFY2(made.hasValue(), qPrintable(failure(made)));
        QCOMPARE(made.value().stages[2].rank, -1);
        QVERIFY(!made.value().stages[2].traced);
        QVERIFY(made.value().stages[1].traced);
        QVERIFY(made.value().planned);
        QCOMPARE(made.value().planned->tasks.size(), planted.schedule.tasks.size());
        VERIFY_SAYS(made.value().notes.front(), "stages was traced: 2");
    }

    void saysWhatIsMissing() {
        PlantedTrace none;
        none.run.launch.pipelineParallel = 4;
        none.run.worldSize = 4;
        none.host(0, "1", SpanKind::Annotation, "something", 0, 10);
        const auto store = none.store();
        const auto made = tracedSchedule({store, store.findRun("run").value()});
        QVERIFY(!made.hasValue());
        QVERIFY(made.error().code == ErrorCode::NotFound);
        PlantedTrace flat;
        flat.run.launch.tensorParallel = 4;
        flat.run.worldSize = 4;
        flat.kernel(0, "7", "a_fwd", 0, 10);
        const auto other = flat.store();
        const auto single = tracedSchedule({other, other.findRun("run").value()});
        QVERIFY(!single.hasValue());
        VERIFY_SAYS(single.error().message, "no pipeline");
        QVERIFY(tracedIterations({other, other.findRun("run").value()}).value().empty());
    }

    // Traces that tell little, compute again or follow no known order, and the plans beside them.

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
        VERIFY_SAYS(sentence, "no known schedule; the nearest is Zero-bubble (ZB-H1)");
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
        QCOMPARE(made.value().plans.size(), std::size_t{4});
        for (const PlanFit& fit : made.value().plans) {
            auto times = planted.times;
            const bool isHalved = fit.kind == ScheduleKind::Interleaved;
            if (isHalved) {
                times.clear();
                for (int piece = 0; piece < 2 * plant.stages; ++piece) {
                    const auto& one = planted.times[static_cast<std::size_t>(piece % plant.stages)];
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
        VERIFY_SAYS(planSentence(made.value()), "longer");
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
            plant.kind = layout::kAllSchedules[static_cast<std::size_t>(pick(0, 3))];
            plant.stages = pick(2, 5);
            plant.microbatches = plant.stages + pick(0, 7);
            plant.virtualStages = plant.kind == ScheduleKind::Interleaved ? pick(2, 3) : 1;
            plant.kernels = pick(3, 9);
            plant.sendTime = 0.02 * pick(1, 10);
            plant.evidence = pick(0, 1) == 0 ? Evidence::Numbers : Evidence::Launches;
            PlantedPipeline planted(plant);
            const auto made = trace(planted);
            QVERIFY2(made.hasValue(), qPrintable(failure(made)));
            compareTasks(made.value().traced, planted.schedule);
            QVERIFY(made.value().traced.kind == plant.kind);
            QVERIFY(made.value().isKnownOrder);
        }
    }
};

TRAINSCOPE_TEST(tst_TracedSchedule)
#include "tst_TracedSchedule.moc"
