// Reports that were made for the test: old and new tables, NVTX and NCCL, counters, several
// reports of one job, and what is missing from them. Samples of hardware counters in reports that
// were made for the test.

#include "importers/nsys/MadeReport.h"
#include "importers/nsys/Metrics.h"
#include "importers/trace/IterationNames.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

using Lines = std::multiset<std::string>;

// The header of a payload of NCCL, 32 bytes, and its fields: communicator, size or ranks, and two
// more numbers of 32 bits.
std::string payload(std::uint64_t schema, std::initializer_list<std::uint64_t> wide,
    std::initializer_list<std::uint32_t> narrow) {
    std::string bytes;
    const auto put = [&](std::uint64_t value, int width) {
        for (int i = 0; i < width; ++i)
            bytes.push_back(static_cast<char>(value >> (8 * i) & 0xFF));
    };
    put(1, 8);
    put(schema, 8);
    put(8 * wide.size() + 4 * narrow.size(), 8);
    put(32 + 8 * wide.size() + 4 * narrow.size(), 8);
    for (const std::uint64_t value : wide)
        put(value, 8);
    for (const std::uint32_t value : narrow)
        put(value, 4);
    return bytes;
}

void addSchemas(MadeReport& report) {
    report.database.run("CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER, schemaId"
                        " INTEGER, idx INTEGER, type INTEGER, name TEXT, offset INTEGER)");
    const auto field = [&](std::int64_t schema, std::int64_t index, std::int64_t type,
                           const std::string& name, MadeValue offset) {
        report.database.add("NVTX_PAYLOAD_SCHEMA_ENTRIES",
            {std::int64_t{1}, schema, index, type, name, std::move(offset)});
    };
    // As NCCL declares them: 18 is uint64_t, 22 size_t, 5 int.
    field(100, 0, 18, "NCCL communicator ID", nullptr);
    field(100, 1, 22, "Message size [bytes]", std::int64_t{8});
    field(200, 0, 18, "NCCL communicator ID", nullptr);
    field(200, 1, 5, "No. of ranks", std::int64_t{8});
    field(200, 2, 5, "Rank", std::int64_t{12});
}

const CollectedSeries* seriesOf(const ImportedReports& imported, const std::string& metric) {
    const auto found
        = std::find_if(imported.sink.seriesList.begin(), imported.sink.seriesList.end(),
            [&](const CollectedSeries& one) { return one.description.metric.name == metric; });
    return found == imported.sink.seriesList.end() ? nullptr : &*found;
}

} // namespace

class tst_NsysReports : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void workOfTheGpu() {
        MadeReport report;
        report.startAt(MadeReport::kStart);
        report.gpu(0, "NVIDIA H100", "1111-22");
        report.call("cudaLaunchKernel_v7000", 100, 110, kProcess, 5, 31);
        report.kernel("void gemm<float, 4>(\"x\")", 1000, 1500, kProcess, 31);
        report.kernel("node", 2000, 2600, kProcess, 32, 0, 8, std::int64_t{77});
        report.database.run(
            "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId,"
            " streamId, correlationId, globalPid, bytes, copyKind, srcKind, dstKind)");
        report.database.add("CUPTI_ACTIVITY_KIND_MEMCPY",
            {std::int64_t{3000}, std::int64_t{3100}, std::int64_t{0}, std::int64_t{1},
                std::int64_t{7}, std::int64_t{33}, globalId(kProcess), std::int64_t{4096},
                std::int64_t{1}, std::int64_t{1}, std::int64_t{2}});
        report.database.run(
            "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, deviceId,"
            " contextId, streamId, correlationId, globalPid, syncType)");
        report.database.add("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
            {std::int64_t{4000}, std::int64_t{4001}, std::int64_t{0}, std::int64_t{1},
                std::int64_t{7}, nullptr, globalId(kProcess), std::int64_t{3}});
        const ImportedReports imported(report);
        QVERIFY(imported.reports[0].hasValue());
        const std::string shape
            = R"({"grid":[12,2,1],"block":[256,1,1],"registers per thread":40,"shared memory":1536})";
        QCOMPARE(imported.lines(SpanKind::Kernel),
            (Lines{"0|0/7|void gemm<float, 4>(\"x\")|1000|500|31|" + shape,
                "0|0/8|node|2000|600|32|" + shape}));
        QCOMPARE(imported.lines(SpanKind::Copy),
            (Lines{"0|0/7|Memcpy HtoD (Pinned -> Device)|3000|100|33|{\"bytes\":4096}"}));
        QCOMPARE(
            imported.lines(SpanKind::Runtime), (Lines{"0|4242/5|cudaLaunchKernel|100|10|31|"}));
        QCOMPARE(imported.lines(SpanKind::Sync), (Lines{"0|0/7|Stream Sync|4000|1|0|"}));
        QCOMPARE(imported.sink.gpus.size(), std::size_t{1});
        QCOMPARE(imported.sink.gpus[0].uuid, std::string("GPU-1111-22"));
        QCOMPARE(imported.reports[0].value().counts.at("kernels of CUDA graphs"), std::int64_t{1});
    }
    // Before correlations could be missing, processes were not told, and names had another column.
    void tablesOfOldVersions() {
        MadeReport report;
        report.startAt(MadeReport::kStart);
        report.database.run(
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INT NOT NULL, end INT NOT"
            " NULL, deviceId INT NOT NULL, contextId INT NOT NULL, streamId INT NOT"
            " NULL, correlationId INT NOT NULL, shortName INT NOT NULL)");
        report.database.add("CUPTI_ACTIVITY_KIND_KERNEL",
            {std::int64_t{10}, std::int64_t{30}, std::int64_t{1}, std::int64_t{1}, std::int64_t{7},
                std::int64_t{5}, report.text("old_kernel")});
        report.database.run("CREATE TABLE CUPTI_ACTIVITY_KIND_DRIVER (start, end, globalTid,"
                            " correlationId, nameId)");
        report.database.add("CUPTI_ACTIVITY_KIND_DRIVER",
            {std::int64_t{1}, std::int64_t{2}, globalId(kProcess, 3), std::int64_t{5},
                report.text("cuLaunchKernel")});
        const ImportedReports imported(report);
        QVERIFY(imported.reports[0].hasValue());
        const auto kernels = imported.lines(SpanKind::Kernel);
        QCOMPARE(kernels.size(), std::size_t{1});
        QVERIFY(
            QByteArray::fromStdString(*kernels.begin()).startsWith("0|1/7|old_kernel|10|20|5|"));
        QCOMPARE(imported.lines(SpanKind::Runtime), (Lines{"0|4242/3|cuLaunchKernel|1|1|5|"}));
    }
    // outer [0, 1000) holds inner [100, 400) and a launch of its own at 500; a second thread's
    // launch at 200 is none of theirs. The kernel of the launch in inner runs on two streams.
    void rangesAreNestedAndProjected() {
        MadeReport report;
        report.startAt(MadeReport::kStart);
        report.range("outer", 0, std::int64_t{1000}, kProcess, 5);
        report.range("inner", 101, std::int64_t{400}, kProcess, 5);
        report.range("apart", 150, std::int64_t{900}, kProcess, 5, 60);
        report.call("cudaLaunchKernel", 200, 210, kProcess, 5, 1);
        report.call("cudaLaunchKernel", 300, 310, kProcess, 5, 2);
        report.call("cudaLaunchKernel", 500, 510, kProcess, 5, 3);
        report.call("cudaLaunchKernel", 200, 210, kProcess, 6, 4);
        report.kernel("a", 2000, 2100, kProcess, 1);
        report.kernel("b", 2200, 2500, kProcess, 2, 0, 9);
        report.kernel("c", 2050, 2900, kProcess, 3);
        report.kernel("d", 1000, 9000, kProcess, 4);
        const ImportedReports imported(report);
        QVERIFY(imported.reports[0].hasValue());
        QCOMPARE(imported.lines(SpanKind::GpuAnnotation),
            (Lines{"0|0/7|inner|2000|100|0|", "0|0/9|inner|2200|300|0|", "0|0/7|outer|2000|900|0|",
                "0|0/9|outer|2200|300|0|"}));
        QCOMPARE(imported.lines(SpanKind::Annotation),
            (Lines{"0|4242/5|outer|0|1000|0|", "0|4242/5|inner|101|299|0|",
                "0|4242/5|apart|150|750|0|"}));
    }
    void callsOfNccl() {
        MadeReport report;
        report.startAt(MadeReport::kStart);
        addSchemas(report);
        report.range("NCCL", 1, nullptr, kProcess, 5, 75, 1);
        report.range("ncclCommInitRank", 2, std::int64_t{5}, kProcess, 5, 59, 1,
            payload(200, {0xABCD}, {8, 3}));
        report.range("ncclAllReduce", 100, std::int64_t{200}, kProcess, 5, 59, 1,
            payload(100, {0xABCD, 4096}, {}));
        report.range("ncclAllGather", 300, std::int64_t{400}, kProcess, 5, 59, 1,
            payload(100, {0xABCD, 1000}, {}));
        report.range("ncclReduceScatter", 500, std::int64_t{600}, kProcess, 5, 59, 1,
            payload(100, {0xABCD, 64}, {}));
        report.call("cudaLaunchKernelExC", 150, 160, kProcess, 5, 1);
        report.call("cudaLaunchKernelExC", 350, 360, kProcess, 5, 2);
        report.call("cudaLaunchKernelExC", 550, 560, kProcess, 5, 3);
        report.kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
            1000, 2000, kProcess, 1);
        report.kernel("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", 3000,
            3500, kProcess, 2);
        report.kernel("ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(x)", 4000, 4500, kProcess, 3);
        const ImportedReports imported(report);
        QVERIFY(imported.reports[0].hasValue());
        const auto kernels = imported.lines(SpanKind::Kernel);
        const auto has = [&](const std::string& part) {
            return std::any_of(kernels.begin(), kernels.end(),
                [&](const std::string& line) { return line.find(part) != std::string::npos; });
        };
        // 4096 B of 2 B each; of a gather NCCL tells what each of the 8 gives; of a scattered sum
        // what each gets, 64 B of 4 B.
        const std::string group = R"("Group size":8,"Process Group Name":"0x000000000000abcd"})";
        QVERIFY(has(R"("Collective name":"all_reduce","In msg nelems":2048,"Out msg nelems":2048,)"
                    R"("dtype":"BFloat16",)"
            + group));
        QVERIFY(has(R"("Collective name":"all_gather","In msg nelems":1000,"Out msg nelems":8000,)"
                    R"("dtype":"Byte",)"
            + group));
        QVERIFY(has(R"("Collective name":"reduce_scatter","In msg nelems":128,"Out msg nelems":16,)"
                    R"("dtype":"Float",)"
            + group));
        const ImportReport& said = imported.reports[0].value();
        QCOMPARE(said.counts.at("kernels of NCCL or RCCL"), std::int64_t{3});
        QCOMPARE(said.counts.at("kernels of NCCL or RCCL with their call"), std::int64_t{3});
        QCOMPARE(said.facts.at("NCCL"), std::string("rank 3 of 8 in the largest communicator"));
        QVERIFY(imported.lines(SpanKind::Annotation)
                    .contains(R"(0|4242/5|ncclAllReduce|100|100|0|{"domain":"NCCL"})"));
    }
    // Two sums of 100 and 28 bytes, both called before the end of their group launches one kernel.
    void groupsOfCalls() {
        MadeReport report;
        report.startAt(MadeReport::kStart);
        addSchemas(report);
        report.range("NCCL", 1, nullptr, kProcess, 5, 75, 1);
        report.range(
            "ncclAllReduce", 50, std::int64_t{60}, kProcess, 5, 59, 1, payload(100, {7, 999}, {}));
        report.range("ncclGroupStart", 100, std::int64_t{110}, kProcess, 5, 59, 1);
        report.range("ncclAllReduce", 120, std::int64_t{130}, kProcess, 5, 59, 1,
            payload(100, {7, 100}, {}));
        report.range(
            "ncclAllReduce", 140, std::int64_t{150}, kProcess, 5, 59, 1, payload(100, {7, 28}, {}));
        report.range("ncclGroupEnd", 160, std::int64_t{200}, kProcess, 5, 59, 1);
        report.call("cudaLaunchKernelExC", 170, 180, kProcess, 5, 1);
        report.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", 1000, 2000, kProcess, 1);
        const ImportedReports imported(report);
        const auto kernels = imported.lines(SpanKind::Kernel);
        QCOMPARE(kernels.size(), std::size_t{1});
        QVERIFY(kernels.begin()->find(
                    R"("Collective name":"all_reduce","In msg nelems":32,"Out msg nelems":32)")
            != std::string::npos);
        QVERIFY(kernels.begin()->find(R"("Calls":2)") != std::string::npos);
    }
    void iterationsByName() {
        using importers::iterationNameOf;
        QCOMPARE(iterationNameOf("iteration10")->index, std::optional<std::int64_t>(10));
        QCOMPARE(iterationNameOf("ProfilerStep#3")->index, std::optional<std::int64_t>(3));
        QCOMPARE(iterationNameOf("train step 7")->index, std::optional<std::int64_t>(7));
        QVERIFY(iterationNameOf("step").has_value() && !iterationNameOf("step")->index);
        QVERIFY(!iterationNameOf("layer 3"));
        QVERIFY(!iterationNameOf("12"));
        // Steps that end, beside iterations without number: the numbered ones count.
        importers::IterationMarks marks;
        marks.add(0, *iterationNameOf("iteration"), {{0}, {50}});
        marks.add(0, *iterationNameOf("step_4"), {{0}, {40}});
        marks.add(0, *iterationNameOf("step_5"), {{40}, {90}});
        const auto taken = marks.take();
        QCOMPARE(taken.size(), std::size_t{2});
        QCOMPARE(taken[1].index, std::int64_t{5});
        QCOMPARE(taken[1].range.end.ns, std::int64_t{90});
        QVERIFY(!marks.wereOpen());
    }
    // Two processes of a node, on GPUs that each of them numbers from 0.
    void ranksOfOneReport() {
        MadeReport report;
        report.startAt(MadeReport::kStart);
        report.gpu(0, "NVIDIA H100", "a");
        report.gpu(1, "NVIDIA H100", "b");
        report.database.run("CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid, uuid)");
        report.database.add("TARGET_INFO_CUDA_DEVICE",
            {std::int64_t{1}, std::int64_t{0}, std::int64_t{100}, nullptr});
        report.database.add("TARGET_INFO_CUDA_DEVICE",
            {std::int64_t{0}, std::int64_t{0}, std::int64_t{200}, nullptr});
        report.context(100, 0);
        report.context(200, 0);
        report.environment("SLURM_PROCID", "2"); // four tasks, one a node
        report.environment("SLURM_NTASKS", "4");
        report.environment("SLURM_NODEID", "2");
        report.kernel("k", 0, 10, 100, 1);
        report.kernel("k", 5, 10, 200, 1);
        const ImportedReports imported(report);
        QVERIFY(imported.reports[0].hasValue());
        QCOMPARE(imported.units[0].rank, std::optional<int>(4));
        QCOMPARE(imported.units[0].worldSize, 8);
        QCOMPARE(imported.units[0].summary,
            std::string("Nsight Systems report, ranks 4 to 5 of 8, NVIDIA H100"));
        QCOMPARE(imported.reports[0].value().ranksFound, (std::vector<int>{4, 5}));
        // The process on GPU 0 is the first.
        QCOMPARE(
            imported.lines(SpanKind::Kernel).begin()->substr(0, 12), std::string("4|0/7|k|5|5|"));
        QCOMPARE(imported.sink.gpus[0].uuid, std::string("GPU-a"));
        QCOMPARE(imported.sink.gpus[1].uuid, std::string("GPU-b"));
        QCOMPARE(imported.sink.gpus[1].local, 1);
        QCOMPARE(imported.sink.gpus[1].node, 2);
    }
    void reportsOfOneJob() {
        std::vector<std::pair<std::string, std::string>> files;
        for (const int rank : {0, 1, 2}) {
            MadeReport report;
            report.startAt(MadeReport::kStart + rank);
            report.environment("RANK", std::to_string(rank));
            report.environment("WORLD_SIZE", "3");
            report.environment("SECRET_TOKEN", "not kept");
            report.kernel("k", 0, 10, kProcess + rank, 1);
            files.emplace_back(
                "job/profile.node" + std::to_string(9 - rank) + ".sqlite", report.database.bytes());
        }
        const ImportedReports imported(*importers::memoryTree(std::move(files)));
        QCOMPARE(imported.units.size(), std::size_t{3});
        for (const auto& unit : imported.units)
            QCOMPARE(unit.runName, std::string("job"));
        QCOMPARE(imported.units[0].rank, std::optional<int>(2)); // node7
        QCOMPARE(imported.sink.runs.size(), std::size_t{1});
        QCOMPARE(imported.sink.runs.at("job").worldSize, 3);
        // Times count from each report's own start.
        QVERIFY(
            imported.lines(SpanKind::Kernel)
                .contains(
                    "2|0/7|k|2|10|1|"
                    R"({"grid":[12,2,1],"block":[256,1,1],"registers per thread":40,"shared memory":1536})"));
    }
    void withoutKernels() {
        MadeReport report;
        report.startAt(MadeReport::kStart);
        report.range("load", 0, std::int64_t{10}, kProcess, 5);
        const ImportedReports imported(report);
        QVERIFY(imported.reports[0].hasValue());
        const auto& warnings = imported.reports[0].value().warnings;
        QCOMPARE(warnings.size(), std::size_t{1});
        VERIFY_SAYS(warnings[0].text, "no kernels");
        QCOMPARE(imported.units[0].notes.back(),
            std::string("There are no kernels in this report, only what ran on the host."));
        // CUDA was traced: its calls are there.
        report.call("cudaLaunchKernel", 2, 3, kProcess, 5, 1);
        const ImportedReports called(report);
        QVERIFY(called.reports[0].hasValue());
        VERIFY_SAYS(called.reports[0].value().warnings[0].text, "lost the GPU's records");
        // Nothing at all is an error.
        MadeReport empty;
        empty.startAt(MadeReport::kStart);
        const ImportedReports nothing(empty);
        QVERIFY(!nothing.reports[0].hasValue());
        QVERIFY(nothing.reports[0].error().code == ErrorCode::Unrecognised);
    }
    void withoutStart() {
        MadeReport report;
        report.kernel("k", 5, 10, kProcess, 1);
        const ImportedReports imported(report);
        QVERIFY(imported.reports[0].hasValue());
        QVERIFY(!imported.units[0].start);
        QCOMPARE(imported.sink.tracks[0].spans[0].start.ns, std::int64_t{5});
        QVERIFY(imported.reports[0].value().facts.at("clock").starts_with("relative"));
    }
    void databasesOfOthers() {
        MadeDatabase other;
        other.run("CREATE TABLE run (id INTEGER PRIMARY KEY); CREATE TABLE StringIds (id, value)");
        const auto tree = importers::memoryTree({{"other.sqlite", other.bytes()},
            {"short.sqlite", std::string("SQLite format 3\0", 16)}, {"empty", ""}});
        const importers::Importer& importer = importers::nsys::kImporter;
        for (const auto& file : tree->files()) {
            const auto head = importers::readHead(*tree, file.path, 65536);
            QCOMPARE(importer.look(*tree, file, head.value()), 0);
        }
    }

    void countersOfGpus() {
        MadeReport report;
        report.startAt(MadeReport::kStart);
        report.gpu(0, "NVIDIA H100", "a");
        report.gpu(1, "NVIDIA H100", "b");
        report.context(kProcess, 1);
        report.kernel("k", 0, 10, kProcess, 1, 1);
        report.database.run(
            "CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, sourceId INTEGER,"
            " typeName TEXT, metricId INTEGER, metricName TEXT)");
        report.database.run(
            "CREATE TABLE GPU_METRICS (rawTimestamp INTEGER, timestamp INTEGER, typeId"
            " INTEGER, metricId INTEGER, value INTEGER)");
        constexpr std::int64_t kType = 0x12340001; // GPU 1's
        const std::array<const char*, 3> names{"SMs Active [Throughput %]",
            "DRAM Read Bandwidth [Throughput %]", "GPC Clock Frequency [MHz]"};
        for (std::int64_t i = 0; i < 3; ++i) {
            for (const std::int64_t gpu : {0, 1})
                report.database.add("TARGET_INFO_GPU_METRICS",
                    {kType - 1 + gpu, std::int64_t{1}, "GPU", i,
                        std::string(names[static_cast<std::size_t>(i)])});
        }
        report.database.add(
            "GPU_METRICS", {nullptr, std::int64_t{100}, kType, std::int64_t{0}, std::int64_t{80}});
        report.database.add(
            "GPU_METRICS", {nullptr, std::int64_t{200}, kType, std::int64_t{0}, std::int64_t{40}});
        report.database.add(
            "GPU_METRICS", {nullptr, std::int64_t{100}, kType, std::int64_t{1}, std::int64_t{25}});
        // 1 980 000 000 and 2 500 000 000 Hz as numbers of 32 bits with sign.
        report.database.add("GPU_METRICS",
            {nullptr, std::int64_t{100}, kType, std::int64_t{2}, std::int64_t{1'980'000'000}});
        report.database.add("GPU_METRICS",
            {nullptr, std::int64_t{200}, kType, std::int64_t{2}, std::int64_t{-1'794'967'296}});
        report.database.add("GPU_METRICS",
            {nullptr, std::int64_t{100}, kType - 1, std::int64_t{0}, std::int64_t{1}});
        const ImportedReports imported(report);
        QVERIFY(imported.reports[0].hasValue());
        QCOMPARE(imported.sink.seriesList.size(), std::size_t{3});
        const CollectedSeries* active = seriesOf(imported, metric::kSmActive);
        QVERIFY(active != nullptr);
        QCOMPARE(active->description.scale, 0.01);
        QCOMPARE(active->values, (std::vector<double>{80.0, 40.0}));
        QCOMPARE(active->times[1].ns, MadeReport::kStart + 200);
        QCOMPARE(active->description.subject.rank, 0);
        const CollectedSeries* clock = seriesOf(imported, metric::kSmClock);
        QVERIFY(clock != nullptr);
        QCOMPARE(clock->values, (std::vector<double>{1.98e9, 2.5e9}));
        QVERIFY(seriesOf(imported, "dram_read_bandwidth_utilization") != nullptr);
        QCOMPARE(imported.sink.gpus[0].local, 1);
        QCOMPARE(imported.reports[0].value().warnings.size(), std::size_t{1});
    }
    void countersOfNetworkAdapters() {
        MadeReport report;
        report.startAt(MadeReport::kStart);
        report.database.run(
            "CREATE TABLE TARGET_INFO_NETWORK_METRICS (metricsListId, metricsIdx, name,"
            " description, unit)");
        report.database.run("CREATE TABLE TARGET_INFO_NIC_INFO (GUID, stateName, nicId, name)");
        report.database.run("CREATE TABLE NIC_ID_MAP (nicId, globalId)");
        report.database.run(
            "CREATE TABLE NET_NIC_METRIC (start, end, globalId, portId, metricsListId,"
            " metricsIdx, value)");
        report.database.add("TARGET_INFO_NETWORK_METRICS",
            {std::int64_t{1}, std::int64_t{0}, "IB: Bytes sent", "", "bytes/ms"});
        report.database.add(
            "TARGET_INFO_NIC_INFO", {std::int64_t{9}, "up", std::int64_t{3}, "mlx5_0"});
        report.database.add("NIC_ID_MAP", {std::int64_t{3}, std::int64_t{77}});
        report.database.add("NET_NIC_METRIC",
            {std::int64_t{10}, std::int64_t{20}, std::int64_t{77}, std::int64_t{1}, std::int64_t{1},
                std::int64_t{0}, std::int64_t{5000}});
        const ImportedReports imported(report);
        QVERIFY(imported.reports[0].hasValue());
        QCOMPARE(imported.sink.seriesList.size(), std::size_t{1});
        const SeriesDescription& series = imported.sink.seriesList[0].description;
        QCOMPARE(series.subject.device, std::string("mlx5_0"));
        QCOMPARE(series.metric.unit, std::string("B/s"));
        QCOMPARE(series.scale * imported.sink.seriesList[0].values[0], 5e6); // 5000 B in each ms
    }
    void namesOfCounters() {
        using importers::nsys::gpuCounter;
        QCOMPARE(
            gpuCounter("Tensor Active [Throughput %]").metric.name, std::string("tensor_active"));
        QCOMPARE(gpuCounter("SYS Clock Frequency [MHz]").metric.name,
            std::string("sys_clock_frequency"));
        QCOMPARE(gpuCounter("SYS Clock Frequency [MHz]").metric.unit, std::string("Hz"));
        QCOMPARE(gpuCounter("Compute Warps in Flight [Avg]").metric.label,
            std::string("Compute Warps in Flight [Avg]"));
        QCOMPARE(gpuCounter("PCIe RX Throughput [Throughput %]").scale, 0.01);
    }
};

TRAINSCOPE_TEST(tst_NsysReports)
#include "tst_NsysReports.moc"
