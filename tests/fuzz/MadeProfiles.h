#pragma once
// Sound databases and tables of profilers, with a row or two of everything that is read of them: in
// small pages, so that most changes of a byte change something.

#include "fuzz/Folder.h"
#include "fuzz/Inputs.h"

#include "importers/nsys/MadeReport.h"

#include <fstream>
#include <iterator>

#include <sqlite3.h>

namespace trainscope::fuzz {

// The same database in pages of 512 bytes; one in memory keeps the size of its pages.
inline std::string inSmallPages(const std::string& bytes) {
    const auto path = folder() / "made.sqlite";
    std::ofstream(path, std::ios::binary) << bytes;
    sqlite3* handle = nullptr;
    if (sqlite3_open(path.c_str(), &handle) != SQLITE_OK
        || sqlite3_exec(handle, "PRAGMA page_size=512; VACUUM", nullptr, nullptr, nullptr)
            != SQLITE_OK)
        std::abort();
    sqlite3_close(handle);
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline void runAll(test::MadeDatabase& database, std::initializer_list<const char*> statements) {
    for (const char* sql : statements) {
        if (!database.run(sql).empty())
            std::abort();
    }
}

inline void addWork(test::MadeReport& report) {
    using test::kProcess;
    report.call("cudaLaunchKernel_v7000", 100, 110, kProcess, 5, 31);
    report.call("cudaLaunchKernelExC", 150, 160, kProcess, 5, 1);
    report.kernel("void gemm<float, 4>(\"x\")", 1000, 1500, kProcess, 31);
    report.kernel("node", 2000, 2600, kProcess, 32, 0, 8, std::int64_t{77});
    report.kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
        3000, 4000, kProcess, 1);
    // The serialized ids are of process 4242 and its thread 5.
    runAll(report.database,
        {"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId,"
         " correlationId, globalPid, bytes, copyKind, srcKind, dstKind)",
            "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES"
            " (3000, 3100, 0, 1, 7, 33, 281546145660928, 4096, 1, 1, 2)",
            "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId, contextId, streamId,"
            " correlationId, globalPid, bytes, memKind)",
            "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES"
            " (3200, 3210, 0, 1, 7, 34, 281546145660928, 64, 2)",
            "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, deviceId, contextId,"
            " streamId, correlationId, globalPid, graphId, graphExecId)",
            "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES"
            " (5000, 5100, 0, 1, 7, 35, 281546145660928, 3, 4)",
            "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, deviceId, contextId,"
            " streamId, correlationId, globalPid, syncType)",
            "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES"
            " (6000, 6001, 0, 1, 7, NULL, 281546145660928, 3)",
            "CREATE TABLE OSRT_API (start, end, globalTid, nameId, correlationId)",
            "INSERT INTO OSRT_API VALUES (10, 20, 281546145660933, 10, 0)",
            "CREATE TABLE MPI_P2P_EVENTS (start, end, globalTid, textId)",
            "INSERT INTO MPI_P2P_EVENTS VALUES (30, 40, 281546145660933, 10)",
            "CREATE TABLE ThreadNames (globalTid, nameId)",
            "INSERT INTO ThreadNames VALUES (281546145660933, 10)"});
}

// Payloads of NCCL as two schemas declare them: a communicator of so many ranks, and a size.
inline void addRanges(test::MadeReport& report) {
    using test::kProcess;
    report.range("step 4", 90, std::int64_t{300}, kProcess, 5);
    report.range("mark", 95, nullptr, kProcess, 5, 34);
    report.range("apart", 96, std::int64_t{900}, kProcess, 5, 60);
    report.range("NCCL", 1, nullptr, kProcess, 5, 75, 1);
    runAll(report.database,
        {"CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId, schemaId, idx, type, name, offset)",
            "INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES"
            " (1, 100, 0, 18, 'NCCL communicator ID', NULL),"
            " (1, 100, 1, 22, 'Message size [bytes]', 8),"
            " (1, 200, 0, 18, 'NCCL communicator ID', NULL), (1, 200, 1, 5, 'No. of ranks', 8),"
            " (1, 200, 2, 5, 'Rank', 12)",
            "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId, binaryData)"
            " VALUES (2, 5, 59, 'ncclCommInitRank', 281546145660933, 1,"
            " x'0100000000000000C800000000000000100000000000000030000000000000"
            "00CDAB0000000000000800000003000000'),"
            " (140, 200, 59, 'ncclAllReduce', 281546145660933, 1,"
            " x'010000000000000064000000000000001000000000000000300000000000000"
            "0CDAB0000000000000010000000000000')",
            "INSERT INTO NVTX_EVENTS (start, end, eventType, text, globalTid, domainId, jsonText)"
            " VALUES (400, 450, 59, 'ncclAllGather', 281546145660933, 1,"
            " '{\"NCCL communicator ID\": \"0xabcd\", \"Message size [bytes]\": 64}')"});
}

inline void addCounters(test::MadeReport& report) {
    runAll(report.database,
        {"CREATE TABLE TARGET_INFO_GPU_METRICS (typeId, metricId, metricName)",
            "INSERT INTO TARGET_INFO_GPU_METRICS VALUES"
            " (305397760, 0, 'SMs Active [Throughput %]'),"
            " (305397760, 2, 'GPC Clock Frequency [MHz]')",
            "CREATE TABLE GPU_METRICS (timestamp, typeId, metricId, value)",
            "INSERT INTO GPU_METRICS VALUES (100, 305397760, 0, 80), (200, 305397760, 0, 40),"
            " (100, 305397760, 2, -1794967296)",
            "CREATE TABLE TARGET_INFO_NETWORK_METRICS (metricsListId, metricsIdx, name, unit)",
            "INSERT INTO TARGET_INFO_NETWORK_METRICS VALUES (1, 0, 'IB: Bytes sent', 'bytes/ms')",
            "CREATE TABLE TARGET_INFO_NIC_INFO (nicId, name)",
            "INSERT INTO TARGET_INFO_NIC_INFO VALUES (3, 'mlx5_0')",
            "CREATE TABLE NIC_ID_MAP (nicId, globalId)", "INSERT INTO NIC_ID_MAP VALUES (3, 77)",
            "CREATE TABLE NET_NIC_METRIC (start, globalId, portId, metricsListId, metricsIdx,"
            " value)",
            "INSERT INTO NET_NIC_METRIC VALUES (10, 77, 1, 1, 0, 5000), (20, 77, 1, 1, 0, 7)"});
}

inline std::string nsysReport() {
    test::MadeReport report;
    report.startAt(test::MadeReport::kStart);
    report.gpu(0, "NVIDIA H100", "1111-22");
    report.context(test::kProcess, 0);
    report.environment("RANK", "1");
    report.environment("WORLD_SIZE", "8");
    addWork(report);
    addRanges(report);
    addCounters(report);
    return inSmallPages(report.database.bytes());
}

// As nsys stats writes them of one report.
inline Files nsysTables() {
    return {{"job_cuda_gpu_trace.csv",
                "Start (us),Duration (us),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem "
                "(MB),DymSMem (MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,Strm,"
                "Name\n"
                "1000.5,2.25,31,12,2,1,256,1,1,40,0.0,0.0,,,,,NVIDIA H100 (1),1,7,\"f<4>(\"\"a\"\")"
                "\"\n"
                "1004,1,32,,,,,,,,,,0.004,1.0,Pinned,Device,NVIDIA H100 (1),1,7,[CUDA memcpy "
                "Host-to-Device]\n"
                "1006,0.5,33,,,,,,,,,,0.004,1.0,Device,,NVIDIA H100 (1),1,7,[CUDA memset]\n"},
        {"job_cuda_api_trace.csv",
            "Start (us),Duration (us),Name,Result,CorrID,Pid,Tid,T-Pri,Thread Name\n"
            "990,3,cudaLaunchKernel,0,31,77,78,20,python\n"},
        {"job_nvtx_pushpop_trace.csv",
            "Start (us),End (us),Duration (us),DurChild (us),DurNonChild (us),Name,PID,TID,Lvl\n"
            "980,1000,20,0,20,:step 3,77,78,0\n"}};
}

// As rocprofv3 writes the tables of one process, and in another folder that of the older rocprof.
inline Files rocprofTables() {
    return {{"job/1_kernel_trace.csv",
                "\"Agent_Id\",\"Queue_Id\",\"Stream_Id\",\"Kernel_Name\",\"Correlation_Id\",\"Start"
                "_Timestamp\",\"End_Timestamp\",\"LDS_Block_Size\",\"VGPR_Count\",\"Workgroup_Size_"
                "X\",\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\"Grid_Size_X\",\"Grid_Size_Y\","
                "\"Grid_Size_Z\"\n"
                "\"Agent 4\",1,2,\"gemm<float, 4>(int)\",9,5000,7000,1024,64,256,1,1,1000,2,1\n"
                "\"Agent 2\",1,0,\"ncclDevKernel_Generic(x)\",12,8000,8500,0,12,64,1,1,64,1,1\n"},
        {"job/1_hip_api_trace.csv",
            "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\",\"Start_"
            "Timestamp\",\"End_Timestamp\"\n"
            "\"HIP_RUNTIME_API\",\"hipLaunchKernel\",1,70,9,4000,4100\n"
            "\"RCCL_API\",\"ncclAllReduce\",1,70,11,4400,4500\n"
            "\"HIP_RUNTIME_API\",\"hipLaunchKernel\",1,70,12,4450,4480\n"},
        {"job/1_marker_api_trace.csv",
            "\"Domain\",\"Function\",\"Process_Id\",\"Thread_Id\",\"Correlation_Id\",\"Start_"
            "Timestamp\",\"End_Timestamp\"\n"
            "\"MARKER_CORE_API\",\"iteration 7\",1,70,1,3900,4600\n"},
        {"job/1_memory_copy_trace.csv",
            "\"Direction\",\"Stream_Id\",\"Source_Agent_Id\",\"Destination_Agent_Id\",\"Correlation"
            "_Id\",\"Start_Timestamp\",\"End_Timestamp\"\n"
            "\"MEMORY_COPY_HOST_TO_DEVICE\",2,\"Agent 0\",\"Agent 4\",13,9000,9500\n"},
        {"job/1_agent_info.csv",
            "\"Node_Id\",\"Logical_Node_Id\",\"Agent_Type\",\"Name\",\"Product_Name\"\n"
            "2,2,\"GPU\",\"gfx942\",\"MI300X\"\n5,4,\"GPU\",\"gfx942\",\"MI300X\"\n"},
        {"old/results.csv",
            "\"Index\",\"KernelName\",\"gpu-id\",\"queue-id\",\"pid\",\"tid\",\"grd\",\"wgr\","
            "\"lds\",\"arch_vgpr\",\"BeginNs\",\"EndNs\"\n"
            "0,\"gemm(float*, int) [clone .kd]\",1,3,99,98,4096,256,512,32,200,450\n"}};
}

// One recording of rocprofv3.
inline std::string rocpdDatabase() {
    test::MadeDatabase made;
    runAll(made,
        {"CREATE TABLE rocpd_string_1 (id INTEGER PRIMARY KEY, string TEXT)",
            "INSERT INTO rocpd_string_1 VALUES (1, 'roctxRangePushA'), (2, 'hipLaunchKernel'),"
            " (3, 'MEMORY_COPY_DEVICE_TO_HOST'), (4, 'MARKER_CORE_RANGE_API'),"
            " (5, 'HIP_RUNTIME_API'), (6, 'KERNEL_DISPATCH')",
            "CREATE TABLE rocpd_info_node_1 (id INTEGER PRIMARY KEY, hostname TEXT)",
            "INSERT INTO rocpd_info_node_1 VALUES (1, 'node17')",
            "CREATE TABLE rocpd_info_process_1 (id INTEGER PRIMARY KEY, pid INTEGER, environment)",
            "INSERT INTO rocpd_info_process_1 VALUES"
            " (1, 4711, '{\"RANK\":\"1\",\"WORLD_SIZE\":\"2\"}')",
            "CREATE TABLE rocpd_info_thread_1 (id INTEGER PRIMARY KEY, tid INTEGER, name TEXT)",
            "INSERT INTO rocpd_info_thread_1 VALUES (1, 4712, 'trainer')",
            "CREATE TABLE rocpd_info_agent_1 (id INTEGER PRIMARY KEY, type TEXT, absolute_index,"
            " type_index, name TEXT, product_name TEXT)",
            "INSERT INTO rocpd_info_agent_1 VALUES (1, 'CPU', 0, 0, 'EPYC', 'EPYC'),"
            " (2, 'GPU', 2, 0, 'gfx942', 'MI300X'), (3, 'GPU', 3, 1, 'gfx942', 'MI300X')",
            "CREATE TABLE rocpd_info_kernel_symbol_1 (id INTEGER PRIMARY KEY, kernel_name,"
            " display_name, arch_vgpr_count)",
            "INSERT INTO rocpd_info_kernel_symbol_1 VALUES (1, '_Z4gemm.kd', 'gemm(float*)', 64)",
            "CREATE TABLE rocpd_event_1 (id INTEGER PRIMARY KEY, category_id, stack_id,"
            " correlation_id, extdata)",
            "INSERT INTO rocpd_event_1 VALUES (1, 4, 1, 0, '{\"message\":\"step 4\"}'),"
            " (2, 5, 9, 0, '{}'), (3, 6, 9, 0, '{}'), (4, 3, 10, 0, '{}')",
            "CREATE TABLE rocpd_region_1 (id INTEGER PRIMARY KEY, pid, tid, start, end, name_id,"
            " event_id)",
            "INSERT INTO rocpd_region_1 VALUES (1, 1, 1, 100, 900, 1, 1), (2, 1, 1, 200, 210, 2,"
            " 2)",
            "CREATE TABLE rocpd_kernel_dispatch_1 (id INTEGER PRIMARY KEY, pid, agent_id,"
            " kernel_id, queue_id, stream_id, start, end, group_segment_size, workgroup_size_x,"
            " workgroup_size_y, workgroup_size_z, grid_size_x, grid_size_y, grid_size_z,"
            " event_id)",
            "INSERT INTO rocpd_kernel_dispatch_1 VALUES"
            " (1, 1, 3, 1, 1, 5, 1000, 1600, 512, 128, 1, 1, 300, 1, 1, 3)",
            "CREATE TABLE rocpd_memory_copy_1 (id INTEGER PRIMARY KEY, pid, start, end, name_id,"
            " dst_agent_id, src_agent_id, size, stream_id, event_id)",
            "INSERT INTO rocpd_memory_copy_1 VALUES (1, 1, 2000, 2100, 3, 1, 3, 4096, 5, 4)"});
    return inSmallPages(made.bytes());
}

} // namespace trainscope::fuzz
