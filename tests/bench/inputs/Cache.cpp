#include "bench/inputs/Cache.h"

#include <cstdlib>

namespace trainscope::bench {

std::filesystem::path cacheFolder() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    std::filesystem::path folder = cache != nullptr && *cache != '\0'
        ? std::filesystem::path(cache)
        : std::filesystem::path(home != nullptr ? home : "/tmp") / ".cache";
    folder /= "trainscope-bench/v2";
    std::filesystem::create_directories(folder);
    return folder;
}

} // namespace trainscope::bench
