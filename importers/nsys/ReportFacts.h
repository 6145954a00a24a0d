#pragma once
// Facts in a report of Nsight Systems about the session it was recorded in: clock, host, GPUs, the
// processes that used them, and its rank of a job.

#include "core/model/Result.h"
#include "importers/sqlite/ForeignDatabase.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trainscope::importers::nsys {

struct ReportGpu {
    int id = 0; // as the tables of the report number it
    std::string model;
    std::string uuid; // with "GPU-" before it, as nvidia-smi writes it
    std::string bus;
};

struct ReportFacts {
    std::string schema; // "3.16.1"; empty: before it was kept
    std::string product; // "2024.6.2.225"
    std::string host;
    std::optional<std::int64_t> startNs; // the session's, since the epoch
    std::optional<std::int64_t> utcOffsetSeconds; // for the machine's local time
    std::int64_t durationNs = 0; // 0: not said
    std::vector<ReportGpu> gpus;
    std::vector<std::int64_t> processes; // ids of those that used a GPU, in the order of ranks
    std::map<std::pair<std::int64_t, int>, int> gpuOfDevice; // (process, CUDA device) → GPU
    std::optional<int> rank; // the started process's
    std::optional<int> node;
    int worldSize = 0;
    bool hasKernels = false; // a table of kernels, or of whole graphs

    // GPU of a process's CUDA device; nullptr: not said.
    [[nodiscard]] const ReportGpu* gpu(std::int64_t process, int device) const;
};

// The process of a serialized id of a process or thread.
constexpr std::int64_t processOf(std::int64_t globalId) {
    return (globalId >> 24) & 0xFFFFFF;
}
constexpr std::int64_t threadOf(std::int64_t globalId) {
    return globalId & 0xFFFFFF;
}

// By its tables.
bool isReport(const ForeignDatabase& database);

// Small tables alone, unless the report is too old to list its CUDA contexts.
Result<ReportFacts> readFacts(ForeignDatabase& database);

} // namespace trainscope::importers::nsys
