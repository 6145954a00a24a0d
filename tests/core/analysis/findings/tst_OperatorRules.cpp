// Rules about operators, on planted call trees and from their thresholds on.

#include "core/analysis/findings/CleanRun.h"
#include "core/analysis/operators/OperatorMfu.h"
#include "core/analysis/operators/OperatorTable.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::analysis;
using namespace trainscope::test;

namespace {

constexpr std::int64_t kMs = 1'000'000;

struct PlantedTree {
    CallTree tree;

    PlantedTree() {
        tree.hasHost = true;
        tree.hasShapes = true;
        tree.signatures.emplace_back();
        tree.names.emplace_back();
        tree.nodes.emplace_back();
    }
    std::uint32_t nameOf(const std::string& text) {
        tree.names.push_back(text);
        return static_cast<std::uint32_t>(tree.names.size() - 1);
    }
    std::uint32_t add(std::uint32_t parent, FrameKind kind, const std::string& name,
        StepPass pass = StepPass::Forward, const std::string& detail = {}) {
        CallNode node;
        node.kind = kind;
        node.pass = pass;
        node.parent = parent;
        node.name = nameOf(name);
        if (!detail.empty()) {
            tree.signatures.push_back(detail);
            node.signature = static_cast<std::uint32_t>(tree.signatures.size() - 1);
        }
        tree.nodes.push_back(node);
        return static_cast<std::uint32_t>(tree.nodes.size() - 1);
    }
    // Kernels, each of a call of its own, that take so long together.
    void launch(
        std::uint32_t caller, FrameKind kind, std::int64_t count, std::int64_t nanoseconds) {
        const auto work = add(caller, kind, "work", tree.nodes[caller].pass);
        tree.nodes[work].sums.works = count;
        tree.nodes[work].sums.time = {nanoseconds};
        tree.nodes[caller].sums.calls = count;
        tree.nodes[caller].sums.ownWorks += count;
        for (auto at = caller; at != CallNode::kNone; at = tree.nodes[at].parent) {
            FrameSums& sums = tree.nodes[at].sums;
            sums.works += count;
            sums.time = sums.time + DurationNs{nanoseconds};
            sums.busy = sums.busy + DurationNs{nanoseconds};
        }
        const CallNode& node = tree.nodes[caller];
        if (node.signature != 0) {
            CallTotal total;
            total.of = CallTotal::Of::Shape;
            total.name = node.name;
            total.signature = node.signature;
            total.sums = node.sums;
            tree.totals.push_back(total);
        }
    }
};

std::string product(int m, int n, int k) {
    return R"({"Input Dims":[[)" + std::to_string(m) + "," + std::to_string(k) + "],["
        + std::to_string(k) + "," + std::to_string(n)
        + R"(]],"Input type":["c10::BFloat16","c10::BFloat16"]})";
}

catalogue::GpuModel roundGpu() { // 100 TFLOP/s of 16 bits, 1 TB/s
    catalogue::GpuModel gpu;
    gpu.bf16Flops = 1e14;
    gpu.memoryBandwidth = 1e12;
    return gpu;
}

} // namespace

class tst_OperatorRules : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void farBelowTheRoofline() {
        PlantedTree planted;
        const auto module = planted.add(0, FrameKind::Module, "nn.Module: Linear_0");
        // 2 · 5000² · 1000 FLOP take 0.5 ms: of the first calls 4 ms, of the second 1 ms each.
        const auto slow = planted.add(
            module, FrameKind::Operator, "aten::mm", StepPass::Forward, product(5000, 5000, 1000));
        planted.launch(slow, FrameKind::Kernel, 2, 8 * kMs);
        const auto good = planted.add(
            module, FrameKind::Operator, "aten::mm", StepPass::Forward, product(5000, 1000, 5000));
        planted.launch(good, FrameKind::Kernel, 2, 2 * kMs);
        const auto gpu = roundGpu();
        const OperatorFacts facts = operatorFacts(planted.tree, &gpu);
        QCOMPARE(facts.slow.size(), std::size_t{1});
        QCOMPARE(facts.slow.front().shape, std::string("[5000, 1000], [1000, 5000] bf16"));
        QCOMPARE(facts.slow.front().savedS, 7e-3);
        QVERIFY(operatorFacts(planted.tree, nullptr).slow.empty());

        // 7 ms of four times 1 s are nothing; of four times 20 ms 8.75 %.
        RunFacts run = clean();
        run.operators = facts;
        QVERIFY(applyRules(run).empty());
        for (TracedDevice& device : run.traced) {
            device.windowS = 0.02;
            device.exposedS = device.idleS = device.hostBoundS = 0.0;
        }
        run.communication.reset();
        const Findings all = applyRules(run);
        const Finding* const found = find(all, "slow_operators");
        QVERIFY(found != nullptr);
        QCOMPARE(found->values.at("fraction"), 0.0875);
        VERIFY_SAYS(found->text, "aten::mm of [5000, 1000], [1000, 5000] bf16 8.75 %");
    }

    void smallKernelsCopiesAndRepeatedWork() {
        PlantedTree planted;
        const auto block = planted.add(0, FrameKind::Module, "nn.Module: Block_0");
        const auto add = planted.add(block, FrameKind::Operator, "aten::add");
        planted.launch(add, FrameKind::Kernel, 1000, 3 * kMs); // 3 µs each
        const auto contiguous = planted.add(block, FrameKind::Operator, "aten::contiguous");
        const auto copy = planted.add(contiguous, FrameKind::Operator, "aten::copy_");
        planted.launch(copy, FrameKind::Kernel, 10, 2 * kMs);
        const auto loose = planted.add(0, FrameKind::Operator, "aten::to");
        planted.launch(loose, FrameKind::Copy, 1, 1 * kMs);
        const auto again = planted.add(block, FrameKind::Operator, "aten::mm",
            StepPass::Recomputation, product(1000, 1000, 1000));
        planted.launch(again, FrameKind::Kernel, 1, 4 * kMs);
        const OperatorFacts facts = operatorFacts(planted.tree, nullptr);
        QCOMPARE(facts.kernels, std::int64_t{1011});
        QCOMPARE(facts.smallKernels, std::int64_t{1000});
        QCOMPARE(facts.smallS, 3e-3);
        QCOMPARE(facts.smallIn.front().name, std::string("nn.Module: Block"));
        // Without the copy engine's copy, which gpu_copies tells of.
        QCOMPARE(facts.copiedS, 2e-3);
        QCOMPARE(facts.copiedIn.size(), std::size_t{1});
        QCOMPARE(facts.copiedIn.front().name, std::string("nn.Module: Block"));
        QCOMPARE(facts.recomputedS, 4e-3);
        QCOMPARE(facts.recomputed.front().name, std::string("aten::mm"));
    }

    // Copies by the engines are gpu_copies, those by kernels hidden_copies: never the same time.
    void copiesAreToldOnce() {
        const auto told = [](FrameKind kind, double copyS) {
            PlantedTree planted;
            const auto copy = planted.add(0, FrameKind::Operator, "aten::copy_");
            planted.launch(copy, kind, 1, 800 * kMs); // 4 s are traced
            RunFacts run = clean();
            run.operators = operatorFacts(planted.tree, nullptr);
            for (TracedDevice& device : run.traced)
                device.copyS = copyS; // while no kernel runs, of 1 s each
            std::vector<std::string> rules;
            for (const Finding& one : applyRules(run))
                rules.push_back(one.rule);
            return rules;
        };
        QCOMPARE(told(FrameKind::Copy, 0.2), std::vector<std::string>{"gpu_copies"});
        QCOMPARE(told(FrameKind::Kernel, 0.0), std::vector<std::string>{"hidden_copies"});
    }

    // Calls that take more than twice their work, the innermost of them; only where GPUs wait.
    void launchBoundModules() {
        PlantedTree planted;
        const auto outer = planted.add(0, FrameKind::Annotation, "step");
        const auto inner = planted.add(outer, FrameKind::Module, "nn.Module: Head_0");
        const auto operation = planted.add(inner, FrameKind::Operator, "aten::mul");
        planted.launch(operation, FrameKind::Kernel, 10, 10 * kMs);
        planted.tree.nodes[outer].sums.hostTime = {400 * kMs};
        planted.tree.nodes[inner].sums.hostTime = {300 * kMs};
        RunFacts run = clean();
        run.operators = operatorFacts(planted.tree, nullptr);
        QCOMPARE(run.operators->launchBound.size(), std::size_t{1});
        QCOMPARE(run.operators->launchBound.front().name, std::string("nn.Module: Head"));
        QVERIFY(applyRules(run).empty());
        for (TracedDevice& device : run.traced)
            device.hostBoundS = 0.06;
        const Findings all = applyRules(run);
        const Finding* const found = find(all, "launch_bound");
        QVERIFY(found != nullptr);
        QCOMPARE(found->values.at("fraction"), 0.06); // 4 × 0.06 s of 4 s that are traced
        QVERIFY2(found->text.starts_with("Calls of nn.Module: Head take 300 ms to launch"),
            found->text.c_str());
        QVERIFY(found->text.ends_with("GPUs wait for the host for 6 % of the traced time."));
    }

    void thresholds() {
        using Change = void (*)(OperatorFacts&, double);
        const std::pair<const char*, std::pair<double, Change>> cases[]{
            {"slow_operators", {kSlowOperators, [](OperatorFacts& f, double s) { f.savedS = s; }}},
            {"small_kernels", {kSmallKernels, [](OperatorFacts& f, double s) { f.smallS = s; }}},
            {"recomputation", {kRecomputed, [](OperatorFacts& f, double s) { f.recomputedS = s; }}},
            {"hidden_copies", {kCopies, [](OperatorFacts& f, double s) { f.copiedS = s; }}},
        };
        for (const auto& [rule, limit] : cases) {
            RunFacts run = clean(); // traced for 4 s
            run.operators = OperatorFacts{};
            limit.second(*run.operators, 4.0 * limit.first * 0.99);
            QVERIFY2(applyRules(run).empty(), rule);
            limit.second(*run.operators, 4.0 * limit.first * 1.01);
            const Findings all = applyRules(run);
            QVERIFY2(all.size() == 1 && all.front().rule == rule, rule);
        }
    }

    // 2 · 1000³ FLOP in each of five calls; two of them are done again. linear counts once, by the
    // product that it calls.
    void shareOfThePeakByOperators() {
        PlantedTree planted;
        const std::string linear
            = R"({"Input Dims":[[1000,1000],[1000,1000]],"Input type":["c10::Half","c10::Half"]})";
        const auto outer
            = planted.add(0, FrameKind::Operator, "aten::linear", StepPass::Forward, linear);
        planted.tree.nodes[outer].sums.calls = 3;
        const auto inner = planted.add(
            outer, FrameKind::Operator, "aten::mm", StepPass::Forward, product(1000, 1000, 1000));
        planted.launch(inner, FrameKind::Kernel, 3, 3 * kMs);
        // The library's own operator below is not known: its caller counts.
        const auto again
            = planted.add(0, FrameKind::Operator, "aten::linear", StepPass::Recomputation, linear);
        const auto own
            = planted.add(again, FrameKind::Operator, "mine::gemm", StepPass::Recomputation);
        planted.launch(own, FrameKind::Kernel, 2, 1 * kMs);
        planted.tree.nodes[again].sums.calls = 2;
        const auto gpu = roundGpu();
        const auto found = operatorMfu(planted.tree, 1e-3, &gpu);
        QVERIFY(found.has_value());
        QCOMPARE(found->flop, 6e9);
        QCOMPARE(found->recomputedFlop, 4e9);
        QCOMPARE(*found->mfu, 0.06);
        QCOMPARE(*found->hfu, 0.1);
        QCOMPARE(found->knownShare, 1.0);
    }

    // The backward pass hangs under the forward operator, whose formula is of its own pass alone:
    // three products of 2 · 1000³ FLOP and 6 MB, in 1 ms and 3 ms.
    void formulasAreOfOnePass() {
        PlantedTree planted;
        const auto module = planted.add(0, FrameKind::Module, "nn.Module: Linear_0");
        const auto forward = planted.add(
            module, FrameKind::Operator, "aten::mm", StepPass::Forward, product(1000, 1000, 1000));
        planted.launch(forward, FrameKind::Kernel, 1, 1 * kMs);
        const auto node
            = planted.add(forward, FrameKind::Operator, "MmBackward0", StepPass::Backward);
        const auto backward = planted.add(
            node, FrameKind::Operator, "aten::mm", StepPass::Backward, product(1000, 1000, 1000));
        planted.launch(backward, FrameKind::Kernel, 2, 3 * kMs);
        const auto gpu = roundGpu();
        const auto known = efficiencies(planted.tree, &gpu);
        for (const auto whole : {std::uint32_t{0}, module, forward}) {
            QCOMPARE(*known[whole].flop, 6e9);
            QCOMPARE(*known[whole].bytes, 18e6);
            QCOMPARE(known[whole].knownShare, 1.0);
            QCOMPARE(*known[whole].rooflineFraction, 0.06 / 4.0); // 0.02 ms each
        }
        QCOMPARE(*known[backward].flop, 4e9);
        QCOMPARE(operatorMfu(planted.tree, 4e-3, &gpu)->flop, 6e9);
        for (const StepPass pass : {StepPass::Forward, StepPass::Backward}) {
            CallTotal total;
            total.of = CallTotal::Of::Pass;
            total.pass = pass;
            total.sums = planted.tree.nodes[pass == StepPass::Forward ? forward : backward].sums;
            planted.tree.totals.push_back(total);
        }
        const auto passes = operatorTable(planted.tree, OperatorGrouping::Pass, &gpu).rows;
        QCOMPARE(passes.size(), std::size_t{2});
        for (const OperatorEntry& row : passes)
            QCOMPARE(*row.efficiency.flop, row.pass == StepPass::Forward ? 2e9 : 4e9);
    }

    // 1 GB in 2 ms and 100 MB in 0.1 ms, which a cache may hold.
    void bandwidthOfTheLargestOperators() {
        PlantedTree planted;
        const std::string large
            = R"({"Input Dims":[[250000000],[250000000]],"Input type":["c10::Half","c10::Half"],)"
              R"("Concrete Inputs":["","","False"]})";
        const std::string small
            = R"({"Input Dims":[[25000000],[25000000]],"Input type":["c10::Half","c10::Half"],)"
              R"("Concrete Inputs":["","","False"]})";
        for (const auto& [detail, time] : {std::pair(large, 2 * kMs), std::pair(small, kMs / 10)}) {
            const auto copy
                = planted.add(0, FrameKind::Operator, "aten::copy_", StepPass::Forward, detail);
            planted.launch(copy, FrameKind::Kernel, 1, time);
        }
        const auto gpu = roundGpu();
        const auto found = measuredBandwidth(planted.tree, &gpu);
        QVERIFY(found.has_value());
        QCOMPARE(found->bytesPerSecond, 5e11);
        QCOMPARE(found->name, std::string("aten::copy_"));
        QVERIFY(!measuredBandwidth(planted.tree, nullptr));
    }
};

TRAINSCOPE_TEST(tst_OperatorRules)
#include "tst_OperatorRules.moc"
