// Reports and runs as JSON.

#include "core/store/tables/StoredJson.h"
#include "support/TestProgram.h"

#include <QTest>

using namespace trainscope;
using namespace trainscope::store;

class tst_StoredJson : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // They stay what they are where nothing was said.
    void numbersThatDoNotFit() {
        const ImportReport report = reportFromJson(
            R"({"rows":1e300,"skipped":-9223372036854775809,"samples":18446744073709551615,)"
            R"("spans":5,"bytes":-1,"ranks_expected":4294967297,)"
            R"("ranks_found":[1,4294967298,2.5,-3],"counts":{"a":7,"b":1e19}})");
        QCOMPARE(report.rows, 0);
        QCOMPARE(report.skipped, 0);
        QCOMPARE(report.samples, 0);
        QCOMPARE(report.spans, 5);
        QCOMPARE(report.bytes, 0U);
        QCOMPARE(report.ranksExpected, 0);
        QVERIFY((report.ranksFound == std::vector<int>{1, -3}));
        QVERIFY((report.counts == std::map<std::string, std::int64_t>{{"a", 7}}));
        const Run run = factsFromJson(
            R"({"world_size":4294967304,"launch":{"nodes":4294967298,"layers":2}})");
        QCOMPARE(run.worldSize, 0);
        QVERIFY(!run.launch.nodes);
        QVERIFY(run.launch.layers == 2);
    }
};

TRAINSCOPE_TEST(tst_StoredJson)
#include "tst_StoredJson.moc"
