#pragma once
// A run database with the traces of a job: the input of the benchmarks of replays.

#include <cstdint>
#include <filesystem>

namespace trainscope::bench {

// The run "job": four iterations of eight ranks with `spans` spans each. A rank's host launches
// kernels and, behind every hundredth, an all-reduce on another stream in which rank 3 keeps the
// others waiting.
std::filesystem::path jobDatabase(std::int64_t spans);

} // namespace trainscope::bench
