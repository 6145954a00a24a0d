// Counts of the searched spans.
#include "app/viewmodels/support/TimelineDatabase.h"
#include "app/viewmodels/timeline/TimelineSearch.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

#include <QTemporaryDir>
#include <QTest>

using namespace trainscope;
using app::TimelineSearch;
using test::kStart;

class tst_TimelineSearch : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aLimitIsSaidWhereThereIsMore_data() {
        QTest::addColumn<int>("ofFirst");
        QTest::addColumn<int>("ofSecond");
        QTest::addColumn<QString>("status");
        // 2000 of a run are looked for.
        QTest::newRow("all of two runs") << 1500 << 600 << QStringLiteral("2100 found");
        QTest::newRow("just as many") << 2000 << 1 << QStringLiteral("2001 found");
        QTest::newRow("one more") << 2001 << 1 << QStringLiteral("more than 2001 found");
    }
    void aLimitIsSaidWhereThereIsMore() {
        QFETCH(int, ofFirst);
        QFETCH(int, ofSecond);
        QFETCH(QString, status);
        QTemporaryDir folder;
        const auto path = folder.filePath(QStringLiteral("many.trainscope")).toStdString();
        auto store = store::Store::openOrCreate(path).value();
        std::vector<plot::ShownRun> runs;
        for (const auto& [name, count] :
            {std::pair("first", ofFirst), std::pair("second", ofSecond)}) {
            auto session = std::move(store::beginImport(store, {name, 1, name, name})).value();
            Run made;
            made.name = name;
            const RunId run = session->run(made).value();
            const auto track
                = session->track(run, {TrackKind::Stream, 0, 0, "0", "7", "stream 7"}).value();
            const NameId kernel = session->intern("needle").value();
            std::vector<Span> spans;
            for (int i = 0; i < count; ++i)
                spans.push_back(
                    {kStart + DurationNs{i * 1000}, {500}, kernel, SpanKind::Kernel, 0, {}, 0});
            QVERIFY(session->spans(track, spans).hasValue());
            QVERIFY(session->finish({}, name, 1, {}).hasValue());
            runs.push_back({store.findRun(name).value().id, name, kStart, 0});
        }
        app::ReaderPool readers;
        readers.setDatabase(path);
        TimelineSearch search;
        search.setScope(
            readers, app::loadCatalogue(store, runs, [] { return false; }).value(), runs);
        search.setText(QStringLiteral("needle"));
        QTRY_COMPARE(search.statusText(), status);
    }
};

TRAINSCOPE_TEST(tst_TimelineSearch)
#include "tst_TimelineSearch.moc"
