// The JSON of rocprofv3, and the database and the JSON of the first rocprof: one kernel, one copy,
// one call and one range in each. Databases of rocmProfileData, made by hand from their schema:
// ranks, calls, work, readings.

#include "importers/common/Formats.h"
#include "importers/registry/Registry.h"
#include "importers/rocprof/RocprofSamples.h"
#include "importers/support/ImportAll.h"
#include "importers/support/TraceLines.h"
#include "support/TestProgram.h"

using namespace trainscope::test;
using SpanLines = std::multiset<std::string>;

namespace {

struct ImportedOne : ImportedTraces {
    ImportedOne(const std::string& name, const std::string& bytes)
        : ImportedTraces(importers::rocprof::kImporter, *importers::memoryTree({{name, bytes}})) { }
};

} // namespace

class tst_RocprofJson : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void jsonOfTheTool() {
        const ImportedOne imported("1_results.json", kToolJson);
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
        const ImportedOne imported("results.json", begin + one + "," + other + "]}");
        QVERIFY(imported.reports.at(0).hasValue());
        QCOMPARE(imported.lines(SpanKind::Kernel).size(), std::size_t{2});
        QCOMPARE(imported.lines(SpanKind::Annotation).count(R"(4|4712/70|step "4"|100|800|0|)"),
            std::size_t{1});
    }
    void olderDatabase() {
        const ImportedOne imported("results.db", oldDatabase());
        QCOMPARE(imported.units.size(), std::size_t{1});
        QVERIFY(imported.reports[0].hasValue());
        QCOMPARE(imported.lines(SpanKind::Kernel), (SpanLines{"0|1/2|gemm(float*)|1000|600|9|"}));
        QCOMPARE(imported.lines(SpanKind::Copy), (SpanLines{"0|0/copies|async-copy|2000|100|10|"}));
        QCOMPARE(
            imported.lines(SpanKind::Runtime), (SpanLines{"0|4711/70|hipLaunchKernel|200|10|9|"}));
        QCOMPARE(imported.lines(SpanKind::GpuAnnotation), (SpanLines{"0|1/2|step 4|1000|600|0|"}));
    }
    void olderJson() {
        const ImportedOne imported("results.json", kOldJson);
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
        // All records lie before the last range.
        const ImportedOne imported(
            "results.json", kToolJson.substr(0, kToolJson.find("\"marker_api\":[{\"size\"")));
        QVERIFY(imported.reports.at(0).hasValue());
        QCOMPARE(imported.lines(SpanKind::Kernel).size(), std::size_t{1});
        QVERIFY(imported.sink.runs.begin()->second.status == RunStatus::Partial);
    }

    void callsAndWork() {
        const ImportedTraces got(
            importers::rocprof::kImporter, *importers::memoryTree({{"trace.rpd", rpdDatabase()}}));
        QCOMPARE(got.units.size(), std::size_t{1});
        QCOMPARE(got.units[0].runName, std::string("trace"));
        QVERIFY(got.reports[0].hasValue());
        // Process 81 works on GPU 0, so that it is rank 0. The barrier is no work.
        QCOMPARE(got.lines(SpanKind::Kernel),
            (SpanLines{
                R"(0|0/3|gemm(float*)|1000|600|1|{"grid":[3,2,1],"block":[128,1,1],"shared memory":512})"}));
        QCOMPARE(
            got.lines(SpanKind::Copy), (SpanLines{R"(1|2/0|Memcpy|2000|100|4|{"bytes":4096})"}));
        const SpanLines calls{
            "0|81/70|hipLaunchKernel|200|10|1|", "1|80/71|hipMemcpyAsync|300|20|4|"};
        QCOMPARE(got.lines(SpanKind::Runtime), calls);
        QCOMPARE(got.lines(SpanKind::Annotation), (SpanLines{"0|81/70|step 4|100|800|0|"}));
        QCOMPARE(got.lines(SpanKind::CpuOp), (SpanLines{"0|81/70|aten::mm|150|100|0|"}));
        QCOMPARE(got.lines(SpanKind::GpuAnnotation), (SpanLines{"0|0/3|step 4|1000|600|0|"}));
        QCOMPARE(got.sink.iterations.size(), std::size_t{1});
        QCOMPARE(got.sink.iterations[0].index, std::int64_t{4});
        QCOMPARE(got.reports[0].value().ranksFound, (std::vector<int>{0, 1}));
    }

    void readings() {
        const ImportedAll got("trace.rpd", rpdDatabase());
        QVERIFY(got.reports[0].hasValue());
        // 300 W for a second, then 400 W for one, each as long as the table says: 700 J.
        QVERIFY(std::abs(got.joules(0) - 700.0) < 1e-6);
        const auto clocks = got.ofGpu("sm_clock", 1);
        QCOMPARE(clocks.size(), std::size_t{3});
        QCOMPARE(clocks[2], 1.7e9);
        VERIFY_SAYS(got.warnings(), "1 reading of devices that no process");
    }

    void recognised() {
        const auto tree = importers::memoryTree({{"a.db", rpdDatabase()}, {"b.db", oldDatabase()}});
        const auto plan = importers::planImport(*tree, {});
        QVERIFY(plan.hasValue());
        QCOMPARE(plan.value().units.size(), std::size_t{2});
        QVERIFY(plan.value().units[0].summary.starts_with("rocmProfileData trace"));
        QVERIFY(plan.value().units[1].summary.starts_with("database of rocprof"));
    }

    // Schema 2: texts of arguments beside the others, no domains, directions in the types.
    void earlierSchema() {
        MadeDatabase made;
        made.run("CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT)");
        made.run("CREATE TABLE rocpd_api (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start"
                 " INTEGER, end INTEGER, apiName_id INTEGER, args_id INTEGER)");
        made.run(
            "CREATE TABLE rocpd_op (id INTEGER PRIMARY KEY, gpuId INTEGER, queueId INTEGER, start"
            " INTEGER, end INTEGER, description_id INTEGER, opType_id INTEGER)");
        const auto n = [](std::int64_t value) { return MadeValue(value); };
        made.add("rocpd_string", {n(1), "UserMarker"});
        made.add("rocpd_string", {n(2), "forward"});
        made.add("rocpd_string", {n(3), "CopyDeviceToHost"});
        made.add("rocpd_string", {n(4), ""});
        made.add("rocpd_api", {n(1), n(9), n(9), n(10), n(20), n(1), n(2)});
        made.add("rocpd_op", {n(1), n(1), n(0), n(30), n(25), n(4), n(3)});
        const ImportedTraces got(
            importers::rocprof::kImporter, *importers::memoryTree({{"trace.rpd", made.bytes()}}));
        QVERIFY(got.reports[0].hasValue());
        QCOMPARE(got.lines(SpanKind::Annotation), (SpanLines{"0|9/9|forward|10|10|0|"}));
        // Hardware stamps are not always in order.
        const auto copies = got.lines(SpanKind::Copy);
        QCOMPARE(copies.size(), std::size_t{1});
        QVERIFY(copies.begin()->find("Memcpy DtoH|30|0") != std::string::npos);
        QCOMPARE(got.reports[0].value().counts.at("negative durations"), std::int64_t{1});
    }

    // 2⁶² blocks of 128 are no number of work items that 64 bits hold.
    void gridBeyondAny() {
        const ImportedTraces got(importers::rocprof::kImporter,
            *importers::memoryTree({{"trace.rpd", rpdDatabase(std::int64_t{1} << 62U)}}));
        const auto kernels = got.lines(SpanKind::Kernel);
        QCOMPARE(kernels.size(), std::size_t{1});
        QVERIFY(kernels.begin()->find(R"("grid":[4294967296,2,1])") != std::string::npos);
    }
};

TRAINSCOPE_TEST(tst_RocprofJson)
#include "tst_RocprofJson.moc"
