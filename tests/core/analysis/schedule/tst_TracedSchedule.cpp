// Pipelines whose passes are planted as kernels, transfers and annotations, found again.

#include "core/analysis/schedule/TracedSchedule.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "core/layout/ScheduleOrder.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

using layout::ScheduleKind;
using layout::ScheduleTask;
using layout::TaskKind;

constexpr std::int64_t kUnit = 1'000'000; // a unit of the planned schedule

// Evidence of forward and backward in the planted traces.
enum class Evidence {
    Names,
    Launches,
    StreamAnnotations,
    HostAnnotations,
    LayerAnnotations,
    Numbers, // annotations of zero-bubble-pipeline-parallelism: "B3.1.0"
    Pipelining, // torch.distributed.pipelining: "PP:5I3"
    None
};

struct Plant {
    ScheduleKind kind = ScheduleKind::OneForwardOneBackward;
    int stages = 4;
    int microbatches = 8;
    int virtualStages = 1;
    double sendTime = 0.05;
    Evidence evidence = Evidence::Names;
    bool hasTransfers = true;
    int kernels = 5; // in a forward pass
    bool saysMicrobatches = true;
    std::int64_t clockStep = 0; // each stage's clock against the one before
    bool recomputes = false; // layer by layer, inside the backward pass
    bool losesLastWeights = false; // those of the last micro-batch are one W_clear
};

std::string detailOf(const char* collective, const char* description, int a, int b) {
    return R"({"Collective name":")" + std::string(collective) + R"(","Process Group Name":"g)"
        + std::to_string(a) + "_" + std::to_string(b) + R"(","Process Group Description":")"
        + description
        + R"(","In msg nelems":1024,"Out msg nelems":1024,"dtype":"BFloat16","Group size":2,)"
        + R"("Process Group Ranks":"[)" + std::to_string(std::min(a, b)) + ", "
        + std::to_string(std::max(a, b)) + R"(]"})";
}

class PlantedPipeline {
public:
    explicit PlantedPipeline(const Plant& plant)
        : m_plant(plant) {
        layout::ScheduleRequest request{
            plant.kind, plant.stages, plant.microbatches, plant.virtualStages, {}, plant.sendTime};
        std::mt19937 dice(5);
        std::uniform_real_distribution<double> vary(0.8, 1.2);
        for (int piece = 0; piece < plant.stages * plant.virtualStages; ++piece) {
            const double size = vary(dice);
            request.times.push_back({size, size, size * vary(dice)});
        }
        times = request.times;
        schedule = layout::makeSchedule(request).value();
        auto& launch = trace.run.launch;
        launch.pipelineParallel = plant.stages;
        if (plant.virtualStages > 1)
            launch.virtualPipeline = plant.virtualStages;
        if (plant.saysMicrobatches) {
            launch.microBatch = 1;
            launch.globalBatch = plant.microbatches;
        }
        launch.origin = "launch.yaml";
        trace.run.worldSize = plant.stages;
        for (const ScheduleTask& task : schedule.tasks)
            addPass(task);
        addEnds();
    }

    layout::Schedule schedule;
    std::vector<layout::PieceTimes> times; // by piece, in units
    PlantedTrace trace;
    static constexpr std::int64_t kOrigin = 1'000'000'000;

    [[nodiscard]] std::int64_t at(int stage, double time) const {
        return kOrigin + stage * m_plant.clockStep
            + static_cast<std::int64_t>(std::llround(time * static_cast<double>(kUnit)));
    }

private:
    void addPass(const ScheduleTask& task) {
        const int count = kernelsOf(task.kind);
        const double each = (task.end - task.start) / count;
        for (int k = 0; k < count; ++k) {
            const std::int64_t from = at(task.stage, task.start + k * each);
            const std::int64_t to = at(task.stage, task.start + (k + 1) * each);
            const std::int64_t correlation = launchOf(task.stage, from);
            // The last one of a pass reaches its end; before that there are gaps.
            trace.kernel(task.stage, "7", nameOf(task.kind, k), from,
                to - from - (k + 1 < count ? kUnit / 100 : 0), correlation);
            if (m_plant.evidence == Evidence::LayerAnnotations)
                annotate(task, from, to - kUnit / 100);
        }
        if (m_plant.evidence != Evidence::LayerAnnotations)
            annotate(task, at(task.stage, task.start), at(task.stage, task.end));
        if (m_plant.hasTransfers)
            addTransfers(task);
    }

    [[nodiscard]] int kernelsOf(TaskKind kind) const {
        if (kind == TaskKind::Forward)
            return m_plant.kernels;
        if (!splitsBackward(m_plant.kind))
            return 2 * m_plant.kernels;
        return kind == TaskKind::Backward ? m_plant.kernels + 2 : m_plant.kernels - 1;
    }

    // The gradients of the weights are plain products of matrices.
    [[nodiscard]] std::string nameOf(TaskKind kind, int k) const {
        if (m_plant.evidence != Evidence::Names || kind == TaskKind::WeightGradient)
            return "gemm_kernel";
        const bool isForward = kind == TaskKind::Forward || (m_plant.recomputes && k % 2 == 0);
        return isForward ? "layer_fwd_kernel" : "layer_bwd_kernel";
    }

    [[nodiscard]] std::string annotationOf(const ScheduleTask& task) const {
        const std::string batch = std::to_string(task.microbatch);
        const std::string chunk = std::to_string(task.chunk);
        const bool isWeights = task.kind == TaskKind::WeightGradient;
        const char* letter = task.kind == TaskKind::Forward ? "F" : isWeights ? "W" : "B";
        if (m_plant.evidence == Evidence::Numbers) {
            const bool isLost = m_plant.losesLastWeights && isWeights
                && task.microbatch == m_plant.microbatches - 1;
            return isLost ? "W_clear." + chunk + ".0" : letter + batch + "." + chunk + ".0";
        }
        if (m_plant.evidence == Evidence::Pipelining) {
            const bool isInputs = task.kind == TaskKind::Backward && splitsBackward(m_plant.kind);
            const int piece = pieceOf(m_plant.kind, m_plant.stages, task.stage, task.chunk);
            return "PP:" + std::to_string(piece) + (isInputs ? "I" : letter) + batch;
        }
        return task.kind == TaskKind::Forward ? "forward_step"
            : isWeights                       ? "wgrad_step"
                                              : "backward_step";
    }

    std::int64_t launchOf(int rank, std::int64_t start) {
        if (m_plant.evidence != Evidence::Launches)
            return 0;
        ++m_correlation;
        trace.host(
            rank, "1", SpanKind::Runtime, "cudaLaunchKernel", start - 500, 100, m_correlation);
        return m_correlation;
    }

    void annotate(const ScheduleTask& task, std::int64_t from, std::int64_t to) {
        const std::string name = annotationOf(task);
        switch (m_plant.evidence) {
        case Evidence::Launches:
            trace.host(task.stage, "1", SpanKind::Annotation, name, from - 700, to - from - 200);
            return;
        case Evidence::Numbers:
        case Evidence::Pipelining:
        case Evidence::StreamAnnotations:
            trace.streamAnnotation(task.stage, "7", name, from, to - from);
            return;
        case Evidence::HostAnnotations:
        case Evidence::LayerAnnotations:
            trace.host(task.stage, "1", SpanKind::Annotation, name, from, to - from);
            return;
        default:
            return;
        }
    }

    // To the neighbour that the pass hands over to: the sender's kernel and the receiver's, which
    // waits from its pass before on.
    void addTransfers(const ScheduleTask& task) {
        const int pieces = m_plant.stages * m_plant.virtualStages;
        const int piece = pieceOf(m_plant.kind, m_plant.stages, task.stage, task.chunk);
        const int next = task.kind == TaskKind::Forward ? piece + 1 : piece - 1;
        if (next < 0 || next >= pieces || task.kind == TaskKind::WeightGradient)
            return;
        const int peer = next % m_plant.stages;
        if (peer == task.stage)
            return;
        const double end = task.end + m_plant.sendTime;
        const std::string detail
            = detailOf("send", "PIPELINE_MODEL_PARALLEL_GROUP", task.stage, peer);
        trace.kernel(task.stage, "9", "ncclDevKernel_SendRecv", at(task.stage, task.end),
            at(task.stage, end) - at(task.stage, task.end), 0, detail);
        double free = 0.0;
        for (const ScheduleTask& other : schedule.tasks) {
            if (other.stage == peer && other.end <= end)
                free = std::max(free, other.end);
        }
        const double begin = std::min(free, task.end);
        trace.kernel(peer, "10", "ncclDevKernel_SendRecv", at(peer, begin),
            at(peer, end) - at(peer, begin), 0, detail);
    }

    // The reduction of the gradients beside the last passes, that of their norm, the optimizer.
    void addEnds() {
        for (int stage = 0; stage < m_plant.stages; ++stage) {
            double last = 0.0;
            for (const ScheduleTask& task : schedule.tasks)
                last = task.stage == stage ? std::max(last, task.end) : last;
            trace.kernel(stage, "11", "ncclDevKernel_ReduceScatter", at(stage, last - 0.3), kUnit,
                0, detailOf("reduce_scatter", "DATA_PARALLEL_GROUP", stage, stage));
            trace.kernel(stage, "11", "ncclDevKernel_AllReduce_Sum_f32", at(stage, last + 1.0),
                at(stage, schedule.makespan + 2.0) - at(stage, last + 1.0), 0,
                detailOf("allreduce", "MODEL_PARALLEL_GROUP", 0, m_plant.stages - 1));
            trace.kernel(stage, "7", "multi_tensor_apply_kernel<AdamFunctor>",
                at(stage, schedule.makespan + 2.0), kUnit);
        }
    }

    Plant m_plant;
    std::int64_t m_correlation = 0;
};

using analysis::PlanFit;
using analysis::TracedSchedule;

Result<TracedSchedule> trace(PlantedPipeline& planted, std::optional<std::int64_t> iteration = {}) {
    const auto store = planted.trace.store();
    return analysis::tracedSchedule(studyOf(store), {iteration, std::nullopt});
}

QString failure(const Result<TracedSchedule>& made) {
    return made.hasValue() ? QString() : QString::fromStdString(made.error().describe());
}

// Each planted task is there, with its number, from when to when; 1e-9 s: times are whole ns.
void compareTasks(const layout::Schedule& traced, const layout::Schedule& planted) {
    QCOMPARE(traced.tasks.size(), planted.tasks.size());
    for (std::size_t i = 0; i < planted.tasks.size(); ++i) {
        const ScheduleTask& a = traced.tasks[i];
        const ScheduleTask& b = planted.tasks[i];
        QCOMPARE(a.stage, b.stage);
        QCOMPARE(a.chunk, b.chunk);
        QCOMPARE(a.microbatch, b.microbatch);
        QVERIFY(a.kind == b.kind);
        QVERIFY2(std::abs(a.start - b.start * 1e-3) < 3e-9 && std::abs(a.end - b.end * 1e-3) < 3e-9,
            qPrintable(QStringLiteral("%1: %2 to %3, planted %4 to %5")
                           .arg(i)
                           .arg(a.start)
                           .arg(a.end)
                           .arg(b.start * 1e-3)
                           .arg(b.end * 1e-3)));
    }
}

} // namespace

class tst_TracedSchedule : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void plantedPasses_data() {
        const auto row = columns<int, int, int, int, int, bool, bool>("kind", "stages",
            "microbatches", "virtualStages", "evidence", "transfers", "saysMicrobatches");
        const auto add = [&row](const char* name, ScheduleKind kind, int p, int m, int v,
                             Evidence by, bool transfers = true, bool says = true) {
            row(name, static_cast<int>(kind), p, m, v, static_cast<int>(by), transfers, says);
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
        const TracedSchedule traced = trace(planted).value();
        compareTasks(traced.traced, planted.schedule);
        QVERIFY(traced.isWhole);
        QVERIFY(traced.traced.kind == planted.schedule.kind);
        QCOMPARE(traced.traced.microbatches, microbatches);
        QVERIFY(std::abs(traced.tracedBubble - planted.schedule.bubbleFraction) < 1e-6);
        for (std::size_t stage = 0; stage < traced.stages.size(); ++stage)
            VERIFY_NEAR(*traced.stages[stage].traced, planted.schedule.stageBubble[stage], 1e-6);
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
            VERIFY_NEAR(*traced.idealBubble, waits / (rounds * microbatches + waits), 1e-12);
    }

    // Nothing at all: it says what is missing.
    void passesThatNothingTells() {
        Plant plant;
        plant.evidence = Evidence::None;
        plant.saysMicrobatches = false;
        plant.hasTransfers = false;
        PlantedPipeline planted(plant);
        auto made = trace(planted);
        QVERIFY(!made.hasValue() && made.error().code == ErrorCode::NotFound);
        VERIFY_SAYS(made.error().message, "tell forward");
        VERIFY_SAYS(made.error().message, "number of micro-batches");
    }

    void clocksOfTheRanksAreAligned() {
        Plant plant;
        plant.clockStep = 300'000; // a third of a unit
        plant.microbatches = 24;
        PlantedPipeline planted(plant);
        const auto made = trace(planted).value();
        QVERIFY(made.isWhole);
        for (std::size_t i = 0; i < planted.schedule.tasks.size(); ++i)
            VERIFY_NEAR(
                made.traced.tasks[i].start, planted.schedule.tasks[i].start * 1e-3, 0.06e-3);
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
            const TracedSchedule traced = tracedSchedule(studyOf(store)).value();
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
            const auto none = tracedSchedule(studyOf(store), {7, std::nullopt});
            VERIFY_FAILS(none, "iteration 7");
            const auto seen = tracedIterations(studyOf(store)).value();
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
        const auto made = tracedSchedule(studyOf(store)).value();
        QCOMPARE(made.stages[2].rank, -1);
        QVERIFY(!made.stages[2].traced);
        QVERIFY(made.stages[1].traced);
        QVERIFY(made.planned);
        QCOMPARE(made.planned->tasks.size(), planted.schedule.tasks.size());
        VERIFY_SAYS(made.notes.front(), "stages was traced: 2");
    }

    void saysWhatIsMissing() {
        PlantedTrace none;
        none.run.launch.pipelineParallel = 4;
        none.run.worldSize = 4;
        none.host(0, "1", SpanKind::Annotation, "something", 0, 10);
        const auto store = none.store();
        const auto made = tracedSchedule(studyOf(store));
        QVERIFY(!made.hasValue() && made.error().code == ErrorCode::NotFound);
        PlantedTrace flat;
        flat.run.launch.tensorParallel = 4;
        flat.run.worldSize = 4;
        flat.kernel(0, "7", "a_fwd", 0, 10);
        const auto other = flat.store();
        const auto single = tracedSchedule(studyOf(other));
        VERIFY_FAILS(single, "no pipeline");
        QVERIFY(tracedIterations(studyOf(other)).value().empty());
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
                VERIFY_SAYS(made.value().notes, "is an estimate");
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
                const auto made = trace(planted).value();
                QVERIFY(made.isWhole);
                QVERIFY(made.isKnownOrder);
                // The first layer that the last stage computes again may look like a part of the
                // forward pass before it.
                const auto& tasks = made.traced.tasks;
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
        const TracedSchedule traced = trace(planted).value();
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
        const auto made = tracedSchedule(studyOf(store)).value();
        QVERIFY(made.isKnownOrder);
        QCOMPARE(made.plans.size(), std::size_t{4});
        for (const PlanFit& fit : made.plans) {
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
        const double longer = made.traced.makespan / made.plans.front().makespan;
        QVERIFY(longer > 1.0);
        VERIFY_SAYS(planSentence(made), "longer");
        const auto other = tracedSchedule(studyOf(store), {std::nullopt, ScheduleKind::GPipe});
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
            const auto made = trace(planted).value();
            compareTasks(made.traced, planted.schedule);
            QVERIFY(made.traced.kind == plant.kind);
            QVERIFY(made.isKnownOrder);
        }
    }
};

TRAINSCOPE_TEST(tst_TracedSchedule)
#include "tst_TracedSchedule.moc"
