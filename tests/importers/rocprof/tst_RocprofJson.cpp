// The JSON of rocprofv3, and the database and the JSON of the first rocprof: one kernel, one copy,
// one call and one range in each.

#include "importers/common/Formats.h"
#include "importers/rocprof/RocprofSamples.h"
#include "importers/support/TraceLines.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::test;

namespace {

using SpanLines = std::multiset<std::string>;

void importOne(const std::string& name, const std::string& bytes, ImportedTraces& out) {
    importTraces(importers::rocprof::kImporter, *importers::memoryTree({{name, bytes}}), out);
}

} // namespace

class tst_RocprofJson : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void jsonOfTheTool() {
        ImportedTraces imported;
        importOne("1_results.json", kToolJson, imported);
        QCOMPARE(imported.units.size(), std::size_t{1});
        QCOMPARE(imported.units[0].rank, std::optional<int>(3));
        QCOMPARE(imported.units[0].worldSize, 8);
        QCOMPARE(imported.units[0].gpuModel, std::string("MI300X"));
        QVERIFY(imported.reports[0].hasValue());
        // 93 is the second of the GPUs by their nodes.
        QCOMPARE(imported.lines(SpanKind::Kernel),
            (SpanLines{R"(3|1/5|gemm(float*)|1000|600|9|{"grid":[3,1,1],"block":[128,1,1],)"
                       R"("registers per thread":64,"shared memory":512})"}));
        QCOMPARE(imported.lines(SpanKind::Copy),
            (SpanLines{R"(3|1/0|Memcpy HtoD|2000|100|10|{"bytes":4096})"}));
        QCOMPARE(
            imported.lines(SpanKind::Runtime), (SpanLines{"3|4711/70|hipLaunchKernel|200|10|9|"}));
        QCOMPARE(
            imported.lines(SpanKind::Annotation), (SpanLines{R"(3|4711/70|step "4"|100|800|0|)"}));
        QCOMPARE(imported.sink.gpus[0].local, 1);
    }
    void severalProcesses() {
        const std::string begin = kToolJson.substr(0, kToolJson.find("[{") + 1);
        std::string one = kToolJson.substr(begin.size());
        one = one.substr(0, one.rfind("]}"));
        std::string other = one;
        other.replace(other.find("4711"), 4, "4712");
        other.replace(other.find("\"start_timestamp\":1000"), 22, "\"start_timestamp\":1100");
        ImportedTraces imported;
        importOne("results.json", begin + one + "," + other + "]}", imported);
        QVERIFY(imported.reports.at(0).hasValue());
        QCOMPARE(imported.lines(SpanKind::Kernel).size(), std::size_t{2});
        QCOMPARE(imported.lines(SpanKind::Annotation).count(R"(4|4712/70|step "4"|100|800|0|)"),
            std::size_t{1});
    }
    void olderDatabase() {
        ImportedTraces imported;
        importOne("results.db", oldDatabase(), imported);
        QCOMPARE(imported.units.size(), std::size_t{1});
        QVERIFY(imported.reports[0].hasValue());
        QCOMPARE(imported.lines(SpanKind::Kernel), (SpanLines{"0|1/2|gemm(float*)|1000|600|9|"}));
        QCOMPARE(imported.lines(SpanKind::Copy), (SpanLines{"0|0/copies|async-copy|2000|100|10|"}));
        QCOMPARE(
            imported.lines(SpanKind::Runtime), (SpanLines{"0|4711/70|hipLaunchKernel|200|10|9|"}));
        QCOMPARE(imported.lines(SpanKind::GpuAnnotation), (SpanLines{"0|1/2|step 4|1000|600|0|"}));
    }
    void olderJson() {
        ImportedTraces imported;
        importOne("results.json", kOldJson, imported);
        QCOMPARE(imported.units.size(), std::size_t{1});
        QVERIFY(imported.reports[0].hasValue());
        QCOMPARE(imported.lines(SpanKind::Kernel), (SpanLines{"0|1/2|gemm(float*)|1000|600|0|"}));
        QCOMPARE(
            imported.lines(SpanKind::Copy), (SpanLines{"0|0/copies|CopyHostToDevice|2000|100|0|"}));
        QCOMPARE(
            imported.lines(SpanKind::Runtime), (SpanLines{"0|4711/70|hipLaunchKernel|200|10|0|"}));
        QCOMPARE(imported.lines(SpanKind::Annotation), (SpanLines{"0|4711/70|step 4|100|800|0|"}));
        // The importer of any trace of events leaves it.
        const auto sniff = [](const importers::Importer& importer) {
            return importer.sniff(kOldJson, "results.json");
        };
        QVERIFY(sniff(importers::rocprof::kImporter) > sniff(importers::kineto::kImporter));
    }
    void cutShort() {
        for (const std::string& whole : {kToolJson, kOldJson, oldDatabase()}) {
            for (std::size_t size = 0; size < whole.size(); size += 97) {
                const auto tree = importers::memoryTree({{"a", whole.substr(0, size)}});
                CollectingSink sink;
                for (const auto& unit : importers::rocprof::kImporter.plan(*tree, tree->files())) {
                    const auto report = importers::rocprof::kImporter.import(*tree, unit, sink, {});
                    QVERIFY(report.hasValue() || !report.error().message.empty());
                }
            }
        }
        // All records lie before the last range.
        ImportedTraces imported;
        importOne("results.json", kToolJson.substr(0, kToolJson.find("\"marker_api\":[{\"size\"")),
            imported);
        QVERIFY(imported.reports.at(0).hasValue());
        QCOMPARE(imported.lines(SpanKind::Kernel).size(), std::size_t{1});
        QVERIFY(imported.sink.runs.begin()->second.status == RunStatus::Partial);
    }
};

TRAINSCOPE_TEST(tst_RocprofJson)
#include "tst_RocprofJson.moc"
