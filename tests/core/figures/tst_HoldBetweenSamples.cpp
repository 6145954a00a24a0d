// Columns between samples: held inside the recording, nothing in holes and outside it.

#include "core/figures/timeline/LaneLoad.h"
#include "core/plot/timeline/support/PlotFixture.h"
#include "support/TestProgram.h"

#include <QTest>

using namespace trainscope;
using namespace trainscope::figures;
using namespace trainscope::plot;
using namespace trainscope::test;

class tst_HoldBetweenSamples : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void holds() {
        // Ten columns of 10 ns; samples in columns 1 and 4, a hole over 6 and 7, the last sample
        // in 8.
        std::vector<Bucket> buckets(10);
        buckets[1] = sample(5.0F, 7.0F);
        buckets[4] = sample(9.0F, 9.0F);
        buckets[6].gap = true;
        buckets[7].gap = true;
        buckets[8] = sample(2.0F, 2.0F);
        Series series;
        series.range = {{1012}, {1086}};
        holdBetweenSamples(buckets, series, {{1000}, {1100}}, std::nan(""));
        QVERIFY(std::isnan(buckets[0].mean)); // before the first sample
        QCOMPARE(buckets[2].mean, 7.0F); // the last of column 1
        QCOMPARE(buckets[3].min, 7.0F);
        QCOMPARE(buckets[5].max, 9.0F);
        QVERIFY(std::isnan(buckets[6].mean));
        QVERIFY(std::isnan(buckets[7].mean));
        QCOMPARE(buckets[8].mean, 2.0F);
        QVERIFY(std::isnan(buckets[9].mean)); // after the last sample
    }

    void aHoleEndsWhatWasHeld() {
        std::vector<Bucket> buckets(4);
        buckets[0] = sample(1.0F, 1.0F);
        buckets[1].gap = true;
        Series series;
        series.range = {{0}, {1000}};
        holdBetweenSamples(buckets, series, {{0}, {40}}, std::nan(""));
        QVERIFY(std::isnan(buckets[2].mean));
    }

    void whatHeldWhenTheWindowBegan() {
        std::vector<Bucket> buckets(2);
        Series series;
        series.range = {{0}, {1000}};
        holdBetweenSamples(buckets, series, {{100}, {200}}, 42.0);
        QCOMPARE(buckets[0].mean, 42.0F);
        QCOMPARE(buckets[1].last, 42.0F);
        QCOMPARE(buckets[1].count, 0U);
    }
};

TRAINSCOPE_TEST(tst_HoldBetweenSamples)
#include "tst_HoldBetweenSamples.moc"
