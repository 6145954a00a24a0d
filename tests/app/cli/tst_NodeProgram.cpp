// trainscope-node: the commands that need no Qt, under the program's own name.

#include "support/RunCli.h"
#include "support/TestProgram.h"

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
        const auto row = columns<std::vector<std::string>>("arguments");
        using A = std::vector<std::string>;
        row("version", A{"--version"});
        row("help", A{"--help"});
        for (const char* command : {"import", "record", "summary", "check", "query", "export"})
            row(command, A{command, "--help"});
    }

    void saysItsOwnName() {
        QFETCH(std::vector<std::string>, arguments);
        const auto ran = runNode(arguments);
        QCOMPARE(ran.status, 0);
        VERIFY_SAYS(ran.out, "trainscope-node");
        QVERIFY2(ran.out.find("trainscope-cli") == std::string::npos, ran.out.c_str());
    }

    void hasWhatNeedsNoQt() {
        for (const char* command :
            {"import", "info", "summary", "record", "check", "query", "export", "remove"})
            QCOMPARE(runNode({command, "--help"}).status, 0);
        for (const char* command : {"figure", "report", "compare"}) {
            const auto ran = runNode({command, "x.trainscope"});
            QCOMPARE(ran.status, 2);
            VERIFY_SAYS(ran.err, "There is no command");
        }
    }

    void importsFilesAlone() {
        const auto ran
            = runNode({"import", "prom+http://localhost:9090", "--into", "x.trainscope"});
        QCOMPARE(ran.status, 2);
        VERIFY_SAYS(ran.err, "This program reads files alone");
        QVERIFY(runNode({"import", "--help"}).out.find("--match") == std::string::npos);
    }
};

TRAINSCOPE_TEST(tst_NodeProgram)
#include "tst_NodeProgram.moc"
