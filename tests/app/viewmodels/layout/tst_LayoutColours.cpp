// Colours of a run that lacks the chosen metric.
#include "app/viewmodels/layout/LayoutController.h"
#include "app/viewmodels/support/LayoutDatabase.h"
#include "app/viewmodels/support/OpenWorkspace.h"
#include "support/TestProgram.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace trainscope;
using app::LayoutController;
using app::Views;

class tst_LayoutColours : public QObject {
    Q_OBJECT

private Q_SLOTS:
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

TRAINSCOPE_GUI_TEST(tst_LayoutColours)
#include "tst_LayoutColours.moc"
