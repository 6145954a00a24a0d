#include "bench/inputs/Cache.h"

#include "core/store/database/Schema.h"

#include <cstdlib>

namespace trainscope::bench {

std::filesystem::path cacheFolder() {
    const char* cache = std::getenv("XDG_CACHE_HOME");
    const char* home = std::getenv("HOME");
    std::filesystem::path folder = cache != nullptr && *cache != '\0'
        ? std::filesystem::path(cache)
        : std::filesystem::path(home != nullptr ? home : "/tmp") / ".cache";
    folder /= "trainscope-bench/v3";
    std::filesystem::create_directories(folder);
    return folder;
}

std::string databaseName(const std::string& name) {
    return name + ".format" + std::to_string(store::schemaVersion()) + ".trainscope";
}

} // namespace trainscope::bench
