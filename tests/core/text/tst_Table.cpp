// A table is one value and reads alike as text and CSV.

#include "core/text/Table.h"
#include "support/TestProgram.h"

#include <QObject>

using text::Align;

class tst_Table : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aligned() {
        text::Table table{"Names", {{"name", Align::Left}, {"value"}}};
        table.add({"µs", "1"});
        table.add({"longer", "100"});
        std::ostringstream out;
        text::print(out, table, "  ");
        QCOMPARE(out.str(), std::string("  name    value\n  µs          1\n  longer    100\n"));
    }

    void sortedByAColumn() {
        text::Table table{"", {{"name", Align::Left}, {"count"}, {"time"}}};
        table.add({"b", 9, DurationNs{2'000}});
        table.add({"a", 10, std::optional<DurationNs>()});
        table.add({"c", 10, DurationNs{1'000}});
        using Order = std::vector<std::size_t>;
        QCOMPARE(text::sortedRows(table, 0, false), (Order{1, 0, 2}));
        QCOMPARE(text::sortedRows(table, 1, false), (Order{0, 1, 2})); // as numbers
        QCOMPARE(text::sortedRows(table, 1, true), (Order{1, 2, 0}));
        QCOMPARE(text::sortedRows(table, 2, true), (Order{0, 2, 1})); // missing: last
        QCOMPARE(text::sortedRows(table, 2, false), (Order{2, 0, 1}));
    }

    void textsGoInTheirNaturalOrder() {
        text::Table table{"", {{"GPU", Align::Left}}};
        for (const char* name :
            {"rank 10, device 1", "rank 2", "rank 10, device 0", "nan", "rank 1", "4"})
            table.add({name});
        // A number comes first, and "nan" is none.
        QCOMPARE(text::sortedRows(table, 0, false), (std::vector<std::size_t>{5, 3, 4, 1, 2, 0}));
    }

    void cellsInWordsAndAsCsv() {
        text::Table table{"",
            {{"run", Align::Left}, {"power", Align::Right, "W"}, {"share", Align::Right, "%"},
                {"time"}, {"GPUs"}}};
        table.add({"a, b", std::optional(412.3), 0.5, DurationNs{1'500'000}, 8});
        table.add({"c", std::optional<double>(), 0.25, DurationNs{2'000'000'000}});
        const auto words = table.inWords();
        QCOMPARE(words[0], (std::vector<std::string>{"a, b", "412.3 W", "50 %", "1.5 ms", "8"}));
        QCOMPARE(words[1], (std::vector<std::string>{"c", "—", "25 %", "2 s", ""}));
        QCOMPARE(text::csv(table),
            std::string("run,power (W),share,time (s),GPUs\n\"a, b\",412.3,0.5,0.0015,8\n"
                        "c,,0.25,2\n"));
        QCOMPARE(text::Cell(DurationNs{98'718}).inCsv(), std::string("9.8718e-05"));
    }

    // A spreadsheet computes what begins with one of these; an apostrophe makes it a text.
    void cellsAreNoFormulas() {
        for (const char* harmful :
            {"=1+1", "=cmd|' /C calc'!A0", "+1+1", "-1+cmd", "@SUM(A1)", "\t=1", "\r=1", "  =1",
                "\n=1", "\uFF1D1+1", "\uFF0B1", "-", "--", "+", "=", "-x", "-1 kW)", "-1 cmd|a"}) {
            const std::string text = harmful;
            const std::string cell = text::csvCell(text);
            const bool isDash = text == "-";
            QVERIFY2(
                isDash ? cell == "-" : cell.starts_with('\'') || cell.starts_with("\"'"), harmful);
            QCOMPARE(text::spreadsheetText(text), isDash ? text : "'" + text);
        }
        for (const char* harmless :
            {"-5", "+3.5", "-1e-9", "-inf", "-5.2 GB/s", "+12 %", "1-1", "a=b", "", " ", "ab@c"})
            QCOMPARE(text::csvCell(harmless), std::string(harmless));
        QCOMPARE(text::csvCell("=\"a\",1"), std::string("\"'=\"\"a\"\",1\""));
        QCOMPARE(text::csvCell("-1,234.5 W"), std::string("\"-1,234.5 W\""));
        text::Table table{"", {{"name", Align::Left}, {"change"}}};
        table.add({"=1+1", -5});
        QCOMPARE(text::csv(table), std::string("name,change\n'=1+1,-5\n"));
    }

    // With semicolons between cells, text behind one is another cell, quoted or not.
    void semicolonsBeginNoFormulas() {
        QCOMPARE(text::csvCell("x;=1+1;y"), std::string("\"x;'=1+1;y\""));
        QCOMPARE(text::csvCell("=1;+2+3; @a;"), std::string("\"'=1;'+2+3;' @a;\""));
        QCOMPARE(text::csvCell("a;b; -5;"), std::string("\"a;b; -5;\""));
    }

    void tabbedCellsStayOneCell() {
        QCOMPARE(text::tsvCell("a\t=1\r\nb"), std::string("a =1  b"));
        QCOMPARE(text::tsvCell("\t=1"), std::string("' =1"));
        QCOMPARE(text::tsvCell("\r@SUM(A1)"), std::string("' @SUM(A1)"));
        QCOMPARE(text::tsvCell("-5"), std::string("-5"));
    }

    void cellsAreOneLineOnATerminal() {
        text::Table table{"", {{"name", Align::Left}, {"n"}}};
        table.add({"a\n\x1b[2Jerror: b\t", 1});
        std::ostringstream out;
        text::print(out, table);
        QCOMPARE(out.str(), std::string("name             n\na ␛[2Jerror: b   1\n"));
    }

    void elision() {
        QCOMPARE(text::elided("short", 10), std::string("short"));
        QCOMPARE(text::elided("µµµµµ", 3), std::string("µµ…"));
        QCOMPARE(text::elidedInMiddle("short", 5), std::string("short"));
        QCOMPARE(text::elidedInMiddle("run_a_µ10", 6), std::string("ru…µ10"));
        QCOMPARE(text::elidedInMiddle("run_a_µ10", 1), std::string("…"));
    }
};

TRAINSCOPE_TEST(tst_Table)
#include "tst_Table.moc"
