// Dates and times of day as loggers and people write them, and wall clocks that are turned.

#include "importers/common/Stamp.h"
#include "importers/common/StampGate.h"
#include "support/TestProgram.h"

using namespace trainscope::importers;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kTenOfThirteenthMarch = 1'773'396'000; // date -u -d '2026-03-13 10:00' +%s

class tst_Stamps : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void dates_data() {
        // second: 0: none
        const auto row = test::columns<QByteArray, qint64>("text", "second");
        const qint64 ten = kTenOfThirteenthMarch;
        for (const char* text : {"2026-03-13 10:00:00", "2026/03/13 10:00", "13-03-2026 10:00:00",
                 "13/03/2026 10:00:00", "03/13/2026 10:00:00", "13.03.2026 10:00:00",
                 "03/13/2026 10:00:00 AM", "13-Mar-2026 10:00:00", "13 March 2026 10:00:00",
                 "20260313 10:00:00", "2026-03-13T10:00:00Z", "2026-03-13, 10:00:00",
                 "2026-03-13 11:00:00 +01:00", "3/13/2026 10:00 a.m.", "Fri Mar 13 10:00:00 2026",
                 "Fri Mar 13 10:00:00 UTC 2026", "Fri Mar 13 10:00:00 CET 2026",
                 "Fri, 13 Mar 2026 10:00:00 GMT", "Fri Mar 13 10:00:00 AM 2026",
                 "Mar 13, 2026 10:00:00 AM", "Fri, 13 Mar 2026 11:00:00 +0100"})
            row(text, QByteArray(text), ten);
        row("afternoon", "03/13/2026 10:00:00 PM", ten + 12 * 3600);
        row("noon", "03/13/2026 12:00:00 PM", ten + 2 * 3600);
        row("midnight", "03/13/2026 12:00:00 AM", ten - 10 * 3600);
        row("29 February of a leap year", "2024-02-29 00:00:00", 1'709'164'800);
        for (const char* text : {"2026-02-31 10:00:00", "31/02/2026 10:00:00",
                 "2026-02-29 10:00:00", "2026-04-31 10:00:00", "13/13/2026 10:00:00",
                 "2026-03-13 25:00:00", "03/13/2026 13:00:00 PM", "13-Foo-2026 10:00:00",
                 "Fri Foo 13 10:00:00 2026", "step 13 of 2026 at 10:00:00", "Mar 13 10:00:00"})
            row(text, QByteArray(text), 0);
    }
    void dates() {
        QFETCH(QByteArray, text);
        QFETCH(qint64, second);
        const auto stamp = parseStamp(text.toStdString());
        QCOMPARE(stamp ? stamp->time.ns / kSecond : 0, second);
    }

    void orderThatIsSaid() {
        const auto day = parseStamp("03/04/2026 00:00:00", DateOrder::DayFirst);
        const auto month = parseStamp("03/04/2026 00:00:00", DateOrder::MonthFirst);
        QVERIFY(day && month);
        // 3 April is 31 days behind 4 March, less one.
        QCOMPARE((day->time - month->time).ns / kSecond, std::int64_t{30} * 86'400);
    }

    void twoColumns() {
        for (const char* date : {"2026-03-13", "20260313", "13.03.2026", "03/13/2026"}) {
            QVERIFY(isDate(date));
            const auto stamp = parseStamp(date, "10:00:00");
            QVERIFY2(stamp, date);
            QCOMPARE(stamp->time.ns / kSecond, kTenOfThirteenthMarch);
        }
        QVERIFY(!isDate("10:00:00") && !isDate("2026-02-31") && !isDate("100"));
    }

    void orderOfAFile_data() {
        const auto row = test::columns<QList<QByteArray>, int, bool>("dates", "order", "isOpen");
        using Dates = QList<QByteArray>;
        row("a day above 12", Dates{"12-03-2026 23:59", "13-03-2026 00:01"},
            static_cast<int>(DateOrder::DayFirst), false);
        row("a day above 12, second", Dates{"03/12/2026 23:59", "03/13/2026 00:01"},
            static_cast<int>(DateOrder::MonthFirst), false);
        // As days they follow each other; as months they are a month apart.
        row("midnight, day first", Dates{"03/04/2026 23:59", "04/04/2026 00:01"},
            static_cast<int>(DateOrder::DayFirst), false);
        row("midnight, month first", Dates{"03/04/2026 23:59", "03/05/2026 00:01"},
            static_cast<int>(DateOrder::MonthFirst), false);
        row("one day", Dates{"03/04/2026 23:58", "03/04/2026 23:59"},
            static_cast<int>(DateOrder::Unknown), true);
        row("the same both ways", Dates{"04/04/2026 23:58"}, static_cast<int>(DateOrder::Unknown),
            false);
        row("year first", Dates{"2026-04-03 23:58"}, static_cast<int>(DateOrder::Unknown), false);
    }
    void orderOfAFile() {
        QFETCH(QList<QByteArray>, dates);
        QFETCH(int, order);
        QFETCH(bool, isOpen);
        DateOrderEvidence evidence;
        for (const QByteArray& date : dates)
            evidence.see(date.toStdString());
        QCOMPARE(static_cast<int>(evidence.order()), order);
        QCOMPARE(evidence.isOpen(), isOpen);
    }

    // Seconds since the first of the stamps, after unfolding.
    void turnedClocks_data() {
        const auto row = test::columns<QList<QByteArray>, QList<int>>("stamps", "seconds");
        using Stamps = QList<QByteArray>;
        row("autumn",
            Stamps{"2025-10-26 02:59:58", "2025-10-26 02:59:59", "2025-10-26 02:00:00",
                "2025-10-26 02:00:01"},
            QList<int>{0, 1, 2, 3});
        row("autumn, America", Stamps{"2025-11-02 01:59:59", "2025-11-02 01:00:00"},
            QList<int>{0, 1});
        row("autumn, one GPU late",
            Stamps{"2025-10-26 02:59:59", "2025-10-26 02:00:00", "2025-10-26 02:59:59",
                "2025-10-26 02:00:01"},
            QList<int>{0, 1, 0, 2});
        row("spring", Stamps{"2026-03-29 01:59:59", "2026-03-29 03:00:00", "2026-03-29 03:00:01"},
            QList<int>{0, 1, 2});
        row("an hour's pause in summer", Stamps{"2026-07-05 01:59:59", "2026-07-05 03:00:00"},
            QList<int>{0, 3601});
        row("set back on a weekday", Stamps{"2025-10-29 02:59:59", "2025-10-29 02:00:00"},
            QList<int>{0, -3599});
        row("set back by two hours", Stamps{"2025-10-26 02:59:59", "2025-10-26 01:00:00"},
            QList<int>{0, -7199});
    }
    void turnedClocks() {
        QFETCH(QList<QByteArray>, stamps);
        QFETCH(QList<int>, seconds);
        WallClock clock;
        std::optional<TimeNs> first;
        QList<int> found;
        for (const QByteArray& text : stamps) {
            const TimeNs time = clock.unfold(parseStamp(text.toStdString())->time);
            first = first.value_or(time);
            found.append(static_cast<int>((time - *first).ns / kSecond));
        }
        QCOMPARE(found, seconds);
    }
};

} // namespace

TRAINSCOPE_TEST(tst_Stamps)
#include "tst_Stamps.moc"
