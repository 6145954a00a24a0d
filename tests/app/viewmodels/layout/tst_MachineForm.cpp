// The form of the machine: the order of the air, moved, undone and given back to the temperatures.
#include "app/viewmodels/layout/MachineForm.h"
#include "support/TestProgram.h"

#include <QAbstractItemModelTester>
#include <QTest>

using namespace trainscope;
using app::MachineForm;

namespace {

app::MachineFormFacts facts() {
    app::MachineFormFacts facts;
    facts.ascending = {0, 1, 2, 3};
    facts.inferred = {{1, 2, 0, 3}, analysis::AirflowOrigin::Inferred, "GPUs 0, 3 are hotter."};
    facts.air = facts.inferred;
    facts.gpuHint = "H100 SXM5 (inferred)";
    return facts;
}

std::vector<int> orderOf(const MachineForm& form) {
    std::vector<int> order;
    for (const auto& row : form.rows())
        order.push_back(row.local);
    return order;
}

} // namespace

class tst_MachineForm : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void beginsAsInferred() {
        MachineForm form;
        form.begin(facts());
        QCOMPARE(orderOf(form), (std::vector<int>{1, 2, 0, 3}));
        QVERIFY(!form.rows()[1].isRear && form.rows()[2].isRear);
        QVERIFY(!form.isSaid() && !form.isUndoable());
        QCOMPARE(form.evidence(), QStringLiteral("Inferred. GPUs 0, 3 are hotter."));
        QVERIFY(form.said().empty());
    }

    void movesAndUndoes() {
        MachineForm form;
        const QAbstractItemModelTester tester(
            &form, QAbstractItemModelTester::FailureReportingMode::QtTest);
        form.begin(facts());
        form.move(3, -1);
        QCOMPARE(form.said(), (analysis::AirflowOrder{1, 2, 3, 0}));
        form.move(0, 1);
        QCOMPARE(orderOf(form), (std::vector<int>{2, 1, 3, 0}));
        form.move(0, -1); // nothing is before the first
        form.move(3, 1);
        QCOMPARE(orderOf(form), (std::vector<int>{2, 1, 3, 0}));
        form.undo();
        QCOMPARE(orderOf(form), (std::vector<int>{1, 2, 3, 0}));
        form.undo();
        QVERIFY(form.said().empty() && !form.isUndoable());
        QCOMPARE(orderOf(form), (std::vector<int>{1, 2, 0, 3}));
    }

    void whatWasSaidIsGivenBack() {
        MachineForm form;
        auto said = facts();
        said.air = {{3, 2, 1, 0}, analysis::AirflowOrigin::Said, {}};
        said.gpuModel = "H200";
        form.begin(said);
        QVERIFY(form.isSaid());
        QCOMPARE(orderOf(form), (std::vector<int>{3, 2, 1, 0}));
        form.takeInferred();
        QVERIFY(form.said().empty());
        QCOMPARE(orderOf(form), (std::vector<int>{1, 2, 0, 3}));
        QCOMPARE(form.gpuModel(), QStringLiteral("H200"));
        form.setGpuModel(QString());
        form.undo();
        QCOMPARE(form.gpuModel(), QStringLiteral("H200"));
        form.undo();
        QCOMPARE(form.said(), (analysis::AirflowOrder{3, 2, 1, 0}));
    }

    void orderIsTyped() {
        MachineForm form;
        form.begin(facts());
        QCOMPARE(form.orderText(), QStringLiteral("1, 2, 0, 3"));
        form.setOrderText(QStringLiteral("3,2, 1,0"));
        QVERIFY(form.orderProblem().isEmpty());
        QCOMPARE(form.said(), (analysis::AirflowOrder{3, 2, 1, 0}));
        for (const char* wrong : {"3,2,1", "3,2,1,1", "3,2,1,4", "front"}) {
            form.setOrderText(QString::fromUtf8(wrong));
            QVERIFY(!form.orderProblem().isEmpty());
            QCOMPARE(form.said(), (analysis::AirflowOrder{3, 2, 1, 0}));
        }
        form.undo();
        QVERIFY(form.said().empty());
    }

    void saysWhatIsKnownOfTheModel() {
        MachineForm form;
        auto of = facts();
        of.gpuEvidence = "named in 8xH100.csv";
        of.others = {RunId{7}, RunId{9}};
        form.begin(of);
        QCOMPARE(form.gpuRemark(), QStringLiteral("Inferred: named in 8xH100.csv."));
        form.setGpuModel(QStringLiteral("B200"));
        QVERIFY(form.gpuRemark().isEmpty());
        form.setGpuModel(QStringLiteral("Voodoo 2"));
        QVERIFY(form.gpuRemark().startsWith(QStringLiteral("Not in the hardware catalogue")));
        QVERIFY(form.gpuModels().contains(QStringLiteral("H200 SXM")));
        QVERIFY(form.others().empty());
        form.setForOthers(true);
        QCOMPARE(form.others(), (std::vector<RunId>{{7}, {9}}));
    }

    void ascendingWhereTemperaturesDoNotTell() {
        MachineForm form;
        auto none = facts();
        none.inferred = none.air = {{}, analysis::AirflowOrigin::Assumed, "Too alike."};
        form.begin(none);
        QCOMPARE(orderOf(form), (std::vector<int>{0, 1, 2, 3}));
        QCOMPARE(form.evidence(), QStringLiteral("Assumed: ascending indices. Too alike."));
    }
};

TRAINSCOPE_TEST(tst_MachineForm)
#include "tst_MachineForm.moc"
