// Call trees of planted traces: by hand, and against what the planting knows of each kernel.

#include "core/analysis/operators/KeptTraces.h"
#include "core/analysis/traces/PlantedTrace.h"

#include "core/analysis/operators/CallTrees.h"
#include "core/analysis/operators/HostSelfTime.h"
#include "core/analysis/operators/OperatorTable.h"
#include "core/analysis/traces/TraceSums.h"
#include "core/catalogue/GpuModel.h"
#include "core/model/SpanFacts.h"
#include "support/TestProgram.h"

using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

std::int64_t forwardOf(std::int64_t sequence) {
    return correlationOf(AutogradLink{sequence, false});
}
std::int64_t backwardOf(std::int64_t sequence) {
    return correlationOf(AutogradLink{sequence, true});
}

CallTree treeOf(const store::Store& store, TimeRange window = kAllTime) {
    auto tree = callTree(studyOf(store), 0, window);
    if (!tree.hasValue())
        qFatal("%s", tree.error().describe().c_str());
    return std::move(tree).value();
}

// "step/Linear_0/aten::mm" → node.
std::map<std::string, CallNode> byPath(const CallTree& tree) {
    std::map<std::string, CallNode> nodes;
    std::vector<std::string> paths;
    for (const CallNode& node : tree.nodes) {
        std::string path = node.parent == CallNode::kNone ? "" : paths[node.parent];
        if (node.parent != CallNode::kNone)
            path += (path.empty() ? "" : "/") + tree.names[node.name];
        paths.push_back(path);
        nodes[path] = node;
    }
    return nodes;
}

FrameSums totalOf(const CallTree& tree, CallTotal::Of of, const std::string& name) {
    for (const CallTotal& total : tree.totals) {
        if (total.of == of && tree.names[total.name] == name)
            return total.sums;
    }
    return {};
}

FrameSums totalOf(const CallTree& tree, StepPass pass) {
    for (const CallTotal& total : tree.totals) {
        if (total.of == CallTotal::Of::Pass && total.pass == pass)
            return total.sums;
    }
    return {};
}

// A step: a module whose product takes two kernels that overlap, its backward product on another
// thread while the main one waits, recomputation in it, and the optimizer.
PlantedTrace plantedStep() {
    PlantedTrace trace;
    const auto launch = [&](const char* thread, std::int64_t at, std::int64_t correlation) {
        trace.host(0, thread, SpanKind::Runtime, "cudaLaunchKernel", at, 2, correlation);
    };
    trace.host(0, "1", SpanKind::Annotation, "ProfilerStep#4", 0, 1'000);
    trace.host(0, "1", SpanKind::Python, "nn.Module: Linear_0", 10, 100);
    trace.host(0, "1", SpanKind::CpuOp, "aten::linear", 20, 80, forwardOf(7));
    trace.host(0, "1", SpanKind::CpuOp, "aten::mm", 30, 50, forwardOf(7),
        R"({"Input Dims":[[2,3],[3,4]]})");
    launch("1", 40, 1);
    launch("1", 45, 2);
    trace.host(0, "1", SpanKind::Annotation, "loss.backward", 200, 400);
    trace.host(0, "2", SpanKind::CpuOp, "autograd::engine::evaluate_function: MmBackward0", 210, 90,
        backwardOf(7));
    trace.host(0, "2", SpanKind::CpuOp, "MmBackward0", 215, 80, backwardOf(7));
    trace.host(0, "2", SpanKind::CpuOp, "aten::mm", 220, 50);
    launch("2", 230, 3);
    trace.host(0, "2", SpanKind::CpuOp, "CheckpointFunctionBackward", 310, 90, backwardOf(3));
    trace.host(0, "2", SpanKind::CpuOp, "aten::mm", 320, 50, forwardOf(9));
    launch("2", 330, 4);
    trace.host(0, "1", SpanKind::Annotation, "Optimizer.step#Adam.step", 700, 100);
    launch("1", 710, 5);
    trace.kernel(0, "7", "gemm", 100, 50, 1);
    trace.kernel(0, "8", "gemm", 120, 50, 2); // union of both: 70
    trace.kernel(0, "7", "gemm", 300, 60, 3);
    trace.kernel(0, "7", "gemm", 400, 30, 4);
    trace.kernel(0, "7", "adam", 800, 20, 5);
    trace.kernel(0, "7", "stray", 900, 5);
    trace.work(0, "7", SpanKind::Set, "Memset", 950, 1, 6); // its launch was not recorded
    return trace;
}

struct Truth {
    std::string path;
    TimeRange range;
};

// Brute force over what was planted.
struct Expected {
    std::int64_t works = 0;
    std::int64_t time = 0;
    std::int64_t busy = 0;
};
std::map<std::string, Expected> expectedOf(const std::vector<Truth>& all, TimeRange window) {
    std::map<std::string, std::vector<TimeRange>> ranges;
    std::map<std::string, Expected> result;
    for (const Truth& one : all) {
        const TimeRange inside{
            std::max(one.range.begin, window.begin), std::min(one.range.end, window.end)};
        if (one.range.begin >= window.end || (one.range.begin < window.begin && inside.isEmpty()))
            continue;
        for (std::size_t end = one.path.size();;) {
            const std::string path = one.path.substr(0, end);
            result[path].works += 1;
            result[path].time += std::max<std::int64_t>(0, inside.length().ns);
            ranges[path].push_back(inside);
            const std::size_t slash = one.path.rfind('/', end - 1);
            if (slash == std::string::npos)
                break;
            end = slash;
        }
    }
    for (auto& [path, list] : ranges) {
        std::sort(list.begin(), list.end());
        TimeNs until = window.begin;
        for (const TimeRange& range : list) {
            const TimeNs from = std::max(until, range.begin);
            result[path].busy += std::max<std::int64_t>(0, (range.end - from).ns);
            until = std::max(until, range.end);
        }
    }
    return result;
}

constexpr int kStepsOfIteration = 20;

// Steps of modules and their backward passes, so many of them an iteration; kernels run late, over
// each other, on two streams.
std::vector<Truth> plantSteps(PlantedTrace& trace, int steps) {
    std::mt19937_64 random{11};
    const auto below = [&](std::int64_t end) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
    };
    std::vector<Truth> truth;
    std::int64_t host = 1'000;
    std::int64_t device = 2'000;
    std::int64_t sequence = 0;
    std::int64_t correlation = 0;
    std::int64_t iterationBegin = host;
    const auto launch = [&](const char* thread, const std::string& path) {
        const std::int64_t count = below(3);
        for (std::int64_t i = 0; i < count; ++i) {
            trace.host(0, thread, SpanKind::Runtime, "cudaLaunchKernel", host, 2, ++correlation);
            device = std::max(device + below(400), host + 5);
            const std::int64_t length = 1 + below(below(40) == 0 ? 40'000 : 700);
            const std::string name = "kernel_" + std::to_string(below(5));
            trace.kernel(0, std::to_string(7 + below(2)), name, device, length, correlation);
            truth.push_back({path + "/" + name, {{device}, {device + length}}});
            host += 10;
        }
    };
    for (int step = 0; step < steps; ++step) {
        const std::int64_t begin = host;
        std::vector<std::pair<std::int64_t, std::string>> made;
        host += 5;
        for (int layer = 0; layer < 4; ++layer) {
            const std::string module = "nn.Module: Layer_" + std::to_string(layer);
            const std::int64_t moduleBegin = host;
            host += 5;
            for (int op = 0; op < 3; ++op) {
                const std::string name = op == 0 ? "aten::mm" : "aten::add";
                const std::int64_t opBegin = host;
                host += 3;
                const std::string path = "ProfilerStep#/" + module + "/" + name;
                launch("1", path);
                host += 5 + below(200);
                trace.host(
                    0, "1", SpanKind::CpuOp, name, opBegin, host - opBegin, forwardOf(++sequence));
                made.emplace_back(sequence, path);
                host += 3;
            }
            trace.host(0, "1", SpanKind::Python, module, moduleBegin, host - moduleBegin);
            host += 2;
        }
        for (auto one = made.rbegin(); one != made.rend(); ++one) {
            const std::int64_t opBegin = host;
            host += 3;
            launch("2", one->second + "/Backward");
            host += 5;
            trace.host(0, "2", SpanKind::CpuOp, "Backward", opBegin, host - opBegin,
                backwardOf(one->first));
            host += 2;
        }
        trace.host(0, "1", SpanKind::Annotation, "ProfilerStep#" + std::to_string(step), begin,
            host - begin);
        host += 10;
        if ((step + 1) % kStepsOfIteration == 0)
            trace.iteration(0, step / kStepsOfIteration, std::exchange(iterationBegin, host), host);
    }
    return truth;
}

void compare(const CallTree& tree, const std::map<std::string, Expected>& expected) {
    const auto nodes = byPath(tree);
    for (const auto& [path, wanted] : expected) {
        const auto found = nodes.find(path);
        QVERIFY2(found != nodes.end(), path.c_str());
        QCOMPARE(found->second.sums.works, wanted.works);
        QCOMPARE(found->second.sums.time.ns, wanted.time);
        QCOMPARE(found->second.sums.busy.ns, wanted.busy);
    }
    for (const auto& [path, node] : nodes) {
        if (node.sums.works > 0 && !path.empty())
            QVERIFY2(expected.count(path) == 1, path.c_str());
    }
}

} // namespace

class tst_CallTree : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aStepByHand() {
        auto planted = plantedStep();
        const auto store = planted.store();
        const CallTree tree = treeOf(store);
        const auto nodes = byPath(tree);
        const std::string mm = "ProfilerStep#/nn.Module: Linear_0/aten::linear/aten::mm";
        const auto& forward = nodes.at(mm);
        QVERIFY(forward.pass == StepPass::Forward);
        QCOMPARE(forward.sums.ownWorks, 2);
        QCOMPARE(forward.sums.ownTime.ns, 100);
        QCOMPARE(forward.sums.ownBusy.ns, 70);
        QCOMPARE(forward.sums.works, 3); // with its backward pass
        QCOMPARE(forward.sums.time.ns, 160);
        QCOMPARE(forward.sums.busy.ns, 130);
        QCOMPARE(forward.sums.calls, 1);
        QCOMPARE(
            tree.signatures[forward.signature], std::string(R"({"Input Dims":[[2,3],[3,4]]})"));
        const auto& leaf = nodes.at(mm + "/gemm");
        QVERIFY(leaf.kind == FrameKind::Kernel);
        QCOMPARE(leaf.longest.ns, 50);
        QCOMPARE(leaf.longestAt.ns, 100);
        const auto& backward = nodes.at(
            mm + "/autograd::engine::evaluate_function: MmBackward0/MmBackward0/aten::mm");
        QVERIFY(backward.pass == StepPass::Backward);
        QCOMPARE(backward.sums.ownTime.ns, 60);
        // Its forward call was made before the trace.
        const auto& again = nodes.at("CheckpointFunctionBackward/aten::mm");
        QVERIFY(again.pass == StepPass::Recomputation);
        QCOMPARE(again.sums.ownTime.ns, 30);
        const auto& optimizer = nodes.at("ProfilerStep#/Optimizer.step#Adam.step");
        QVERIFY(optimizer.pass == StepPass::Optimizer);
        QCOMPARE(optimizer.sums.ownTime.ns, 20);
        QCOMPARE(nodes.at("stray").sums.time.ns, 5);
        QVERIFY(nodes.at("Memset").kind == FrameKind::Set);
        QCOMPARE(nodes.at("").sums.time.ns, 216);
        QCOMPARE(nodes.at("").sums.busy.ns, 186);
        QVERIFY(tree.hasHost && tree.hasModules && tree.hasShapes);

        QCOMPARE(totalOf(tree, CallTotal::Of::Operator, "aten::mm").time.ns, 190);
        QCOMPARE(totalOf(tree, CallTotal::Of::Operator, "aten::mm").calls, 3);
        QCOMPARE(totalOf(tree, CallTotal::Of::Operator, "aten::linear").works, 0);
        QCOMPARE(totalOf(tree, CallTotal::Of::Module, "nn.Module: Linear_0").busy.ns, 130);
        // The main thread waits in it while the other one launches what hangs under the module.
        QCOMPARE(totalOf(tree, CallTotal::Of::Annotation, "loss.backward").time.ns, 60);
        QCOMPARE(totalOf(tree, CallTotal::Of::Annotation, "ProfilerStep#").time.ns, 180);
        QCOMPARE(totalOf(tree, StepPass::Forward).time.ns, 100);
        QCOMPARE(totalOf(tree, StepPass::Backward).time.ns, 60);
        QCOMPARE(totalOf(tree, StepPass::Recomputation).time.ns, 30);
        QCOMPARE(totalOf(tree, StepPass::Optimizer).time.ns, 20);
        QCOMPARE(totalOf(tree, StepPass::None).time.ns, 6);
    }
    void windowsCutTimes() {
        auto planted = plantedStep();
        const auto store = planted.store();
        const CallTree tree = treeOf(store, {{130}, {310}});
        const auto nodes = byPath(tree);
        const auto& forward = nodes.at("ProfilerStep#/nn.Module: Linear_0/aten::linear/aten::mm");
        QCOMPARE(forward.sums.ownTime.ns, 60); // 20 of one, 40 of the other
        QCOMPARE(forward.sums.ownBusy.ns, 40);
        QCOMPARE(forward.sums.time.ns, 70); // and 10 of the backward one
        QCOMPARE(forward.sums.works, 3);
        QCOMPARE(nodes.at("").sums.time.ns, 70);
    }
    // Without a device the work is the self time of calls: on thread 1 a step of 100 with a (30),
    // which calls b (10), and c (10); on thread 2 d (20).
    void hostsAloneHaveSelfTime() {
        PlantedTrace planted;
        planted.host(0, "1", SpanKind::Annotation, "ProfilerStep#4", 0, 100);
        planted.host(0, "1", SpanKind::CpuOp, "a", 10, 30);
        planted.host(0, "1", SpanKind::CpuOp, "b", 20, 10);
        planted.host(0, "1", SpanKind::CpuOp, "c", 50, 10);
        planted.host(0, "2", SpanKind::CpuOp, "d", 5, 20);
        auto store = planted.store();
        QCOMPARE(tracedRanks(studyOf(store)).value(), std::vector<int>{0});
        const CallTree tree = treeOf(store);
        QVERIFY(tree.isOfHost && tree.hasHost);
        const auto nodes = byPath(tree);
        QCOMPARE(nodes.at("").sums.time.ns, std::int64_t{120});
        QCOMPARE(nodes.at("").sums.works, std::int64_t{5});
        QCOMPARE(nodes.at("ProfilerStep#").sums.ownTime.ns, std::int64_t{60});
        QCOMPARE(nodes.at("ProfilerStep#").sums.time.ns, std::int64_t{100});
        QCOMPARE(nodes.at("ProfilerStep#/a").sums.ownTime.ns, std::int64_t{20});
        QCOMPARE(nodes.at("ProfilerStep#/a").sums.time.ns, std::int64_t{30});
        QCOMPARE(nodes.at("ProfilerStep#/a").sums.calls, std::int64_t{1});
        QCOMPARE(nodes.at("d").sums.ownTime.ns, std::int64_t{20});
        QCOMPARE(totalOf(tree, CallTotal::Of::Operator, "a").time.ns, std::int64_t{20});
        QCOMPARE(totalOf(tree, CallTotal::Of::Operator, "a").calls, std::int64_t{1});
        QCOMPARE(
            totalOf(tree, CallTotal::Of::Annotation, "ProfilerStep#").time.ns, std::int64_t{100});
        // Until 30: a of the step's own 10, 10 of a, b whole, d whole.
        const CallTree part = treeOf(store, {{0}, {30}});
        QCOMPARE(part.nodes.front().sums.time.ns, std::int64_t{50});
        QCOMPARE(totalOf(part, CallTotal::Of::Operator, "a").time.ns, std::int64_t{10});
        QCOMPARE(totalOf(part, CallTotal::Of::Operator, "c").calls, std::int64_t{0});

        const auto host = hostSelfTime(studyOf(store)).value();
        QVERIFY(host.has_value());
        QCOMPARE(host->threads, std::int64_t{2});
        QCOMPARE(host->calls, std::int64_t{5});
        QCOMPARE(host->selfTime.ns, std::int64_t{120});
        QCOMPARE(host->byName.front().name, std::string("ProfilerStep"));
        QCOMPARE(host->byName.front().selfTime.ns, std::int64_t{60});
        QCOMPARE(hostPlaceText(*host), std::string("2 threads of rank 0"));
    }
    // A kernel anywhere in the run, and the work is the devices' again.
    void oneKernelAndItIsNoHostAlone() {
        PlantedTrace planted;
        planted.host(0, "1", SpanKind::CpuOp, "a", 10, 30);
        planted.kernel(1, "7", "gemm", 20, 5);
        auto store = planted.store();
        QCOMPARE(tracedRanks(studyOf(store)).value(), std::vector<int>{1});
        QVERIFY(!treeOf(store).isOfHost);
        QVERIFY(!hostSelfTime(studyOf(store)).value());
    }
    // Random calls in calls on three threads, against a loop over every nanosecond's innermost
    // call; from the trace and from kept sums, whole and in windows.
    void selfTimeOfRandomCalls() {
        std::mt19937_64 random{11};
        const auto below = [&random](std::int64_t limit) {
            return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
        };
        struct Piece {
            std::string name;
            TimeRange range;
        };
        PlantedTrace planted;
        std::vector<Piece> pieces; // self time
        const auto plant
            = [&](auto& self, const std::string& thread, TimeRange range, int depth) -> void {
            const std::string name = "op" + std::to_string(below(7));
            planted.host(0, thread, SpanKind::CpuOp, name, range.begin.ns, range.length().ns);
            std::int64_t at = range.begin.ns;
            while (depth < 4 && at < range.end.ns && below(5) > 0) {
                const std::int64_t begin = at + below(range.length().ns / 3 + 1);
                const std::int64_t end = begin + 1 + below(range.length().ns / 2 + 1);
                if (end > range.end.ns)
                    break;
                pieces.push_back({name, {{at}, {begin}}});
                self(self, thread, {{begin}, {end}}, depth + 1);
                at = end;
            }
            pieces.push_back({name, {{at}, range.end}});
        };
        for (const char* thread : {"1", "2", "3"}) {
            std::int64_t at = below(kMs);
            for (int i = 0; i < 4'000; ++i) {
                const std::int64_t length = 100 * kUs + below(2 * kMs);
                plant(plant, thread, {{at}, {at + length}}, 0);
                at += length + below(100 * kUs);
            }
        }
        auto store = planted.store();
        const auto run = store.findRun("run").value();
        std::vector<TimeRange> windows{kAllTime};
        for (int i = 0; i < 8; ++i) {
            const std::int64_t begin = below(4'000 * kMs);
            windows.push_back({{begin}, {begin + 1 + below(i % 2 == 0 ? 50 * kMs : 2'000 * kMs)}});
        }
        const auto check = [&] {
            for (const TimeRange& window : windows) {
                std::map<std::string, std::int64_t> expected;
                for (const Piece& piece : pieces) {
                    const std::int64_t inside = std::min(piece.range.end, window.end).ns
                        - std::max(piece.range.begin, window.begin).ns;
                    if (inside > 0)
                        expected[piece.name] += inside;
                }
                const CallTree tree = treeOf(store, window);
                for (const auto& [name, time] : expected)
                    QCOMPARE(totalOf(tree, CallTotal::Of::Operator, name).time.ns, time);
            }
        };
        check();
        QVERIFY(keepSums(store, run).hasValue());
        check();
        QVERIFY(treeOf(store).isOfHost);
    }
    void keptSumsAreThoseOfTheTrace() {
        PlantedTrace planted;
        const auto truth = plantSteps(planted, 300);
        auto store = planted.store();
        const auto run = store.findRun("run").value();
        const TimeNs begin = truth.front().range.begin;
        const TimeNs end = truth.back().range.end;
        std::vector<TimeRange> windows{kAllTime};
        std::mt19937_64 random{5};
        for (int i = 0; i < 12; ++i) {
            const auto at = static_cast<std::int64_t>(
                random() % static_cast<std::uint64_t>((end - begin).ns));
            const auto length
                = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>((end - begin).ns))
                / (i % 3 == 0 ? 50 : 1);
            windows.push_back({begin + DurationNs{at}, begin + DurationNs{at + length + 1}});
        }
        for (const TimeRange& window : windows)
            compare(treeOf(store, window), expectedOf(truth, window));
        const auto whole = byPath(treeOf(store));
        QVERIFY(keepSums(store, run).hasValue());
        for (const TimeRange& window : windows)
            compare(treeOf(store, window), expectedOf(truth, window));
        // Calls, too, and what the longest kernel is.
        const auto kept = byPath(treeOf(store));
        QCOMPARE(kept.size(), whole.size());
        for (const auto& [path, node] : whole) {
            QCOMPARE(kept.at(path).sums, node.sums);
            QCOMPARE(kept.at(path).longestAt, node.longestAt);
            QVERIFY(kept.at(path).pass == node.pass);
        }
    }
    void partsEndWhereIterationsDo() {
        PlantedTrace planted;
        const auto truth = plantSteps(planted, 300);
        auto store = planted.store();
        const auto run = store.findRun("run").value();
        QVERIFY(keepSums(store, run).hasValue());
        std::set<std::int64_t> begins;
        const auto parts = store::sumOutlines(store, run.id, placeOf(SumKind::CallTree, 0));
        for (const auto& part : parts.value())
            begins.insert(part.begin);
        QCOMPARE(planted.iterations.size(), std::size_t{15});
        for (const Iteration& iteration : planted.iterations) {
            if (iteration.index > 0)
                QVERIFY(begins.contains(iteration.range.begin.ns));
            compare(treeOf(store, iteration.range), expectedOf(truth, iteration.range));
        }
    }
    void graphsLaunchManyKernels() {
        PlantedTrace trace;
        trace.host(0, "1", SpanKind::CpuOp, "replay", 0, 100);
        trace.host(0, "1", SpanKind::Runtime, "cudaGraphLaunch", 10, 5, 1);
        trace.kernel(0, "7", "a", 30, 5, 1);
        trace.kernel(0, "7", "b", 40, 5, 1);
        trace.kernel(0, "7", "a", 50, 5, 1);
        const auto store = trace.store();
        const auto nodes = byPath(treeOf(store));
        QCOMPARE(nodes.at("replay").sums.ownWorks, 3);
        QCOMPARE(nodes.at("replay").sums.calls, 1);
        QCOMPARE(nodes.at("replay/a").sums.works, 2);
    }
    void stepsThatTouchFollowEachOther() {
        PlantedTrace trace;
        trace.host(0, "1", SpanKind::Annotation, "ProfilerStep#1", 0, 101); // one into the next
        trace.host(0, "1", SpanKind::Annotation, "ProfilerStep#2", 100, 100);
        trace.host(0, "1", SpanKind::CpuOp, "aten::add", 150, 51); // one beyond its caller
        trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", 160, 5, 1);
        trace.kernel(0, "7", "a", 180, 5, 1);
        const auto store = trace.store();
        const auto nodes = byPath(treeOf(store));
        QCOMPARE(nodes.at("ProfilerStep#/aten::add").sums.time.ns, 5);
        QVERIFY(!nodes.contains("ProfilerStep#/ProfilerStep#"));
    }
    void withoutHostAllWorkIsUnderTheRoot() {
        PlantedTrace trace;
        trace.kernel(0, "7", "a", 30, 5, 1);
        const auto store = trace.store();
        const CallTree tree = treeOf(store);
        QVERIFY(!tree.hasHost);
        QCOMPARE(byPath(tree).at("a").sums.time.ns, 5);
    }
    // An operator of XLA is a kernel and the operator above it, with the work that it states: on a
    // TPU v4 (275 TFLOP/s, 1.228 TB/s) 4 GFLOP take 14.545 µs at least, which bounds both calls.
    void operatorsThatStateTheirWork() {
        PlantedTrace trace;
        const char* const detail
            = R"({"hlo category":"convolution fusion","flops":4000000000,"bytes accessed":2000000,"shape":"bf16[8]"})";
        trace.kernel(0, "XLA Ops", "fusion.3 (convolution fusion)", 0, 20'000, kStatesWork, detail);
        trace.kernel(
            0, "XLA Ops", "fusion.3 (convolution fusion)", 30'000, 20'000, kStatesWork, detail);
        trace.kernel(0, "XLA Ops", "copy.1", 60'000, 5'000);
        const auto store = trace.store();
        const CallTree tree = treeOf(store);
        QVERIFY(tree.hasHost);
        QVERIFY(tree.hasShapes);
        const auto nodes = byPath(tree);
        const std::string name = "fusion.3 (convolution fusion)";
        QCOMPARE(nodes.at(name).sums.calls, 2);
        QCOMPARE(nodes.at(name + "/" + name).sums.works, 2);
        QCOMPARE(nodes.at("copy.1").sums.works, 1);
        const OperatorTable table
            = operatorTable(tree, OperatorGrouping::Operator, catalogue::findAccelerator("TPU v4"));
        QCOMPARE(table.rows.size(), std::size_t{1});
        const WorkEfficiency& known = table.rows[0].efficiency;
        QCOMPARE(known.flop, std::optional(8e9));
        QCOMPARE(known.bytes, std::optional(4e6));
        QCOMPARE(known.intensity, std::optional(2000.0));
        QVERIFY(std::abs(*known.flopPerSecond - 200e12) < 1e6); // 8 GFLOP in 40 µs
        QVERIFY(std::abs(*known.rooflineFraction - 8e9 / 275e12 / 40e-6) < 1e-9);
        QVERIFY(!known.isMemoryBound);
    }
};

TRAINSCOPE_TEST(tst_CallTree)
#include "tst_CallTree.moc"
