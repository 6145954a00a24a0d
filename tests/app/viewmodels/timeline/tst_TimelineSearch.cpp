// The search: all hits are counted, grouped by name, and gone through in order of time.
#include "app/viewmodels/support/TimelineDatabase.h"
#include "app/viewmodels/timeline/TimelineSearch.h"
#include "core/store/Writing.h"
#include "support/TestProgram.h"

#include <QTemporaryDir>
#include <QTest>

#include <memory>
#include <string>
#include <vector>

using app::TimelineSearch;
using test::kStart;

class tst_TimelineSearch : public QObject {
    Q_OBJECT

private:
    struct Planted {
        const char* name;
        int count;
        std::int64_t apart; // ns between starts; 0: all at once
    };
    QTemporaryDir m_folder;
    app::ReaderPool m_readers;
    std::unique_ptr<TimelineSearch> m_search;
    std::vector<app::SearchHit> m_jumps;

    // A run for each list of names; spans of one list lie on one stream, 500 ns long.
    void plant(const std::vector<std::vector<Planted>>& all) {
        const auto path
            = m_folder
                  .filePath(QString::fromLatin1(QTest::currentTestFunction()) + QLatin1Char('_')
                      + QString::fromLatin1(QTest::currentDataTag()) + QLatin1String(".trainscope"))
                  .toStdString();
        auto store = store::Store::openOrCreate(path).value();
        std::vector<plot::ShownRun> runs;
        for (const auto& planted : all) {
            const std::string name = "run" + std::to_string(runs.size());
            auto session = std::move(store::beginImport(store, {name, 1, name, name})).value();
            Run made;
            made.name = name;
            const RunId run = session->run(made).value();
            const auto track
                = session->track(run, {TrackKind::Stream, 0, 0, "0", "7", "stream 7"}).value();
            std::vector<Span> spans;
            for (const Planted& one : planted) {
                const NameId kernel = session->intern(one.name).value();
                for (int i = 0; i < one.count; ++i)
                    spans.push_back({kStart + DurationNs{i * one.apart}, {500}, kernel,
                        SpanKind::Kernel, 0, {}, 0});
            }
            QVERIFY(session->spans(track, spans).hasValue());
            QVERIFY(session->finish({}, name, 1, {}).hasValue());
            runs.push_back({store.findRun(name).value().id, name, kStart, 0});
        }
        m_readers.setDatabase(path);
        m_search = std::make_unique<TimelineSearch>();
        m_jumps.clear();
        connect(m_search.get(), &TimelineSearch::jumped, this,
            [this](const app::SearchHit& hit) { m_jumps.push_back(hit); });
        m_search->setScope(
            m_readers, app::loadCatalogue(store, runs, [] { return false; }).value(), runs);
    }
    // Start of what was jumped to last, since the start of its run.
    [[nodiscard]] std::int64_t jumpedTo() const {
        return m_jumps.empty() ? -1 : (m_jumps.back().span.start - kStart).ns;
    }
    [[nodiscard]] QString row(int at, const char* role) const {
        return m_search->rows()->at(at, role).toString();
    }

private Q_SLOTS:
    void cleanup() { m_search.reset(); }

    void allAreCounted_data() {
        const auto row = test::columns<int, int, QString>("ofFirst", "ofSecond", "status");
        row("of two runs", 1500, 600, QStringLiteral("2,100 found"));
        row("one", 1, 0, QStringLiteral("1 found"));
        row("many", 20'001, 1, QStringLiteral("20,002 found"));
    }
    void allAreCounted() {
        QFETCH(int, ofFirst);
        QFETCH(int, ofSecond);
        QFETCH(QString, status);
        plant({{{"needle", ofFirst, 1000}}, {{"needle", ofSecond, 1000}, {"hay", 50, 1000}}});
        m_search->setText(QStringLiteral("NEEDLE"));
        QTRY_COMPARE(m_search->statusText(), status);
        m_search->setText(QStringLiteral("nowhere"));
        QTRY_COMPARE(m_search->statusText(), QStringLiteral("no match"));
        QCOMPARE(m_search->rows()->count(), 0);
    }
    // From the first hit to the last of the other run, and around.
    void stepsGoThroughAllHits() {
        plant({{{"needle", 3000, 1000}}, {{"needle", 600, 2000}}});
        m_search->setText(QStringLiteral("needle"));
        m_search->next();
        QTRY_COMPARE(m_search->statusText(), QStringLiteral("1 of 3,600"));
        QTRY_COMPARE(jumpedTo(), std::int64_t{0});
        for (int i = 1; i < 1500; ++i)
            m_search->next();
        QTRY_COMPARE(jumpedTo(), std::int64_t{1499 * 1000});
        QCOMPARE(m_search->statusText(), QStringLiteral("1,500 of 3,600"));
        for (int i = 1500; i < 2200; ++i) {
            m_search->next();
            QTRY_COMPARE(jumpedTo(), std::int64_t{i} * 1000);
        }
        for (int i = 2198; i > 2190; --i) {
            m_search->previous();
            QTRY_COMPARE(jumpedTo(), std::int64_t{i} * 1000);
        }
        QCOMPARE(m_jumps.back().run, std::size_t{0});
        for (int i = 2191; i < 3598; ++i)
            m_search->next();
        QTRY_COMPARE(jumpedTo(), std::int64_t{598 * 2000});
        QCOMPARE(m_jumps.back().run, std::size_t{1});
        m_search->next();
        m_search->next();
        QTRY_COMPARE(m_search->statusText(), QStringLiteral("1 of 3,600"));
        QTRY_COMPARE(jumpedTo(), std::int64_t{0});
        m_search->previous();
        QTRY_COMPARE(m_search->statusText(), QStringLiteral("3,600 of 3,600"));
        QTRY_COMPARE(jumpedTo(), std::int64_t{599 * 2000});
    }
    // A burst in a long run, and hits that all start at once: each has its number.
    void burstsAreGoneThroughToo() {
        plant({{{"needle", 5000, 1}, {"far", 2, 3'600'000'000'000}}, {{"needle", 1300, 0}}});
        m_search->setText(QStringLiteral("needle"));
        m_search->next();
        QTRY_COMPARE(jumpedTo(), std::int64_t{0});
        for (int i = 1; i < 4321; ++i)
            m_search->next();
        QTRY_COMPARE(jumpedTo(), std::int64_t{4320});
        m_search->previous();
        QTRY_COMPARE(jumpedTo(), std::int64_t{4319});
        for (int i = 4320; i < 6299; ++i)
            m_search->next();
        QTRY_COMPARE(m_search->statusText(), QStringLiteral("6,299 of 6,300"));
        QTRY_VERIFY(!m_jumps.empty() && m_jumps.back().run == 1);
    }
    // 3 hits of 500 ns are 1.5 us, 4 are 2 us: the longest first.
    void hitsAreGroupedByName() {
        plant({{{"needle_a", 3, 1000}, {"needle_b", 4, 1000}, {"hay", 9, 1000}}});
        m_search->setText(QStringLiteral("needle"));
        QTRY_COMPARE(m_search->rows()->count(), 3);
        QCOMPARE(row(0, "name"), QStringLiteral("All 2 names"));
        QCOMPARE(row(0, "detail"), QStringLiteral("7 hits"));
        QVERIFY(m_search->rows()->at(0, "chosen").toBool());
        QCOMPARE(row(1, "name"), QStringLiteral("needle_b"));
        QVERIFY2(row(1, "detail").startsWith(QStringLiteral("4 hits, 2 ")),
            qPrintable(row(1, "detail")));
        QCOMPARE(row(2, "name"), QStringLiteral("needle_a"));
        QVERIFY(row(2, "detail").startsWith(QStringLiteral("3 hits, 1.5 ")));
        // One name alone is gone through from then on, and around.
        m_search->choose(2);
        QTRY_COMPARE(m_search->statusText(), QStringLiteral("1 of 3"));
        QVERIFY(m_search->rows()->at(2, "chosen").toBool());
        m_search->next();
        m_search->next();
        QTRY_COMPARE(jumpedTo(), std::int64_t{2000});
        QCOMPARE(m_search->statusText(), QStringLiteral("3 of 3"));
        m_search->next();
        QTRY_COMPARE(m_search->statusText(), QStringLiteral("1 of 3"));
        m_search->choose(0);
        QTRY_COMPARE(m_search->statusText(), QStringLiteral("1 of 7"));
        m_search->clear();
        QCOMPARE(m_search->rows()->count(), 0);
        QVERIFY(m_search->statusText().isEmpty());
    }
    // Kernels of one short name go on with what tells them apart.
    void namesKeepWhatDiffers() {
        plant({{{"void at::native::vectorized_kernel<4, at::native::AddFunctor<float> >(int)", 2,
                    9},
            {"void at::native::vectorized_kernel<4, at::native::MulFunctor<float> >(int)", 1, 9},
            {"void other_kernel<4>(int)", 3, 9}}});
        m_search->setText(QStringLiteral("kernel"));
        QTRY_COMPARE(m_search->rows()->count(), 5); // the lane of kernels is found, too
        QCOMPARE(row(2, "name"), QStringLiteral("other_kernel"));
        QCOMPARE(row(3, "name"), QStringLiteral("vectorized_kernel … AddFunctor<float> >(int)"));
        QCOMPARE(row(4, "name"), QStringLiteral("vectorized_kernel … MulFunctor<float> >(int)"));
        QVERIFY(row(4, "full").startsWith(QStringLiteral("void at::native::vectorized_kernel<4")));
    }
    // More names than rows: those with most time, and a word about the rest.
    void theListIsBounded() {
        std::vector<Planted> many;
        std::vector<std::string> names;
        for (int i = 0; i < 260; ++i)
            names.push_back("needle_" + std::to_string(i));
        for (int i = 0; i < 260; ++i)
            many.push_back({names[static_cast<std::size_t>(i)].c_str(), i + 1, 1000});
        plant({many});
        m_search->setText(QStringLiteral("needle"));
        QTRY_COMPARE(m_search->rows()->count(), 201); // with that of all
        QCOMPARE(row(1, "name"), QStringLiteral("needle_259"));
        QCOMPARE(m_search->moreText(), QStringLiteral("and 60 more names with less time"));
        QCOMPARE(m_search->statusText(), QStringLiteral("33,930 found")); // 260 · 261 / 2
    }
    // All are counted; the first in order of time are gone through, and around.
    void theFirstAreGoneThrough() {
        const auto most = static_cast<int>(TimelineSearch::kMostHits);
        plant({{{"needle", 2 * most + 5, 1000}}});
        m_search->setText(QStringLiteral("needle"));
        m_search->next();
        QTRY_COMPARE(m_search->statusText(), QStringLiteral("1 of 40,005"));
        m_search->previous();
        QCOMPARE(m_search->statusText(), QStringLiteral("20,000 of 40,005"));
        QCOMPARE(jumpedTo(), std::int64_t{most - 1} * 1000);
    }
};

TRAINSCOPE_TEST(tst_TimelineSearch)
#include "tst_TimelineSearch.moc"
