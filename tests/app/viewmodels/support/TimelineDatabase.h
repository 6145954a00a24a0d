#pragma once
// A run database small enough to be worked out by hand, for the timeline's view models.
//
// Run "small", 10 s from kStart, two GPUs of node 0, samples every second at 0 … 10 s:
//   gpu_power        rank 0: 100 W always; rank 1: 0, 10, … 100 W
//   gpu_temperature  rank 0: 50 °C, missing at 4 s; rank 1: 60 °C
//   pcie_rx          rank 0 and 1: 0, 1, … 10 MB
// rank 0, stream 7: gemm 1 s + 100 ms, ncclDevKernel_AllReduce 2 s + 1 ms, gemm 3 s + 1 µs
// iterations 5, 6 and 7 of the run: 0 … 3 s, 3 … 6 s, 6 … 9 s
// Run "later" starts 100 s after it: gpu_power of rank 0, 200 W over 5 s; iteration 6: 2 … 4 s of
// it.

#include "core/model/Time.h"
#include "core/store/Store.h"

#include <filesystem>

namespace trainscope::test {

inline constexpr TimeNs kStart{1'700'000'000'000'000'000};
inline constexpr std::int64_t kSecondNs = 1'000'000'000;

constexpr DurationNs seconds(double s) {
    return {static_cast<std::int64_t>(s * 1e9)};
}

// Captures of rank 0 of "small": "early", of its first 2.5 s, and "late", from 2.8 to 6 s.
bool addCaptures(store::Store& store);

// Writes it; an empty path when that fails (the reason goes to the test's log).
std::filesystem::path writeTimelineDatabase(const std::filesystem::path& folder);

} // namespace trainscope::test
