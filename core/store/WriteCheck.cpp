#include "core/model/Try.h"
#include "core/store/Writing.h"
#include "core/store/database/Database.h"
#include "core/store/database/StoreFile.h"
#include "core/text/Numbers.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

namespace trainscope::store {

namespace {

namespace fs = std::filesystem;

Error refusedBecause(std::string message, const fs::path& path) {
    return {ErrorCode::Refused, std::move(message), path.string()};
}

std::string whyNotWritten(int number) {
    if (number == EROFS)
        return "its disk is read-only";
    return number == EACCES || number == EPERM ? "you may not write there"
                                               : std::string("it cannot be reached");
}

Status checkFolder(const fs::path& folder) {
    struct stat info { };
    if (::stat(folder.c_str(), &info) != 0) {
        const int number = errno;
        if (number == ENOENT)
            return Error{ErrorCode::NotFound, "There is no folder " + folder.string() + ".",
                folder.string()};
        return refusedBecause("The folder " + folder.string() + " cannot be reached.", folder);
    }
    if (!S_ISDIR(info.st_mode))
        return refusedBecause(folder.string() + " is a file, not a folder.", folder);
    if (::access(folder.c_str(), W_OK | X_OK) != 0)
        return refusedBecause(
            "The folder " + folder.string() + " takes no files: " + whyNotWritten(errno) + ".",
            folder);
    return {};
}

Error diskFull(const fs::path& folder, std::uint64_t room) {
    return refusedBecause("The disk of " + folder.string()
            + " is full: " + text::rounded(static_cast<double>(room), "B") + " are free.",
        folder);
}

// Writes into a file without a name, which shows quotas too and is gone when it is closed. Nothing
// is told where the file system knows no such files.
Status checkRoom(const fs::path& folder) {
    const auto room = freeSpaceAt(folder);
    if (room && *room < kLeastFreeSpace)
        return diskFull(folder, *room);
    const int descriptor = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (descriptor < 0)
        return {};
    const std::array<char, 4096> page{};
    const bool isWritten = ::write(descriptor, page.data(), page.size()) > 0;
    const int number = errno;
    ::close(descriptor);
    if (!isWritten && (number == ENOSPC || number == EDQUOT))
        return diskFull(folder, 0);
    return {};
}

// Asks for the lock of a writer and gives it back at once.
Status checkLock(const StoreFile& file) {
    const auto refusal = [](Error error) {
        error.code = ErrorCode::Refused;
        return error;
    };
    auto database = Database::open(file, SQLITE_OPEN_READWRITE);
    if (!database.hasValue())
        return refusal(database.error());
    sqlite3_busy_timeout(database.value().handle(), 0);
    const Status locked = database.value().script("BEGIN IMMEDIATE; ROLLBACK");
    return locked.hasValue() ? locked : Status(refusal(locked.error()));
}

} // namespace

std::optional<std::uint64_t> freeSpaceAt(const fs::path& folder) {
    std::error_code failure;
    const auto space = fs::space(folder, failure);
    // Some file systems do not count.
    if (failure || space.capacity == 0)
        return std::nullopt;
    return space.available;
}

Status checkWritable(const fs::path& named) {
    const StoreFile file(named);
    const fs::path folder
        = file.path().has_parent_path() ? file.path().parent_path() : fs::path(".");
    RETURN_IF_ERROR(checkFolder(folder));
    ASSIGN_OR_RETURN(const auto state, file.state());
    if (state != FileState::Absent && !file.isWritable())
        return refusedBecause(
            "The database is read-only: " + whyNotWritten(errno) + ".", file.path());
    RETURN_IF_ERROR(checkRoom(folder));
    return state == FileState::Present ? checkLock(file) : Status();
}

} // namespace trainscope::store
