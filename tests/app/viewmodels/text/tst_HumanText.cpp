// Sizes, durations, rates and offsets as people read them.

#include "app/importing/ImportFields.h"
#include "app/viewmodels/text/Texts.h"
#include "core/text/NumberMarks.h"
#include "core/text/Times.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::app;

Q_DECLARE_METATYPE(std::optional<std::int64_t>)
Q_DECLARE_METATYPE(std::optional<double>)

class tst_HumanText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    // A locale in which a point separates thousands.
    void initTestCase() { QLocale::setDefault(QLocale(QLocale::German, QLocale::Germany)); }
    void numbersAreTheReadersOnTheScreen() {
        QCOMPARE(wholeText(1'234'567), QStringLiteral("1,234,567"));
        text::setReadersMarks(",", ".");
        const text::WordingFor screen(text::Medium::Screen);
        const auto shown = [](QString text) { return text.remove(QChar(0x2060)); };
        QCOMPARE(shown(wholeText(1'234'567)), QStringLiteral("1.234.567"));
        QCOMPARE(shown(bytesText(1'400'000'000)), QStringLiteral("1,4 GB"));
        QCOMPARE(shown(waitText(0.44)), QStringLiteral("0,4 s"));
        QCOMPARE(shown(decimalText(2.5, 'f', 2)), QStringLiteral("2,50"));
        QCOMPARE(shown(metricText("sm_clock", 1.98e9, "Hz")), QStringLiteral("1,98 GHz"));
        text::setReadersMarks(".", ",");
    }
    void typedNumbers_data() {
        const auto row = test::columns<QString, std::optional<double>>("typed", "value");
        using Value = std::optional<double>;
        row("the reader's", "1,5", Value(1.5));
        row("a point", " 1.5 ", Value(1.5));
        row("no groups", "1.500", Value(1.5));
        row("negative", "-0,25", Value(-0.25));
        row("both", "1.234,5", Value());
        row("infinite", "inf", Value());
        row("word", "much", Value());
        row("empty", "", Value());
    }
    void typedNumbers() {
        QFETCH(QString, typed);
        QFETCH(std::optional<double>, value);
        QCOMPARE(parseTyped(typed), value);
        // The same in another reader's session, and again as this one types it.
        const QString kept = keptNumber(typed);
        const QLocale here;
        QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates));
        QCOMPARE(parseTyped(kept), value);
        QCOMPARE(typedNumber(kept), kept);
        QLocale::setDefault(here);
        QCOMPARE(typedNumber(kept),
            value ? QString(typed).replace(QLatin1Char('.'), QLatin1Char(',')) : typed);
    }
    void datesAreTheReaders() {
        text::setReadersDates("dd.MM.yy");
        const text::WordingFor screen(text::Medium::Screen);
        const QString text = momentText({std::int64_t{1'772'370'300} * 1'000'000'000}); // UTC 13:05
        QVERIFY2(QString(text).remove(QChar(0x2060)).startsWith(QStringLiteral("01.03.2026 ")),
            qPrintable(text));
        QVERIFY2(forFiles(text).startsWith(QStringLiteral("2026-03-01 ")), qPrintable(text));
    }
    void bytes_data() {
        const auto row = test::columns<quint64, QString>("bytes", "text");
        row("none", 0, "0 bytes");
        row("few", 999, "999 bytes");
        row("kilo", 1500, "1.5 kB");
        row("below a mega", 999'400, "999.4 kB");
        row("rounded to a mega", 999'960, "1.0 MB");
        row("giga", 1'400'000'000, "1.4 GB");
    }
    void bytes() {
        QFETCH(quint64, bytes);
        QTEST(bytesText(bytes), "text");
    }
    void wait_data() {
        const auto row = test::columns<double, QString>("seconds", "text");
        row("short", 0.44, "0.4 s");
        row("whole", 42.4, "42 s");
        row("minutes", 140.0, "2 min 20 s");
        row("below ten", 9.94, "9.9 s");
        row("rounded to ten", 9.97, "10 s");
        row("rounded to two minutes", 119.6, "2 min 0 s");
        row("rounded to an hour", 3599.7, "1 h 0 min");
        row("rounded to two hours", 7199.0, "2 h 0 min");
        row("hours", 3660.0, "1 h 1 min");
        row("nonsense", -1.0, "");
    }
    void wait() {
        QFETCH(double, seconds);
        QTEST(waitText(seconds), "text");
    }
    void offsetRoundTrip() {
        for (std::int64_t seconds = -12 * 3600; seconds <= 14 * 3600; seconds += 900)
            QCOMPARE(saidZone(text::zone(seconds)), std::optional(seconds));
    }
};

TRAINSCOPE_TEST(tst_HumanText)
#include "tst_HumanText.moc"
