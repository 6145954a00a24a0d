// Rows of a tree by hand: their order, what is searched, what is unfolded, and how they are worded.

#include "app/viewmodels/operators/OperatorRows.h"
#include "app/viewmodels/operators/OperatorsSettings.h"
#include "support/TestProgram.h"

using namespace trainscope;
using analysis::CallTree;
using analysis::FrameKind;
using app::OperatorOutline;
using app::OutlineNode;

namespace {

OutlineNode rowUnder(std::uint32_t parent, std::size_t source, const char* name,
    std::optional<double> seconds, const char* note = "") {
    OutlineNode node;
    node.parent = parent;
    node.source = source;
    node.name = name;
    node.note = note;
    node.values = {seconds, std::nullopt};
    return node;
}

// root (6 s): forward (4 s): mm (3 s), relu (1 s); optimizer (2 s): adam (not known).
OperatorOutline demoOutline() {
    return {{{"Time", "s", "Kernel time"}, {"FLOP", "FLOP", ""}},
        {rowUnder(OutlineNode::kNone, 0, "root", 6.0), rowUnder(0, 1, "optimizer", 2.0),
            rowUnder(0, 2, "forward", 4.0), rowUnder(2, 3, "aten::relu", 1.0),
            rowUnder(2, 4, "aten::mm", 3.0, "[8, 8] bf16"), rowUnder(1, 5, "adam", std::nullopt)},
        0};
}

std::string seenNames(const OperatorOutline& outline) {
    std::string names;
    for (const auto& row : outline.seen())
        names += (names.empty() ? "" : " ") + outline.nodes()[row.node].name;
    return names;
}

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

class tst_OperatorOutline : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void unfoldedAndSorted() {
        OperatorOutline outline = demoOutline();
        QCOMPARE(seenNames(outline), std::string("root"));
        outline.unfoldLongest(5);
        // root and then forward, which is longer than the optimizer.
        QCOMPARE(seenNames(outline), std::string("root forward aten::mm aten::relu optimizer"));
        outline.setUnfolded(1, true);
        outline.sortBy(0, false);
        QCOMPARE(
            seenNames(outline), std::string("root optimizer adam forward aten::relu aten::mm"));
        outline.sortBy(-1, false);
        QCOMPARE(
            seenNames(outline), std::string("root forward aten::mm aten::relu optimizer adam"));
        OperatorOutline other = demoOutline();
        other.unfoldTo(5);
        QCOMPARE(seenNames(other), std::string("root forward optimizer adam"));
    }

    void callersOfWhatIsFoundStay() {
        OperatorOutline outline = demoOutline();
        outline.search("RELU");
        QCOMPARE(seenNames(outline), std::string("root forward aten::relu"));
        outline.search("mm bf16");
        QCOMPARE(seenNames(outline), std::string("root forward aten::mm"));
        QVERIFY(outline.seen().back().isFound && !outline.seen().front().isFound);
        // Frames under a frame that was found can be unfolded.
        outline.search("forward");
        QCOMPARE(seenNames(outline), std::string("root forward"));
        outline.setUnfolded(2, true);
        QCOMPARE(seenNames(outline), std::string("root forward aten::mm aten::relu"));
        outline.search("nothing of the kind");
        QVERIFY(outline.seen().empty());
        outline.search("");
        QVERIFY(outline.found().empty());
    }

    void rowsOfTheModel() {
        const auto shared = std::make_shared<OperatorOutline>(demoOutline());
        OperatorOutline& outline = *shared;
        outline.unfoldLongest(3);
        app::TableModel model;
        QAbstractItemModelTester tester(
            &model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.show(app::operatorContent(shared, QStringLiteral("Frame")));
        // The second column has no values.
        QCOMPARE(model.heads()->titles(), test::texts("Frame", "Time"));
        QCOMPARE(model.sortColumn(), 1);
        QCOMPARE(model.count(), 3);
        QCOMPARE(model.at(1, "cells").toStringList(), test::texts("forward", "4 s"));
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
        outline.setUnfolded(2, true);
        model.show(app::operatorContent(shared, QStringLiteral("Frame")));
        QCOMPARE(model.count(), 5);
        QCOMPARE(resets.size(), 0);
        QCOMPARE(inserted.size(), 1);
        QCOMPARE(inserted.front().at(1).toInt(), 2);
        QCOMPARE(model.placeOf(4), 2);
        QCOMPARE(model.text(2, 1), QStringLiteral("Frame\tTime\n    aten::mm [8, 8] bf16\t3 s\n"));
        const QString csv = app::operatorCsv(outline, QStringLiteral("Frame"));
        QVERIFY(csv.contains(QStringLiteral("\naten::mm,\"[8, 8] bf16\",2,3,\n")));
    }

    void settingsSurviveJson() {
        const app::OperatorsChoices choices{{0, 3}, {"other"}, true};
        app::OperatorsSettings settings;
        for (const auto& row : app::operatorsSettings().rows(settings, choices)) {
            for (int choice = 0; choice < row.count(); ++choice) {
                const auto after
                    = app::operatorsSettings().with(settings, choices, row.key, choice);
                QVERIFY(app::operatorsSettings().restored({}, app::operatorsSettings().kept(after))
                    == after);
                for (const auto& shown : app::operatorsSettings().rows(after, choices)) {
                    if (shown.key == row.key)
                        QCOMPARE(shown.current, choice);
                }
            }
            QVERIFY(
                app::operatorsSettings().with(settings, choices, row.key, row.count()) == settings);
        }
        QCOMPARE(
            app::operatorsSettings().with(settings, choices, QStringLiteral("rank"), 2).rank, 3);
        QVERIFY(app::operatorsSettings().restored({}, {}) == settings);
    }

    // A grouping that another comparison has comes back when it can be had again, and turns into no
    // other one meanwhile.
    void groupingsOfOneRunAndOfTwo() {
        using By = app::OperatorsBy;
        QCOMPARE(app::shownBy(By::Path, true), By::Path);
        QCOMPARE(app::shownBy(By::Path, false), By::Tree);
        QCOMPARE(app::shownBy(By::Shape, true), By::Path);
        QCOMPARE(app::shownBy(By::Pass, false), By::Pass);
        QCOMPARE(app::shownBy(By::Kernel, true), By::Kernel);
        QCOMPARE(app::shownBy(By::Category, true), By::Path);
        const app::OperatorsChoices choices{{0, 3}, {"other"}, true};
        const auto by = [&choices](const app::OperatorsSettings& settings) {
            const auto rows = app::operatorsSettings().rows(settings, choices);
            return rows.front().choices[rows.front().current];
        };
        app::OperatorsSettings settings;
        settings.against = "other";
        settings = app::operatorsSettings().with(settings, choices, QStringLiteral("by"), 3);
        QCOMPARE(by(settings), QStringLiteral("Path"));
        QVERIFY(app::operatorsSettings().restored({}, app::operatorsSettings().kept(settings))
            == settings);
        settings = app::operatorsSettings().with(settings, choices, QStringLiteral("against"), 0);
        QCOMPARE(by(settings), QStringLiteral("Tree"));
        settings = app::operatorsSettings().with(settings, choices, QStringLiteral("by"), 5);
        QCOMPARE(by(settings), QStringLiteral("Module"));
        settings = app::operatorsSettings().with(settings, choices, QStringLiteral("against"), 1);
        QCOMPARE(by(settings), QStringLiteral("Path"));
        settings = app::operatorsSettings().with(settings, choices, QStringLiteral("against"), 0);
        QCOMPARE(by(settings), QStringLiteral("Module"));
    }

    // Kernels under a row of the view.

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

TRAINSCOPE_GUI_TEST(tst_OperatorOutline)
#include "tst_OperatorOutline.moc"
