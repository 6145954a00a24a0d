// The playback cache: what its pictures show, and that it keeps few of them however long it runs.

#include "app/viewmodels/layout/LayoutMoment.h"
#include "app/viewmodels/support/LayoutDatabase.h"
#include "support/TestProgram.h"

using namespace trainscope;
using app::PlaybackCache;

class tst_PlaybackCache : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::filesystem::path m_path;
    Run m_run;

private Q_SLOTS:
    void initTestCase() {
        m_path = test::writeLayoutDatabase(m_folder.path().toStdString());
        QVERIFY(!m_path.empty());
        const auto store = store::Store::open(m_path, store::OpenMode::ReadOnly);
        QVERIFY(store.hasValue());
        m_run = store.value().findRun("grid").value();
    }

    // Pictures of a tenth of a second: 601 of them, three blocks. Temperature 40 + rank + second.
    void picturesInTheirOrder() {
        app::ReaderPool readers;
        readers.setDatabase(m_path);
        PlaybackCache cache;
        cache.setSource(readers, m_run, "gpu_temperature");
        const DurationNs frame{100'000'000};
        for (const double second : {0.5, 10.5, 26.0, 33.5, 58.5, 2.5}) {
            std::optional<analysis::RankValues> picture;
            QTRY_VERIFY((picture = cache.picture(test::layoutTime(second), frame)).has_value());
            QCOMPARE(picture->size(), std::size_t{8});
            for (int rank = 0; rank < 8; ++rank) {
                const auto value = (*picture)[static_cast<std::size_t>(rank)];
                QVERIFY(value.has_value());
                QCOMPARE(*value, 40.0 + rank + std::floor(second));
            }
        }
    }

    // The cache holds a few of a hundred blocks and more.
    void itDoesNotGrow() {
        app::ReaderPool readers;
        readers.setDatabase(m_path);
        PlaybackCache cache;
        cache.setSource(readers, m_run, "gpu_temperature");
        const DurationNs frame{2'000'000}; // 30,000 pictures
        for (double second = 0.0; second < 60.0; second += 0.5) {
            QTRY_VERIFY(cache.picture(test::layoutTime(second), frame).has_value());
            QVERIFY(cache.blocks() <= PlaybackCache::kBlocks);
        }
    }

    // The last of many moments asked for in a row is answered last, at once or after others.
    void theLastAskedIsShownLast() {
        app::ReaderPool readers;
        readers.setDatabase(m_path);
        PlaybackCache cache;
        cache.setSource(readers, m_run, "gpu_temperature");
        QSignalSpy answers(&cache, &PlaybackCache::exact);
        analysis::RankValues last;
        connect(&cache, &PlaybackCache::exact, this,
            [&last](const analysis::RankValues& values) { last = values; });
        for (int second = 0; second < 30; ++second)
            cache.ask(test::layoutTime(second + 0.25));
        QTRY_VERIFY(last.size() == 8 && last[0] == 69.0);
        QVERIFY(answers.size() < 30);
    }

    void whatIsMissingIsTold() {
        app::ReaderPool readers;
        readers.setDatabase(m_path);
        PlaybackCache cache;
        cache.setSource(readers, m_run, "no_such_metric");
        QSignalSpy failed(&cache, &PlaybackCache::failed);
        QVERIFY(!cache.picture(test::layoutTime(1), DurationNs{1'000'000}));
        QTRY_COMPARE(failed.size(), 1);
    }
};

TRAINSCOPE_TEST(tst_PlaybackCache)
#include "tst_PlaybackCache.moc"
