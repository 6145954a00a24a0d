#pragma once
// Run databases with power, written through the store.

#include <cstdint>
#include <filesystem>

namespace trainscope::bench {

// `samples` of gpu_power in all, at 100 Hz, over `gpus` GPUs of nodes with eight. From the cache.
std::filesystem::path powerDatabase(std::int64_t samples, int gpus = 64);

} // namespace trainscope::bench
