#pragma once
// A report of Nsight Systems of one rank, as nsys export writes it to SQLite.

#include <cstdint>
#include <filesystem>

namespace trainscope::bench {

// Per kernel a call, and per ten kernels a range: about 160 bytes. From the cache.
std::filesystem::path nsysReport(std::int64_t kernels);

} // namespace trainscope::bench
