// Launch delays, queues and copies of planted traces, by hand and against a plain simulation.

#include "core/analysis/traces/Phase.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "core/analysis/traces/TraceWindow.h"
#include "support/TestProgram.h"
#include "support/TracesInWindow.h"

using namespace trainscope::analysis;
using namespace trainscope::test;
using trainscope::test::kMs;

namespace {

DeviceActivity launchesOf(PlantedTrace& trace) {
    const auto store = trace.store();
    const auto devices = deviceActivity(studyOf(store));
    if (!devices.hasValue() || devices.value().empty())
        qFatal("no activity");
    return devices.value()[0];
}

std::int64_t at(const WindowPhases& phases, Phase phase) {
    return phases.time[phase].ns;
}

std::int64_t sum(const WindowPhases& phases) {
    std::int64_t total = 0;
    for (const Phase phase : kAllPhases)
        total += at(phases, phase);
    return total;
}

DeviceActivity activityOf(PlantedTrace& trace, TimeRange window = kAllTime,
    std::optional<std::int64_t> only = std::nullopt) {
    const auto store = trace.store();
    const auto devices = deviceActivity(studyOf(store), window, {trace.iterations, only});
    if (!devices.hasValue() || devices.value().empty())
        qFatal("no activity");
    return devices.value()[0];
}

// Four of 100 ms, each from `begin` on.
std::vector<Iteration> fourFrom(std::int64_t begin, int rank) {
    std::vector<Iteration> made;
    for (std::int64_t i = 0; i < 4; ++i)
        made.push_back({i, {{begin + i * 100 * kMs}, {begin + (i + 1) * 100 * kMs}}, rank, i == 0});
    return made;
}

TimeRange ms(std::int64_t begin, std::int64_t end) {
    return {{begin * kMs}, {end * kMs}};
}

} // namespace

class tst_Launches : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void delaysQueuesAndHostBoundByHand() {
        PlantedTrace trace;
        const auto launch = [&](std::int64_t at, std::int64_t correlation) {
            trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", at, 5, correlation);
        };
        launch(0, 1);
        launch(20, 2);
        launch(25, 3);
        launch(30, 4);
        launch(68, 5);
        trace.kernel(0, "7", "a", 10, 5, 1);
        trace.kernel(0, "7", "a", 50, 10, 2);
        trace.kernel(0, "7", "a", 60, 5, 3);
        trace.work(0, "7", SpanKind::Copy, "Memcpy HtoD", 70, 5, 4);
        trace.kernel(0, "7", "a", 80, 10, 5);
        trace.kernel(0, "8", "a", 85, 3); // the trace does not have its launch
        const LaunchStatistics found = launchesOf(trace).launches;
        QCOMPARE(found.joined, 4);
        QCOMPARE(found.unjoined, 1);
        QCOMPARE(found.early, 0);
        QVERIFY(found.delay && found.afterReturn); // 10, 30, 35, 12
        QCOMPARE(found.delay->meanNs, 87.0 / 4.0);
        QCOMPARE(found.delay->medianNs, 21.0);
        QCOMPARE(found.delay->p99Ns, 35.0);
        QCOMPARE(found.delay->maxNs, 35);
        QCOMPARE(found.afterReturn->maxNs, 30);
        QCOMPARE(found.afterReturn->meanNs, 67.0 / 4.0);
        // Waiting inside the window [10, 90): 0, 30, 35, 40 and 12 ns; three of them from 30 to 50.
        QCOMPARE(found.queues.size(), std::size_t{1});
        QCOMPARE(found.queues[0].stream, std::string("7"));
        QCOMPARE(found.queues[0].meanDepth, 117.0 / 80.0);
        QCOMPARE(found.queues[0].maxDepth, 3);
        // [15, 50) ended by what was launched at 20; [65, 70) and [75, 80) had work in the queue.
        QCOMPARE(found.hostBound.ns, 5);
    }
    // Four kernels that are launched together run one after the other, 10 ns each; a fifth comes
    // after a pause that ends 5 ns after its launch at 70.
    void windowsByHand() {
        PlantedTrace trace;
        for (std::int64_t i = 0; i < 4; ++i) {
            trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", 2 * i, 1, i + 1);
            trace.kernel(0, "7", "a", 10 + 10 * i, 10, i + 1);
        }
        trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", 70, 1, 5);
        trace.kernel(0, "7", "a", 75, 5, 5);
        const auto store = trace.store();
        const auto launchesIn = [&](std::int64_t begin, std::int64_t end) {
            return deviceActivity(studyOf(store), {{begin}, {end}}).value().at(0).launches;
        };
        // While the second runs, the third and the fourth wait all the time.
        const LaunchStatistics second = launchesIn(20, 30);
        QCOMPARE(second.joined, 1);
        QCOMPARE(second.delay->maxNs, 18);
        QCOMPARE(second.queues.size(), std::size_t{1});
        QCOMPARE(second.queues[0].meanDepth, 2.0);
        QCOMPARE(second.queues[0].maxDepth, 3); // as the second begins
        QCOMPARE(second.hostBound.ns, 0);
        // The window has [60, 72) of the pause [50, 75), of which the launch ends [60, 70); the
        // fifth waits from 70 on.
        const LaunchStatistics pause = launchesIn(60, 72);
        QCOMPARE(pause.joined, 0);
        QCOMPARE(pause.hostBound.ns, 10);
        QCOMPARE(pause.queues[0].meanDepth, 2.0 / 12.0);
        // Before the launch all of it is the host's; the two parts are those of the whole.
        QCOMPARE(launchesIn(40, 65).hostBound.ns, 15);
        QCOMPARE(launchesIn(65, 80).hostBound.ns, 5);
        QCOMPARE(launchesIn(10, 80).hostBound.ns, 20);
    }
    void graphsAndDriverCalls() {
        PlantedTrace trace;
        trace.host(0, "1", SpanKind::Runtime, "cudaGraphLaunch", 0, 10, 1);
        trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", 20, 10, 2);
        trace.host(0, "1", SpanKind::Runtime, "cuLaunchKernel", 24, 4, 2); // made by the one above
        trace.kernel(0, "7", "a", 30, 5, 1);
        trace.kernel(0, "7", "a", 35, 5, 1);
        trace.kernel(0, "7", "a", 40, 5, 1);
        trace.kernel(0, "7", "a", 50, 5, 2);
        const LaunchStatistics found = launchesOf(trace).launches;
        QCOMPARE(found.joined, 4);
        QCOMPARE(found.delay->maxNs, 40);
        QCOMPARE(found.delay->meanNs, (30.0 + 35.0 + 40.0 + 30.0) / 4.0);
        QCOMPARE(found.queues[0].maxDepth, 4);
    }
    void clocksThatDisagree() {
        PlantedTrace trace;
        trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", 103'000, 10, 1);
        trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", 200'000, 10, 2);
        trace.kernel(0, "7", "a", 100'000, 5, 1);
        trace.kernel(0, "7", "a", 200'500, 5, 2);
        const LaunchStatistics found = launchesOf(trace).launches;
        QCOMPARE(found.joined, 2);
        QCOMPARE(found.early, 1);
        QCOMPARE(found.delay->maxNs, 500);
        QCOMPARE(found.delay->meanNs, 250.0);
    }
    void callsThatLaunchNothingDoNotPileUp() {
        PlantedTrace trace;
        trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", 0, 1, 1);
        std::int64_t now = 0;
        const auto most = static_cast<std::int64_t>(HostTimeline::kMostLaunches);
        for (std::int64_t i = 0; i < most; ++i)
            trace.host(0, "1", SpanKind::Runtime, "cudaEventRecord", ++now * 10, 1, 10 + i);
        trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", ++now * 10, 1, 2);
        now += 10'000'000;
        trace.kernel(0, "7", "a", now * 10, 5, 1); // forgotten: too many calls ago
        trace.kernel(0, "7", "a", now * 10 + 5, 5, 2);
        const LaunchStatistics found = launchesOf(trace).launches;
        QCOMPARE(found.joined, 1);
        QCOMPARE(found.unjoined, 1);
    }
    void randomStreamsAgainstASimulation_data() {
        columns<unsigned>("seed");
        for (unsigned seed = 0; seed < 20; ++seed)
            QTest::addRow("%u", seed) << seed;
    }
    // Streams that work off what one thread launches, in order; the depths are counted per ns.
    void randomStreamsAgainstASimulation() {
        QFETCH(unsigned, seed);
        std::mt19937 random(seed);
        const auto below
            = [&](unsigned limit) { return static_cast<std::int64_t>(random() % limit); };
        struct Work {
            std::size_t stream;
            std::int64_t launched;
            std::int64_t start;
            std::int64_t end;
        };
        PlantedTrace trace;
        std::vector<Work> all;
        std::array<std::int64_t, 3> free{};
        std::int64_t now = 0;
        for (int i = 1; i <= 500; ++i) {
            now += below(20) == 0 ? below(400) : 1 + below(30);
            const auto stream = static_cast<std::size_t>(below(3));
            const std::int64_t earliest = std::max(now + 2 + below(10), free.at(stream));
            // Streams never start together, so that it is clear what ends an idle time.
            const std::int64_t start = (earliest + 2) / 3 * 3 + static_cast<std::int64_t>(stream);
            const std::int64_t end = start + 1 + below(60);
            free.at(stream) = end;
            all.push_back({stream, now, start, end});
            trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", now, 1, i);
            trace.kernel(0, std::to_string(stream), "a", start, end - start, i);
        }
        const DeviceActivity found = launchesOf(trace);
        const TimeRange window = found.phases.window;
        std::vector<double> delays;
        std::array<std::int64_t, 3> most{};
        std::array<double, 3> sum{};
        std::int64_t hostBound = 0;
        for (const Work& one : all)
            delays.push_back(static_cast<double>(one.start - one.launched));
        for (std::int64_t t = 0; t < window.end.ns; ++t) {
            std::array<std::int64_t, 3> depth{};
            bool isBusy = false;
            const Work* next = nullptr;
            for (const Work& one : all) {
                depth.at(one.stream) += one.launched <= t && t < one.start ? 1 : 0;
                isBusy = isBusy || (one.start <= t && t < one.end);
                if (one.start > t && (next == nullptr || one.start < next->start))
                    next = &one;
            }
            for (std::size_t i = 0; i < 3; ++i) {
                most.at(i) = std::max(most.at(i), depth.at(i));
                sum.at(i) += window.contains({t}) ? static_cast<double>(depth.at(i)) : 0.0;
            }
            if (window.contains({t}) && !isBusy && next != nullptr && next->launched > t)
                ++hostBound;
        }
        std::sort(delays.begin(), delays.end());
        QCOMPARE(found.launches.joined, 500);
        QCOMPARE(found.launches.delay->medianNs, (delays[249] + delays[250]) / 2.0);
        QCOMPARE(found.launches.delay->p99Ns, delays[494]);
        QCOMPARE(static_cast<double>(found.launches.delay->maxNs), delays.back());
        for (const StreamQueue& queue : found.launches.queues) {
            const auto stream = static_cast<std::size_t>(std::stoi(queue.stream));
            QCOMPARE(queue.maxDepth, most.at(stream));
            VERIFY_NEAR(
                queue.meanDepth, sum.at(stream) / static_cast<double>(window.length().ns), 1e-9);
        }
        QVERIFY(hostBound > 0);
        QCOMPARE(found.launches.hostBound.ns, hostBound);
    }
    void copies() {
        PlantedTrace trace;
        const auto copy = [&](const std::string& name, std::int64_t start, std::int64_t duration,
                              const std::string& detail) {
            trace.work(0, "7", SpanKind::Copy, name, start, duration, 0, detail);
        };
        trace.kernel(0, "7", "a", 0, 1);
        copy("Memcpy HtoD (Pinned -> Device)", 10, 1'000, R"({"bytes": 65536, "device": 0})");
        copy("Memcpy HtoD (Pageable -> Device)", 2'000, 3'000, R"({"bytes": 34464})");
        copy("Memcpy HtoD (Pageable -> Device)", 6'000, 500, {}); // without its size
        copy("Memcpy DtoH (Device -> Pinned)", 7'000, 200, R"({"kind": "x"})");
        const CopyStatistics found = launchesOf(trace).copies;
        QCOMPARE(found.size(), std::size_t{2});
        const CopyKind& in = found.at("HtoD");
        QCOMPARE(in.count, 3);
        QCOMPARE(in.time.ns, 4'500);
        QCOMPARE(in.withBytes, 2);
        QCOMPARE(in.bytes, 100'000);
        QVERIFY(std::abs(*in.bandwidth() - 100'000 / 4e-6) < 1.0);
        QCOMPARE(found.at("DtoH").count, 1);
        QVERIFY(!found.at("DtoH").bandwidth());
    }
    void directions() {
        QCOMPARE(copyDirection("Memcpy DtoD (Device -> Device)"), std::string("DtoD"));
        QCOMPARE(copyDirection("Memcpy PtoP (Device -> Device)"), std::string("PtoP"));
        QCOMPARE(copyDirection("CopyHostToDevice"), std::string("HtoD"));
        QCOMPARE(copyDirection("[CUDA memcpy Device-to-Host]"), std::string("DtoH"));
        QCOMPARE(copyDirection("blit"), std::string("other"));
    }

    // Phases of planted traces, whose lengths are known, and of random ones against a plain count
    // per nanosecond.

    // Kernels run long after they were launched: only the launch tells.
    void launchesTell() {
        PlantedTrace trace;
        trace.host(0, "1", SpanKind::Annotation, "## forward ##", 0, 100);
        trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", 10, 5, 1);
        trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", 20, 5, 2);
        trace.host(
            0, "2", SpanKind::CpuOp, "autograd::engine::evaluate_function: MmBackward0", 110, 50);
        trace.host(0, "2", SpanKind::CpuOp, "aten::mm", 112, 40);
        trace.host(0, "2", SpanKind::Runtime, "cuLaunchKernelEx", 120, 5, 3);
        trace.host(0, "1", SpanKind::Annotation, "Optimizer.step#Adam.step", 170, 20);
        trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", 175, 5, 4);
        trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", 195, 5, 5); // tells nothing
        trace.kernel(0, "7", "a_gemm", 500, 30, 1);
        trace.kernel(0, "7", "a_gemm", 540, 20, 2); //             [560,…) nccl alone until 580
        trace.kernel(0, "9", "ncclDevKernel_AllReduce", 550, 30);
        trace.kernel(0, "7", "a_gemm", 600, 100, 3);
        trace.kernel(0, "7", "a_gemm", 700, 7, 4);
        trace.kernel(0, "7", "a_gemm", 710, 3, 5);
        const auto found = activityOf(trace);
        QCOMPARE(found.phases.window, (TimeRange{{500}, {713}}));
        QCOMPARE(at(found.phases, Phase::Forward), 30 + 10 + 3);
        QCOMPARE(at(found.phases, Phase::CommunicationHidden), 10);
        QCOMPARE(at(found.phases, Phase::CommunicationExposed), 20);
        QCOMPARE(at(found.phases, Phase::Backward), 100);
        QCOMPARE(at(found.phases, Phase::Optimizer), 7);
        QCOMPARE(at(found.phases, Phase::Compute), 0);
        QCOMPARE(at(found.phases, Phase::Idle), 10 + 20 + 3);
        QCOMPARE(sum(found.phases), 213);
        QCOMPARE(found.evidence.launches, 4);
        QCOMPARE(found.evidence.none, 1);
    }
    void otherThreadsTellWhereTheLaunchingOneDoesNot() {
        PlantedTrace trace;
        trace.host(0, "1", SpanKind::Annotation, "backward-compute", 0, 100);
        trace.host(0, "2", SpanKind::Runtime, "cudaLaunchKernel", 50, 5, 1);
        trace.host(0, "2", SpanKind::Runtime, "cudaLaunchKernel", 150, 5, 2); // it has ended
        trace.kernel(0, "7", "a_gemm", 200, 30, 1);
        trace.kernel(0, "7", "a_gemm", 230, 10, 2);
        const auto found = activityOf(trace);
        QCOMPARE(at(found.phases, Phase::Backward), 30);
        QCOMPARE(at(found.phases, Phase::Forward), 10);
    }
    void recomputationIsBackward() {
        PlantedTrace trace;
        trace.host(0, "2", SpanKind::CpuOp,
            "autograd::engine::evaluate_function: CheckpointFunctionBackward", 0, 100);
        trace.host(0, "2", SpanKind::Annotation, "TransformerLayer.forward", 10, 50);
        trace.host(0, "2", SpanKind::Runtime, "cudaLaunchKernel", 20, 5, 1);
        trace.host(0, "2", SpanKind::Annotation, "fused optimizer step", 70, 20);
        trace.host(0, "2", SpanKind::Runtime, "cudaLaunchKernel", 75, 5, 2);
        trace.kernel(0, "7", "a_gemm", 30, 10, 1);
        trace.kernel(0, "7", "a_gemm", 80, 5, 2);
        const auto found = activityOf(trace);
        QCOMPARE(at(found.phases, Phase::Backward), 10);
        QCOMPARE(at(found.phases, Phase::Optimizer), 5);
    }
    void streamAnnotationsTell() {
        PlantedTrace trace;
        trace.streamAnnotation(0, "7", "## forward ##", 100, 50);
        trace.streamAnnotation(0, "7", "## backward ##", 150, 100);
        trace.streamAnnotation(0, "7", "Optimizer.step#SGD.step", 250, 20);
        trace.streamAnnotation(0, "8", "## backward ##", 100, 50);
        trace.kernel(0, "7", "a_gemm", 100, 40);
        trace.kernel(0, "7", "a_gemm", 150, 70); // begins with its annotation
        trace.kernel(0, "7", "a_gemm", 250, 15);
        // A pass with its number counts, whatever surrounds it.
        trace.streamAnnotation(0, "7", "wgrad", 300, 100);
        trace.streamAnnotation(0, "7", "Forward 3", 320, 40);
        trace.kernel(0, "7", "a_gemm", 330, 20);
        const auto found = activityOf(trace);
        QCOMPARE(at(found.phases, Phase::Forward), 60);
        QCOMPARE(at(found.phases, Phase::Backward), 70);
        QCOMPARE(at(found.phases, Phase::Optimizer), 15);
        QCOMPARE(found.evidence.streamAnnotations, 4);
    }
    void hostAnnotationsTellWhereNothingIsLaunched() {
        PlantedTrace trace;
        trace.host(0, "1", SpanKind::Annotation, "forward_step", 0, 100);
        trace.host(0, "1", SpanKind::Annotation, "backward_step", 100, 200);
        trace.host(0, "1", SpanKind::Annotation, "optimizer", 300, 50);
        trace.kernel(0, "7", "a_gemm", 10, 80);
        trace.kernel(0, "7", "a_gemm", 100, 190);
        trace.kernel(0, "7", "a_gemm", 310, 20);
        const auto found = activityOf(trace);
        QCOMPARE(at(found.phases, Phase::Forward), 80);
        QCOMPARE(at(found.phases, Phase::Backward), 190);
        QCOMPARE(at(found.phases, Phase::Optimizer), 20);
        QCOMPARE(found.evidence.hostAnnotations, 3);
    }
    void namesTellWhereNothingElseDoes() {
        PlantedTrace trace;
        trace.kernel(0, "7", "a_gemm", 0, 10);
        trace.kernel(0, "7", "flash_bwd_kernel", 10, 20);
        trace.kernel(0, "7", "multi_tensor_apply_kernel<AdamFunctor>", 30, 5);
        const auto found = activityOf(trace);
        QCOMPARE(at(found.phases, Phase::Compute), 10); // a gemm of either direction
        QCOMPARE(at(found.phases, Phase::Forward), 0);
        QCOMPARE(at(found.phases, Phase::Backward), 20);
        QCOMPARE(at(found.phases, Phase::Optimizer), 5);
    }
    void iterationsAndWindows() {
        PlantedTrace trace;
        trace.iteration(0, 4, 0, 100);
        trace.iteration(0, 5, 100, 250);
        trace.kernel(0, "7", "a_gemm", 20, 100);
        trace.kernel(0, "7", "a_gemm", 200, 10);
        auto found = activityOf(trace);
        QCOMPARE(found.phases.window, (TimeRange{{20}, {210}}));
        QCOMPARE(found.iterations.size(), std::size_t{2});
        QCOMPARE(at(found.iterations[0], Phase::Compute), 80);
        QCOMPARE(at(found.iterations[0], Phase::Idle), 20);
        QCOMPARE(at(found.iterations[1], Phase::Compute), 30);
        QCOMPARE(at(found.iterations[1], Phase::Idle), 120);
        found = activityOf(trace, kAllTime, 5);
        QCOMPARE(found.phases.window, (TimeRange{{100}, {250}}));
        QCOMPARE(at(found.phases, Phase::Compute), 30);
        QCOMPARE(at(found.phases, Phase::Idle), 120);
        found = activityOf(trace, {{60}, {205}});
        QCOMPARE(found.phases.window, (TimeRange{{60}, {205}}));
        QCOMPARE(at(found.phases, Phase::Compute), 60 + 5);
        QCOMPARE(at(found.phases, Phase::Idle), 80);
    }
    void sendRecvOnlyIsWaiting() {
        PlantedTrace trace;
        trace.kernel(0, "7", "a_gemm", 0, 10);
        trace.kernel(0, "9", "ncclDevKernel_SendRecv", 5, 20); // 15 alone
        trace.kernel(0, "9", "ncclDevKernel_SendRecv", 40, 10, 0,
            R"({"Collective name":"all_to_allv"})"); // no transfer of the pipeline
        trace.kernel(0, "10", "ncclDevKernel_AllReduce", 60, 10);
        trace.kernel(0, "9", "ncclDevKernel_SendRecv", 60, 30); // 20 alone
        trace.kernel(0, "9", "ncclDevKernel_Generic", 100, 5, 0, R"({"Collective name":"send"})");
        const auto found = activityOf(trace);
        QCOMPARE(found.phases.sendRecvOnly.ns, 15 + 20 + 5);
        QCOMPARE(at(found.phases, Phase::Idle), 15 + 10 + 10);
        QCOMPARE(found.phases.waiting().ns, 40 + 35);
    }
    void randomTracesAgainstACount_data() {
        columns<unsigned>("seed");
        for (unsigned seed = 0; seed < 20; ++seed)
            QTest::addRow("%u", seed) << seed;
    }
    // Each kernel's phase comes from its launch, made at random up to 3 µs before it starts.
    void randomTracesAgainstACount() {
        QFETCH(unsigned, seed);
        constexpr std::int64_t kLength = 30'000;
        std::mt19937 random(seed);
        const auto below
            = [&](unsigned limit) { return static_cast<std::int64_t>(random() % limit); };
        PlantedTrace trace;
        static constexpr std::array kNames{
            "## forward ##", "autograd::engine::evaluate_function: X", "Optimizer.step#A", "other"};
        // bit 0…3: forward, backward, optimizer, unmarked; 4: communication
        std::vector<unsigned> running(kLength, 0);
        for (int i = 1; i <= 400; ++i) {
            const std::int64_t start = 3'000 + below(26'000);
            const std::int64_t duration = below(120);
            const bool isCommunication = below(4) == 0;
            const auto phase = static_cast<std::size_t>(below(4));
            // An unmarked launch asks the other threads' annotations: there are none at its moment.
            const std::int64_t launched = (start - below(3'000)) / 4 * 4 + (phase == 3 ? 2 : 0);
            // Every launch has a thread of its own, so that surroundings do not nest.
            const std::string thread = "t" + std::to_string(i);
            trace.host(0, thread, phase == 1 ? SpanKind::CpuOp : SpanKind::Annotation,
                kNames[phase], launched, 2);
            trace.host(0, thread, SpanKind::Runtime, "cudaLaunchKernel", launched, 1, i);
            trace.kernel(0, "s" + std::to_string(below(3)), isCommunication ? "ncclX" : "a_gemm",
                start, duration, i);
            const unsigned bit = isCommunication ? 16U : 1U << phase;
            for (std::int64_t t = start; t < start + duration; ++t)
                running[static_cast<std::size_t>(t)] |= bit;
        }
        const auto found = activityOf(trace);
        const TimeRange window = found.phases.window;
        ByPhase<std::int64_t> expected;
        for (std::int64_t t = window.begin.ns; t < window.end.ns; ++t) {
            const unsigned bits = running[static_cast<std::size_t>(t)];
            const unsigned compute = bits & 15U;
            if (bits == 0)
                ++expected[Phase::Idle];
            else if (compute == 0)
                ++expected[Phase::CommunicationExposed];
            else if ((bits & 16U) != 0)
                ++expected[Phase::CommunicationHidden];
            else if ((compute & 4U) != 0)
                ++expected[Phase::Optimizer];
            else if ((compute & 2U) != 0)
                ++expected[Phase::Backward];
            else
                ++expected[Phase::Forward];
        }
        for (const Phase phase : kAllPhases)
            QCOMPARE(at(found.phases, phase), expected[phase]);
        QCOMPARE(sum(found.phases), window.length().ns);
    }

    // Phases by the names of annotations, operators and kernels.
    void annotations_data() {
        const auto row = keyed<QByteArray, int>("name", "mark");
        row("## forward ##", Mark::Forward);
        row("DistributedDataParallel.forward", Mark::Forward);
        row("forward-compute", Mark::Forward); // Megatron's timers
        row("backward-compute", Mark::Backward);
        row("forward-backward", Mark::None);
        row("optimizer", Mark::Optimizer);
        row("optimizer-inner-step", Mark::Optimizer);
        row("Optimizer.step#Adam.step", Mark::Optimizer);
        row("Optimizer.zero_grad#SGD.zero_grad", Mark::Optimizer);
        row("[Strategy]DDPStrategy.backward", Mark::Backward);
        row("transformer_layer_bwd", Mark::Backward);
        row("ProfilerStep#3", Mark::None);
        row("nccl:all_reduce", Mark::None);
        row("", Mark::None);
    }
    void annotations() {
        QFETCH(QByteArray, name);
        QFETCH(int, mark);
        QCOMPARE(static_cast<int>(markOfAnnotation(name.toStdString())), mark);
    }
    void operators() {
        QVERIFY(
            markOfOperator("autograd::engine::evaluate_function: MmBackward0") == Mark::Backward);
        QVERIFY(
            markOfOperator("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad")
            == Mark::Backward);
        QVERIFY(markOfOperator("aten::_flash_attention_backward") == Mark::Backward);
        // Backward calls these too.
        QVERIFY(markOfOperator("aten::_flash_attention_forward") == Mark::None);
        QVERIFY(markOfOperator("aten::mm") == Mark::None);
        // record_function of old profilers.
        QVERIFY(markOfOperator("Optimizer.step#SGD.step") == Mark::Optimizer);
        QVERIFY(markOfOperator("## forward ##") == Mark::Forward);
    }
    void kernels() {
        QVERIFY(markOfKernel("flash_bwd_dq_dk_dv_loop_kernel", "attention") == Mark::Backward);
        QVERIFY(markOfKernel("sm80_xmma_wgrad_implicit_gemm", "gemm") == Mark::Backward);
        QVERIFY(
            markOfKernel("multi_tensor_apply_kernel<AdamFunctor>", "optimizer") == Mark::Optimizer);
        QVERIFY(markOfKernel("flash_fwd_kernel", "attention") == Mark::Forward);
        QVERIFY(markOfKernel("fused_fwd_bwd_kernel", "other") == Mark::Backward);
        QVERIFY(markOfKernel("ampere_sgemm", "gemm") == Mark::None);
    }

    // The steady part of a run on the clocks of its ranks.

    // Rank 1's clock is an hour ahead and has marked the same steps, 2 ms later each; rank 2's is
    // 50 ms behind, without marks. Steps 1 to 3 are 100 to 400 ms of the run.
    void ofClocksThatDiffer() {
        constexpr std::int64_t hour = 3'600'000;
        RunIterations iterations;
        iterations.basis = IterationBasis::Recorded;
        iterations.iterations = fourFrom(0, -1);
        iterations.byRank[0] = fourFrom(0, 0);
        iterations.byRank[1] = fourFrom((hour + 2) * kMs, 1);
        RankClocks known;
        known.referenceRank = 0;
        known.ranks.resize(3);
        for (int rank = 0; rank < 3; ++rank)
            known.ranks[static_cast<std::size_t>(rank)].rank = rank;
        known.ranks[1].offsetNs = hour * kMs;
        known.ranks[2].offsetNs = -50 * kMs;
        const auto clocks = std::make_shared<const RankClocks>(known);
        const TimeRange steady = ms(100, 400);
        QCOMPARE(ownSteadyWindow(iterations, steady, clocks, 0), steady);
        QCOMPARE(ownSteadyWindow(iterations, steady, clocks, 1), ms(hour + 102, hour + 402));
        QCOMPARE(ownSteadyWindow(iterations, steady, clocks, 2), ms(50, 350));
        // With clocks that agree the run's window is everyone's.
        QCOMPARE(ownSteadyWindow(iterations, steady, nullptr, 1), steady);
        QCOMPARE(ownSteadyWindow(iterations, kAllTime, clocks, 1), kAllTime);
        // A part that is none of iterations, and numbers that a log or a second trace gave.
        QCOMPARE(ownSteadyWindow(iterations, ms(110, 400), clocks, 1), ms(hour + 110, hour + 400));
        iterations.byRank[-1] = fourFrom(0, -1);
        QCOMPARE(ownSteadyWindow(iterations, steady, clocks, 1), ms(hour + 100, hour + 400));
        iterations.byRank.erase(-1);
        iterations.byRank[1][3].index = 1;
        QCOMPARE(ownSteadyWindow(iterations, steady, clocks, 1), ms(hour + 100, hour + 400));
    }
};

TRAINSCOPE_TEST(tst_Launches)
#include "tst_Launches.moc"
