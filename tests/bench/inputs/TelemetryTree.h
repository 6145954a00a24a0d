#pragma once
// A CharLLM-PPT result tree as its recorder writes it.

#include <filesystem>

namespace trainscope::bench {

// `ranks` GPUs, kTelemetryMetrics metrics each in its own file, `rows` samples at 10 Hz; every file
// has its own time stamps, late by up to 1 ms.
struct TelemetrySize {
    int ranks = 32;
    int rows = 3000;
};
inline constexpr int kTelemetryMetrics = 10;

// From the cache.
std::filesystem::path telemetryTree(TelemetrySize size);

} // namespace trainscope::bench
