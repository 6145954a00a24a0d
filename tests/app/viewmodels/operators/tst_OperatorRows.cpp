// Kernels under a row of the view Operators.
#include "app/viewmodels/operators/OperatorRows.h"
#include "support/TestProgram.h"

#include <QTest>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace trainscope;
using analysis::CallTree;
using analysis::FrameKind;

namespace {

constexpr std::int64_t kNsOfUs = 1'000;

std::uint32_t addNode(CallTree& tree, FrameKind kind, std::uint32_t parent, const char* name) {
    analysis::CallNode node;
    node.kind = kind;
    node.parent = parent;
    node.name = static_cast<std::uint32_t>(tree.names.size());
    tree.names.emplace_back(name);
    tree.nodes.push_back(node);
    return static_cast<std::uint32_t>(tree.nodes.size() - 1);
}

std::uint32_t addKernel(CallTree& tree, std::uint32_t parent, const char* name, std::int64_t us) {
    const auto at = addNode(tree, FrameKind::Kernel, parent, name);
    auto& sums = tree.nodes[at].sums;
    sums.works = 1;
    sums.time = DurationNs{us * kNsOfUs};
    return at;
}

// outer → its kernel of 5 µs; → an annotation → a kernel of 10 µs; → inner → a kernel of 7 µs.
// An annotation with the name of the operator has a kernel of 3 µs.
struct Tree {
    CallTree tree;
    std::uint32_t kernelBelow = 0;

    Tree() {
        tree.signatures = {""};
        const auto root = addNode(tree, FrameKind::Root, analysis::CallNode::kNone, "");
        const auto outer = addNode(tree, FrameKind::Operator, root, "outer");
        addKernel(tree, outer, "own", 5);
        const auto between = addNode(tree, FrameKind::Annotation, outer, "between");
        kernelBelow = addKernel(tree, between, "below", 10);
        const auto inner = addNode(tree, FrameKind::Operator, outer, "inner");
        addKernel(tree, inner, "other", 7);
        const auto namesake = addNode(tree, FrameKind::Annotation, root, "outer");
        addKernel(tree, namesake, "foreign", 3);
    }
};

// By operator: the rows "outer" and "inner".
app::OperatorsAnswer answerOf(const CallTree& tree) {
    app::OperatorsAnswer answer;
    answer.question.by = app::OperatorsBy::Operator;
    answer.grouping = analysis::OperatorGrouping::Operator;
    auto work = std::make_shared<plot::CalledWork>();
    work->tree = tree;
    answer.work = work;
    auto table = std::make_shared<plot::OperatorTableFigureData>();
    std::vector<app::OutlineNode> rows;
    for (const char* name : {"outer", "inner"}) {
        table->operators.emplace_back().name = name;
        app::OutlineNode& row = rows.emplace_back();
        row.source = rows.size() - 1;
        row.name = name;
    }
    answer.table = table;
    answer.outline = app::OperatorOutline({}, std::move(rows), -1);
    return answer;
}

} // namespace

class tst_OperatorRows : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // 10 µs below the annotation and 5 µs, not the 7 µs of the operator that it calls.
    void workOfTheNearestOperator() {
        const auto answer = answerOf(Tree().tree);
        const auto outer = app::kernelsUnder(answer, 0);
        QCOMPARE(outer.size(), std::size_t{2});
        QCOMPARE(outer[0].name, std::string("below"));
        QCOMPARE(outer[0].total.ns, 10 * kNsOfUs);
        QCOMPARE(outer[1].name, std::string("own"));
        const auto inner = app::kernelsUnder(answer, 1);
        QCOMPARE(inner.size(), std::size_t{1});
        QCOMPARE(inner[0].total.ns, 7 * kNsOfUs);
    }

    void aKernelIsOfItsOperator() {
        const Tree tree;
        QCOMPARE(app::rowOfTreeNode(answerOf(tree.tree), tree.kernelBelow), std::uint32_t{0});
    }
};

TRAINSCOPE_TEST(tst_OperatorRows)
#include "tst_OperatorRows.moc"
