// Warnings of many files in lines: kinds, their numbers and their order.

#include "core/report/WarningLines.h"
#include "support/TestProgram.h"

using namespace trainscope;
using report::groupedWarnings;

class tst_WarningLines : public QObject {
    Q_OBJECT

private:
    static QStringList textsOf(const std::vector<report::WarningLine>& lines) {
        QStringList texts;
        for (const auto& line : lines)
            texts.append(QString::fromStdString(line.text));
        return texts;
    }

private Q_SLOTS:
    // Numbers, quoted words and names of files make no kind of their own; nor do one and many.
    void whatDiffersInNumbersIsOneKind() {
        QCOMPARE(
            textsOf(groupedWarnings({
                {"a.csv", 17, "\"12 x\" in column \"power\" is no number; taken as missing."},
                {"a.csv", 90, "\"[N\" in column \"clocks sm\" is no number; taken as missing."},
                {"b.csv", 2, "\"-\" in column \"power\" is no number; taken as missing."},
            })),
            (test::texts("a.csv:17: \"12 x\" in column \"power\" is no number; taken "
                         "as missing. (and 2 more, in 2 files)")));
        QCOMPARE(groupedWarnings(
                     {{"a", 0, "3 rows were cut off"}, {"b", 0, "1 row was cut off"},
                         {"c", 0, "12 W is too much of rank 3"},
                         {"d", 0, "1.2 kW is too much of ranks 3-7, 9"},
                         {"e", 0, "read up to node0/smi.csv"}, {"f", 0, "read up to dmon.log"}})
                     .size(),
            std::size_t{3});
    }

    void otherWordsAreOtherKinds() {
        QCOMPARE(groupedWarnings(
                     {{"a", 0, "The file breaks off here."}, {"a", 0, "The file begins here."}})
                     .size(),
            std::size_t{2});
    }

    // The same of one file needs no number of files; files that a warning stands for all count.
    void filesAreCounted() {
        QCOMPARE(textsOf(groupedWarnings({{"a", 1, "Skipped."}, {"a", 2, "Skipped."}})),
            (test::texts("a:1: Skipped. (and 1 more)")));
        QCOMPARE(textsOf(groupedWarnings({{"a", 0, "Empty.", 320}, {"b", 0, "Empty."}})),
            (test::texts("a: Empty. (and 320 more, in 321 files)")));
    }

    void whatWasLostComesFirst() {
        const std::vector<ImportWarning> warnings{
            {"a", 0, "good to know", 1, trainscope::Severity::Remark}, {"b", 0, "perhaps wrong"},
            {"c", 0, "left out", 1, trainscope::Severity::Lost},
            {"d", 0, "not read", 1, trainscope::Severity::Failed}};
        const QStringList wanted{QStringLiteral("d: not read"), QStringLiteral("c: left out"),
            QStringLiteral("b: perhaps wrong"), QStringLiteral("a: good to know")};
        QCOMPARE(textsOf(groupedWarnings(warnings)), wanted);
        QCOMPARE(textsOf(groupedWarnings(warnings, 0)), wanted);
    }

    // 500 files with 26 kinds of warnings: 19 kinds are shown, and what is not shown is counted.
    void neverMoreThanTwentyLines() {
        std::vector<ImportWarning> warnings;
        for (int file = 0; file < 500; ++file) {
            for (char kind = 'a'; kind <= 'z'; ++kind)
                warnings.push_back({"file" + std::to_string(file), 0, {kind, kind}});
        }
        const auto lines = groupedWarnings(warnings);
        QCOMPARE(lines.size(), std::size_t{20});
        QCOMPARE(textsOf(lines).first(), QStringLiteral("file0: aa (and 499 more, in 500 files)"));
        QCOMPARE(
            textsOf(lines).last(), QStringLiteral("There are 3500 warnings of 7 kinds besides."));
        QCOMPARE(groupedWarnings(warnings, 0).size(), std::size_t{13'000});
    }

    void whatIsNotKeptIsCounted() {
        ImportReport report;
        for (int line = 1; line <= 53; ++line)
            report.lost("log", line, "Skipped.");
        QCOMPARE(textsOf(groupedWarnings(report::warningsOf(report))),
            (test::texts("log:1: Skipped. (and 49 more)",
                "log: 3 further warnings of this source are not listed.")));
    }
};

TRAINSCOPE_TEST(tst_WarningLines)
#include "tst_WarningLines.moc"
