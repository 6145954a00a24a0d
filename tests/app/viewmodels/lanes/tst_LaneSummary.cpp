// The sentence about a lane that screen readers speak.
#include "app/viewmodels/lanes/LaneSummary.h"
#include "support/TestProgram.h"

#include <QTest>

using namespace trainscope;

class tst_LaneSummary : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // One of 65 GPUs draws 650 W and the others none: the band knows their median of 0 W, not their
    // mean of 10 W.
    void aBandHasItsMedian() {
        plot::LaneData lane;
        lane.spec.style = plot::LaneStyle::Band;
        lane.title = "GPU power";
        lane.unit = "W";
        lane.series.resize(65);
        plot::LaneBand band;
        band.range = {{0.0F, 0.0F}, {650.0F, 650.0F}};
        band.median = {{0.0F, 0.0F}, {0.0F, 0.0F}};
        lane.bands = {band};
        const plot::ViewWindow window{{0}, {10}};
        QCOMPARE(app::laneSummary(lane, window, window),
            QStringLiteral("GPU power, 65 series: 0 W to 650 W, median 0 W"));
    }
    void linesHaveTheirMean() {
        plot::LaneData lane;
        lane.title = "GPU power";
        lane.unit = "W";
        lane.series.resize(1);
        for (const float watts : {10.0F, 30.0F}) {
            Bucket bucket;
            bucket.min = bucket.max = bucket.mean = watts;
            lane.series[0].buckets.push_back(bucket);
        }
        const plot::ViewWindow window{{0}, {10}};
        QCOMPARE(app::laneSummary(lane, window, window),
            QStringLiteral("GPU power, 1 series: 10 W to 30 W, mean 20 W"));
    }
};

TRAINSCOPE_TEST(tst_LaneSummary)
#include "tst_LaneSummary.moc"
