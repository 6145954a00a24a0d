// An import report in lines: ranks expected and found, what was skipped and where.

#include "app/viewmodels/importing/ReportFacts.h"
#include "support/TestProgram.h"

#include <QTest>

using namespace trainscope;
using namespace trainscope::app;

class tst_ReportFacts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ranges();
    void missingRanks();
    void countsShareALine();
    void warnings();
};

static QString valueOf(const ImportReport& report, const QString& label) {
    for (const auto& [name, value] : reportFacts(report)) {
        if (name == label)
            return value;
    }
    return {};
}

void tst_ReportFacts::ranges() {
    QCOMPARE(rankRanges({}), QString());
    QCOMPARE(rankRanges({5}), QStringLiteral("5"));
    QCOMPARE(rankRanges({8, 0, 1, 2, 3}), QStringLiteral("0–3, 8"));
}

void tst_ReportFacts::missingRanks() {
    ImportReport report;
    report.ranksExpected = 8;
    report.ranksFound = {0, 1, 2, 6};
    QCOMPARE(valueOf(report, QStringLiteral("Ranks found")),
        QStringLiteral("4 of 8 expected, missing: 3–5, 7"));
    for (const int expected : {0, 2'000'000'000}) { // of no cluster
        report.ranksExpected = expected;
        QCOMPARE(valueOf(report, QStringLiteral("Ranks found")), QStringLiteral("0–2, 6"));
    }
}

void tst_ReportFacts::countsShareALine() {
    ImportReport report;
    report.counts = {{"cat:kernel", 1200}, {"cat:cpu_op", 3}, {"files", 2}};
    QCOMPARE(valueOf(report, QStringLiteral("Events by category")),
        QStringLiteral("cpu_op 3, kernel 1,200"));
    QCOMPARE(valueOf(report, QStringLiteral("Files")), QStringLiteral("2"));
}

void tst_ReportFacts::warnings() {
    ImportReport report;
    report.warnings = {{"a.csv", 17, "not a number"}, {"b.csv", 0, "cut short"}};
    report.warningCount = 5;
    QCOMPARE(warningTexts(report),
        (QStringList{QStringLiteral("a.csv, line 17: not a number"),
            QStringLiteral("b.csv: cut short"), QStringLiteral("and 3 more")}));
}

TRAINSCOPE_TEST(tst_ReportFacts)
#include "tst_ReportFacts.moc"
