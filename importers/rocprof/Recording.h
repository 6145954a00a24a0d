#pragma once
// The recordings in a rocpd database, and what their small tables say: processes, threads, agents,
// host and rank.

#include "importers/sqlite/ForeignDatabase.h"
#include "importers/trace/LauncherVariables.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::importers::rocprof {

inline constexpr std::string_view kStringTable = "rocpd_string"; // every recording has it

struct RocpdAgent {
    int device = -1; // among the GPUs; -1: a CPU
    std::string model;
};

// The small tables of one recording.
struct Recording {
    std::string suffix;
    std::map<std::int64_t, std::int64_t> processes; // by their number in the recording
    std::map<std::int64_t, std::int64_t> threads;
    std::map<std::int64_t, std::string> threadNames;
    std::map<std::int64_t, RocpdAgent> agents;
    int gpus = 0;
    LaunchedRank launched;
    std::string host;

    [[nodiscard]] std::int64_t process(std::int64_t number) const {
        const auto found = processes.find(number);
        return found == processes.end() ? number : found->second;
    }
    [[nodiscard]] std::int64_t thread(std::int64_t number) const {
        const auto found = threads.find(number);
        return found == threads.end() ? number : found->second;
    }
};

Result<std::vector<Recording>> readRecordings(ForeignDatabase& database);
std::vector<std::int64_t> processesOf(const std::vector<Recording>& recordings);

} // namespace trainscope::importers::rocprof
