// trainscope-node: the commands that need no Qt, under the program's own name.

#include "support/RunCli.h"
#include "support/TestProgram.h"

#include <QtTest>

using namespace trainscope;
using namespace trainscope::test;

namespace {

Ran runNode(const std::vector<std::string>& arguments) {
    std::ostringstream out;
    std::ostringstream err;
    cli::Console console(out, err);
    const int status = cli::runCommandLine({}, arguments, console);
    return {status, out.str(), err.str()};
}

} // namespace

class tst_NodeProgram : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void saysItsOwnName_data() {
        QTest::addColumn<std::vector<std::string>>("arguments");
        using A = std::vector<std::string>;
        QTest::newRow("version") << A{"--version"};
        QTest::newRow("help") << A{"--help"};
        for (const char* command : {"import", "record", "summary", "check", "query", "export"})
            QTest::newRow(command) << A{command, "--help"};
    }

    void saysItsOwnName() {
        QFETCH(std::vector<std::string>, arguments);
        const auto ran = runNode(arguments);
        QCOMPARE(ran.status, 0);
        QVERIFY(ran.out.find("trainscope-node") != std::string::npos);
        QVERIFY2(ran.out.find("trainscope-cli") == std::string::npos, ran.out.c_str());
    }

    void hasWhatNeedsNoQt() {
        for (const char* command :
            {"import", "info", "summary", "record", "check", "query", "export", "remove"})
            QCOMPARE(runNode({command, "--help"}).status, 0);
        for (const char* command : {"figure", "report", "compare"}) {
            const auto ran = runNode({command, "x.trainscope"});
            QCOMPARE(ran.status, 2);
            QVERIFY(ran.err.find("There is no command") != std::string::npos);
        }
    }

    void importsFilesAlone() {
        const auto ran
            = runNode({"import", "prom+http://localhost:9090", "--into", "x.trainscope"});
        QCOMPARE(ran.status, 2);
        QVERIFY(ran.err.find("This program reads files alone") != std::string::npos);
        QVERIFY(runNode({"import", "--help"}).out.find("--match") == std::string::npos);
    }
};

TRAINSCOPE_TEST(tst_NodeProgram)
#include "tst_NodeProgram.moc"
