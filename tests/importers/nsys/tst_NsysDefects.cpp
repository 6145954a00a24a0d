// Reports that are cut short, damaged, or made to do harm: read as far as they go, or refused with
// a reason.

#include "importers/nsys/MadeReport.h"
#include "importers/support/Compress.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

constexpr int kKernels = 600;

const std::string& largeReport() {
    static const std::string bytes = [] {
        MadeReport report;
        report.startAt(MadeReport::kStart);
        report.database.run("BEGIN");
        for (int i = 0; i < kKernels; ++i) {
            report.range(
                "step " + std::to_string(i), 10 * i, std::int64_t{10 * i + 9}, kProcess, 5);
            report.call("cudaLaunchKernel", 10 * i + 1, 10 * i + 2, kProcess, 5, i + 1);
            report.kernel(
                "kernel" + std::to_string(i % 50), 10 * i + 5, 10 * i + 9, kProcess, i + 1);
        }
        report.database.run("COMMIT");
        return report.database.bytes();
    }();
    return bytes;
}

// Never crashes and never hangs; what is told is either an error with words or a report.
bool isSound(const std::string& bytes, ImportedReports& out) {
    const auto tree = importers::memoryTree({{"made.sqlite", bytes}});
    out.units = importers::nsys::kImporter.plan(*tree, tree->files());
    for (const auto& unit : out.units)
        out.reports.push_back(importers::nsys::kImporter.import(*tree, unit, out.sink, {}));
    return std::all_of(out.reports.begin(), out.reports.end(),
        [](const auto& report) { return report.hasValue() || !report.error().message.empty(); });
}

} // namespace

class tst_NsysDefects : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cutAnywhere() {
        ImportedReports whole;
        QVERIFY(isSound(largeReport(), whole));
        QVERIFY(whole.reports[0].hasValue());
        QCOMPARE(whole.lines(SpanKind::Kernel).size(), std::size_t{kKernels});
        std::size_t most = 0;
        for (std::size_t part = 1; part < 20; ++part) {
            ImportedReports imported;
            QVERIFY(isSound(
                largeReport().substr(0, largeReport().size() * part / 20 + part), imported));
            if (imported.reports.empty() || !imported.reports[0].hasValue())
                continue;
            const auto kernels = imported.lines(SpanKind::Kernel);
            most = std::max(most, kernels.size());
            QVERIFY(imported.reports[0].value().warningCount > 0);
            QVERIFY(imported.sink.runs.begin()->second.status == RunStatus::Partial);
        }
        QVERIFY(most > kKernels / 2); // the first rows of a cut file are there
    }
    // Views in the place of tables, a virtual table, columns that compute, a trigger, and a text of
    // 18 MB: none of them runs or is read.
    void harmfulSchemas() {
        MadeDatabase made;
        made.run("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT)");
        made.run("CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs, utcTime, localTime)");
        made.run(
            "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(start) AS (SELECT 1 UNION"
            " ALL SELECT start + 1 FROM n) SELECT start, start + 1 AS end, 0 AS deviceId FROM n");
        made.run(
            "CREATE TABLE OSRT_API (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER"
            " GENERATED ALWAYS AS (length(zeroblob(start * 900000000))) VIRTUAL)");
        made.run("INSERT INTO OSRT_API (start, end, globalTid) VALUES (1, 2, 3)");
        made.run(
            "CREATE TRIGGER t AFTER INSERT ON StringIds BEGIN SELECT zeroblob(1000000000); END");
        made.run("INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1, 'a', 'b')");
        QElapsedTimer timer;
        timer.start();
        ImportedReports imported;
        QVERIFY(isSound(made.bytes(), imported));
        QVERIFY(timer.elapsed() < 5000);
        QVERIFY2(imported.reports[0].hasValue(),
            imported.reports[0].hasValue() ? "" : imported.reports[0].error().message.c_str());
        QVERIFY(imported.lines(SpanKind::Kernel).empty());
        QCOMPARE(imported.lines(SpanKind::Other).size(), std::size_t{1});

        MadeReport report;
        report.startAt(MadeReport::kStart);
        report.kernel("k", 0, 5, kProcess, 1);
        report.range("short", 0, std::int64_t{4}, kProcess, 5);
        report.database.run(
            "INSERT INTO NVTX_EVENTS (start, end, eventType, text) VALUES (2, 3, 59,"
            " hex(zeroblob(9000000)))");
        report.database.run("VACUUM");
        ImportedReports large;
        // Unpacked into memory, where there is room for 64 MB; on disk it would be as large.
        QVERIFY(isSound(report.database.bytes(), large));
        QVERIFY(large.reports[0].hasValue());
        QCOMPARE(large.lines(SpanKind::Kernel).size(), std::size_t{1});
        QVERIFY(large.reports[0].value().warningCount > 0);
    }
    void compressedOnes() {
        for (const std::string& packed : {gzipped(largeReport()), zstded(largeReport())}) {
            const ImportedReports imported(*importers::memoryTree({{"a.sqlite.gz", packed}}));
            QCOMPARE(imported.reports.size(), std::size_t{1});
            QVERIFY(imported.reports[0].hasValue());
            QCOMPARE(imported.lines(SpanKind::Kernel).size(), std::size_t{kKernels});
        }
    }
    void cancelled() {
        const auto tree = importers::memoryTree({{"made.sqlite", largeReport()}});
        const auto units = importers::nsys::kImporter.plan(*tree, tree->files());
        CollectingSink sink;
        const auto report = importers::nsys::kImporter.import(
            *tree, units[0], sink, [](const ProgressState&) { return false; });
        QVERIFY(!report.hasValue());
        QVERIFY(report.error().code == ErrorCode::Cancelled);
    }
    void strangeValues() {
        MadeReport report;
        report.startAt(MadeReport::kStart);
        report.kernel("backwards", 50, 20, kProcess, 1);
        report.kernel("far", std::numeric_limits<std::int64_t>::max(), 20, kProcess, 2);
        report.kernel("fine", 5, 20, kProcess, -3);
        report.database.run(
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 'x', 2, 'd', 1, NULL, 'é',"
            " NULL, NULL, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL");
        report.database.run(
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 7, 8, -99999999999, 1, NULL,"
            " 1, NULL, NULL, 999999, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL");
        for (const char* start : {"9", "10"})
            report.database.run(std::string("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT ")
                + start + ", 'open', 0, 1, NULL, 7, NULL, NULL, "
                + std::to_string(report.text("fine")) + ", 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, NULL");
        const ImportedReports imported(report);
        QVERIFY(imported.reports[0].hasValue());
        const auto kernels = imported.lines(SpanKind::Kernel);
        QCOMPARE(kernels.size(), std::size_t{5});
        QCOMPARE(
            std::count_if(kernels.begin(), kernels.end(),
                [](const std::string& line) { return line.find("|0|0|") != std::string::npos; }),
            std::ptrdiff_t{2}); // no length, no correlation
        const ImportReport& said = imported.reports[0].value();
        QCOMPARE(said.counts.at("negative durations"), std::int64_t{1});
        QCOMPARE(said.counts.at("rows without end"), std::int64_t{2});
        const auto times = [&said](std::string_view words) {
            return std::count_if(
                said.warnings.begin(), said.warnings.end(), [words](const ImportWarning& warning) {
                    return warning.text.find(words) != std::string::npos;
                });
        };
        QCOMPARE(times("ends before it starts"), std::ptrdiff_t{1});
        QCOMPARE(times("has no end"), std::ptrdiff_t{1});
        QCOMPARE(said.skipped, std::int64_t{2});
        QCOMPARE(said.counts.at("names that the report does not have"), std::int64_t{1});
    }
};

TRAINSCOPE_TEST(tst_NsysDefects)
#include "tst_NsysDefects.moc"
