// The machine of a run said in the window: kept in the database, read back, and taken back.
#include "app/viewmodels/layout/LayoutController.h"
#include "app/viewmodels/support/LayoutDatabase.h"
#include "app/viewmodels/support/OpenWorkspace.h"
#include "support/TestProgram.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace trainscope;

class tst_MachineByHand : public QObject {
    Q_OBJECT

private Q_SLOTS:
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
};

TRAINSCOPE_TEST(tst_MachineByHand)
#include "tst_MachineByHand.moc"
