// Numbers for a reader whose decimals stand behind a comma: on the screen, and in files.

#include "core/text/NumberMarks.h"
#include "core/text/Numbers.h"
#include "core/text/Table.h"
#include "core/text/Times.h"
#include "support/TestProgram.h"

#include <thread>

class tst_NumberMarks : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() {
        text::setReadersMarks(",", ".");
        text::setReadersDates("d.M.yy");
    }

    void screenHasTheReaders_data() {
        QTest::addColumn<QString>("shown"); // without what is drawn as nothing
        QTest::addColumn<QString>("written");
        QTest::addColumn<QString>("text");
        const text::WordingFor screen(text::Medium::Screen);
        const auto row = [](const char* shown, const char* written, const std::string& text) {
            QTest::addRow("%s", written) << QString::fromUtf8(shown) << QString::fromUtf8(written)
                                         << QString::fromStdString(text);
        };
        row("1,755 GHz", "1.755 GHz", text::quantity(1.755e9, "Hz"));
        row("23,40 kW", "23.40 kW", text::quantity(23400.0, "W", text::Digits::Aligned));
        row("87,3 %", "87.3 %", text::quantity(0.873, "1", text::Digits::Four, "gpu_utilization"));
        row("+4,5 %", "+4.5 %", text::signedPercent(0.045));
        row("352,0 ns", "352.0 ns", text::quantity(3.52e-7, "s", text::Digits::Aligned));
        row("12,07 kJ (11,6 to 12,5)", "12.07 kJ (11.6 to 12.5)",
            text::withInterval(12'070.0, 11'600.0, 12'500.0, "J"));
        row("1,84 ms", "1.84 ms", text::duration({1'840'000}));
        row("1,842113 ms", "1.842113 ms", text::exactDuration({1'842'113}));
        row("2 min 3,4 s", "2 min 3.4 s", text::alignedDuration({123'400'000'000}));
        row("1.234.567", "1,234,567", text::withMarks("1,234,567"));
        row("2,50 × and   1,5", "2.50 × and   1.5",
            fmt::format("{:.2f} × and {:5.{}f}", text::worded(2.5), text::worded(1.5), 1));
        row("9.3.2026 UTC", "2026-03-09 UTC", text::withDateForm("2026-03-09") + " UTC");
        row("9.3.2026 to 21.11.2026, 1,5 s", "2026-03-09 to 2026-11-21, 1.5 s",
            text::withDateForm("2026-03-09") + " to " + text::withDateForm("2026-11-21") + ", "
                + text::seconds(1.5));
        row("9 March", "9 March", text::withDateForm("9 March"));
        // Names and lists are not numbers.
        row("run 3.5, ranks 0, 4-6", "run 3.5, ranks 0, 4-6",
            "run 3.5, ranks " + text::numberList({0, 4, 5, 6}));
    }
    void screenHasTheReaders() {
        QFETCH(QString, shown);
        QFETCH(QString, written);
        QFETCH(QString, text);
        QCOMPARE(QString(text).remove(QChar(0x2060)), shown);
        QCOMPARE(QString::fromStdString(text::forFiles(text.toStdString())), written);
    }

    void filesAndDataHavePoints() {
        QCOMPARE(text::quantity(1.755e9, "Hz"), std::string("1.755 GHz"));
        const text::WordingFor screen(text::Medium::Screen);
        std::string elsewhere;
        std::thread([&] { elsewhere = text::quantity(1.755e9, "Hz"); }).join();
        QCOMPARE(elsewhere, std::string("1.755 GHz"));
        QCOMPARE(text::date({0}, 0), std::string("1970-01-01"));
        QCOMPARE(text::decimal(1'842'113, text::kMillisecond, 3), std::string("1.842"));
        QCOMPARE(text::clock({250'000'000}, 0, 3), std::string("00:00:00.250"));
        text::Table table{"", {{"GPU·s"}, text::inUnit("power", "W")}, {}, {}};
        table.add({text::quantity(2.5, "1"), 412.34});
        QCOMPARE(text::csv(table), std::string("GPU·s,power (W)\n2.5,412.34\n"));
        {
            const text::WordingFor file(text::Medium::File);
            QCOMPARE(text::percent(0.125), std::string("12.5 %"));
        }
        QVERIFY(text::percent(0.125) != std::string("12.5 %"));
    }
};

TRAINSCOPE_TEST(tst_NumberMarks)
#include "tst_NumberMarks.moc"
