// What others do to a file that is open: they take it away, put another in its place, or write to
// it as well.

#include "core/store/Connection.h"
#include "core/store/Contents.h"
#include "core/store/Recording.h"
#include "support/TestProgram.h"

#include <QObject>

using namespace trainscope;
using namespace trainscope::store;
using namespace trainscope::test;

class tst_SharedFile : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void movedOrReplacedWhileOpen_data() {
        QTest::addColumn<bool>("isReplaced");
        QTest::addColumn<QString>("says");
        QTest::newRow("moved") << false << QStringLiteral("removed or renamed while it was open");
        QTest::newRow("replaced") << true << QStringLiteral("in the place of the database");
    }
    void movedOrReplacedWhileOpen() {
        QFETCH(bool, isReplaced);
        QFETCH(QString, says);
        const Fixture fixture;
        const Fixture other;
        { const Store store = other.create(); }
        Store store = fixture.create();
        addSeries(store, gauge("m", 0), {1, 2}, {3, 4});
        const Store view = fixture.view();
        auto session = got(store::beginImport(store, {"/data/b", 1, "", "b"}));
        (void)got(session->run(runNamed("b")));
        const std::filesystem::path away = fixture.path.string() + ".away";
        std::filesystem::rename(fixture.path, away);
        if (isReplaced)
            std::filesystem::copy_file(other.path, fixture.path);
        for (const Error& error :
            {view.runs().error(), session->finish({}, "", 0, {}).error(), store.runs().error()}) {
            QVERIFY(error.code == ErrorCode::Refused);
            QVERIFY2(QString::fromStdString(error.message).contains(says), error.message.c_str());
        }
        session.reset();
        std::filesystem::rename(away, fixture.path);
        QCOMPARE(got(view.runs()).size(), std::size_t{1});
        addSeries(store, gauge("m", 0), {1, 2}, {3, 4}, "/data/b", "b");
        QCOMPARE(got(view.runs()).size(), std::size_t{2});
    }

    void aRecordingOfAFileThatIsAwayWaits() {
        const Fixture fixture;
        Store store = fixture.create();
        auto recording
            = got(Recording::begin(store, {"record:a:0", 0, "", "job"}, runNamed("job")));
        const SeriesId series = got(recording->series(gauge("gpu_power", 0)));
        recording->sample(series, {1000}, 1.0);
        ok(recording->commit({}));
        const std::filesystem::path away = fixture.path.string() + ".away";
        std::filesystem::rename(fixture.path, away);
        recording->sample(series, {2000}, 2.0);
        QVERIFY(!recording->commit({}).hasValue());
        std::filesystem::rename(away, fixture.path);
        recording->sample(series, {3000}, 3.0);
        ok(recording->finish({}, {}));
        QCOMPARE(got(fixture.view().statistics(series, kAllTime)).count, 3);
    }

    void theSecondOfTwoWritersIsTold() {
        const Fixture fixture;
        Store first = fixture.create();
        Store second = fixture.create();
        sqlite3_busy_timeout(second.connection().database.handle(), 20);
        auto session = got(store::beginImport(first, {"/data/a", 1, "", "a"}));
        (void)got(session->run(runNamed("a")));
        const auto refused = store::beginImport(second, {"/data/b", 1, "", "b"});
        QVERIFY(!refused.hasValue());
        QCOMPARE(refused.error().message,
            std::string(
                "Another program is writing to the database; try again when it has finished."));
        QCOMPARE(got(second.runs()).size(), std::size_t{0});
        ok(session->finish({}, "", 0, {}));
        addSeries(second, gauge("m", 0), {1, 2}, {3, 4}, "/data/b", "b");
        QCOMPARE(got(first.runs()).size(), std::size_t{2});
    }
};

TRAINSCOPE_TEST(tst_SharedFile)
#include "tst_SharedFile.moc"
