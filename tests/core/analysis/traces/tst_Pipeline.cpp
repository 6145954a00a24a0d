// Bubbles of planted pipeline schedules against their closed forms.

#include "core/analysis/traces/Pipeline.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "support/TestProgram.h"
#include "support/TracesInWindow.h"

using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

constexpr std::int64_t kForward = 100;
constexpr std::int64_t kBackward = 200;

struct Step {
    bool isForward;
    int microbatch;
};

// A stage's steps in their order: 1F1B as in Narayanan et al., or GPipe.
std::vector<Step> orderOf(int stage, int stages, int microbatches, bool gpipe) {
    std::vector<Step> order;
    const int warmup = gpipe ? microbatches : std::min(microbatches, stages - 1 - stage);
    int forward = 0;
    int backward = 0;
    while (forward < warmup)
        order.push_back({true, forward++});
    while (backward < microbatches) {
        if (forward < microbatches)
            order.push_back({true, forward++});
        order.push_back({false, backward++});
    }
    return order;
}

// begin[stage][step]: each as soon as the stage is free and its neighbour has delivered.
std::vector<std::vector<std::int64_t>> scheduleOf(
    const std::vector<std::vector<Step>>& orders, int microbatches) {
    const std::size_t stages = orders.size();
    const auto many = static_cast<std::size_t>(microbatches);
    std::vector<std::vector<std::int64_t>> begin(stages);
    std::vector<std::vector<std::int64_t>> forwardEnd(stages, std::vector<std::int64_t>(many, -1));
    auto backwardEnd = forwardEnd;
    std::vector<std::int64_t> free(stages, 0);
    for (bool moved = true; moved;) {
        moved = false;
        for (std::size_t s = 0; s < stages; ++s) {
            if (begin[s].size() == orders[s].size())
                continue;
            const Step step = orders[s][begin[s].size()];
            const auto mb = static_cast<std::size_t>(step.microbatch);
            const std::int64_t ready = step.isForward
                ? (s == 0 ? 0 : forwardEnd[s - 1][mb])
                : (s + 1 == stages ? forwardEnd[s][mb] : backwardEnd[s + 1][mb]);
            if (ready < 0)
                continue;
            const std::int64_t at = std::max(ready, free[s]);
            free[s] = at + (step.isForward ? kForward : kBackward);
            (step.isForward ? forwardEnd : backwardEnd)[s][mb] = free[s];
            begin[s].push_back(at);
            moved = true;
        }
    }
    return begin;
}

Result<std::vector<DeviceActivity>> activity(const store::Store& store, const PlantedTrace& trace) {
    return deviceActivity(studyOf(store), kAllTime, {trace.iterations, std::nullopt});
}

} // namespace

class tst_Pipeline : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void schedulesHaveTheirIdealBubbles_data();
    void schedulesHaveTheirIdealBubbles();
    void otherCollectivesAreNoBubble();
    void clocksThatDiffer();
    void devicesWithoutKernels();
    void stagesOfALayout();
    void closedForms();
};

void tst_Pipeline::schedulesHaveTheirIdealBubbles_data() {
    const auto row = columns<int, int, int, bool, bool>(
        "stages", "microbatches", "tensor", "gpipe", "withIterations");
    for (const int stages : {2, 4, 8}) {
        for (const int microbatches : {1, 4, 16}) {
            for (const bool gpipe : {false, true})
                row((gpipe ? "GPipe p=" : "1F1B p=") + std::to_string(stages)
                        + " m=" + std::to_string(microbatches),
                    stages, microbatches, 1, gpipe, false);
        }
    }
    row("TP 2", 4, 8, 2, false, false);
    row("iterations", 4, 8, 2, false, true);
}

// While a stage waits for its neighbour, part of the time a SendRecv kernel runs.
void tst_Pipeline::schedulesHaveTheirIdealBubbles() {
    QFETCH(int, stages);
    QFETCH(int, microbatches);
    QFETCH(int, tensor);
    QFETCH(bool, gpipe);
    QFETCH(bool, withIterations);
    std::vector<std::vector<Step>> orders;
    for (int s = 0; s < stages; ++s)
        orders.push_back(orderOf(s, stages, microbatches, gpipe));
    const auto begin = scheduleOf(orders, microbatches);
    const std::int64_t length = (microbatches + stages - 1) * (kForward + kBackward);
    PlantedTrace trace;
    trace.run.launch.pipelineParallel = stages;
    trace.run.launch.tensorParallel = tensor;
    trace.run.launch.microBatch = 2;
    trace.run.launch.globalBatch = 2 * microbatches;
    trace.run.launch.origin = "launch.yaml";
    trace.run.worldSize = stages * tensor;
    for (int rank = 0; rank < stages * tensor; ++rank) {
        const auto s = static_cast<std::size_t>(rank / tensor); // TP is the fastest
        std::int64_t last = 0;
        for (std::size_t i = 0; i < orders[s].size(); ++i) {
            const std::int64_t duration = orders[s][i].isForward ? kForward : kBackward;
            if (begin[s][i] > last)
                trace.kernel(rank, "9", "ncclDevKernel_SendRecv", (last + begin[s][i]) / 2,
                    begin[s][i] - (last + begin[s][i]) / 2 + 20); // it reaches into the compute
            trace.kernel(rank, "7", "a_gemm", begin[s][i], duration);
            last = begin[s][i] + duration;
        }
        if (withIterations)
            trace.iteration(rank, 10, 0, length);
    }
    const auto store = trace.store();
    const auto devices = activity(store, trace).value();
    const auto map = stagesOf(studyOf(store));
    QVERIFY(map.hasValue() && map.value());
    const auto pipeline = pipelineOf(*map.value(), devices);
    QVERIFY(pipeline);
    QCOMPARE(pipeline->isOfIterations, withIterations);
    QCOMPARE(pipeline->stageCount, stages);
    VERIFY_SAYS(pipeline->origin, "launch.yaml");
    QCOMPARE(pipeline->stages.size(), static_cast<std::size_t>(stages));
    const double ideal = (stages - 1.0) / (microbatches + stages - 1.0);
    QVERIFY(std::abs(pipeline->bubbleFraction - ideal) < 1e-12);
    QVERIFY(pipeline->idealBubbleFraction);
    QVERIFY(std::abs(*pipeline->idealBubbleFraction - ideal) < 1e-12);
    QCOMPARE(*pipeline->microbatches, microbatches);
    for (const StageTimes& stage : pipeline->stages) {
        QCOMPARE(stage.ranks.size(), static_cast<std::size_t>(tensor));
        QCOMPARE(stage.ranks.front(), stage.stage * tensor);
        QCOMPARE(stage.windowNs, static_cast<double>(length));
        QCOMPARE(stage.computeNs, static_cast<double>(microbatches * (kForward + kBackward)));
        QVERIFY(std::abs(stage.bubbleFraction() - ideal) < 1e-12);
        QVERIFY(std::abs(stage.idleNs + stage.exposedNs - stage.bubbleNs) < 1e-6);
    }
}

void tst_Pipeline::otherCollectivesAreNoBubble() {
    PlantedTrace trace;
    trace.run.launch.pipelineParallel = 2;
    trace.run.worldSize = 2;
    trace.kernel(0, "7", "a_gemm", 0, 60);
    trace.kernel(0, "9", "ncclDevKernel_AllReduce", 60, 20); // exposed, but no bubble
    trace.kernel(1, "7", "a_gemm", 20, 60);
    trace.kernel(1, "9", "ncclDevKernel_SendRecv", 80, 20);
    const auto store = trace.store();
    const auto devices = activity(store, trace);
    const auto map = stagesOf(studyOf(store));
    QVERIFY(map.hasValue() && map.value());
    const auto pipeline = pipelineOf(*map.value(), devices.value());
    QVERIFY(pipeline);
    QVERIFY(!pipeline->idealBubbleFraction); // the batch is not known
    QCOMPARE(pipeline->stages[0].bubbleNs, 20.0);
    QCOMPARE(pipeline->stages[1].bubbleNs, 40.0);
    QCOMPARE(pipeline->bubbleFraction, 60.0 / 200.0);
}

// 20 rounds of 400 µs of compute and a message of 100 µs, on two nodes whose clocks are 10 ms
// apart: both stages stand still for 100 of 500 µs. On the clocks as they are the trace would seem
// to last 20 ms, and 12 of them idle.
void tst_Pipeline::clocksThatDiffer() {
    PlantedTrace trace;
    trace.run.launch.pipelineParallel = 2;
    trace.run.worldSize = 2;
    for (const int rank : {0, 1}) {
        const std::string detail = std::string(R"({"Collective name":")")
            + (rank == 0 ? "send" : "recv")
            + R"(","In msg nelems":1000,"Out msg nelems":1000,"Group size":2,"dtype":"Float",)"
            + R"("Process Group Name":"4","Process Group Ranks":"[0, 1]","Src Rank":0,"Dst Rank":1})";
        for (std::int64_t i = 0; i < 20; ++i) {
            const std::int64_t at = i * 500 * kUs + rank * 10 * kMs;
            trace.kernel(rank, "7", "a_gemm", at, 400 * kUs);
            trace.kernel(rank, "9", "ncclDevKernel_SendRecv", at + 400 * kUs, 100 * kUs, 0, detail);
        }
    }
    const auto store = trace.store();
    const auto devices = activity(store, trace);
    const auto map = stagesOf(studyOf(store));
    QVERIFY(map.hasValue() && map.value());
    const auto pipeline = pipelineOf(*map.value(), devices.value());
    QVERIFY(pipeline);
    QVERIFY(std::abs(pipeline->bubbleFraction - 0.2) < 1e-6);
    for (const StageTimes& stage : pipeline->stages) {
        QVERIFY(std::abs(stage.windowNs - 10.0 * kMs) < 10.0);
        QVERIFY(std::abs(stage.idleNs) < 10.0);
    }
}

// A copy alone is no part of a stage; its device has no window.
void tst_Pipeline::devicesWithoutKernels() {
    PlantedTrace trace;
    trace.run.launch.pipelineParallel = 2;
    trace.run.worldSize = 2;
    trace.kernel(0, "7", "a_gemm", 1'000'000, 60);
    trace.kernel(1, "7", "a_gemm", 1'000'020, 80);
    const auto store = trace.store();
    auto devices = activity(store, trace).value();
    DeviceActivity copies;
    copies.rank = 0;
    copies.device = 1;
    devices.push_back(copies);
    const auto map = stagesOf(studyOf(store));
    QVERIFY(map.hasValue() && map.value());
    const auto pipeline = pipelineOf(*map.value(), devices);
    QVERIFY(pipeline);
    QCOMPARE(pipeline->stages[0].ranks.size(), std::size_t{1});
    QCOMPARE(pipeline->stages[0].bubbleNs, 40.0); // in 100
    QCOMPARE(pipeline->bubbleFraction, 60.0 / 200.0);
    QVERIFY(!pipelineOf(*map.value(), {copies}));
}

void tst_Pipeline::stagesOfALayout() {
    const auto mapOf = [](std::optional<int> tensor, std::optional<int> pipeline) {
        PlantedTrace trace;
        trace.run.worldSize = 8;
        trace.run.launch.tensorParallel = tensor;
        trace.run.launch.pipelineParallel = pipeline;
        const auto store = trace.store();
        const auto map = stagesOf(studyOf(store));
        return map.hasValue() ? map.value() : std::nullopt;
    };
    QVERIFY(!mapOf({}, {}));
    QVERIFY(!mapOf(2, 1));
    QVERIFY(!mapOf(2, 3)); // does not divide
    const auto map = mapOf(2, 2); // TP 2 × DP 2 × PP 2
    QVERIFY(map);
    for (int rank = 0; rank < 8; ++rank)
        QCOMPARE(map->stageOf.at(rank), rank / 4);
}

void tst_Pipeline::closedForms() {
    QCOMPARE(*idealBubbleFraction(4, 8, 1), 3.0 / 11.0);
    QCOMPARE(*idealBubbleFraction(4, 8, 2), 3.0 / 19.0);
    QCOMPARE(*idealBubbleFraction(1, 8, 1), 0.0);
    QVERIFY(!idealBubbleFraction(4, 0, 1));
}

TRAINSCOPE_TEST(tst_Pipeline)
#include "tst_Pipeline.moc"
