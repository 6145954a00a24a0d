#pragma once
// Runs of one job on the same two GPUs, one after the other.

#include "core/analysis/traces/PlantedTrace.h"

#include <cstdint>
#include <string>
#include <vector>

namespace trainscope::test {

inline constexpr std::int64_t kPastSecond = 1'000'000'000;

inline Run pastJob(std::int64_t id, int gpus) {
    Run run;
    run.id = {id};
    run.name = "run " + std::to_string(id);
    run.range = {{id * 1000 * kPastSecond}, {(id * 1000 + 100) * kPastSecond}};
    run.gpuModel = "NVIDIA H100";
    run.gpuCount = gpus;
    run.launch.model = "llama3-8b";
    run.launch.globalBatch = 64;
    return run;
}

// A run of two GPUs of 20 samples, a second apart.
inline PlantedTrace recordedRun(int number, const std::string& uuid, double watts, double celsius) {
    PlantedTrace trace;
    trace.run = pastJob(number, 2);
    trace.run.name = "run " + std::to_string(number);
    for (int rank = 0; rank < 2; ++rank) {
        trace.gpus.push_back(
            {rank, 0, rank, trace.run.gpuModel, uuid.empty() ? uuid : uuid + std::to_string(rank)});
        const std::int64_t start = trace.run.range.begin.ns;
        trace.series("gpu_power", rank, start, kPastSecond,
            std::vector<double>(20, watts + (rank == 1 ? 0.0 : 50.0)));
        trace.series("gpu_temperature", rank, start, kPastSecond, std::vector<double>(20, celsius));
    }
    return trace;
}

} // namespace trainscope::test
