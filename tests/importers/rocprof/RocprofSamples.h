#pragma once
// Traces of rocprof's JSON and of its older database, as its sources write them.

#include "importers/support/MadeDatabase.h"

#include <string>

namespace trainscope::test {

// A process with two GPUs; its records stand before the calls that they belong to.
inline const std::string kToolJson = R"json({"rocprofiler-sdk-tool":[{
"metadata":{"pid":4711,"init_time":1,"fini_time":2,"environment":{"RANK":"3","WORLD_SIZE":"8"},
 "command":["python","train.py"]},
"agents":[{"size":1,"id":{"handle":90},"type":1,"name":"AMD EPYC","node_id":0},
 {"size":1,"id":{"handle":93},"type":2,"name":"gfx942","product_name":"MI300X","node_id":3},
 {"size":1,"id":{"handle":92},"type":2,"name":"gfx942","product_name":"MI300X","node_id":2}],
"strings":{"callback_records":[],
 "buffer_records":[{"kind":"NONE","operations":[]},
  {"kind":"HIP_RUNTIME_API","operations":["hipMalloc","hipLaunchKernel"]},
  {"kind":"KERNEL_DISPATCH","operations":["NONE"]},
  {"kind":"MEMORY_COPY","operations":["NONE","MEMORY_COPY_HOST_TO_DEVICE"]},
  {"kind":"MARKER_CORE_API","operations":["roctxMarkA","roctxRangePushA"]}],
 "marker_api":[{"key":1,"value":"step \"4\""}]},
"kernel_symbols":[{"kernel_id":0},{"kernel_id":7,"kernel_name":"_Z4gemm.kd",
 "formatted_kernel_name":"gemm(float*)","arch_vgpr_count":64}],
"buffer_records":{
 "kernel_dispatch":[{"size":1,"kind":2,"operation":0,"thread_id":70,
  "correlation_id":{"internal":9,"external":0},"start_timestamp":1000,"end_timestamp":1600,
  "stream_id":{"handle":5},"dispatch_info":{"agent_id":{"handle":93},
  "queue_id":{"handle":18446744073709551600},"kernel_id":7,"dispatch_id":1,
  "group_segment_size":512,"workgroup_size":{"x":128,"y":1,"z":1},
  "grid_size":{"x":300,"y":1,"z":1}}}],
 "memory_copy":[{"size":1,"kind":3,"operation":1,"thread_id":70,
  "correlation_id":{"internal":10},"start_timestamp":2000,"end_timestamp":2100,
  "dst_agent_id":{"handle":93},"src_agent_id":{"handle":90},"bytes":4096}],
 "hip_api":[{"size":1,"kind":1,"operation":1,"thread_id":70,
  "correlation_id":{"internal":9},"start_timestamp":200,"end_timestamp":210}],
 "marker_api":[{"size":1,"kind":4,"operation":1,"thread_id":70,
  "correlation_id":{"internal":1},"start_timestamp":100,"end_timestamp":900}]}}]}
)json";

// As bin/sqlitedb.py of the first rocprof writes it: every value a text.
inline const std::string kOldJson = R"json({ "traceEvents":[{}
,{"args":{"name":"Markers and Ranges"},"ph":"M","pid":1,"name":"process_name","sort_index":0}
,{"args":{"name":"CPU HIP API"},"ph":"M","pid":2,"name":"process_name","sort_index":1}
,{"args":{"name":"COPY"},"ph":"M","pid":0,"name":"process_name","sort_index":2}
,{"args":{"name":"GPU1"},"ph":"M","pid":7,"name":"process_name","sort_index":3}
,{"ph":"X","name":"hipLaunchKernel","ts":"0","dur":"1","pid":"2","tid":"70",
  "args":{
    "BeginNs":"200",
    "EndNs":"210",
    "pid":"4711",
    "tid":"70",
    "args":"( kernel(gemm) stream(0))"
  }
}
,{"ph":"X","name":"step 4","ts":"0","dur":"1","pid":"1","tid":"70",
  "args":{"BeginNs":"100","EndNs":"900","pid":"4711","tid":"70"}
}
,{"ph":"X","name":"gemm(float*)","ts":"1","dur":"1","pid":"7","tid":"0",
  "args":{"BeginNs":"1000","EndNs":"1600","dev-id":"1","queue-id":"2","pid":"4711","tid":"70"}
}
,{"ph":"X","name":"CopyHostToDevice","ts":"2","dur":"1","pid":"0","tid":"0",
  "args":{"BeginNs":"2000","EndNs":"2100","dev-id":"1","queue-id":"0","pid":"4711","tid":"70"}
}
,{"ts":0,"ph":"s","cat":"DataFlow","id":0,"pid":2,"tid":70,"name":"dep"}
],
"otherData": {
  }
}
)json";

inline std::string oldDatabase() {
    MadeDatabase made;
    const auto number = [](std::int64_t value) { return MadeValue(value); };
    made.run(R"(CREATE TABLE HIP ("BeginNs" INTEGER, "EndNs" INTEGER, "pid" INTEGER, "tid" INTEGER,
        "Name" TEXT, "args" TEXT, "Index" INTEGER))");
    made.run(R"(CREATE TABLE rocTX ("BeginNs" INTEGER, "EndNs" INTEGER, "pid" INTEGER,
        "tid" INTEGER, "Name" TEXT, "Index" INTEGER))");
    made.run(R"(CREATE TABLE OPS ("BeginNs" INTEGER, "EndNs" INTEGER, "dev-id" INTEGER,
        "queue-id" INTEGER, "Name" TEXT, "pid" INTEGER, "tid" INTEGER, "Index" INTEGER))");
    made.run(R"(CREATE TABLE COPY ("BeginNs" INTEGER, "EndNs" INTEGER, "Name" TEXT, "pid" INTEGER,
        "tid" INTEGER, "Index" INTEGER))");
    made.run(R"(CREATE TABLE KERN ("Index" INTEGER, "KernelName" TEXT))"); // without times
    made.add("HIP",
        {number(200), number(210), number(4711), number(70), "hipLaunchKernel", "()", number(9)});
    made.add("rocTX", {number(100), number(900), number(4711), number(70), "step 4", number(0)});
    // Texts of digits become numbers by the column.
    made.add(
        "OPS", {"1000", "1600", "1", "2", "gemm(float*)", number(4711), number(70), number(9)});
    made.add("OPS",
        {number(1700), number(1701), number(1), number(2), "\"<barrier packet>\"", number(4711),
            number(70), number(11)});
    made.add("COPY", {"2000", "2100", "async-copy", number(4711), number(70), number(10)});
    return made.bytes();
}

// A database of rocmProfileData as schema 3 names its tables: two processes, of which the second
// works on GPU 2, and readings of these GPUs and of a third one.
inline std::string rpdDatabase(std::int64_t blocks = 3) {
    MadeDatabase made;
    made.run("CREATE TABLE rocpd_metadata (id INTEGER PRIMARY KEY, tag TEXT, value TEXT)");
    made.run("CREATE TABLE rocpd_string (id INTEGER PRIMARY KEY, string TEXT)");
    made.run("CREATE TABLE rocpd_ustring (id INTEGER PRIMARY KEY, string TEXT)");
    made.run("CREATE TABLE rocpd_api (id INTEGER PRIMARY KEY, pid INTEGER, tid INTEGER, start"
             " INTEGER, end INTEGER, apiName_id INTEGER, category_id INTEGER, domain_id INTEGER,"
             " args_id INTEGER)");
    made.run("CREATE TABLE rocpd_op (id INTEGER PRIMARY KEY, gpuId INTEGER, queueId INTEGER,"
             " sequenceId INTEGER, start INTEGER, end INTEGER, description_id INTEGER, opType_id"
             " INTEGER)");
    made.run("CREATE TABLE rocpd_api_ops (id INTEGER PRIMARY KEY, api_id INTEGER, op_id INTEGER)");
    made.run("CREATE TABLE rocpd_kernelapi (api_ptr_id INTEGER PRIMARY KEY, stream TEXT, gridX"
             " INTEGER, gridY INTEGER, gridZ INTEGER, workgroupX INTEGER, workgroupY INTEGER,"
             " workgroupZ INTEGER, groupSegmentSize INTEGER, privateSegmentSize INTEGER,"
             " kernelName_id INTEGER)");
    made.run("CREATE TABLE rocpd_copyapi (api_ptr_id INTEGER PRIMARY KEY, stream TEXT, size"
             " INTEGER, kind INTEGER, sync INTEGER)");
    made.run("CREATE TABLE rocpd_monitor (id INTEGER PRIMARY KEY, deviceType TEXT, deviceId"
             " INTEGER, monitorType TEXT, start INTEGER, end INTEGER, value TEXT)");
    const auto n = [](std::int64_t value) { return MadeValue(value); };
    std::int64_t id = 0;
    for (const char* text : {"", "hip", "roctx", "hipLaunchKernel", "UserMarker", "range",
             "hipMemcpyAsync", "gemm(float*)", "KernelExecution", "Memcpy", "Barrier", "torch",
             "aten::mm", "function"})
        made.add("rocpd_string", {n(++id), text});
    made.add("rocpd_ustring", {n(1), ""});
    made.add("rocpd_ustring", {n(2), "step 4"});
    // Numbers of calls and operations begin anew, far apart, for each process.
    const std::int64_t first = std::int64_t{1} << 32U;
    const std::int64_t second = std::int64_t{2} << 32U;
    made.add("rocpd_api", {n(first + 1), n(81), n(70), n(200), n(210), n(4), n(1), n(2), n(1)});
    made.add("rocpd_api", {n(first + 2), n(81), n(70), n(100), n(900), n(5), n(6), n(3), n(2)});
    made.add("rocpd_api", {n(first + 3), n(81), n(70), n(150), n(250), n(13), n(14), n(12), n(1)});
    made.add("rocpd_api", {n(second + 1), n(80), n(71), n(300), n(320), n(7), n(1), n(2), n(1)});
    made.add("rocpd_op", {n(first + 5), n(0), n(3), n(0), n(1000), n(1600), n(8), n(9)});
    made.add("rocpd_op", {n(first + 6), n(0), n(3), n(0), n(1600), n(5000), n(1), n(11)});
    made.add("rocpd_op", {n(second + 5), n(2), n(0), n(0), n(2000), n(2100), n(1), n(10)});
    made.add("rocpd_api_ops", {n(1), n(first + 1), n(first + 5)});
    made.add("rocpd_api_ops", {n(2), n(second + 1), n(second + 5)});
    made.add("rocpd_kernelapi",
        {n(first + 1), "0x0", n(blocks), n(2), n(1), n(128), n(1), n(1), n(512), n(0), n(8)});
    made.add("rocpd_copyapi", {n(second + 1), "0x0", n(4096), n(1), n(0)});
    const std::int64_t ms = 1'000'000;
    made.add("rocpd_monitor", {n(1), "gpu", n(0), "power", n(0), n(1000 * ms), "300"});
    made.add("rocpd_monitor", {n(2), "gpu", n(0), "power", n(1000 * ms), n(2000 * ms), "400"});
    made.add("rocpd_monitor", {n(3), "gpu", n(2), "sclk", n(0), n(2 * ms), "1700"});
    made.add("rocpd_monitor", {n(4), "gpu", n(7), "sclk", n(0), n(2 * ms), "90"});
    return made.bytes();
}

} // namespace trainscope::test
