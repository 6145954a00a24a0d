#include "core/store/maintenance/Maintenance.h"

#include "core/model/Try.h"
#include "core/store/database/OpenFile.h"

#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>

namespace trainscope::store {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kCompacting = "Compacting";
constexpr int kPagesAtOnce = 64;

struct Size {
    std::uint64_t file = 0;
    std::uint64_t used = 0;
};

Result<Size> sizeOf(Database& database) {
    Size size;
    RETURN_IF_ERROR(database.forEach(
        "SELECT page_count * page_size, (page_count - freelist_count) * page_size FROM "
        "pragma_page_count, pragma_freelist_count, pragma_page_size",
        [&size](const Row& row) {
            size.file = static_cast<std::uint64_t>(row.integer(0));
            size.used = static_cast<std::uint64_t>(row.integer(1));
        }));
    return size;
}

// Rounded up: what is needed or missing.
std::string megabytes(std::uint64_t bytes) {
    char text[32];
    std::snprintf(text, sizeof text, "%.1f MB", std::ceil(static_cast<double>(bytes) / 1e5) / 10.0);
    return text;
}

Status requireSpace(const fs::path& path, std::uint64_t needed) {
    std::error_code failure;
    const fs::path folder = fs::absolute(path).parent_path();
    const fs::space_info space = fs::space(folder, failure);
    if (failure || space.available >= needed)
        return {};
    return Error{ErrorCode::Io,
        "Compacting needs " + megabytes(needed) + " of free space in " + folder.string() + ", "
            + megabytes(needed - space.available)
            + " more than there are. The database was left as it is.",
        path.string()};
}

constexpr std::string_view kCopySuffix = ".compact";

// Copies of this database whose program was killed before it could take them away.
void removeLeftCopies(const fs::path& path) {
    std::error_code failure;
    const std::string begin = path.filename().string() + ".";
    for (const auto& entry : fs::directory_iterator(fs::absolute(path).parent_path(), failure)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(begin) || !name.ends_with(kCopySuffix))
            continue;
        const pid_t program = static_cast<pid_t>(std::atoi(name.c_str() + begin.size()));
        if (program > 0 && ::kill(program, 0) != 0 && errno == ESRCH)
            removeWithSideFiles(entry.path());
    }
}

// The compact copy; it goes when this goes.
class Copy {
public:
    explicit Copy(const fs::path& path)
        : m_path(path.string() + "." + std::to_string(::getpid()) + std::string(kCopySuffix)) {
        removeLeftCopies(path);
        removeWithSideFiles(m_path);
    }
    Copy(const Copy&) = delete;
    Copy& operator=(const Copy&) = delete;
    ~Copy() { removeWithSideFiles(m_path); }

    [[nodiscard]] const fs::path& path() const { return m_path; }
    [[nodiscard]] std::uint64_t size() const {
        std::error_code failure;
        const auto size = fs::file_size(m_path, failure);
        return failure ? 0 : size;
    }

private:
    fs::path m_path;
};

struct BackupDeleter {
    void operator()(sqlite3_backup* backup) const { sqlite3_backup_finish(backup); }
};

// Changes with each commit, of whomever; current after the connection has read or locked.
std::uint32_t versionOfData(Database& database) {
    std::uint32_t version = 0;
    sqlite3_file_control(database.handle(), "main", SQLITE_FCNTL_DATA_VERSION, &version);
    return version;
}

// Puts the copy's pages in place of the database's, in one transaction. `version`: of what was
// copied; whatever others committed since is not in the copy.
Status putBack(Database& database, const Copy& copy, std::uint32_t version, std::uint64_t total,
    const Progress& progress) {
    ASSIGN_OR_RETURN(auto source,
        Database::open(copy.path().string(), SQLITE_OPEN_READONLY, copy.path().string()));
    const std::uint64_t before = copy.size();
    std::unique_ptr<sqlite3_backup, BackupDeleter> backup(
        sqlite3_backup_init(database.handle(), "main", source.handle(), "main"));
    if (backup == nullptr)
        return database.error(sqlite3_errcode(database.handle()));
    int code = sqlite3_backup_step(backup.get(), 0); // takes the lock of a writer
    if (code == SQLITE_OK) {
        RETURN_IF_ERROR(database.requireInPlace());
        if (versionOfData(database) != version)
            return Error{ErrorCode::Refused,
                "Another program changed the database while it was being compacted, and nothing "
                "was compacted; try again when it has finished.",
                database.shownPath()};
    }
    while (code == SQLITE_OK) {
        code = sqlite3_backup_step(backup.get(), kPagesAtOnce);
        const auto pages = static_cast<std::uint64_t>(sqlite3_backup_pagecount(backup.get()));
        const auto left = static_cast<std::uint64_t>(sqlite3_backup_remaining(backup.get()));
        const std::uint64_t done = pages == 0 ? 0 : before * (pages - left) / pages;
        if (code == SQLITE_OK && progress && !progress({kCompacting, before + done, total}))
            return cancelled();
    }
    if (code != SQLITE_DONE)
        return database.error(code);
    const int finished = sqlite3_backup_finish(backup.release());
    return finished == SQLITE_OK ? Status() : Status(database.error(finished));
}

} // namespace

Result<VacuumOutcome> vacuumDatabase(
    Database& database, const fs::path& path, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto before, sizeOf(database));
    const std::uint64_t total = 2 * before.used;
    Status status = requireSpace(path, total);
    if (!status.hasValue())
        return status.error();
    const Copy copy(path);
    const auto proceed = [&] {
        return !progress || progress({kCompacting, std::min(copy.size(), total / 2), total});
    };
    if (!proceed())
        return cancelled();
    RETURN_IF_ERROR(database.execute("SELECT count(*) FROM meta"));
    const std::uint32_t version = versionOfData(database);
    {
        const Watch watch(database, proceed);
        status = database.execute("VACUUM INTO ?", copy.path().string());
    }
    if (status.hasValue())
        status = putBack(database, copy, version, total, progress);
    // Moves what was written into the file, as far as its readers allow.
    if (status.hasValue())
        status = database.script("PRAGMA wal_checkpoint(TRUNCATE)");
    const Result<Size> after = sizeOf(database);
    if (!status.hasValue())
        return status.error();
    if (!after.hasValue())
        return after.error();
    return VacuumOutcome{before.file, after.value().file};
}

} // namespace trainscope::store
