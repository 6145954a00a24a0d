#include "core/store/maintenance/Maintenance.h"

#include "core/model/Try.h"
#include "core/model/WholeNumber.h"
#include "core/store/database/OpenFile.h"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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
    return fmt::format("{:.1f} MB", std::ceil(static_cast<double>(bytes) / 1e5) / 10.0);
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

std::string nameOfCopy(const fs::path& path, pid_t program) {
    return path.string() + "." + std::to_string(program) + std::string(kCopySuffix);
}

// The program that a copy of that name is of.
std::optional<pid_t> programOf(std::string_view name, std::string_view database) {
    if (!name.starts_with(database) || !name.ends_with(kCopySuffix)
        || name.size() <= database.size() + 1 + kCopySuffix.size())
        return std::nullopt;
    name.remove_prefix(database.size());
    name.remove_suffix(kCopySuffix.size());
    return name.front() == '.' ? wholeNumber<pid_t>(name.substr(1)) : std::nullopt;
}

bool isOver(pid_t program) {
    return program == ::getpid() || (program > 0 && ::kill(program, 0) != 0 && errno == ESRCH);
}

Result<std::string> uuidOf(Database& database) {
    ASSIGN_OR_RETURN(const auto uuid,
        database.single("SELECT value FROM meta WHERE key='uuid'",
            [](const Row& row) { return row.string(0); }));
    return uuid.value_or(std::string());
}

// Nobody else's file: it is empty, or lacks the first page, which SQLite writes at the end; or else
// it says whose copy it is.
bool isCopyOf(const std::string& uuid, const fs::path& path) {
    constexpr std::size_t smallestPage = 512;
    const StoreFile file(path);
    const auto start = file.start();
    if (!start.hasValue())
        return false;
    const ByteView first = start.value().first(std::min(smallestPage, start.value().size()));
    if (std::all_of(first.begin(), first.end(), [](std::uint8_t byte) { return byte == 0; }))
        return first.empty() || first.size() == smallestPage;
    auto copy = openFile(file, OpenMode::ReadOnly);
    return copy.hasValue() && !uuid.empty() && uuidOf(copy.value()).valueOr({}) == uuid;
}

// Copies of this database whose program was killed before it could take them away.
void removeLeftCopies(const std::string& uuid, const fs::path& path) {
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(fs::absolute(path).parent_path(), failure)) {
        const auto program = programOf(entry.path().filename().string(), path.filename().string());
        if (program && isOver(*program) && fs::is_regular_file(entry.symlink_status(failure))
            && isCopyOf(uuid, entry.path()))
            removeWithSideFiles(entry.path());
    }
}

Result<fs::path> placeForCopy(Database& database, const fs::path& path) {
    ASSIGN_OR_RETURN(const auto uuid, uuidOf(database));
    removeLeftCopies(uuid, path);
    fs::path copy = nameOfCopy(path, ::getpid());
    std::error_code none; // what is not there is not in the way
    if (fs::exists(fs::symlink_status(copy, none)))
        return Error{ErrorCode::Refused,
            "Compacting needs the name " + copy.string()
                + ", which another file has: move that elsewhere. The database was left as it is.",
            path.string()};
    return copy;
}

// The compact copy; it goes when this goes.
class Copy {
public:
    explicit Copy(fs::path path)
        : m_path(std::move(path)) { }
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
    ASSIGN_OR_RETURN(auto source, Database::open(StoreFile(copy.path()), SQLITE_OPEN_READONLY));
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
    ASSIGN_OR_RETURN(auto place, placeForCopy(database, path));
    const Copy copy(std::move(place));
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
