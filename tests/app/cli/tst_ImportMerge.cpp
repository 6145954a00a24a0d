// `import` of run databases: what came of it.

#include "core/store/Fixture.h"
#include "support/RunCli.h"
#include "support/TestProgram.h"

#include <QTest>

using namespace trainscope;
using namespace trainscope::test;

namespace {

void addRun(Store& store, const std::string& name, RunStatus status) {
    auto session = got(store::beginImport(store, {"/data/" + name, 1, "", name}));
    Run run = runNamed(name);
    run.status = status;
    const RunId id = got(session->run(run));
    const SeriesId series = got(session->series(id, gauge("gpu_power", 0)));
    ok(session->samples(series, times({0, 1'000'000'000}), std::vector<double>{100.0, 100.0}));
    ok(session->finish({}, "", 0, {}));
}

} // namespace

class tst_ImportMerge : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // One of the runs that come along was cut short, whether it comes alone or not.
    void partialRuns_data() {
        QTest::addColumn<bool>("isAlone");
        QTest::newRow("alone") << true;
        QTest::newRow("beside another") << false;
    }
    void partialRuns() {
        QFETCH(bool, isAlone);
        const Fixture from;
        {
            auto store = from.create();
            addRun(store, "cut", RunStatus::Partial);
            if (!isAlone)
                addRun(store, "whole", RunStatus::Ok);
        }
        const std::string into
            = from.folder.filePath(QStringLiteral("into.trainscope")).toStdString();
        const auto merged = runCli({"import", from.path.string(), "--into", into, "--json"});
        QCOMPARE(merged.status, 1);
        QCOMPARE(merged.json()["status"].get<std::string>(), std::string("partial"));
    }

    void wholeRuns() {
        const Fixture from;
        {
            auto store = from.create();
            addRun(store, "a", RunStatus::Ok);
            addRun(store, "b", RunStatus::Ok);
        }
        const std::string into
            = from.folder.filePath(QStringLiteral("into.trainscope")).toStdString();
        QCOMPARE(runCli({"import", from.path.string(), "--into", into}).status, 0);
    }
};

TRAINSCOPE_TEST(tst_ImportMerge)
#include "tst_ImportMerge.moc"
