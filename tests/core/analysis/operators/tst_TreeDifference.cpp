// Two trees by hand, matched by structure, and trees without some of their frames.

#include "core/analysis/operators/CallFrames.h"
#include "core/analysis/operators/CallTrees.h"
#include "core/analysis/operators/KeptTraces.h"
#include "core/analysis/operators/OperatorTable.h"
#include "core/analysis/operators/TreeMerge.h"
#include "core/analysis/operators/support/HandTree.h"
#include "core/analysis/traces/PlantedTrace.h"
#include "support/TestProgram.h"

using namespace std::string_literals;
using namespace trainscope::analysis;
using namespace trainscope::test;
using trainscope::test::HandTree;

namespace {

constexpr std::int64_t kMicro = 1000; // ns

struct ExpectedChange {
    const char* name;
    double microseconds; // b − a
    Change change;
    bool isByName;
};

HandTree before() {
    HandTree made;
    const auto module = made.frame(0, FrameKind::Module, "nn.Module: Linear_0");
    made.work(made.frame(module, FrameKind::Operator, "aten::mm", StepPass::Forward, "[8,8]"),
        "sm90_gemm", 100 * kMicro);
    made.work(made.frame(module, FrameKind::Operator, "aten::relu"), "relu", 50 * kMicro);
    made.work(made.frame(module, FrameKind::Operator, "aten::moved"), "moved", 10 * kMicro);
    made.work(made.frame(0, FrameKind::Operator, "aten::old"), "old", 30 * kMicro);
    return made;
}

// Other shapes, other kernels, a function of Python between module and operator.
HandTree after() {
    HandTree made;
    const auto module = made.frame(0, FrameKind::Module, "nn.Module: Linear_0");
    const auto function = made.frame(module, FrameKind::Python, "linear.py(7): forward");
    const auto one
        = made.frame(function, FrameKind::Operator, "aten::mm", StepPass::Forward, "[16,8]");
    const auto other
        = made.frame(function, FrameKind::Operator, "aten::mm", StepPass::Forward, "[32,8]");
    made.work(one, "Cijk_gemm", 20 * kMicro);
    made.work(other, "Cijk_gemm", 40 * kMicro);
    made.work(made.frame(function, FrameKind::Operator, "aten::relu"), "relu", 50 * kMicro);
    made.work(made.frame(function, FrameKind::Operator, "aten::new"), "new", 20 * kMicro);
    made.work(made.frame(0, FrameKind::Operator, "aten::moved"), "moved", 15 * kMicro);
    return made;
}

// One process multiplies on two GPUs at once, 2 · 1000³ FLOP in 100 of 200 µs on each; a third GPU
// is only copied to.
PlantedTrace plantedDevices() {
    PlantedTrace trace;
    const std::string product = R"({"Input Dims":[[1000,1000],[1000,1000]],)"
                                R"("Input type":["c10::BFloat16","c10::BFloat16"]})";
    for (std::int64_t device = 0; device < 2; ++device) {
        const std::string stream = "of " + std::to_string(device);
        const std::int64_t at = device * 20 * kUs;
        trace.devices[stream] = static_cast<int>(device);
        trace.host(0, "1", SpanKind::CpuOp, "aten::mm", at, 10 * kUs, 0, product);
        trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", at + 5 * kUs, kUs, device + 1);
        trace.kernel(0, stream, "gemm", 100 * kUs, 100 * kUs, device + 1);
    }
    trace.devices["beside"] = 2;
    trace.work(0, "beside", SpanKind::Copy, "Memcpy PtoP", 100 * kUs, kUs);
    trace.iteration(0, 4, 0, 200 * kUs);
    return trace;
}

} // namespace

class tst_TreeDifference : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void operatorsByTheSizeOfTheirDifference() {
        HandTree a = before();
        HandTree b = after();
        const auto made = treeDifference(a.tree(), b.tree());
        const std::vector<ExpectedChange> expected{{"aten::mm", -40.0, Change::Faster, false},
            {"aten::old", -30.0, Change::Gone, false}, {"aten::new", 20.0, Change::New, false},
            {"aten::moved", 5.0, Change::Slower, true}, {"aten::relu", 0.0, Change::Same, false}};
        QCOMPARE(made.operators.size(), expected.size());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const ComparedOperator& row = made.operators[i];
            QCOMPARE(row.name, std::string(expected[i].name));
            QVERIFY(std::abs(row.times.difference() * 1e6 - expected[i].microseconds) < 1e-9);
            QVERIFY(row.times.change() == expected[i].change);
            QCOMPARE(row.isByName, expected[i].isByName);
        }
        QVERIFY(std::abs(made.operators[0].times.ratio().value_or(0.0) - 0.6) < 1e-12);
        QCOMPARE(made.operators[0].path, std::string("nn.Module: Linear_0"));
        QVERIFY(!made.operators[1].times.ratio());
        QVERIFY(!made.isPerStep());
        // 190 µs and 145 µs in all, and under the module 160 µs and 130 µs.
        QVERIFY(std::abs(made.frames[0].times.difference() * 1e6 + 45.0) < 1e-9);
        QCOMPARE(made.frames[1].name, std::string("nn.Module: Linear_0"));
        QVERIFY(std::abs(made.frames[1].times.difference() * 1e6 + 30.0) < 1e-9);
    }

    // The works of either tree that the frames of a row launched are its time.
    void worksOfTheRows() {
        HandTree a = before();
        HandTree b = after();
        const auto made = treeDifference(a.tree(), b.tree());
        const auto timeOf = [](const CallTree& tree, const std::vector<std::uint32_t>& frameOf,
                                const ComparedOperator& row) {
            double seconds = 0.0;
            for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
                const bool isOfRow = std::find(row.frames.begin(), row.frames.end(), frameOf[i])
                    != row.frames.end();
                seconds += isWork(tree.nodes[i].kind) && isOfRow ? tree.nodes[i].sums.time.seconds()
                                                                 : 0.0;
            }
            return seconds;
        };
        for (const auto& operators : {made.operators, byName(made.operators)}) {
            for (const ComparedOperator& row : operators) {
                const double inA = row.times.a ? row.times.a->seconds : 0.0;
                const double inB = row.times.b ? row.times.b->seconds : 0.0;
                QVERIFY(std::abs(timeOf(a.tree(), made.frameOfA, row) - inA) < 1e-12);
                QVERIFY(std::abs(timeOf(b.tree(), made.frameOfB, row) - inB) < 1e-12);
            }
        }
    }

    // A has two steps, B one.
    void timesOfAStep() {
        HandTree a;
        const auto stepsOfA = a.frame(0, FrameKind::Annotation, "ProfilerStep");
        a.tree().nodes[stepsOfA].sums.calls = 2;
        a.work(a.frame(stepsOfA, FrameKind::Operator, "aten::mm"), "gemm", 80 * kMicro);
        HandTree b;
        const auto stepsOfB = b.frame(0, FrameKind::Annotation, "ProfilerStep");
        b.work(b.frame(stepsOfB, FrameKind::Operator, "aten::mm"), "gemm", 60 * kMicro);
        const auto made = treeDifference(a.tree(), b.tree());
        QVERIFY(made.isPerStep());
        QCOMPARE(made.operators.size(), std::size_t{1});
        QVERIFY(std::abs(made.operators[0].times.difference() * 1e6 - 20.0) < 1e-9);
        QVERIFY(std::abs(made.operators[0].times.a->calls - 0.5) < 1e-12);
    }

    // Four steps with a product each, the second of which launches a kernel itself besides: it is
    // four steps all the same, and 88 ns of kernels are 22 ns a step.
    void stepsThatLaunchThemselves() {
        test::PlantedTrace trace;
        for (std::int64_t step = 0; step < 4; ++step) {
            const std::int64_t at = step * 100;
            const std::string name = "ProfilerStep#" + std::to_string(step);
            trace.host(0, "1", SpanKind::Annotation, name, at, 100);
            trace.host(0, "1", SpanKind::CpuOp, "aten::mm", at + 10, 10);
            trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", at + 12, 2, step + 1);
            trace.kernel(0, "7", "gemm", at + 30, 20, step + 1);
        }
        trace.host(0, "1", SpanKind::Runtime, "cudaLaunchKernel", 130, 2, 5);
        trace.kernel(0, "7", "check", 160, 8, 5);
        const auto store = trace.store();
        const CallTree tree = callTree(studyOf(store), 0).value();
        const auto step = std::find_if(tree.nodes.begin(), tree.nodes.end(),
            [](const CallNode& node) { return node.kind == FrameKind::Annotation; });
        QVERIFY(step != tree.nodes.end());
        QCOMPARE(step->sums.ownWorks, 1);
        QCOMPARE(step->sums.calls, 4);
        const auto same = treeDifference(tree, tree);
        QCOMPARE(same.stepsA, 4);
        QVERIFY(std::abs(same.frames[0].times.a->seconds * 1e9 - 22.0) < 1e-9);
    }

    void byNameAlone() {
        HandTree a;
        for (const char* layer : {"nn.Module: A", "nn.Module: B"})
            a.work(a.frame(a.frame(0, FrameKind::Module, layer), FrameKind::Operator, "aten::mm"),
                "gemm", 10 * kMicro);
        const auto made = treeDifference(a.tree(), a.tree());
        QCOMPARE(made.operators.size(), std::size_t{2});
        const auto joined = byName(made.operators);
        QCOMPARE(joined.size(), std::size_t{1});
        QVERIFY(std::abs(joined[0].times.b->seconds * 1e6 - 20.0) < 1e-9);
        QVERIFY(joined[0].times.change() == Change::Same);
    }

    // A function's own launches become its caller's, and nothing is lost.
    void treesWithoutPython() {
        HandTree made;
        const auto module = made.frame(0, FrameKind::Module, "nn.Module: M");
        const auto function = made.frame(module, FrameKind::Python, "f");
        made.work(function, "triton", 7 * kMicro);
        made.work(made.frame(function, FrameKind::Operator, "aten::mm"), "gemm", 5 * kMicro);
        made.work(made.frame(module, FrameKind::Operator, "aten::mm"), "gemm", 3 * kMicro);
        const CallTree shown = foldedTree(made.tree(), {true, false, false, false}).tree;
        // root, module, triton, mm, gemm: both calls of aten::mm are one path now.
        QCOMPARE(shown.nodes.size(), std::size_t{5});
        QVERIFY(shown.nodes[1].kind == FrameKind::Module);
        QCOMPARE(shown.nodes[1].sums.ownTime.ns, 7 * kMicro);
        QCOMPARE(shown.nodes[1].sums.time.ns, 15 * kMicro);
        const CallNode& mm = shown.nodes[3];
        QCOMPARE(shown.names[mm.name], std::string("aten::mm"));
        QCOMPARE(mm.sums.time.ns, 8 * kMicro);
        QCOMPARE(mm.sums.calls, std::int64_t{2});
        QCOMPARE(shown.nodes[4].shortest.ns, 3 * kMicro);
        QCOMPARE(shown.nodes[4].longest.ns, 5 * kMicro);
    }

    // Names and arguments of calls that are one frame, and what compiled kernels are named after.
    void numbersOfAnnotationsAndArguments() {
        QCOMPARE(foldedAnnotation("ProfilerStep#12"), std::string("ProfilerStep#"));
        QCOMPARE(foldedAnnotation("iteration 7"), std::string("iteration"));
        QCOMPARE(foldedAnnotation("layer 3"), std::string("layer 3"));
        QCOMPARE(
            foldedAnnotation("Optimizer.step#Adam.step"), std::string("Optimizer.step#Adam.step"));
        const std::string folded
            = foldedSignature("{\"Concrete Inputs\":[\"\",\"0.125\",\"[1, "
                              "1]\",\"True\",\"1e-05\"],\"Input Dims\":[[1]]}");
        QCOMPARE(folded,
            std::string(
                "{\"Concrete Inputs\":[\"\",\"\",\"[1, 1]\",\"True\",\"\"],\"Input Dims\":[[1]]}"));
        const std::string quoted
            = foldedSignature("{\"Concrete Inputs\":[\"[0.1, 0.2]\",\"a \\\" b\"]}");
        QCOMPARE(quoted, std::string("{\"Concrete Inputs\":[\"\",\"a \\\" b\"]}"));
        const std::string cut = "{\"Concrete Inputs\":[\"cut of";
        QCOMPARE(foldedSignature(cut), cut);
    }

    void sourcesOfCompiledKernels() {
        // As PyTorch's Inductor named kernels of a compiled GPT: names of operators, sorted, by
        // "_".
        const auto fused = [](const char* name) {
            std::string list;
            for (const std::string& source : fusedOperators(name))
                list += source + " ";
            return list;
        };
        QCOMPARE(fused("triton_red_fused_add_mean_mul_pow_rsqrt_0"), "add mean mul pow rsqrt "s);
        QCOMPARE(fused("triton_per_fused__fused_rms_norm__fused_rms_norm_backward_add_view_20"),
            "_fused_rms_norm _fused_rms_norm_backward add view "s);
        QCOMPARE(
            fused("triton_poi_fused__to_copy_add_select_select_backward_slice_slice_backward_44"),
            "_to_copy add select select_backward slice slice_backward "s);
        QCOMPARE(fused("triton_poi_fused__unsafe_view_mul_nll_loss_forward_threshold_backward_5"),
            "_unsafe_view mul nll_loss_forward threshold_backward "s);
        QCOMPARE(fused("ampere_sgemm_128x64_tn"), std::string());
    }

    // MFU and unions of ranks that drive several GPUs, and the time that ranks have of a window.

    // 4e9 FLOP in 2 × 200 µs are 1e13 a second and GPU. While they run it is 2e13 on each.
    void everyGpuOfARankCounts_data() {
        const auto row = columns<bool>("isKept");
        row("from the trace", false);
        row("from kept sums", true);
    }
    void everyGpuOfARankCounts() {
        QFETCH(bool, isKept);
        auto trace = plantedDevices();
        auto store = trace.store();
        const Run run = store.findRun("run").value();
        if (isKept)
            QVERIFY(keepSums(store, run).hasValue());
        catalogue::GpuModel gpu;
        gpu.bf16Flops = 1e14;
        gpu.memoryBandwidth = 1e12;
        const CallTree tree = callTree({store, run}, 0).value();
        const auto mfu = operatorMfu(tree, tree.rankTime.seconds(), &gpu);
        QVERIFY(mfu && mfu->mfu);
        QCOMPARE(mfu->flop, 4e9);
        QVERIFY(std::abs(*mfu->mfu - 0.1) < 1e-4);
        const auto table = operatorTable(tree, OperatorGrouping::Operator, &gpu);
        QCOMPARE(table.rows.size(), std::size_t{1});
        QCOMPARE(table.rows[0].time.ns, 200 * kUs);
        QCOMPARE(table.rows[0].busy.ns, 200 * kUs); // both of them
        QCOMPARE(*table.rows[0].efficiency.flopPerSecond, 2e13);
        QCOMPARE(*table.rows[0].efficiency.rooflineFraction, 0.2);
        const auto iterations = iterationMfus({store, run}, 0, kAllTime, &gpu).value();
        QCOMPARE(iterations.size(), std::size_t{1});
        QVERIFY(std::abs(*iterations[0].mfu.mfu - 0.1) < 1e-4);
    }

    // Rank 0 works for 10 ms, rank 1 for 4: of 5 to 10 ms there are 5 of rank 0 and none of rank 1,
    // not less than none.
    void ranksThatEndBeforeTheWindow() {
        PlantedTrace planted;
        planted.kernel(0, "7", "gemm", 0, 10 * kMs);
        planted.kernel(1, "7", "gemm", 0, 4 * kMs);
        const auto store = planted.store();
        const TimeRange window{{5 * kMs}, {10 * kMs}};
        QCOMPARE(callTree(studyOf(store), window).value().rankTime.ns, 5 * kMs);
        QCOMPARE(callTree(studyOf(store), 1, window).value().rankTime.ns, 0);
    }
};

TRAINSCOPE_TEST(tst_TreeDifference)
#include "tst_TreeDifference.moc"
