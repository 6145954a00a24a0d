#pragma once
// Reports of Nsight Systems made for tests, with tables as its documentation lists them, and
// imports of them into memory.

#include "importers/common/Formats.h"
#include "importers/support/MadeDatabase.h"
#include "importers/support/TraceLines.h"

#include <map>
#include <string>
#include <utility>

namespace trainscope::test {

// Serialized ids hold the process in bits 24 to 47 and the thread below.
constexpr std::int64_t globalId(std::int64_t process, std::int64_t thread = 0) {
    return (std::int64_t{1} << 48) + (process << 24) + thread;
}

inline constexpr std::int64_t kProcess = 4242; // for tests that have but one

class MadeReport {
public:
    static constexpr std::int64_t kStart = 1'700'000'000'000'000'000;

    MadeReport() {
        database.run(
            "CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL)");
        database.run("CREATE TABLE TARGET_INFO_SESSION_START_TIME"
                     " (utcEpochNs INTEGER, utcTime TEXT, localTime TEXT)");
    }

    std::int64_t text(const std::string& value) {
        const auto [found, isNew]
            = m_texts.try_emplace(value, static_cast<std::int64_t>(m_texts.size()) + 10);
        if (isNew)
            database.add("StringIds", {found->second, value});
        return found->second;
    }
    void startAt(std::int64_t ns, const std::string& utc = "2023-11-14T22:13:20",
        const std::string& local = "2023-11-14T23:13:20") {
        database.add("TARGET_INFO_SESSION_START_TIME", {ns, utc, local});
    }
    void gpu(std::int64_t id, const std::string& name, const std::string& uuid) {
        database.run("CREATE TABLE IF NOT EXISTS TARGET_INFO_GPU (vmId INTEGER, id INTEGER,"
                     " name TEXT, busLocation TEXT, uuid TEXT)");
        database.add("TARGET_INFO_GPU",
            {std::int64_t{1}, id, name, "0000:0" + std::to_string(id) + ":00.0", uuid});
    }
    void context(std::int64_t process, std::int64_t device) {
        database.run("CREATE TABLE IF NOT EXISTS TARGET_INFO_CUDA_CONTEXT_INFO (nullStreamId"
                     " INTEGER, hwId INTEGER, vmId INTEGER, processId INTEGER, deviceId INTEGER,"
                     " contextId INTEGER)");
        database.add("TARGET_INFO_CUDA_CONTEXT_INFO",
            {std::int64_t{7}, std::int64_t{0}, std::int64_t{1}, process, device, std::int64_t{1}});
    }
    void environment(const std::string& name, const std::string& value) {
        database.run("CREATE TABLE IF NOT EXISTS META_DATA_CAPTURE (name TEXT, value TEXT)");
        database.add(
            "META_DATA_CAPTURE", {"PROCESS_0:ENVIRONMENT_VARIABLE", name + "=\"" + value + "\""});
    }
    // A kernel of schema 3.
    void kernel(const std::string& name, std::int64_t start, std::int64_t end, std::int64_t process,
        std::int64_t correlation, std::int64_t device = 0, std::int64_t stream = 7,
        MadeValue graphNode = nullptr) {
        database.run(
            "CREATE TABLE IF NOT EXISTS CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL,"
            " end INTEGER NOT NULL, deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL,"
            " greenContextId INTEGER, streamId INTEGER NOT NULL, correlationId INTEGER,"
            " globalPid INTEGER, demangledName INTEGER NOT NULL, shortName INTEGER NOT"
            " NULL, registersPerThread INTEGER NOT NULL, gridX INTEGER, gridY INTEGER,"
            " gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER,"
            " staticSharedMemory INTEGER, dynamicSharedMemory INTEGER,"
            " graphNodeId INTEGER)");
        database.add("CUPTI_ACTIVITY_KIND_KERNEL",
            {start, end, device, std::int64_t{1}, nullptr, stream, correlation, globalId(process),
                text(name), text("short"), std::int64_t{40}, std::int64_t{12}, std::int64_t{2},
                std::int64_t{1}, std::int64_t{256}, std::int64_t{1}, std::int64_t{1},
                std::int64_t{1024}, std::int64_t{512}, std::move(graphNode)});
    }
    void call(const std::string& name, std::int64_t start, std::int64_t end, std::int64_t process,
        std::int64_t thread, std::int64_t correlation) {
        database.run("CREATE TABLE IF NOT EXISTS CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT"
                     " NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL, globalTid INTEGER,"
                     " correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT"
                     " NULL, callchainId INTEGER)");
        database.add("CUPTI_ACTIVITY_KIND_RUNTIME",
            {start, end, std::int64_t{0}, globalId(process, thread), correlation, text(name),
                std::int64_t{0}, nullptr});
    }
    void range(const std::string& name, std::int64_t start, MadeValue end, std::int64_t process,
        std::int64_t thread, std::int64_t type = 59, std::int64_t domain = 0,
        MadeValue payload = nullptr) {
        database.run("CREATE TABLE IF NOT EXISTS NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER,"
                     " eventType INTEGER NOT NULL, text TEXT, globalTid INTEGER, textId INTEGER,"
                     " domainId INTEGER, uint64Value INTEGER, jsonText TEXT, binaryData BLOB)");
        // Every second name is one of the registered ones.
        const bool isRegistered = start % 2 != 0;
        database.add("NVTX_EVENTS",
            {start, std::move(end), type, isRegistered ? MadeValue(nullptr) : MadeValue(name),
                globalId(process, thread),
                isRegistered ? MadeValue(text(name)) : MadeValue(nullptr), domain, nullptr, nullptr,
                std::move(payload)});
    }

    MadeDatabase database;

private:
    std::map<std::string, std::int64_t> m_texts;
};

struct ImportedReports : ImportedTraces {
    ImportedReports() = default;
    explicit ImportedReports(const importers::SourceTree& tree)
        : ImportedTraces(importers::nsys::kImporter, tree) { }
    explicit ImportedReports(const MadeReport& report)
        : ImportedReports(*importers::memoryTree({{"made.sqlite", report.database.bytes()}})) { }

    [[nodiscard]] std::multiset<std::string> lines(SpanKind kind) const {
        return ImportedTraces::lines(kind, MadeReport::kStart);
    }
};

} // namespace trainscope::test
