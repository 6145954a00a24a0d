// Rate and time left from a clock that the test turns by hand.

#include "app/importing/TransferMeter.h"
#include "support/TestProgram.h"

#include <QTest>

using trainscope::app::TransferMeter;

class tst_TransferMeter : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void silentAtFirst() {
        TransferMeter meter;
        QVERIFY(!meter.rate());
        meter.add(0, 0, 0.0);
        meter.add(400, 1000, 0.5);
        QVERIFY(!meter.rate());
        QVERIFY(!meter.secondsLeft());
    }
    void steady() {
        TransferMeter meter;
        for (int step = 0; step <= 10; ++step)
            meter.add(step * 100, static_cast<std::uint64_t>(step) * 50, step / 30.0);
        QCOMPARE(meter.rate().value_or(-1.0), 500.0); // 500 bytes in one second
        QCOMPARE(meter.secondsLeft().value_or(-1.0), 2.0); // a third in one second
    }
    void forgetsTheStart() {
        TransferMeter meter;
        meter.add(0, 0, 0.0);
        for (int second = 1; second <= 20; ++second)
            meter.add(second * 1000,
                second <= 10 ? 0 : static_cast<std::uint64_t>(second - 10) * 100,
                second <= 10 ? 0.0 : (second - 10) * 0.02);
        QCOMPARE(meter.rate().value_or(-1.0), 100.0);
        // 0.2 done in 20 s, at 0.02 a second of late: 0.8 at 0.015 a second.
        QVERIFY(qAbs(meter.secondsLeft().value_or(-1.0) - 0.8 / 0.015) < 1e-9);
    }
    // Sorting and indexing move no bytes, but the work goes on.
    void workWithoutBytes() {
        TransferMeter meter;
        for (int second = 0; second <= 10; ++second)
            meter.add(second * 1000, 700, 0.5 + second * 0.03);
        QVERIFY(!meter.rate());
        QVERIFY(qAbs(meter.secondsLeft().value_or(-1.0) - 0.2 / 0.03) < 1e-9);
    }
    void unknownTotal() {
        TransferMeter meter;
        meter.add(0, 0, -1.0);
        meter.add(1000, 100, -1.0);
        QCOMPARE(meter.rate().value_or(-1.0), 100.0);
        QVERIFY(!meter.secondsLeft());
    }
    void restartsWhenBytesFall() {
        TransferMeter meter;
        meter.add(0, 5000, 0.1);
        meter.add(1000, 100, 0.2);
        QVERIFY(!meter.rate());
    }
    void restartsWithOtherWork() {
        TransferMeter meter;
        meter.add(0, 0, 0.9);
        meter.add(1000, 100, 0.0);
        meter.add(2000, 200, 0.25);
        QCOMPARE(meter.rate().value_or(-1.0), 100.0);
        QCOMPARE(meter.secondsLeft().value_or(-1.0), 3.0);
        // Behind work of which nobody knows how much there is.
        TransferMeter other;
        other.add(0, 0, -1.0);
        other.add(1000, 0, 0.0);
        other.add(2000, 0, 0.25);
        QCOMPARE(other.secondsLeft().value_or(-1.0), 3.0);
    }
};

TRAINSCOPE_TEST(tst_TransferMeter)
#include "tst_TransferMeter.moc"
