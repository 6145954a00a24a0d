// Databases of rocmProfileData, made by hand from their schema: ranks, calls, work, readings.

#include "importers/common/Formats.h"
#include "importers/registry/Registry.h"
#include "importers/rocprof/RocprofSamples.h"
#include "importers/support/ImportAll.h"
#include "importers/support/TraceLines.h"
#include "support/TestProgram.h"

using namespace trainscope;
using namespace trainscope::test;

class tst_Rpd : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void callsAndWork();
    void readings();
    void recognised();
    void earlierSchema();
    void gridBeyondAny();
};

void tst_Rpd::callsAndWork() {
    ImportedTraces got;
    importTraces(
        importers::rocprof::kImporter, *importers::memoryTree({{"trace.rpd", rpdDatabase()}}), got);
    QCOMPARE(got.units.size(), std::size_t{1});
    QCOMPARE(got.units[0].runName, std::string("trace"));
    QVERIFY(got.reports[0].hasValue());
    using Spans = std::multiset<std::string>;
    // Process 81 works on GPU 0, so that it is rank 0. The barrier is no work.
    QCOMPARE(got.lines(SpanKind::Kernel),
        (Spans{
            R"(0|0/3|gemm(float*)|1000|600|1|{"grid":[3,2,1],"block":[128,1,1],"shared memory":512})"}));
    QCOMPARE(got.lines(SpanKind::Copy), (Spans{R"(1|2/0|Memcpy|2000|100|4|{"bytes":4096})"}));
    const Spans calls{"0|81/70|hipLaunchKernel|200|10|1|", "1|80/71|hipMemcpyAsync|300|20|4|"};
    QCOMPARE(got.lines(SpanKind::Runtime), calls);
    QCOMPARE(got.lines(SpanKind::Annotation), (Spans{"0|81/70|step 4|100|800|0|"}));
    QCOMPARE(got.lines(SpanKind::CpuOp), (Spans{"0|81/70|aten::mm|150|100|0|"}));
    QCOMPARE(got.lines(SpanKind::GpuAnnotation), (Spans{"0|0/3|step 4|1000|600|0|"}));
    QCOMPARE(got.sink.iterations.size(), std::size_t{1});
    QCOMPARE(got.sink.iterations[0].index, std::int64_t{4});
    QCOMPARE(got.reports[0].value().ranksFound, (std::vector<int>{0, 1}));
}

void tst_Rpd::readings() {
    ImportedAll got;
    importFile("trace.rpd", rpdDatabase(), got);
    QVERIFY(got.reports[0].hasValue());
    // 300 W for a second, then 400 W for one, each as long as the table says: 700 J.
    QVERIFY(std::abs(got.joules(0) - 700.0) < 1e-6);
    const auto clocks = got.ofGpu("sm_clock", 1);
    QCOMPARE(clocks.size(), std::size_t{3});
    QCOMPARE(clocks[2], 1.7e9);
    VERIFY_SAYS(got.warnings(), "1 reading of devices that no process");
}

void tst_Rpd::recognised() {
    const auto tree = importers::memoryTree({{"a.db", rpdDatabase()}, {"b.db", oldDatabase()}});
    const auto plan = importers::planImport(*tree, {});
    QVERIFY(plan.hasValue());
    QCOMPARE(plan.value().units.size(), std::size_t{2});
    QVERIFY(plan.value().units[0].summary.starts_with("rocmProfileData trace"));
    QVERIFY(plan.value().units[1].summary.starts_with("database of rocprof"));
}

// Schema 2: texts of arguments beside the others, no domains, directions in the types.
void tst_Rpd::earlierSchema() {
    MadeDatabase made;
    made.run("CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT)");
    made.run("CREATE TABLE rocpd_api (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start"
             " INTEGER, end INTEGER, apiName_id INTEGER, args_id INTEGER)");
    made.run("CREATE TABLE rocpd_op (id INTEGER PRIMARY KEY, gpuId INTEGER, queueId INTEGER, start"
             " INTEGER, end INTEGER, description_id INTEGER, opType_id INTEGER)");
    const auto n = [](std::int64_t value) { return MadeValue(value); };
    made.add("rocpd_string", {n(1), "UserMarker"});
    made.add("rocpd_string", {n(2), "forward"});
    made.add("rocpd_string", {n(3), "CopyDeviceToHost"});
    made.add("rocpd_string", {n(4), ""});
    made.add("rocpd_api", {n(1), n(9), n(9), n(10), n(20), n(1), n(2)});
    made.add("rocpd_op", {n(1), n(1), n(0), n(30), n(25), n(4), n(3)});
    ImportedTraces got;
    importTraces(
        importers::rocprof::kImporter, *importers::memoryTree({{"trace.rpd", made.bytes()}}), got);
    QVERIFY(got.reports[0].hasValue());
    using Spans = std::multiset<std::string>;
    QCOMPARE(got.lines(SpanKind::Annotation), (Spans{"0|9/9|forward|10|10|0|"}));
    // Hardware stamps are not always in order.
    const auto copies = got.lines(SpanKind::Copy);
    QCOMPARE(copies.size(), std::size_t{1});
    QVERIFY(copies.begin()->find("Memcpy DtoH|30|0") != std::string::npos);
    QCOMPARE(got.reports[0].value().counts.at("negative durations"), std::int64_t{1});
}

// 2⁶² blocks of 128 are no number of work items that 64 bits hold.
void tst_Rpd::gridBeyondAny() {
    ImportedTraces got;
    importTraces(importers::rocprof::kImporter,
        *importers::memoryTree({{"trace.rpd", rpdDatabase(std::int64_t{1} << 62U)}}), got);
    const auto kernels = got.lines(SpanKind::Kernel);
    QCOMPARE(kernels.size(), std::size_t{1});
    QVERIFY(kernels.begin()->find(R"("grid":[4294967296,2,1])") != std::string::npos);
}

TRAINSCOPE_TEST(tst_Rpd)
#include "tst_Rpd.moc"
