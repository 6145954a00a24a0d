// Rate and time left from a clock that the test turns by hand.

#include "app/viewmodels/TransferMeter.h"

#include <QTest>

using trainscope::app::TransferMeter;

class tst_TransferMeter : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void silentAtFirst();
    void steady();
    void forgetsTheStart();
    void restartsWhenBytesFall();
};

void tst_TransferMeter::silentAtFirst() {
    TransferMeter meter;
    QVERIFY(!meter.rate());
    meter.add(0, 0);
    meter.add(400, 1000);
    QVERIFY(!meter.rate());
    QVERIFY(!meter.secondsLeft(2000));
}

void tst_TransferMeter::steady() {
    TransferMeter meter;
    for (int step = 0; step <= 10; ++step)
        meter.add(step * 100, static_cast<std::uint64_t>(step) * 50);
    QCOMPARE(meter.rate().value_or(-1.0), 500.0); // 500 bytes in one second
    QCOMPARE(meter.secondsLeft(1500).value_or(-1.0), 2.0); // 1000 of them to go
    QVERIFY(!meter.secondsLeft(100)); // less than is done: the total is not known
}

void tst_TransferMeter::forgetsTheStart() {
    TransferMeter meter;
    meter.add(0, 0);
    for (int second = 1; second <= 20; ++second)
        meter.add(second * 1000, second <= 10 ? 0 : static_cast<std::uint64_t>(second - 10) * 100);
    QCOMPARE(meter.rate().value_or(-1.0), 100.0);
}

void tst_TransferMeter::restartsWhenBytesFall() {
    TransferMeter meter;
    meter.add(0, 5000);
    meter.add(1000, 100);
    QVERIFY(!meter.rate());
}

QTEST_GUILESS_MAIN(tst_TransferMeter)
#include "tst_TransferMeter.moc"
