// The form for a layout by hand: each field's way into the request, and what is said of it.

#include "app/viewmodels/layout/LayoutController.h"
#include "app/viewmodels/layout/LayoutForm.h"
#include "app/viewmodels/support/LayoutDatabase.h"
#include "app/viewmodels/support/OpenWorkspace.h"
#include "support/TestProgram.h"

using namespace trainscope;
using app::LayoutController;
using app::LayoutForm;
using app::MachineForm;
using app::Views;

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

class tst_LayoutForm : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void fieldsBecomeTheRequest() {
        LayoutForm form;
        const QAbstractItemModelTester tester(
            &form, QAbstractItemModelTester::FailureReportingMode::QtTest);
        form.begin({}, 0);
        QVERIFY(!form.fits());
        QVERIFY(form.verdict().contains(QStringLiteral("how many GPUs")));
        const std::vector<std::pair<const char*, const char*>> typed{{"nodes", "4"},
            {"gpus_per_node", "8"}, {"tp", "2"}, {"cp", "2"}, {"pp", "4"}, {"ep", "2"},
            {"etp", "1"}, {"vpp", "2"}, {"layers", "16"}, {"microbatches", "8"},
            {"order", "tp-cp-ep-dp-pp"}, {"schedule", "interleaved"}};
        for (const auto& [key, text] : typed)
            form.set(QLatin1String(key), QLatin1String(text));
        QVERIFY2(form.fits(), qPrintable(form.verdict()));
        const auto& request = form.request();
        QCOMPARE(request.nodes.value_or(0), 4);
        QCOMPARE(request.gpusPerNode.value_or(0), 8);
        QCOMPARE(request.tensor.value_or(0), 2);
        QCOMPARE(request.context.value_or(0), 2);
        QCOMPARE(request.pipeline.value_or(0), 4);
        QCOMPARE(request.expert.value_or(0), 2);
        QCOMPARE(request.expertTensor.value_or(0), 1);
        QCOMPARE(request.virtualStages.value_or(0), 2);
        QCOMPARE(request.layers.value_or(0), 16);
        QCOMPARE(request.microbatches.value_or(0), 8);
        QVERIFY(request.order == layout::kMegatronOrder);
        QVERIFY(request.schedule == layout::ScheduleKind::Interleaved);
        QVERIFY2(form.verdict().startsWith(
                     QStringLiteral("32 ranks on 4 nodes: TP 2 × CP 2 × DP 2 × PP 4")),
            qPrintable(form.verdict()));
    }

    void whatDoesNotFit_data() {
        const auto row = test::columns<QString, QString, QString>("key", "text", "said");
        row("product", "tp", "5", "8 ranks are not divisible by TP 5");
        row("number", "pp", "two", "\"two\" is no whole number");
        row("order", "order", "tp-tp", "tp");
        row("layers", "stage_layers", "4,x", "x");
        row("sum", "stage_layers", "4,5", "9");
        row("vpp", "vpp", "0", "Virtual stages");
        row("shards", "shard_size", "3",
            "Shard groups of 3 do not divide the 2 ranks of DP 2 × CP 1");
        row("no number", "microbatch_group", "2.5", "\"2.5\" is no whole number");
        row("schedule", "vpp", "2", "virtual");
    }
    void whatDoesNotFit() {
        QFETCH(QString, key);
        QFETCH(QString, text);
        QFETCH(QString, said);
        LayoutForm form;
        layout::LayoutRequest request;
        request.tensor = 2;
        request.pipeline = 2;
        request.layers = 8;
        request.schedule = layout::ScheduleKind::OneForwardOneBackward;
        form.begin(request, 8);
        QVERIFY2(form.fits(), qPrintable(form.verdict()));
        form.set(key, text);
        QVERIFY2(!form.fits(), qPrintable(form.verdict()));
        VERIFY_SAYS(form.verdict(), said);
        // An empty field is what it was before anything was said.
        form.set(key, QString());
        QVERIFY2(form.fits(), qPrintable(form.verdict()));
    }

    void shardingIsChosen() {
        LayoutForm form;
        layout::LayoutRequest request;
        request.fsdp = true; // stage 3
        form.begin(request, 16);
        const auto chosen = [&form] {
            for (int row = 0; row < form.rowCount(); ++row) {
                if (form.at(row, "key").toString() == QLatin1String("zero"))
                    return form.at(row, "current").toInt();
            }
            return -1;
        };
        QCOMPARE(chosen(), 4);
        form.set(QStringLiteral("shard_size"), QStringLiteral("8"));
        QVERIFY2(form.verdict().endsWith(QStringLiteral("ZeRO 3 over 8 of 16 ranks")),
            qPrintable(form.verdict()));
        form.set(QStringLiteral("zero"), QStringLiteral("1: optimizer"));
        QCOMPARE(form.request().zeroStage.value_or(-1), 1);
        QVERIFY(!form.request().fsdp);
        QCOMPARE(form.request().shardSize.value_or(0), 8);
        form.set(QStringLiteral("zero"), QStringLiteral("0: nothing is sharded"));
        QCOMPARE(form.request().zeroStage.value_or(-1), 0);
        form.set(QStringLiteral("zero"), QStringLiteral("not said"));
        QVERIFY(!form.request().zeroStage);
    }

    // The schedule decides: groups must be of the stages at least, and leave a rest that fills
    // them.
    void theMicrobatchGroup() {
        LayoutForm form;
        layout::LayoutRequest request;
        request.pipeline = 4;
        request.virtualStages = 2;
        request.microbatches = 10;
        form.begin(request, 4);
        const bool fitted = form.fits();
        form.set(QStringLiteral("microbatch_group"), QStringLiteral("2"));
        QVERIFY(!form.fits());
        layout::LayoutRequest same = form.request();
        same.worldSize = 4;
        const auto made = layout::makeLayout(same);
        QVERIFY(made.hasValue());
        QCOMPARE(form.verdict(),
            QString::fromStdString(layout::planSchedule(made.value()).error().message));
        form.set(QStringLiteral("microbatch_group"), QStringLiteral("5"));
        QVERIFY2(form.fits(), qPrintable(form.verdict()));
        QCOMPARE(form.request().microbatchGroup.value_or(0), 5);
        form.set(QStringLiteral("microbatch_group"), QString());
        QCOMPARE(form.fits(), fitted);
    }

    void anotherClusterIsSaid() {
        LayoutForm form;
        form.begin({}, 8);
        form.set(QStringLiteral("nodes"), QStringLiteral("2"));
        form.set(QStringLiteral("gpus_per_node"), QStringLiteral("8"));
        QVERIFY(form.fits());
        QVERIFY(form.verdict().contains(QStringLiteral("The run shows 8 ranks")));
    }

    // The form of the machine: the order of the air, moved, undone and given back to the
    // temperatures.
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

    // The machine of a run said in the window: kept in the database, read back, and taken back.
    void isKeptAndTakenBack() {
        const QTemporaryDir folder;
        qputenv("XDG_STATE_HOME", folder.path().toLocal8Bit());
        app::Workspace workspace;
        QVERIFY(test::opens(workspace, test::writeLayoutDatabase(folder.path().toStdString())));
        app::Views views;
        views.setWorkspace(&workspace);
        app::LayoutController layout;
        layout.setViews(&views);
        const auto grid = std::find_if(workspace.runs().begin(), workspace.runs().end(),
            [](const Run& run) { return run.name == "grid"; });
        QVERIFY(grid != workspace.runs().end());
        workspace.setShown({grid->id});
        layout.setActive(true);
        QTRY_VERIFY(layout.isReady() && !layout.isLoading());
        layout.beginMachine();
        auto* form = layout.machine();
        const QStringList ascending = form->orderText().split(QStringLiteral(", "));
        QVERIFY(ascending.size() > 1);
        QStringList reversed = ascending;
        std::reverse(reversed.begin(), reversed.end());
        form->setOrderText(reversed.join(QLatin1Char(',')));
        form->setGpuModel(QStringLiteral("B200"));
        layout.saveMachine();
        const auto tells = [&layout](const char* words) {
            return layout.isReady() && layout.overview()->text().contains(QString::fromUtf8(words));
        };
        QTRY_VERIFY(tells("B200"));
        layout.beginMachine();
        QVERIFY(form->isSaid());
        QCOMPARE(form->orderText(), reversed.join(QStringLiteral(", ")));
        QCOMPARE(form->gpuModel(), QStringLiteral("B200"));
        form->takeInferred();
        form->setGpuModel(QString());
        layout.saveMachine();
        QTRY_VERIFY(layout.isReady() && !tells("B200"));
        layout.beginMachine();
        QVERIFY(!form->isSaid());
        QVERIFY(form->gpuModel().isEmpty());
    }

    // Colours of a run that lacks the chosen metric.

    // No notice; and what was chosen stays so, for runs that have it.
    void aMetricThatTheRunLacks() {
        QTemporaryDir folder;
        QVERIFY(folder.isValid());
        qputenv("XDG_STATE_HOME", folder.path().toLocal8Bit());
        const auto path = test::writeLayoutDatabase(folder.path().toStdString());
        QVERIFY(!path.empty());
        app::Workspace workspace;
        QVERIFY(test::opens(workspace, path));
        Views views;
        views.setWorkspace(&workspace);
        app::LayoutSettings chosen;
        chosen.metric = "mem_temperature";
        chosen.statistic = plot::FigureStatistic::Peak;
        views.setSettings(QStringLiteral("layout"), app::layoutSettings().kept(chosen));
        QSignalSpy failed(&views, &Views::failed);

        LayoutController controller;
        controller.setViews(&views);
        workspace.setShown({workspace.runs().front().id});
        controller.setActive(true);
        QTRY_VERIFY(controller.isReady() && !controller.isLoading());
        QVERIFY(controller.colours().by == plot::RankColour::Value);
        // The first of its metrics is gpu_power, 100 W throughout.
        QTRY_COMPARE(controller.colours().values.at(0), std::optional(100.0));
        QVERIFY(test::settles(workspace));
        QVERIFY(failed.isEmpty());
        QVERIFY(controller.notes().startsWith(
            QStringLiteral("Not recorded in this run: Memory temperature.")));
        QCOMPARE(controller.errorText(), QString());
        QCOMPARE(
            app::layoutSettings().restored({}, views.settings(QStringLiteral("layout"))).metric,
            chosen.metric);
    }
};

TRAINSCOPE_GUI_TEST(tst_LayoutForm)
#include "tst_LayoutForm.moc"
