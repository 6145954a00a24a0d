// View time to position and back.

#include "core/plot/timeline/TimeScale.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::plot;

class tst_TimeScale : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void edges() {
        const TimeScale scale{100.0, 50.0, {{10}, {20}}};
        QCOMPARE(scale.toX({10}), 100.0);
        QCOMPARE(scale.toX({15}), 125.0);
        QCOMPARE(scale.toX({20}), 150.0);
        QCOMPARE(scale.toX({0}), 50.0); // not clamped
        QCOMPARE(scale.toTime(125.0).ns, 15);
        QCOMPARE(scale.right(), 150.0);
    }

    void emptyWindowsAndPlots() {
        QCOMPARE((TimeScale{100.0, 50.0, {{10}, {10}}}).toX({12}), 100.0);
        QCOMPARE((TimeScale{100.0, 0.0, {{10}, {20}}}).toTime(105.0).ns, 10);
    }

    void roundTrip_data() {
        const auto row = test::columns<qint64, qint64>("begin", "length");
        row("1 us at 0", 0, 1'000);
        row("1 us after a day", 86'400'000'000'000, 1'000);
        row("1000 ns before 0", -500, 1'000);
        row("1 s after 100 days", 8'640'000'000'000'000, 1'000'000'000);
    }
    void roundTrip() {
        QFETCH(qint64, begin);
        QFETCH(qint64, length);
        const TimeScale scale{148.0, 1772.0, {{begin}, {begin + length}}};
        for (int i = 0; i <= 1000; ++i) {
            const DurationNs time{begin + length / 1000 * i};
            QVERIFY(std::abs((scale.toTime(scale.toX(time)) - time).ns) <= 1);
        }
    }
};

TRAINSCOPE_TEST(tst_TimeScale)
#include "tst_TimeScale.moc"
