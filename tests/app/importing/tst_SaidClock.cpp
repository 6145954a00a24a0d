// The clock of a source as users state it, by one grammar in the sheet and on the command line.

#include "app/importing/ImportFields.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::app;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kMidnight = 1'776'816'000; // 2026-04-22 00:00:00 UTC, by `date -u +%s`

} // namespace

class tst_SaidClock : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void moments_data() {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<std::optional<std::int64_t>>("ns");
        using Ns = std::optional<std::int64_t>;
        const auto row
            = [](const char* text, Ns ns) { QTest::newRow(text) << std::string(text) << ns; };
        const Ns begin = (kMidnight + 534) * kSecond;
        row("2026-04-22 00:08:54", begin);
        row(" 2026-04-22T00:08:54Z ", begin);
        row("2026-04-22T02:08:54+02:00", begin);
        row("2026/04/22 00:08:54", begin);
        row("22.04.2026 00:08:54", begin);
        row("2026-04-22 00:08:54.5", *begin + kSecond / 2);
        row("2026-04-22T00:08:54.000000001Z", *begin + 1);
        row("2026-04-22 00:08", begin.value() - 54 * kSecond);
        row("2026-04-22", kMidnight * kSecond);
        row("1776816534", begin);
        row("1776816534.5", *begin + kSecond / 2);
        row("1776816534500", *begin + kSecond / 2);
        for (const char* text : {"", "yesterday", "5", "+2", "UTC+02:00", "2026-02-31",
                 "2026-04-22 25:00:00", "00:08:54"})
            row(text, {});
    }
    void moments() {
        QFETCH(std::string, text);
        QFETCH(std::optional<std::int64_t>, ns);
        const auto moment = saidMoment(text);
        QCOMPARE(moment ? std::optional(moment->ns) : std::nullopt, ns);
    }

    void zones_data() {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<std::optional<std::int64_t>>("seconds");
        using Ahead = std::optional<std::int64_t>;
        const auto row = [](const char* text, Ahead seconds) {
            QTest::newRow(text) << std::string(text) << seconds;
        };
        row("+2", 7200);
        row("2", 7200);
        row("UTC+02:00", 7200);
        row("utc +2", 7200);
        row("+08:00", 28800);
        row("0800", 28800);
        row("28800", 28800);
        row("3600", 3600);
        row("-05:30", -19800);
        row("\u22125:30", -19800);
        row("+0545", 20700);
        row("-12600", -12600);
        row("z", 0);
        row("UTC", 0);
        row("GMT", 0);
        row("0", 0);
        row("Asia/Kolkata", 19800);
        for (const char* text : {"", "Berlin", "Mars", "+19", "+02:75", "+8:07", "100", "--8", "+"})
            row(text, {});
    }
    void zones() {
        QFETCH(std::string, text);
        QFETCH(std::optional<std::int64_t>, seconds);
        QCOMPARE(saidZone(text), seconds);
    }

    // Summer time there began on 2026-03-29 at 01:00 UTC.
    void namedZones() {
        const TimeNs winter{(kMidnight - 60LL * 86'400) * kSecond};
        const TimeNs summer{kMidnight * kSecond};
        QCOMPARE(saidZone("Europe/Berlin", winter), std::optional<std::int64_t>(3600));
        QCOMPARE(saidZone("Europe/Berlin", summer), std::optional<std::int64_t>(7200));
    }

    void dates_data() {
        QTest::addColumn<std::string>("text");
        QTest::addColumn<std::optional<importers::DateOrder>>("order");
        using Order = std::optional<importers::DateOrder>;
        const auto row = [](const char* text, Order order) {
            QTest::newRow(text) << std::string(text) << order;
        };
        row("day-first", importers::DateOrder::DayFirst);
        row("month-first", importers::DateOrder::MonthFirst);
        row(" Day-First ", importers::DateOrder::DayFirst);
        for (const char* text : {"", "day", "day first", "year-first", "dd/mm"})
            row(text, {});
    }
    void dates() {
        QFETCH(std::string, text);
        QFETCH(std::optional<importers::DateOrder>, order);
        QCOMPARE(saidDates(text), order);
    }

    // Only of what a source's own file leaves open.
    void ofUnits() {
        const SaidOfAll said{
            {"start", "2026-04-22"}, {"period", "100ms"}, {"zone", "+2"}, {"dates", "day-first"}};
        QVERIFY(checkSaid(said).hasValue());
        importers::ImportUnit unit;
        sayOfAll(said, unit);
        QVERIFY(!unit.saidStart && !unit.saidPeriod && !unit.utcOffsetSeconds);
        QCOMPARE(unit.saidDates, importers::DateOrder::Unknown);
        unit.asksDates = true;
        unit.hasNoStamps = true;
        unit.clock = importers::ClockKind::None;
        sayOfAll(said, unit);
        QVERIFY(unit.saidStart == saidMoment("2026-04-22"));
        QVERIFY(unit.saidPeriod == DurationNs{kSecond / 10});
        QVERIFY(!unit.utcOffsetSeconds);
        QCOMPARE(unit.saidDates, importers::DateOrder::DayFirst);
        unit.clock = importers::ClockKind::Local;
        sayOfAll(said, unit);
        QCOMPARE(unit.utcOffsetSeconds, std::optional<std::int64_t>(7200));
    }

    void errorsNameTheOption() {
        const auto refused = checkSaid({{"period", "often"}});
        QVERIFY(!refused.hasValue());
        QCOMPARE(refused.error().message,
            std::string("--period takes a time such as 100ms or 1.5 (seconds); not \"often\"."));
    }
};

TRAINSCOPE_TEST(tst_SaidClock)
#include "tst_SaidClock.moc"
