// An import report in lines: ranks expected and found, what was skipped and where.

#include "app/viewmodels/importing/ImportReportModel.h"
#include "core/report/WarningLines.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::app;

class tst_ReportFacts : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void missingRanks();
    void countsShareALine();
    void warnings();
    void partnersHaveTheRest();
    void noRawKeys();
    void theOutcome();
};

static QString valueOf(const ImportReport& report, const QString& label) {
    for (const auto& [name, value] : reportFacts(report)) {
        if (name == label)
            return value;
    }
    return {};
}

void tst_ReportFacts::missingRanks() {
    ImportReport report;
    report.ranksExpected = 8;
    report.ranksFound = {0, 1, 2, 6};
    QCOMPARE(valueOf(report, QStringLiteral("Ranks found")),
        QStringLiteral("4 of 8 expected, missing: 3-5, 7"));
    for (const int expected : {0, 2'000'000'000}) { // no cluster has so many
        report.ranksExpected = expected;
        QCOMPARE(valueOf(report, QStringLiteral("Ranks found")), QStringLiteral("0-2, 6"));
    }
}

void tst_ReportFacts::countsShareALine() {
    ImportReport report;
    report.counts = {{"cat:kernel", 1200}, {"cat:cpu_op", 3}, {"files", 2}};
    QCOMPARE(valueOf(report, QStringLiteral("Events by category")),
        QStringLiteral("cpu op 3, kernel 1,200"));
    QCOMPARE(valueOf(report, QStringLiteral("Files")), QStringLiteral("2"));
}

void tst_ReportFacts::warnings() {
    ImportReport report;
    report.warnings = {{"a.csv", 17, "not a number"}, {"b.csv", 0, "cut short"}};
    report.warningCount = 5;
    QCOMPARE(warningTexts(report::warningsOf(report)),
        test::texts("a.csv:17: not a number", "b.csv: cut short",
            "a.csv: 3 further warnings of this source are not listed."));
}

// A trace of rank 0 beside that of rank 1: nothing is missing.
void tst_ReportFacts::partnersHaveTheRest() {
    ImportReportModel::Entry first;
    first.runs = {QStringLiteral("pair")};
    first.report.importer = "kineto 1";
    first.report.ranksExpected = 2;
    first.report.ranksFound = {0};
    ImportReportModel::Entry second = first;
    second.report.ranksFound = {1};
    ImportReportModel model;
    model.setEntries({first, second});
    QVERIFY2(!model.text().contains(QStringLiteral("missing")), qPrintable(model.text()));
    QVERIFY(model.text().contains(
        QStringLiteral("Ranks found: 0; the other sources of the run have the rest")));
    model.setEntries({first});
    QVERIFY(model.text().contains(QStringLiteral("1 of 2 expected, missing: 1")));
}

void tst_ReportFacts::noRawKeys() {
    ImportReport report;
    report.rows = 7;
    report.facts = {{"placed_at_ns", "1776800000000000000"}, {"placed_within_s", "2.300"},
        {"placed_ambiguously", "false"}, {"placed_agreement", "92 %"}, {"backend", "Undefined"},
        {"clock", "no dates; placed at 2026-04-21"}};
    report.counts = {{"ph:X", 12}, {"cat:cpu_op", 3}};
    QStringList lines;
    for (const auto& [label, value] : reportFacts(report))
        lines.append(label + QStringLiteral(": ") + value);
    QCOMPARE(lines,
        test::texts("Rows read: 7", "Clock: no dates; placed at 2026-04-21",
            "Agreement with the power: 92 %", "Events by category: cpu op 3", lines.last()));
    QVERIFY(lines.last().startsWith(QStringLiteral("Size")));
}

void tst_ReportFacts::theOutcome() {
    using Entry = ImportReportModel::Entry;
    const auto entry = [](const char* run, qsizetype files, int severity) {
        Entry made;
        made.runs = {QString::fromLatin1(run)};
        made.files = files;
        made.severity = severity;
        return made;
    };
    QCOMPARE(ImportReportModel::outcomeOf({entry("a", 1, 0)}), QStringLiteral("1 run from 1 file"));
    Entry log = entry("b", 1, 0);
    log.placed = QStringLiteral("the log placed within 2.3 s by power");
    QCOMPARE(ImportReportModel::outcomeOf({entry("a", 2, 0), entry("b", 3, 1), log}),
        QStringLiteral("2 runs from 6 files; the log placed within 2.3 s by power; 1 source has "
                       "warnings"));
    Entry failed;
    failed.severity = 2;
    QCOMPARE(ImportReportModel::outcomeOf({entry("a", 1, 0), failed}),
        QStringLiteral("1 run from 1 file; 1 file was not imported"));
    QCOMPARE(ImportReportModel::outcomeOf({failed}), QStringLiteral("1 file was not imported"));
}

TRAINSCOPE_TEST(tst_ReportFacts)
#include "tst_ReportFacts.moc"
