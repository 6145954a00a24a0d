#pragma once
// A Kineto trace of one rank, as torch.profiler writes it.

#include <cstdint>
#include <filesystem>

namespace trainscope::bench {

// Per kernel an operator and a runtime call: about 700 bytes. From the cache.
std::filesystem::path kinetoTrace(std::int64_t kernels);

} // namespace trainscope::bench
