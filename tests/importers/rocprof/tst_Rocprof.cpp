// Traces of rocprofv3 made for the test from its documented tables: databases and CSV, several
// processes, collectives, damage.

#include "importers/common/Formats.h"
#include "importers/support/Compress.h"
#include "importers/support/MadeDatabase.h"
#include "importers/support/TraceLines.h"
#include "support/TestProgram.h"

using namespace trainscope::test;

namespace {

using Lines = std::multiset<std::string>;

const std::string kKernels
    = R"csv("Kind","Agent_Id","Queue_Id","Stream_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp","LDS_Block_Size","Scratch_Size","VGPR_Count","Accum_VGPR_Count","SGPR_Count","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z","Grid_Size_X","Grid_Size_Y","Grid_Size_Z"
"KERNEL_DISPATCH","Agent 4",1,2,70,1,33,"gemm<float, 4>(int)",9,5000,7000,1024,0,64,4,48,256,1,1,1000,2,1
"KERNEL_DISPATCH","Agent 2",1,0,70,2,34,"ncclDevKernel_Generic(ncclDevKernelArgs)",12,8000,8500,0,0,12,4,48,64,1,1,64,1,1
)csv";
const std::string kCalls
    = R"csv("Domain","Function","Process_Id","Thread_Id","Correlation_Id","Start_Timestamp","End_Timestamp"
"HIP_RUNTIME_API","hipLaunchKernel",4711,70,9,4000,4100
"HIP_RUNTIME_API","hipLaunchKernel",4711,70,12,4450,4480
)csv";
const std::string kMarkers
    = R"csv("Domain","Function","Process_Id","Thread_Id","Correlation_Id","Start_Timestamp","End_Timestamp"
"MARKER_CORE_API","iteration 7",4711,70,1,3900,4600
)csv";
const std::string kRccl
    = R"csv("Domain","Function","Process_Id","Thread_Id","Correlation_Id","Start_Timestamp","End_Timestamp"
"RCCL_API","ncclAllReduce",4711,70,11,4400,4500
)csv";
const std::string kCopies
    = R"csv("Kind","Direction","Stream_Id","Source_Agent_Id","Destination_Agent_Id","Correlation_Id","Start_Timestamp","End_Timestamp"
"MEMORY_COPY","MEMORY_COPY_HOST_TO_DEVICE",2,"Agent 0","Agent 4",13,9000,9500
)csv";
// Agents of the machine: a processor, and two GPUs.
const std::string kAgents = R"csv("Node_Id","Logical_Node_Id","Agent_Type","Name","Product_Name"
0,0,"CPU","AMD EPYC","AMD EPYC 9654"
2,2,"GPU","gfx942","AMD Instinct MI300X"
5,4,"GPU","gfx942","AMD Instinct MI300X"
)csv";

std::unique_ptr<ImportedTraces> importedRocprof(
    std::vector<std::pair<std::string, std::string>> files) {
    return std::make_unique<ImportedTraces>(
        importers::rocprof::kImporter, *importers::memoryTree(std::move(files)));
}

// A database of rocpd with the tables of one recording, as schema 3 names them.
class MadeRocpd {
public:
    explicit MadeRocpd(std::string suffix, std::int64_t pid, const std::string& environment)
        : m_suffix(std::move(suffix)) {
        table("rocpd_string", "id INTEGER PRIMARY KEY, guid TEXT, string TEXT");
        table("rocpd_info_node", "id INTEGER PRIMARY KEY, guid TEXT, hostname TEXT");
        table("rocpd_info_process",
            "id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, environment JSONB");
        table("rocpd_info_thread",
            "id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER, name TEXT");
        table("rocpd_info_agent",
            "id INTEGER PRIMARY KEY, type TEXT, absolute_index INTEGER, type_index INTEGER,"
            " name TEXT, product_name TEXT");
        table("rocpd_info_kernel_symbol",
            "id INTEGER PRIMARY KEY, kernel_name TEXT, display_name TEXT, arch_vgpr_count INTEGER");
        table("rocpd_event",
            "id INTEGER PRIMARY KEY, category_id INTEGER, stack_id INTEGER,"
            " correlation_id INTEGER, extdata JSONB");
        table("rocpd_region",
            "id INTEGER PRIMARY KEY, nid INTEGER, pid INTEGER, tid INTEGER, start BIGINT,"
            " end BIGINT, name_id INTEGER, event_id INTEGER");
        table("rocpd_kernel_dispatch",
            "id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, agent_id INTEGER, kernel_id INTEGER,"
            " queue_id INTEGER, stream_id INTEGER, start BIGINT, end BIGINT,"
            " group_segment_size INTEGER, workgroup_size_x INTEGER, workgroup_size_y INTEGER,"
            " workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER,"
            " grid_size_z INTEGER, event_id INTEGER");
        table("rocpd_memory_copy",
            "id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start BIGINT, end BIGINT,"
            " name_id INTEGER, dst_agent_id INTEGER, src_agent_id INTEGER, size INTEGER,"
            " stream_id INTEGER, event_id INTEGER");
        // As in real ones, views put all recordings together; they are not asked.
        database.run(
            "CREATE VIEW rocpd_kernel_dispatch AS SELECT * FROM rocpd_kernel_dispatch" + m_suffix);
        add("rocpd_info_node", {std::int64_t{1}, "g", "node17"});
        add("rocpd_info_process", {std::int64_t{1}, std::int64_t{1}, pid, environment});
        add("rocpd_info_thread",
            {std::int64_t{1}, std::int64_t{1}, std::int64_t{1}, pid + 1, "trainer"});
        add("rocpd_info_agent",
            {std::int64_t{1}, "CPU", std::int64_t{0}, std::int64_t{0}, "AMD EPYC", "AMD EPYC"});
        add("rocpd_info_agent",
            {std::int64_t{2}, "GPU", std::int64_t{2}, std::int64_t{0}, "gfx942", "MI300X"});
        add("rocpd_info_agent",
            {std::int64_t{3}, "GPU", std::int64_t{3}, std::int64_t{1}, "gfx942", "MI300X"});
        add("rocpd_info_kernel_symbol",
            {std::int64_t{1}, "_Z4gemm.kd", "gemm(float*)", std::int64_t{64}});
    }

    void add(const std::string& name, std::initializer_list<MadeValue> values) {
        database.add(name + m_suffix, values);
    }
    std::int64_t string(const std::string& text) {
        add("rocpd_string", {++m_strings, "g", text});
        return m_strings;
    }
    std::int64_t event(
        const std::string& category, std::int64_t stack, const std::string& extra = "{}") {
        add("rocpd_event", {++m_events, string(category), stack, std::int64_t{0}, extra});
        return m_events;
    }
    void region(const std::string& category, const std::string& name, std::int64_t start,
        std::int64_t end, std::int64_t stack, const std::string& extra = "{}") {
        const std::int64_t nameId = string(name);
        add("rocpd_region",
            {++m_rows, std::int64_t{1}, std::int64_t{1}, std::int64_t{1}, start, end, nameId,
                event(category, stack, extra)});
    }
    void dispatch(std::int64_t agent, std::int64_t stream, std::int64_t start, std::int64_t end,
        std::int64_t stack) {
        add("rocpd_kernel_dispatch",
            {++m_rows, std::int64_t{1}, std::int64_t{1}, agent, std::int64_t{1}, std::int64_t{1},
                stream, start, end, std::int64_t{512}, std::int64_t{128}, std::int64_t{1},
                std::int64_t{1}, std::int64_t{300}, std::int64_t{1}, std::int64_t{1},
                event("KERNEL_DISPATCH", stack)});
    }

    MadeDatabase database;

private:
    void table(const std::string& name, const std::string& columns) {
        database.run("CREATE TABLE " + name + m_suffix + " (" + columns + ")");
    }

    std::string m_suffix;
    std::int64_t m_strings = 0;
    std::int64_t m_events = 0;
    std::int64_t m_rows = 0;
};

std::string rocpdBytes(std::int64_t pid, const std::string& environment) {
    MadeRocpd made("_0000abcd", pid, environment);
    made.region("MARKER_CORE_RANGE_API", "roctxRangePushA", 100, 900, 1, R"({"message":"step 4"})");
    made.region("HIP_RUNTIME_API", "hipLaunchKernel", 200, 210, 9);
    made.dispatch(3, 5, 1000, 1600, 9);
    const std::int64_t direction = made.string("MEMORY_COPY_DEVICE_TO_HOST");
    made.add("rocpd_memory_copy",
        {std::int64_t{1}, std::int64_t{1}, std::int64_t{1}, std::int64_t{2000}, std::int64_t{2100},
            direction, std::int64_t{1}, std::int64_t{3}, std::int64_t{4096}, std::int64_t{5},
            made.event("MEMORY_COPY", 10)});
    return made.database.bytes();
}

} // namespace

class tst_Rocprof : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void tablesOfOneProcess() {
        const auto imported = importedRocprof(
            {{"4711_kernel_trace.csv", kKernels}, {"4711_hip_api_trace.csv", kCalls},
                {"4711_marker_api_trace.csv", kMarkers}, {"4711_rccl_api_trace.csv", kRccl},
                {"4711_memory_copy_trace.csv", kCopies}, {"4711_agent_info.csv", kAgents}});
        QCOMPARE(imported->units.size(), std::size_t{1});
        QVERIFY(imported->reports[0].hasValue());
        // The grid counts work items: 1000 of 256 are 4 groups. Agent 4 is the second GPU.
        QCOMPARE(imported->lines(SpanKind::Kernel),
            (Lines{R"(0|1/2|gemm<float, 4>(int)|5000|2000|9|{"grid":[4,2,1],"block":[256,1,1],)"
                   R"("registers per thread":64,"shared memory":1024})",
                R"(0|0/0|ncclDevKernel_Generic(ncclDevKernelArgs)|8000|500|12|{"grid":[1,1,1],)"
                R"("block":[64,1,1],"registers per thread":12,"shared memory":0,)"
                R"("Collective name":"all_reduce"})"}));
        QCOMPARE(imported->lines(SpanKind::Copy), (Lines{"0|1/2|Memcpy HtoD|9000|500|13|"}));
        QCOMPARE(imported->lines(SpanKind::Runtime).size(), std::size_t{3});
        QCOMPARE(
            imported->lines(SpanKind::Annotation), (Lines{"0|4711/70|iteration 7|3900|700|0|"}));
        QVERIFY(
            imported->lines(SpanKind::GpuAnnotation).contains("0|1/2|iteration 7|5000|2000|0|"));
        QCOMPARE(imported->sink.iterations.size(), std::size_t{1});
        QCOMPARE(imported->sink.gpus[0].model, std::string("AMD Instinct MI300X"));
        QCOMPARE(imported->sink.gpus[0].local, 1);
    }
    void tablesThatLieThereTwice() {
        const auto imported = importedRocprof(
            {{"4711_kernel_trace.csv", kKernels}, {"4711_kernel_trace.csv.gz", gzipped(kKernels)},
                {"4711_hip_api_trace.csv", kCalls}, {"4711_rccl_api_trace.csv.zst", zstded(kRccl)},
                {"4711_agent_info.csv", kAgents}, {"4711_agent_info.csv.gz", gzipped(kAgents)}});
        QCOMPARE(imported->units.size(), std::size_t{1});
        QVERIFY(imported->reports[0].hasValue());
        QCOMPARE(imported->lines(SpanKind::Kernel).size(), std::size_t{2});
        QCOMPARE(
            imported->lines(SpanKind::Runtime).size(), std::size_t{3}); // two of HIP, one of RCCL
        QCOMPARE(imported->sink.gpus[0].local, 1);
        const auto& warnings = imported->reports[0].value().warnings;
        QCOMPARE(warnings.size(), std::size_t{2});
        QCOMPARE(warnings[0].file, std::string("4711_agent_info.csv.gz"));
        QCOMPARE(
            warnings[0].text, std::string("not read: 4711_agent_info.csv holds the same table"));
        QCOMPARE(warnings[1].file, std::string("4711_kernel_trace.csv.gz"));
    }
    void processesOfAFolder() {
        const auto imported = importedRocprof({{"job/4711_kernel_trace.csv", kKernels},
            {"job/4712_kernel_trace.csv", kKernels}, {"job/4711_agent_info.csv", kAgents}});
        QCOMPARE(imported->units.size(), std::size_t{2});
        // Neither says that it is a rank of the other's job.
        QVERIFY(imported->units[0].runName != imported->units[1].runName);
    }
    void tableOfTheOlderRocprof() {
        const auto imported = importedRocprof({{"results.csv",
            "\"Index\",\"KernelName\",\"gpu-id\",\"queue-id\",\"queue-index\",\"pid\","
            "\"tid\",\"grd\",\"wgr\",\"lds\",\"scr\",\"arch_vgpr\",\"accum_vgpr\","
            "\"sgpr\",\"wave_size\",\"sig\",\"obj\",\"DispatchNs\",\"BeginNs\","
            "\"EndNs\",\"CompleteNs\",\"DurationNs\"\n"
            "0,\"gemm(float*, int) [clone .kd]\",1,3,0,99,98,4096,256,512,0,32,0,16,64,"
            "0x0,0x7f,100,200,450,460,250\n"}});
        QVERIFY(imported->reports[0].hasValue());
        QCOMPARE(imported->lines(SpanKind::Kernel),
            (Lines{R"(0|1/3|gemm(float*, int) [clone .kd]|200|250|0|{"grid":[16,1,1],)"
                   R"("block":[256,1,1],"registers per thread":32,"shared memory":512})"}));
    }
    void databases() {
        const auto imported = importedRocprof({{"a_results.db", rocpdBytes(4711, "{}")}});
        QCOMPARE(imported->units.size(), std::size_t{1});
        QCOMPARE(imported->units[0].gpuModel, std::string("MI300X"));
        QVERIFY(imported->reports[0].hasValue());
        QCOMPARE(imported->lines(SpanKind::Kernel),
            (Lines{R"(0|1/5|gemm(float*)|1000|600|9|{"grid":[3,1,1],"block":[128,1,1],)"
                   R"("registers per thread":64,"shared memory":512})"}));
        QCOMPARE(imported->lines(SpanKind::Copy),
            (Lines{R"(0|1/5|Memcpy DtoH|2000|100|10|{"bytes":4096})"}));
        QCOMPARE(
            imported->lines(SpanKind::Runtime), (Lines{"0|4711/4712|hipLaunchKernel|200|10|9|"}));
        QCOMPARE(imported->lines(SpanKind::Annotation), (Lines{"0|4711/4712|step 4|100|800|0|"}));
        QCOMPARE(imported->lines(SpanKind::GpuAnnotation), (Lines{"0|1/5|step 4|1000|600|0|"}));
        QCOMPARE(imported->sink.iterations[0].index, std::int64_t{4});
        QCOMPARE(imported->reports[0].value().facts.at("host"), std::string("node17"));
        QCOMPARE(imported->sink.gpus[0].local, 1);
    }
    void databasesOfRanks() {
        const auto imported = importedRocprof(
            {{"job/x_results.db", rocpdBytes(1, R"({"RANK":"1","WORLD_SIZE":"2"})")},
                {"job/y_results.db", rocpdBytes(2, R"({"RANK":"0","WORLD_SIZE":"2"})")}});
        QCOMPARE(imported->units.size(), std::size_t{2});
        QCOMPARE(imported->units[0].rank, std::optional<int>(1));
        QCOMPARE(imported->units[0].runName, std::string("job"));
        QCOMPARE(imported->units[1].runName, std::string("job"));
        QCOMPARE(imported->sink.runs.at("job").worldSize, 2);
    }
    // Durations 1, 2, …, 1000 ns: their sum is 500500.
    void sumsOfAGeneratedTable() {
        std::string text = kKernels.substr(0, kKernels.find('\n') + 1);
        for (int i = 1; i <= 1000; ++i) {
            const std::string start = std::to_string(10'000 * i);
            text += "\"KERNEL_DISPATCH\",\"Agent " + std::to_string(i % 2) + "\",1,0,70,1,33,\"k\","
                + std::to_string(i) + "," + start + "," + std::to_string(10'000 * i + i)
                + ",0,0,12,4,48,64,1,1,64,1,1\n";
        }
        const auto imported = importedRocprof({{"a_kernel_trace.csv", text}});
        std::int64_t total = 0;
        std::set<int> devices;
        for (const CollectedTrack& track : imported->sink.tracks) {
            devices.insert(track.description.device);
            for (const Span& span : track.spans)
                total += span.duration.ns;
        }
        QCOMPARE(total, std::int64_t{500'500});
        QCOMPARE(devices, (std::set<int>{0, 1}));
    }
};

TRAINSCOPE_TEST(tst_Rocprof)
#include "tst_Rocprof.moc"
