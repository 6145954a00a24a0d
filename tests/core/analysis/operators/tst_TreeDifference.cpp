// Two trees by hand, matched by structure, and trees without some of their frames.

#include "core/analysis/traces/PlantedTrace.h"

#include "core/analysis/operators/CallTrees.h"
#include "core/analysis/operators/TreeDifference.h"
#include "core/analysis/operators/TreeFolding.h"
#include "core/analysis/operators/support/HandTree.h"
#include "support/TestProgram.h"

#include <algorithm>
#include <cmath>
#include <string>

using namespace trainscope;
using namespace trainscope::analysis;
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
        const CallTree tree = callTree({store, store.findRun("run").value()}, 0).value();
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
        const CallTree shown = folded(made.tree(), {true, false, false, false});
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
};

TRAINSCOPE_TEST(tst_TreeDifference)
#include "tst_TreeDifference.moc"
