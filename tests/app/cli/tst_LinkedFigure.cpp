// The figure of a run that a database links to an engine: drawn from it where the user has named
// it.

#include "app/cli/support/RunCli.h"
#include "app/engine/FakeServer.h"
#include "app/engine/LinkedRun.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::test;

class tst_LinkedFigure : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void asksNamedEnginesAlone() {
        const QByteArray configuration = qgetenv("XDG_CONFIG_HOME");
        QTemporaryDir folder;
        qputenv("XDG_CONFIG_HOME", folder.path().toUtf8());
        FakeServer server([](const Asked&) -> Answered {
            return {200, R"({"status":"success","data":{"resultType":"matrix","result":[]}})", {},
                0, -1};
        });
        const auto path = folder.filePath(QStringLiteral("a.trainscope")).toStdString();
        QVERIFY(writeLinkedRun(path, linkTo(server.url())).hasValue());
        const std::vector<std::string> call{"figure", path, "--kind", "timeline", "--run", "linked",
            "--out", folder.filePath(QStringLiteral("a.png")).toStdString()};
        const Ran refused = runCli(call);
        QVERIFY(refused.status != 0);
        const std::string way = "TRAINSCOPE_ENGINES=" + server.url();
        VERIFY_SAYS(refused.err, way);
        QCOMPARE(server.bytes(), QByteArray());
        qputenv("TRAINSCOPE_ENGINES", QByteArray::fromStdString(server.url()));
        const Ran drawn = runCli(call);
        qunsetenv("TRAINSCOPE_ENGINES");
        qputenv("XDG_CONFIG_HOME", configuration);
        QVERIFY2(drawn.status == 0, drawn.err.c_str());
        QVERIFY(server.count() > 0);
    }
};

TRAINSCOPE_GUI_TEST(tst_LinkedFigure)
#include "tst_LinkedFigure.moc"
