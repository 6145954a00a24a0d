#include "core/store/database/FileStart.h"

#include "core/model/InteractiveThread.h"

#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <vector>

namespace trainscope::store {
namespace {

Error cannot(std::string_view what, const std::filesystem::path& path, int number) {
    return {ErrorCode::Unreadable,
        "The file cannot be " + std::string(what) + ": " + std::strerror(number) + ".",
        path.string()};
}

} // namespace

std::filesystem::path behindLinks(const std::filesystem::path& path) {
    constexpr int kMostLinks = 40; // as many as the system follows
    std::filesystem::path target = path;
    std::error_code ignored; // what is not there is no link
    for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(target, ignored); ++i)
        target = target.parent_path() / std::filesystem::read_symlink(target, ignored);
    return target;
}

Result<std::size_t> readStart(const std::filesystem::path& path, std::span<std::uint8_t> bytes) {
    assertMayBlock("reads the start of a file");
    if (::access(path.c_str(), R_OK) != 0)
        return cannot("opened", path, errno);
    sqlite3_vfs* system = sqlite3_vfs_find(nullptr);
    const std::string name = std::filesystem::absolute(behindLinks(path)).string();
    std::vector<std::max_align_t> memory(
        static_cast<std::size_t>(system->szOsFile) / sizeof(std::max_align_t) + 1);
    auto* file = reinterpret_cast<sqlite3_file*>(memory.data());
    const int opened = system->xOpen(
        system, name.c_str(), file, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, nullptr);
    if (opened != SQLITE_OK)
        return cannot("opened", path, errno);
    std::error_code failure; // SQLite says 0 of a file of one byte
    const auto size = std::filesystem::file_size(path, failure);
    const std::size_t count = failure ? 0 : std::min<std::size_t>(bytes.size(), size);
    const int code = count == 0
        ? SQLITE_OK
        : file->pMethods->xRead(file, bytes.data(), static_cast<int>(count), 0);
    const int number = errno;
    file->pMethods->xClose(file);
    if (code != SQLITE_OK)
        return cannot("read", path, number);
    return count;
}

bool isSqlite(const std::filesystem::path& path) {
    constexpr std::string_view kSqliteBegin = "SQLite format 3";
    std::array<std::uint8_t, kSqliteBegin.size()> start{};
    std::error_code none; // what is not there is no database
    return std::filesystem::is_regular_file(path, none)
        && readStart(path, start).valueOr(0) == start.size()
        && std::equal(start.begin(), start.end(), kSqliteBegin.begin());
}

} // namespace trainscope::store
