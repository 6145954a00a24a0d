// Tables of nsys stats: the real one against the report it was made of, and made ones in other
// units.

#include "importers/common/Formats.h"
#include "importers/support/Compress.h"
#include "importers/support/TraceLines.h"
#include "support/TestFiles.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

const importers::Importer& stats() {
    return importers::nsysstats::kImporter;
}

using Lines = std::multiset<std::string>;

const std::string kGpu
    = "Generating SQLite file job.sqlite from job.nsys-rep\n"
      "Start (us),Duration (us),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),"
      "DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name\n"
      "1000.500,2.25,31,12,2,1,256,1,1,40,0.000,0.000,,,,,NVIDIA H100 (1),1,7,"
      "\"void f<int, 4>(\"\"a\"\", b)\"\n"
      "1004.000,1.000,32,,,,,,,,,,0.004,1.000,Pinned,Device,NVIDIA H100 (1),1,7,"
      "[CUDA memcpy Host-to-Device]\n"
      "1006.000,0.500,33,,,,,,,,,,0.004,1.000,Device,,NVIDIA H100 (1),1,7,[CUDA memset]\n"
      "broken,1,2\n";
const std::string kCalls = "Start (us),Duration (us),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name\n"
                           "990.000,3.000,cudaLaunchKernel,0,31,77,78,20,python\n";
const std::string kRanges
    = "Start (us),End (us),Duration (us),DurChild (us),DurNonChild (us),Name,PID,TID,Lvl\n"
      "980.000,1000.000,20.000,0,20,:step 3,77,78,0\n";

} // namespace

class tst_NsysStats : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void theRealTable() {
        const std::string path = realFiles() + "/data/nsys/flame_torch-ex_cuda_gpu_trace.csv";
        const auto tree = importers::openDiskTree(path);
        if (realFiles().empty() || !tree.hasValue())
            QSKIP("the real files are not beside the checkout");
        const ImportedTraces imported(stats(), *tree.value());
        QVERIFY(imported.reports[0].hasValue());
        // As in the report itself: SELECT count(*), sum(end - start) FROM
        // CUPTI_ACTIVITY_KIND_KERNEL
        std::int64_t kernels = 0;
        std::int64_t total = 0;
        for (const CollectedTrack& track : imported.sink.tracks) {
            for (const Span& span : track.spans) {
                kernels += span.kind == SpanKind::Kernel ? 1 : 0;
                total += span.kind == SpanKind::Kernel ? span.duration.ns : 0;
            }
        }
        QCOMPARE(kernels, std::int64_t{2482});
        QCOMPARE(total, std::int64_t{339'300'381});
        QCOMPARE(imported.lines(SpanKind::Copy).size(), std::size_t{122});
        QCOMPARE(imported.lines(SpanKind::Set).size(), std::size_t{81});
        QCOMPARE(imported.sink.gpus[0].model, std::string("NVIDIA RTX A4500"));
    }
    void otherUnitsAndTablesBeside() {
        const ImportedTraces imported(stats(),
            *importers::memoryTree({{"job_cuda_gpu_trace.csv", kGpu},
                {"job_cuda_api_trace.csv", kCalls}, {"job_nvtx_pushpop_trace.csv", kRanges}}));
        QCOMPARE(imported.units.size(), std::size_t{1});
        QCOMPARE(imported.units[0].files.size(), std::size_t{3});
        QVERIFY(imported.reports[0].hasValue());
        QCOMPARE(imported.lines(SpanKind::Kernel),
            (Lines{"0|1/7|void f<int, 4>(\"a\", b)|1000500|2250|31|"
                   "{\"grid\":[12,2,1],\"block\":[256,1,1],\"registers per thread\":40}"}));
        QCOMPARE(imported.lines(SpanKind::Copy),
            (Lines{"0|1/7|Memcpy HtoD (Pinned -> Device)|1004000|1000|32|"}));
        QCOMPARE(imported.lines(SpanKind::Set), (Lines{"0|1/7|Memset (Device)|1006000|500|33|"}));
        QCOMPARE(
            imported.lines(SpanKind::Runtime), (Lines{"0|77/78|cudaLaunchKernel|990000|3000|31|"}));
        QCOMPARE(imported.lines(SpanKind::GpuAnnotation), (Lines{"0|1/7|step 3|1000500|2250|0|"}));
        QCOMPARE(imported.sink.iterations.size(), std::size_t{1});
        QCOMPARE(imported.sink.iterations[0].index, std::int64_t{3});
        QCOMPARE(imported.reports[0].value().skipped, std::int64_t{1});
    }
    // One that was packed, and one of an older version, which named it otherwise.
    void aTableIsReadOnce() {
        const ImportedTraces imported(stats(),
            *importers::memoryTree({{"job_cuda_gpu_trace.csv", kGpu},
                {"job_cuda_gpu_trace.csv.gz", gzipped(kGpu)}, {"job_gputrace.csv", kGpu}}));
        QCOMPARE(imported.units.size(), std::size_t{1});
        QVERIFY(imported.reports[0].hasValue());
        QCOMPARE(imported.lines(SpanKind::Kernel).size(), std::size_t{1});
        QCOMPARE(imported.lines(SpanKind::Copy).size(), std::size_t{1});
        const ImportWarning& said = imported.reports[0].value().warnings[0];
        QCOMPARE(said.text, std::string("not read: job_cuda_gpu_trace.csv holds the same table"));
        QCOMPARE(said.file, std::string("job_cuda_gpu_trace.csv.gz"));
        QCOMPARE(said.files, std::int64_t{2});
    }
    // The report's name stands before that of the table, whatever dots it has.
    void dotsInNamesOfReports() {
        const ImportedTraces imported(stats(),
            *importers::memoryTree(
                {{"a/gpt3.tp4_cuda_gpu_trace.csv", kGpu}, {"a/gpt3.tp8_cuda_gpu_trace.csv", kGpu},
                    {"a/gpt3.tp8_cuda_api_trace.csv", kCalls}, {"a/gpt3.tp8.sqlite", "x"}}));
        QCOMPARE(imported.units.size(), std::size_t{2});
        QCOMPARE(
            imported.units[0].files, std::vector<std::string>{"a/gpt3.tp4_cuda_gpu_trace.csv"});
        QVERIFY(imported.units[0].enabled);
        QCOMPARE(imported.units[1].files.size(), std::size_t{2});
        QVERIFY(!imported.units[1].enabled); // as its report lies beside it
        QVERIFY(imported.units[0].runName != imported.units[1].runName);
        QCOMPARE(imported.lines(SpanKind::Kernel).size(), std::size_t{1});
    }
    void aReportBesideIsTaken() {
        const ImportedTraces imported(stats(),
            *importers::memoryTree({{"a/job_cuda_gpu_trace.csv", kGpu}, {"a/job.sqlite", "x"}}));
        QCOMPARE(imported.units.size(), std::size_t{1});
        QVERIFY(!imported.units[0].enabled);
        VERIFY_SAYS(imported.units[0].notes.front(), "job.sqlite");
    }
    void nothingInIt() {
        const ImportedTraces imported(
            stats(), *importers::memoryTree({{"a.csv", kGpu.substr(0, kGpu.find("1000.500"))}}));
        QVERIFY(!imported.reports[0].hasValue());
    }
};

TRAINSCOPE_TEST(tst_NsysStats)
#include "tst_NsysStats.moc"
