// A run that a database links to an engine which nobody has named: the window says so and asks
// nothing, until the user agrees.

#include "app/engine/FakeServer.h"
#include "app/engine/LinkedRun.h"
#include "app/viewmodels/support/OpenWorkspace.h"
#include "app/viewmodels/timeline/TimelineController.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

class tst_LinkedRun : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void asksWhenTheUserAgrees() {
        const QByteArray configuration = qgetenv("XDG_CONFIG_HOME");
        QTemporaryDir folder;
        for (const char* variable : {"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"})
            qputenv(variable, folder.path().toUtf8());
        FakeServer server([](const Asked&) -> Answered {
            return {200, R"({"status":"success","data":{"resultType":"matrix","result":[]}})", {},
                0, -1};
        });
        const auto path = folder.filePath(QStringLiteral("a.trainscope")).toStdString();
        QVERIFY(writeLinkedRun(path, linkTo(server.url())).hasValue());
        app::Workspace workspace;
        QVERIFY(opens(workspace, path));
        workspace.setShown({workspace.runs().front().id});
        app::TimelineController controller;
        controller.setViewSize(1160, 700, 1.0);
        controller.setWorkspace(&workspace);
        QTRY_VERIFY(!controller.engineProblem().isEmpty());
        VERIFY_SAYS(controller.engineProblem(), QString::fromStdString(server.url()));
        QCOMPARE(controller.engineOffer(), QStringLiteral("Ask this engine"));
        QVERIFY(server.isFirstHeard());
        QVERIFY(!controller.isAsking());
        controller.askEngine();
        QTRY_VERIFY(server.count() > 1);
        QTRY_VERIFY(controller.engineProblem().isEmpty());
        qputenv("XDG_CONFIG_HOME", configuration);
    }
};

TRAINSCOPE_GUI_TEST(tst_LinkedRun)
#include "tst_LinkedRun.moc"
