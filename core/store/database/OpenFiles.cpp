#include "core/store/database/OpenFiles.h"

#include <sys/stat.h>

#include <mutex>

namespace trainscope::store {
namespace {

struct OpenPaths {
    std::mutex mutex;
    std::multiset<std::string> paths;
};
OpenPaths& openPaths() {
    static OpenPaths paths;
    return paths;
}

} // namespace

std::set<FileIdentity> filesInUse() {
    OpenPaths& open = openPaths();
    const std::scoped_lock lock(open.mutex);
    std::set<FileIdentity> files;
    const auto add = [&files](const std::string& path) {
        struct stat info { };
        if (::stat(path.c_str(), &info) == 0)
            files.emplace(info.st_dev, info.st_ino);
    };
    for (const std::string& path : open.paths) {
        add(path);
        for (const char* suffix : kSideFiles)
            add(path + suffix);
    }
    return files;
}

void addOpenFile(const std::string& path) {
    OpenPaths& open = openPaths();
    const std::scoped_lock lock(open.mutex);
    open.paths.insert(path);
}

void removeOpenFile(const std::string& path) {
    OpenPaths& open = openPaths();
    const std::scoped_lock lock(open.mutex);
    if (const auto found = open.paths.find(path); found != open.paths.end())
        open.paths.erase(found);
}

} // namespace trainscope::store
