#pragma once
// The database of the frame benchmarks: a generated run with telemetry and kernels, kept in the
// cache folder between runs.

#include <cstdint>
#include <filesystem>

namespace trainscope::bench {

// Power, temperature, clock, utilisation and a PCIe counter of every GPU at 10 Hz; kernels of the
// first ranks, densely one after the other.
struct ViewedRun {
    int gpus = 64;
    int samples = 20'000; // per series
    int tracedRanks = 8;
    int streams = 2; // per rank
    int spans = 50'000; // per stream
};
std::filesystem::path viewedDatabase(const ViewedRun& run);

} // namespace trainscope::bench
