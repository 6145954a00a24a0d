#pragma once
// A run database with one kernel track: the input of the benchmarks of spans.

#include <cstdint>
#include <filesystem>

namespace trainscope::bench {

// The run "spans" with `spans` kernels of 2,000 names on one stream, a few microseconds each, in
// iterations with pauses; one name, "needle_kernel", occurs twice.
std::filesystem::path spanDatabase(std::int64_t spans);

} // namespace trainscope::bench
