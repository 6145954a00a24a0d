// Rows and progress as people read them.

#include "app/cli/console/ProgressLine.h"
#include "app/cli/text/Rows.h"
#include "app/cli/text/TextFile.h"
#include "core/text/Table.h"
#include "support/TestProgram.h"

using namespace trainscope::cli;

class tst_Text : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void absentIsADash() {
        QCOMPARE(text::aligned(std::optional<double>(), "W"), std::string("—"));
    }

    // The same quantities: what is not known is no member and the sign for missing, lengths of time
    // go by their key's unit, and rows beyond the last one shown are counted.
    void rowsFeedTextAndJson() {
        const auto rowOf = [](int rank, std::size_t place) -> Row {
            return {{"rank", {"rank"}, rank}, {"time_us", {"time"}, DurationNs{1'500}},
                {"power_w", inUnit("power", "W"), rank == 0 ? std::optional(412.34) : std::nullopt},
                {"place", place}, {"", {"words", Left}, "a"},
                {"kind", "b", {"as told", Left}, "B"}};
        };
        QCOMPARE(jsonText(rowsJson(std::vector{0, 1}, rowOf)),
            std::string(R"([{"rank":0,"time_us":1.5,"power_w":412.34,"place":0,"kind":"b"},)"
                        R"({"rank":1,"time_us":1.5,"place":1,"kind":"b"}])"));
        std::ostringstream out;
        printBelow(out, tableOf(std::vector{0, 1, 2}, rowOf, 2, "more rank"));
        QCOMPARE(out.str(),
            std::string("\n"
                        "  rank      time    power  words  as told\n"
                        "     0  1.500 µs  412.3 W  a      B\n"
                        "     1  1.500 µs        —  a      B\n"
                        "  ... and 1 more rank; --json lists all\n"));
        std::ostringstream nothing;
        printBelow(nothing, text::Table{.title = "Nothing"});
        QVERIFY(nothing.str().empty());
    }

    void progress() {
        const ProgressFigures reading{50'000'000, 200'000'000, 0.3, 25e6, 5.5};
        QCOMPARE(progressText("Reading", reading, true),
            std::string(
                "Reading  [######..............]  50.00 MB of 200.0 MB  25.00 MB/s  6 s left"));
        QCOMPARE(progressText("Reading", reading, false),
            std::string("Reading  50.00 MB of 200.0 MB  25.00 MB/s  6 s left"));
        QCOMPARE(progressText("Sorting", {}, true), std::string("Sorting"));
        const ProgressFigures searching{{}, 0, 0.25, {}, 3.0};
        QCOMPARE(progressText("Searching", searching, true),
            std::string("Searching  [#####...............]  25 %  3 s left"));
    }

    // Analyses count GPUs, series or layouts.
    void progressOfWhatIsNotBytes() {
        std::ostringstream out;
        std::ostringstream err;
        const Console console(out, err);
        std::int64_t now = 0;
        ProgressLine line(console, [&now] { return now; });
        now = 10'000;
        line.update("Fitting temperatures", 0, 0);
        for (now = 10'100; now <= 20'000; now += 100)
            line.updateCount("Searching layouts", static_cast<std::uint64_t>(now), 39'500);
        // 1,000 a second, and 19,500 are left: 19.5 s.
        QCOMPARE(
            err.str(), std::string("Fitting temperatures\nSearching layouts  51 %  20 s left\n"));
    }

    void progressOnATerminal() {
        std::ostringstream out;
        std::ostringstream err;
        const Console console(out, err, {false, true});
        std::int64_t now = 1000;
        {
            ProgressLine line(console, [&now] { return now; });
            for (int step = 0; step <= 20; ++step, now += 50)
                line.update("Reading", static_cast<std::uint64_t>(step) * 1'000'000, 20'000'000);
        }
        const QString shown = QString::fromStdString(err.str());
        // Every other step is 100 ms apart; the last one is drawn, and everything is cleared.
        QCOMPARE(shown.count(QLatin1String("Reading")), 11);
        QVERIFY(shown.contains(
            QLatin1String("[##########..........]  10.00 MB of 20.00 MB  20.00 MB/s  1 s left")));
        QVERIFY(shown.endsWith(QLatin1String("\r\033[K")));
        QVERIFY(out.str().empty());
    }

    void progressInALog() {
        std::ostringstream out;
        std::ostringstream err;
        const Console console(out, err);
        std::int64_t now = 0;
        ProgressLine line(console, [&now] { return now; });
        for (; now <= 25'000; now += 100)
            line.update("Reading", static_cast<std::uint64_t>(now) * 1000, 100'000'000);
        QCOMPARE(err.str(),
            std::string("Reading  10.00 MB of 100.0 MB  1.000 MB/s  90 s left\n"
                        "Reading  20.00 MB of 100.0 MB  1.000 MB/s  80 s left\n"));
    }

    void csvCellsHoldLines() {
        QCOMPARE(text::csvCell("two\nlines"), std::string("\"two\nlines\""));
    }
};

TRAINSCOPE_TEST(tst_Text)
#include "tst_Text.moc"
