// Merging a database that has lost something: what the other one has stays.

#include "core/store/Contents.h"
#include "core/store/Merge.h"
#include "support/TestProgram.h"

#include <QObject>

using namespace trainscope;
using namespace trainscope::store;
using namespace trainscope::test;

class tst_Merge : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // The same source in both; one has lost which run it is of, or that run.
    void aSourceThatHasLostItsRun_data() {
        QTest::addColumn<QString>("damage");
        QTest::addColumn<QString>("says");
        QTest::newRow("which run")
            << QStringLiteral("DELETE FROM source_run")
            << QStringLiteral("belongs to no run; what is there of it stays");
        QTest::newRow("the run") << QStringLiteral("UPDATE source_run SET run = 77")
                                 << QStringLiteral("damaged; import it again");
    }
    void aSourceThatHasLostItsRun() {
        QFETCH(QString, damage);
        QFETCH(QString, says);
        const Fixture fixture;
        const Fixture other;
        Store store = fixture.create();
        const SeriesId series = addSeries(store, gauge("m", 0), {1, 2}, {3, 4});
        {
            Store from = other.create();
            addSeries(from, gauge("m", 0), {1, 2}, {3, 4});
        }
        {
            const std::string path = other.path.string();
            auto damaged = got(Database::open(path, SQLITE_OPEN_READWRITE, path));
            ok(damaged.script("PRAGMA foreign_keys=OFF; " + damage.toStdString()));
        }
        const auto outcome
            = got(mergeInto(store, other.view(), [](const Run& run) { return run.name; }, {}));
        QCOMPARE(outcome.sources, 0);
        QCOMPARE(outcome.remarks.size(), std::size_t{1});
        QVERIFY2(QString::fromStdString(outcome.remarks.front()).contains(says),
            outcome.remarks.front().c_str());
        QCOMPARE(got(store.runs()).size(), std::size_t{1});
        QCOMPARE(got(store.statistics(series, kAllTime)).count, 2);
    }
};

TRAINSCOPE_TEST(tst_Merge)
#include "tst_Merge.moc"
