#pragma once
// Generated inputs, cached between runs in $XDG_CACHE_HOME/trainscope-bench/v3.

#include <filesystem>
#include <string>

namespace trainscope::bench {

// Created when missing.
std::filesystem::path cacheFolder();

// The name of a run database: what an older version of the store has written is another input.
std::string databaseName(const std::string& name);

// The path of that name in the cache; `write(path)` makes it when it is not there. Written beside
// and renamed, so that an interrupted generation is not taken for an input.
template <typename Write>
std::filesystem::path cached(const std::string& name, Write&& write) {
    const std::filesystem::path path = cacheFolder() / name;
    if (std::filesystem::exists(path))
        return path;
    const std::filesystem::path unfinished = path.string() + ".unfinished";
    std::filesystem::remove_all(unfinished);
    write(unfinished);
    std::filesystem::rename(unfinished, path);
    return path;
}

} // namespace trainscope::bench
