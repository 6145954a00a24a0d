// Times in words, from nanoseconds to dates.

#include "core/text/DateForm.h"
#include "core/text/Numbers.h"
#include "core/text/Times.h"
#include "support/TestProgram.h"

using trainscope::text::DateForm;

class tst_Times : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void durations_data() {
        QTest::addColumn<qint64>("ns");
        QTest::addColumn<QString>("four");
        QTest::addColumn<QString>("aligned");
        const auto row = [](qint64 ns, const char* four, const char* aligned) {
            QTest::addRow("%lld", ns)
                << ns << QString::fromUtf8(four) << QString::fromUtf8(aligned);
        };
        row(0, "0 ns", "0 ns");
        row(999, "999 ns", "999 ns");
        row(1'840, "1.84 µs", "1.840 µs");
        row(1'500'000, "1.5 ms", "1.500 ms");
        row(59'940'000'000, "59.94 s", "59.94 s");
        row(119'300'000'000, "119.3 s", "119.3 s");
        row(123'400'000'000, "2 min 3.4 s", "2 min 3.4 s");
        row(754'000'000'000, "12 min 34 s", "12 min 34.0 s");
        row(3'723'000'000'000, "1 h 2 min", "1 h 2 min 3 s");
        row(-1'840, "−1.84 µs", "-1.840 µs");
        // Rounded before they are divided: no 1000 µs, no 60.0 s, no 60 min.
        row(999'970, "1 ms", "1.000 ms");
        row(119'970'000'000, "2 min 0 s", "2 min 0.0 s");
        row(599'960'000'000, "10 min 0 s", "10 min 0.0 s");
        row(200'000'000'000'000, "2.315 days", "55 h 33 min 20 s");
        row(3'599'970'000'000, "1 h 0 min", "1 h 0 min 0 s");
        row(7'199'600'000'000, "2 h 0 min", "2 h 0 min 0 s");
        row(-90'500'000'000, "−90.5 s", "-90.50 s");
        row(-150'500'000'000, "−2 min 30.5 s", "-2 min 30.5 s");
    }
    void durations() {
        QFETCH(qint64, ns);
        QTEST(QString::fromStdString(text::duration({ns})), "four");
        QTEST(QString::fromStdString(text::duration({ns}, text::Digits::Aligned)), "aligned");
    }

    void exactly() {
        QCOMPARE(text::exactDuration({1'842'113}), std::string("1.842113 ms"));
        QCOMPARE(text::exactDuration({-3}), std::string("−3 ns"));
        QCOMPARE(text::seconds(0.0123), std::string("12.3 ms"));
        QCOMPARE(text::seconds(246.0), std::string("4 min 6 s"));
        // Rounded once: not to 1785.5 s before, nor to 7170 s.
        QCOMPARE(text::seconds(1785.477), std::string("29 min 45 s"));
        QCOMPARE(text::seconds(7169.6), std::string("1 h 59 min"));
        QCOMPARE(text::seconds(7199.0), std::string("2 h 0 min"));
        QCOMPARE(text::seconds(7380.0), std::string("2 h 3 min"));
        QCOMPARE(text::seconds(86'400.0), std::string("24 h 0 min"));
        QCOMPARE(text::seconds(2.0 * 86'400.0), std::string("2 days"));
        QCOMPARE(text::seconds(41.25 * 86'400.0), std::string("41.2 days"));
    }

    // One run of 153.07 s reads the same wherever it is worded: by its nanoseconds or its seconds,
    // in a sentence, a readout, a column, or with bounds.
    void oneForm() {
        const DurationNs run{153'070'000'000};
        QCOMPARE(text::seconds(run.seconds()), std::string("2 min 33 s"));
        QCOMPARE(text::rounded(run.seconds(), "s"), std::string("2 min 33 s"));
        QCOMPARE(text::duration(run, text::Digits::Three), std::string("2 min 33 s"));
        QCOMPARE(text::duration(run), std::string("2 min 33.1 s"));
        QCOMPARE(text::quantity(run.seconds(), "s"), std::string("2 min 33.1 s"));
        QCOMPARE(text::alignedDuration(run), std::string("2 min 33.1 s"));
        QCOMPARE(text::aligned(run.seconds(), "s"), std::string("2 min 33.1 s"));
        QCOMPARE(text::withInterval(run.seconds(), 119.0, 190.0, "s", text::Digits::Three),
            std::string("2 min 33 s (119 s to 3 min 10 s)"));
        for (std::int64_t ns = 1'000; ns < 1'000'000'000'000'000; ns = ns * 17 / 10 + 13) {
            for (const auto digits :
                {text::Digits::Three, text::Digits::Four, text::Digits::Aligned})
                QCOMPARE(text::duration({ns}, digits),
                    text::quantity(DurationNs{ns}.seconds(), "s", digits));
        }
    }

    void digitsAreNotGrouped() {
        QCOMPARE(text::decimal(227'100'000, text::kSecond, 4), std::string("0.2271"));
        QCOMPARE(text::decimal(39'604'123'456, text::kSecond, 9), std::string("39.604123456"));
        QCOMPARE(text::decimal(-1, text::kSecond, 3), std::string("−0.001"));
    }

    void moments() {
        QCOMPARE(
            text::moment({1'700'000'000'123'456'789}), std::string("2023-11-14 22:13:20.123 UTC"));
        QCOMPARE(text::moment({-1}), std::string("1969-12-31 23:59:59.999 UTC"));
        QCOMPARE(text::moment({12'100'000'000}), std::string("second 12.100 of its own clock"));
        QVERIFY(
            !text::isDated({631'151'999'999'999'999}) && text::isDated({631'152'000'000'000'000}));
        QCOMPARE(text::date({1'700'000'000'000'000'000}, 7200), std::string("2023-11-15"));
        QCOMPARE(text::clock({1'700'000'000'000'000'000}, 7200, 0), std::string("00:13:20"));
        QCOMPARE(text::zone(-19800), std::string("UTC−05:30"));
    }

    // Dates in the forms of several countries, and back.
    void thereAndBack_data() {
        const auto row = test::columns<QString, QString>("pattern", "shown");

        row("Germany", "dd.MM.yy", "09.03.2026");
        row("United States", "M/d/yy", "3/9/2026");
        row("Finland", "d.M.yyyy", "9.3.2026");
        row("Croatia", "dd. MM. yyyy.", "09. 03. 2026.");
        row("Hungary", "yyyy. MM. dd.", "2026. 03. 09.");
        row("Netherlands", "dd-MM-yyyy", "09-03-2026");
        row("Japan", "yyyy/MM/dd", "2026/03/09");
        row("with signs", "yy年M月d日", "2026年3月9日");
        row("Sweden", "yyyy-MM-dd", "2026-03-09");
    }
    void thereAndBack() {
        QFETCH(QString, pattern);
        QFETCH(QString, shown);
        const auto form = DateForm::of(pattern.toStdString());
        QVERIFY(form.has_value());
        const auto written = DateForm().rewritten("2026-03-09", *form);
        QVERIFY(written.has_value());
        QCOMPARE(QString::fromStdString(*written), shown);
        QCOMPARE(form->rewritten(*written, DateForm()).value_or("none"), std::string("2026-03-09"));
    }

    void patternsOfNames_data() {
        test::columns<QString>("pattern");
        for (const char* pattern :
            {"d MMM yyyy", "dddd d/M/yy", "d 'de' M yy", "dd.MM.", "M/M/yy", "yyyy-MM-dd G", ""})
            QTest::addRow("'%s'", pattern) << QString::fromUtf8(pattern);
    }
    void patternsOfNames() {
        QFETCH(QString, pattern);
        QVERIFY(!DateForm::of(pattern.toStdString()));
    }

    void otherTextsAreNoDates() {
        for (const char* text :
            {"", "2026", "2026-03", "2026-03-09 ", "x2026-03-09", "2026/03/09", "-2026-03-09"})
            QVERIFY2(!DateForm().rewritten(text, DateForm()), text);
    }
};

TRAINSCOPE_TEST(tst_Times)
#include "tst_Times.moc"
