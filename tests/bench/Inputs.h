#pragma once
// Inputs of the benchmarks: generated from a fixed seed, kept in the cache folder between runs.

#include <cstdint>
#include <filesystem>

namespace trainscope::bench {

// $XDG_CACHE_HOME/trainscope-bench, created when missing.
std::filesystem::path cacheFolder();

// A CharLLM-PPT run: `ranks` GPUs, 10 metrics, `rows` samples at 10 Hz. Values wander as real ones
// do.
struct TelemetrySize {
    int ranks = 32;
    int rows = 3000;
};
inline constexpr int kTelemetryMetrics = 10;
std::filesystem::path telemetryTree(TelemetrySize size);

// A Kineto trace of one rank: per kernel a runtime call and an operator, as torch.profiler writes
// them.
std::filesystem::path kinetoTrace(int kernels);

// A run database with 64 series of gpu_power, `samples` in all, at 100 Hz.
std::filesystem::path powerDatabase(std::int64_t samples);

} // namespace trainscope::bench
