// Step graphs of planted traces: edges written by hand, and steps whose changed length follows from
// them.

#include "core/analysis/replay/KernelGraph.h"
#include "core/analysis/replay/RankTrace.h"
#include "core/analysis/replay/StepGraph.h"
#include "core/analysis/traces/PlantedRun.h"
#include "core/analysis/traces/PlantedTrace.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <vector>

using namespace trainscope;
using namespace trainscope::analysis;

namespace {

using Texts = std::set<std::string>;

// Times in µs since the epoch of the plant.
class PlantedSteps : public test::PlantedTrace {
public:
    void call(const std::string& name, std::int64_t at, std::int64_t lasts,
        std::int64_t correlation = 0, const std::string& thread = "main", int rank = 0) {
        host(rank, thread, SpanKind::Runtime, name, test::kEpoch + at * test::kUs,
            lasts * test::kUs, correlation);
    }
    void runs(const std::string& name, std::int64_t at, std::int64_t lasts,
        std::int64_t correlation = 0, const std::string& stream = "7", int rank = 0,
        const std::string& detail = {}) {
        work(rank, stream, name.starts_with("Memcpy") ? SpanKind::Copy : SpanKind::Kernel, name,
            test::kEpoch + at * test::kUs, lasts * test::kUs, correlation, detail);
    }
    void operation(const std::string& name, std::int64_t at, std::int64_t lasts,
        const std::string& thread = "main") {
        host(0, thread, SpanKind::CpuOp, name, test::kEpoch + at * test::kUs, lasts * test::kUs);
    }
    void step(std::int64_t index, std::int64_t from, std::int64_t to, int rank = -1) {
        iteration(rank, index, test::kEpoch + from * test::kUs, test::kEpoch + to * test::kUs);
    }
    StepGraph graph(const StepChoice& choice = {}) {
        const auto opened = store();
        const auto made = stepGraphOf(test::studyOf(opened), choice);
        if (!made.hasValue())
            qFatal("%s", made.error().describe().c_str());
        return *made.value();
    }
};

const std::string& nameIn(const StepGraph& graph, std::uint32_t operation) {
    return graph.names[graph.operations[operation].name];
}

// "K1 > K2 stream assumed", without those of threads and launches.
Texts edgesOf(const StepGraph& graph) {
    Texts texts;
    for (const StepEdge& edge : graph.edges) {
        if (edge.kind != EdgeKind::Thread && edge.kind != EdgeKind::Launch)
            texts.insert(fmt::format("{} > {} {} {}", nameIn(graph, edge.from),
                nameIn(graph, edge.to), toString(edge.kind), toString(edge.basis)));
    }
    return texts;
}

std::vector<std::string> edgesOf(const StepGraph& graph, EdgeKind kind) {
    std::vector<std::string> texts;
    for (const StepEdge& edge : graph.edges) {
        if (edge.kind == kind)
            texts.push_back(
                fmt::format("{} > {}", nameIn(graph, edge.from), nameIn(graph, edge.to)));
    }
    return texts;
}

using Wanted = std::function<bool(const StepOperation&, const std::string&)>;

// The step in µs, with so many times the time of the operations wanted.
double stepUs(const StepGraph& graph, const Wanted& wanted = {}, double factor = 1.0) {
    StepCosts costs = measuredCosts(graph);
    for (std::uint32_t i = 0; wanted && i < graph.operations.size(); ++i) {
        if (wanted(graph.operations[i], nameIn(graph, i)))
            costs.duration[i]
                = static_cast<std::int64_t>(factor * static_cast<double>(costs.duration[i]));
    }
    return meanStepSeconds(graph, simulate(graph, costs)).value_or(0.0) * 1e6;
}

bool isKernel(const StepOperation& operation, const std::string& /*name*/) {
    return operation.kind == OperationKind::Kernel;
}

// A step of three kernels, each launched `every` µs and running `lasts`; the host waits at its end.
PlantedSteps launches(std::int64_t every, std::int64_t lasts) {
    PlantedSteps trace;
    std::int64_t free = 0;
    for (std::int64_t k = 0; k < 3; ++k) {
        trace.call("cudaLaunchKernel", 10 + k * every, 4, k + 1);
        const std::int64_t begin = std::max(free, 10 + k * every + 6);
        trace.runs(fmt::format("K{}", k), begin, lasts, k + 1);
        free = begin + lasts + 1;
    }
    const std::int64_t sync = 10 + 2 * every + 6;
    trace.call("cudaDeviceSynchronize", sync, free + 4 - sync);
    trace.step(1, 8, free + 5);
    return trace;
}

// Computation on stream 7 and an exchange on 20 that K2 overlaps and K3 waits for. The host is far
// ahead.
PlantedSteps exchangedStep(bool withCalls) {
    PlantedSteps trace;
    trace.call("cudaLaunchKernel", 0, 4, 1);
    if (withCalls) {
        trace.call("cudaEventRecord", 5, 1, 11);
        trace.call("cudaStreamWaitEvent", 7, 1, 12);
    }
    trace.call("cudaLaunchKernelExC", 10, 4, 2);
    if (withCalls)
        trace.call("cudaEventRecord", 15, 1, 13);
    trace.call("cudaLaunchKernel", 20, 4, 3);
    if (withCalls)
        trace.call("cudaStreamWaitEvent", 25, 1, 14);
    trace.call("cudaLaunchKernel", 30, 4, 4);
    trace.call("cudaStreamSynchronize", 40, 570);
    trace.runs("K1", 100, 100, 1);
    trace.runs("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 202, 300, 2, "20");
    trace.runs("K2", 201, 150, 3);
    trace.runs("K3", 504, 100, 4);
    trace.step(1, 0, 620);
    return trace;
}
const std::string kReduce = "ncclDevKernel_AllReduce_Sum_f32_RING_LL";

Texts exchangeEdges(const std::string& basis) {
    return {"K1 > K2 stream assumed", "K2 > K3 stream assumed",
        "K1 > " + kReduce + " event " + basis, kReduce + " > K3 event " + basis,
        "K3 > cudaStreamSynchronize wait inferred"};
}

} // namespace

class tst_KernelGraph : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void callsAreKnownByTheirNames_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("kind");
        const auto row = [](const char* name, CallKind kind) {
            QTest::newRow(name) << QString::fromLatin1(name) << static_cast<int>(kind);
        };
        row("cudaLaunchKernel_v7000", CallKind::Other);
        row("hipExtModuleLaunchKernel", CallKind::Other);
        row("hipMemcpyWithStream", CallKind::BlockingCopy);
        row("hipMemcpyAsync", CallKind::Copy);
        row("cuMemcpyDtoH_v2", CallKind::BlockingCopy);
        row("cudaMemsetAsync", CallKind::Other);
        row("hipEventRecord", CallKind::Record);
        row("cudaEventRecordWithFlags", CallKind::Record);
        row("hipStreamWaitEvent", CallKind::StreamWait);
        row("cudaStreamSynchronize", CallKind::StreamSync);
        row("hipDeviceSynchronize", CallKind::DeviceSync);
        row("cuCtxSynchronize", CallKind::DeviceSync);
        row("cudaEventSynchronize", CallKind::EventSync);
        row("hipFree", CallKind::DeviceSync);
        row("cudaFreeAsync", CallKind::Other);
        row("cudaFreeHost", CallKind::Other);
    }
    void callsAreKnownByTheirNames() {
        QFETCH(QString, name);
        QTEST(static_cast<int>(callKindOf(name.toStdString())), "kind");
    }

    // Launched every 50 µs, run for 10: the last ends at 10 + 100 + 6 + 10 and the host returns 5
    // µs later. Kernels of half the time spare 5 µs of 123, those of ten times make it wait.
    void stepsBoundByTheHostFollowTheHost() {
        const StepGraph graph = launches(50, 10).graph();
        QCOMPARE(edgesOf(graph),
            (Texts{"K0 > K1 stream assumed", "K1 > K2 stream assumed",
                "K2 > cudaDeviceSynchronize wait inferred"}));
        QCOMPARE(stepUs(graph), 124.0);
        QCOMPARE(stepUs(graph, isKernel, 0.5), 119.0);
        // K0 begins at 16 and each follows the one before by 1 µs: 318, and 6 µs of the end.
        QCOMPARE(stepUs(graph, isKernel, 10.0), 16.0 + 302.0 + 6.0 - 8.0);
    }
    void stepsBoundByTheDeviceFollowTheDevice() {
        const StepGraph graph = launches(10, 100).graph();
        QCOMPARE(stepUs(graph), 16.0 + 303.0 + 5.0 - 8.0);
        QCOMPARE(stepUs(graph, isKernel, 0.5), 16.0 + 153.0 + 5.0 - 8.0);
    }

    void streamsWaitByTheOrderOfCalls() {
        const StepGraph graph = exchangedStep(true).graph();
        QCOMPARE(edgesOf(graph), exchangeEdges("inferred"));
        // K3 begins 2 µs behind the exchange, or 1 µs behind K2 at 351 + the same 1 µs.
        QCOMPARE(stepUs(graph), 620.0);
        const auto isExchange = [](const StepOperation& operation, const std::string&) {
            return operation.kind == OperationKind::Collective;
        };
        QCOMPARE(stepUs(graph, isExchange, 0.9), 590.0);
        QVERIFY(stepUs(graph, isExchange, 0.1) < 620.0 - 150.0);
        QVERIFY(stepUs(graph, isExchange, 0.1) > 620.0 - 155.0);
    }
    void streamsWaitAsRecorded() {
        PlantedSteps trace = exchangedStep(true);
        const auto at = [](std::int64_t us) { return test::kEpoch + us * test::kUs; };
        trace.sync(0, "20", "Stream Wait Event", at(7), test::kUs, 12,
            R"({"wait_on_stream":7,"wait_on_cuda_event_record_corr_id":11})");
        trace.sync(0, "7", "Stream Wait Event", at(25), test::kUs, 14,
            R"({"wait_on_stream":20,"wait_on_cuda_event_record_corr_id":13})");
        QCOMPARE(edgesOf(trace.graph()), exchangeEdges("recorded"));
    }
    // K2 begins before the exchange does; the latter and K3 begin when others have ended.
    void streamsWaitForWhatEndsWhenTheyBegin() {
        QCOMPARE(edgesOf(exchangedStep(false).graph()), exchangeEdges("inferred"));
    }

    void copiesToTheHostHoldTheirCall() {
        PlantedSteps trace;
        trace.call("cudaLaunchKernel", 0, 4, 1);
        trace.runs("K1", 10, 100, 1);
        trace.call("cudaMemcpyAsync", 10, 110, 2);
        trace.runs("Memcpy DtoH (Device -> Pageable)", 111, 5, 2);
        trace.call("cudaLaunchKernel", 130, 4, 3);
        trace.runs("K2", 136, 10, 3);
        trace.step(1, 0, 125);
        const StepGraph graph = trace.graph();
        QCOMPARE(edgesOf(graph, EdgeKind::Wait),
            std::vector<std::string>{"Memcpy DtoH (Device -> Pageable) > cudaMemcpyAsync"});
        QCOMPARE(stepUs(graph), 125.0);
        QCOMPARE(stepUs(graph, isKernel, 0.5), 75.0);
    }

    // Rank 1 comes 200 µs late; both leave at 460.
    void partsOfACollectiveWaitForTheLast() {
        PlantedSteps trace;
        for (int rank = 0; rank < 2; ++rank) {
            const std::int64_t lasts = rank == 0 ? 100 : 300;
            trace.call("cudaLaunchKernel", 0, 4, 1, "main", rank);
            trace.call("cudaLaunchKernel", 10, 4, 2, "main", rank);
            trace.call("cudaDeviceSynchronize", 20, 445, 0, "main", rank);
            trace.runs("K", 10, lasts, 1, "7", rank);
            trace.runs(kReduce, 11 + lasts, 449 - lasts, 2, "7", rank,
                test::collectiveDetail("allreduce", 1000, "0", {0, 1}));
            trace.step(1, 0, 470, rank);
        }
        const StepGraph graph = trace.graph();
        QCOMPARE(graph.groups.size(), std::size_t{1});
        QCOMPARE(graph.names[graph.groups[0].name], std::string("AllReduce in 0"));
        for (const std::uint32_t member : graph.membersOf(0))
            QCOMPARE(graph.operations[member].duration.ns, 149 * test::kUs);
        QCOMPARE(stepUs(graph), 470.0);
        const auto isLate = [&](const StepOperation& operation, const std::string& name) {
            return name == "K" && graph.tracks[operation.track].rank == 1;
        };
        QCOMPARE(stepUs(graph, isLate, 1.0 / 3.0), 270.0);
    }

    // The engine's thread begins when the forward pass ends, and the optimizer when the engine
    // does.
    void threadsHandOver() {
        PlantedSteps trace;
        const auto launch = [&](std::int64_t at, std::int64_t correlation, const char* thread) {
            trace.call(fmt::format("cudaLaunchKernel {}", correlation), at, 4, correlation, thread);
            trace.runs(fmt::format("K{}", correlation), at + 8, 2, correlation);
        };
        trace.operation("aten::linear", 0, 30);
        trace.operation("aten::addmm", 1, 28);
        launch(5, 1, "main");
        launch(20, 2, "main");
        trace.operation("autograd::engine::evaluate_function: AddmmBackward0", 190, 60, "engine");
        launch(200, 3, "engine");
        launch(240, 4, "engine");
        launch(300, 5, "main");
        trace.step(1, 0, 330);
        const StepGraph graph = trace.graph();
        QCOMPARE(edgesOf(graph, EdgeKind::Handover),
            (std::vector<std::string>{"cudaLaunchKernel 2 > cudaLaunchKernel 3",
                "cudaLaunchKernel 4 > cudaLaunchKernel 5"}));
        const auto k1 = std::ranges::find_if(graph.operations,
            [&](const StepOperation& one) { return graph.names[one.name] == "K1"; });
        QCOMPARE(graph.names[k1->operatorName], std::string("aten::addmm"));
        QCOMPARE(k1->iteration, 0);
        QCOMPARE(graph.categories[k1->category], std::string("other"));
    }

    // The data loader calls nothing for 300 µs; the forward pass launches, and what lies within the
    // loader is its own.
    void longWorkOfTheHostIsAnOperation() {
        PlantedSteps trace;
        trace.runs("K0", 0, 4); // so that the device is traced in all of the step
        trace.operation("enumerate(DataLoader)#next", 5, 300);
        trace.operation("aten::stack", 10, 200);
        trace.operation("aten::linear", 310, 60);
        trace.call("cudaLaunchKernel", 320, 4, 1);
        trace.runs("K1", 330, 50, 1);
        trace.call("cudaDeviceSynchronize", 380, 5);
        trace.step(1, 0, 386);
        const StepGraph graph = trace.graph();
        QCOMPARE(edgesOf(graph, EdgeKind::Thread),
            (std::vector<std::string>{"enumerate(DataLoader)#next > cudaLaunchKernel",
                "cudaLaunchKernel > cudaDeviceSynchronize"}));
        QCOMPARE(stepUs(graph), 386.0);
        const auto isLoader = [](const StepOperation&, const std::string& name) {
            return name.starts_with("enumerate");
        };
        QCOMPARE(stepUs(graph, isLoader, 0.0), 86.0);
    }

    // A queue of 1,000 launches is full: the host goes on when the device does.
    void launchesWaitForAPlaceInTheQueue() {
        PlantedSteps trace;
        for (std::int64_t k = 0; k < 1'000; ++k) {
            trace.call("cudaLaunchKernel", k, 1, k + 1);
            trace.runs("K", 1'000 + k * 10, 9, k + 1);
        }
        trace.call("cudaLaunchKernel blocked", 1'000, 500, 1'001);
        trace.runs("K", 11'000, 9, 1'001);
        trace.step(1, 0, 11'020);
        QCOMPARE(edgesOf(trace.graph(), EdgeKind::Wait),
            std::vector<std::string>{"K > cudaLaunchKernel blocked"});
    }

    // B and C branch behind A in one graph of kernels; D joins them, as the profiler says.
    void graphsOfKernelsHaveTheirRecordedEdges() {
        PlantedSteps trace;
        trace.call("cudaGraphLaunch", 0, 5, 1);
        trace.runs("A", 10, 10, 1);
        trace.runs("B", 21, 50, 1);
        trace.runs("C", 22, 20, 1, "8");
        trace.runs("D", 72, 10, 1);
        const auto edge = [&](const char* to, const char* from, std::int64_t at, std::int64_t us) {
            trace.sync(0, to, "Graph edge", test::kEpoch + at * test::kUs, us * test::kUs, 0,
                fmt::format("{{\"from_stream\":\"{}\"}}", from));
        };
        edge("7", "7", 20, 1);
        edge("8", "7", 20, 2);
        edge("7", "7", 71, 1);
        edge("7", "8", 42, 30);
        trace.step(1, 0, 83);
        QCOMPARE(edgesOf(trace.graph()),
            (Texts{"A > B graph recorded", "A > C graph recorded", "B > D graph recorded",
                "C > D graph recorded"}));
    }

    void workWithoutHostStillHasAGraph() {
        PlantedSteps trace;
        trace.runs("K1", 0, 100);
        trace.runs("K2", 101, 50);
        trace.runs("Memcpy HtoD", 152, 20, 0, "9");
        const StepGraph graph = trace.graph();
        QCOMPARE(edgesOf(graph), (Texts{"K1 > K2 stream assumed"}));
        QCOMPARE(stepUs(graph), 172.0);
        QCOMPARE(graph.notes.size(), std::size_t{2});
    }
    void callsWithoutLinksStillWait() {
        PlantedSteps trace;
        trace.call("cudaLaunchKernel", 0, 5);
        trace.runs("K1", 10, 100);
        trace.call("cudaStreamSynchronize", 20, 95);
        trace.step(1, 0, 116);
        const StepGraph graph = trace.graph();
        QCOMPARE(edgesOf(graph), (Texts{"K1 > cudaStreamSynchronize wait inferred"}));
        QCOMPARE(stepUs(graph, isKernel, 0.5), 116.0 - 50.0);
        QCOMPARE(graph.notes.size(), std::size_t{1});
    }

    // Steps of 450 µs begin every 1,000; a host that takes no time leaves the kernel's 400.
    void iterationsMayLieApart() {
        PlantedSteps trace;
        for (std::int64_t k = 0; k < 3; ++k) {
            trace.call("cudaLaunchKernel", k * 1'000 + 10, 5, k + 1);
            trace.runs("K", k * 1'000 + 20, 400, k + 1);
            trace.call("cudaDeviceSynchronize", k * 1'000 + 30, 396);
            trace.step(k, k * 1'000, k * 1'000 + 450);
        }
        const StepGraph graph = trace.graph();
        QCOMPARE(stepUs(graph), 450.0);
        StepCosts costs = measuredCosts(graph);
        for (std::size_t i = 0; i < graph.operations.size(); ++i) {
            if (graph.operations[i].kind == OperationKind::HostCall)
                costs.duration[i] = costs.delay[i] = 0;
        }
        const double freeUs = meanStepSeconds(graph, simulate(graph, costs)).value_or(0.0) * 1e6;
        QVERIFY2(freeUs >= 400.0 && freeUs <= 450.0, std::to_string(freeUs).c_str());
    }

    void iterationsAreChosen() {
        PlantedSteps trace;
        for (std::int64_t k = 0; k < 5; ++k) {
            trace.call("cudaLaunchKernel", k * 100 + 1, 2, k + 1);
            trace.runs("K", k * 100 + 4, 94, k + 1);
            trace.step(k, k * 100, (k + 1) * 100);
        }
        const auto indexes = [](const StepGraph& graph) {
            std::vector<std::pair<std::int64_t, bool>> found;
            for (const StepIteration& one : graph.iterations)
                found.emplace_back(one.measured.index, one.counts);
            return found;
        };
        using Found = std::vector<std::pair<std::int64_t, bool>>;
        QCOMPARE(indexes(trace.graph({{}, 2})), (Found{{1, false}, {2, true}, {3, false}}));
        QCOMPARE(indexes(trace.graph({{}, 4})), (Found{{3, false}, {4, true}}));
        QCOMPARE(indexes(trace.graph()).size(), std::size_t{5});
        const auto store = trace.store();
        const auto missing = stepGraphOf(test::studyOf(store), {{}, 9});
        QVERIFY(!missing.hasValue() && missing.error().code == ErrorCode::NotFound);
    }
};

TRAINSCOPE_TEST(tst_KernelGraph)
#include "tst_KernelGraph.moc"
