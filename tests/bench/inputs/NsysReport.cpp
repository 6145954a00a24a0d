#include "bench/inputs/NsysReport.h"

#include "bench/inputs/Cache.h"

#include <sqlite3.h>

#include <string>

namespace trainscope::bench {

namespace fs = std::filesystem;

namespace {

constexpr const char* kTables
    = "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; BEGIN;"
      "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);"
      "CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT,"
      " localTime TEXT);"
      "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1735689600000000000,"
      " '2025-01-01T00:00:00', '2025-01-01T01:00:00');"
      "CREATE TABLE TARGET_INFO_GPU (id INTEGER, name TEXT, busLocation TEXT, uuid TEXT);"
      "INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA H100 80GB HBM3', '0000:1b:00.0', 'a');"
      "CREATE TABLE TARGET_INFO_CUDA_CONTEXT_INFO (processId INTEGER, deviceId INTEGER);"
      "INSERT INTO TARGET_INFO_CUDA_CONTEXT_INFO VALUES (4242, 0);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL,"
      " eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT"
      " NULL, returnValue INTEGER NOT NULL, callchainId INTEGER);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL,"
      " deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER, streamId"
      " INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER NOT NULL,"
      " shortName INTEGER NOT NULL, mangledName INTEGER, launchType INTEGER, cacheConfig INTEGER,"
      " registersPerThread INTEGER NOT NULL, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX"
      " INTEGER, blockY INTEGER, blockZ INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory"
      " INTEGER, localMemoryPerThread INTEGER, localMemoryTotal INTEGER, gridId INTEGER,"
      " sharedMemoryExecuted INTEGER, graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER);"
      "CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL,"
      " text TEXT, globalTid INTEGER, textId INTEGER, domainId INTEGER);"
      "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 299)"
      " INSERT INTO StringIds SELECT i, iif(i = 0, 'cudaLaunchKernel_v7000',"
      " 'void cutlass::Kernel2<cutlass_80_tensorop_bf16_gemm_' || i || '>(Params)') FROM n;";

// ?1: the number of kernels. Ids hold the process 4242 above bit 24.
constexpr const char* kCalls
    = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1)"
      " INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME SELECT 20000 * i, 20000 * i + 4000, 0,"
      " 281546145665170, i + 1, 0, 0, NULL FROM n";
constexpr const char* kKernels
    = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1)"
      " INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT 20000 * i + 9000, 20000 * i + 25000, 0, 1, 0,"
      " iif(i % 3 = 2, 20, 7), i + 1, 281546145660928, 1 + i % 290, 1 + i % 290, 1 + i % 290, 1, 1,"
      " 168, 132 + i % 7, 1, 1, 384, 1, 1, 0, 213248, 0, 49545216, i, 233472, NULL, 0 FROM n";
constexpr const char* kRanges
    = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?1 / 10)"
      " INSERT INTO NVTX_EVENTS SELECT 200000 * i, 200000 * i + 190000, 59,"
      " iif(i % 400 = 0, 'iteration ' || (i / 400), 'layer ' || (i % 80)), 281546145665170, NULL, 0"
      " FROM n";

void insert(sqlite3* handle, const char* sql, std::int64_t kernels) {
    sqlite3_stmt* statement = nullptr;
    sqlite3_prepare_v2(handle, sql, -1, &statement, nullptr);
    sqlite3_bind_int64(statement, 1, kernels);
    sqlite3_step(statement);
    sqlite3_finalize(statement);
}

void writeReport(const fs::path& path, std::int64_t kernels) {
    sqlite3* handle = nullptr;
    sqlite3_open(path.c_str(), &handle);
    sqlite3_exec(handle, kTables, nullptr, nullptr, nullptr);
    for (const char* sql : {kCalls, kKernels, kRanges})
        insert(handle, sql, kernels);
    sqlite3_exec(handle, "COMMIT", nullptr, nullptr, nullptr);
    sqlite3_close_v2(handle);
}

} // namespace

fs::path nsysReport(std::int64_t kernels) {
    return cached("report-" + std::to_string(kernels) + ".sqlite",
        [kernels](const fs::path& path) { writeReport(path, kernels); });
}

} // namespace trainscope::bench
