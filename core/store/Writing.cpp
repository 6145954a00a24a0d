// The things that users say: names of runs, comparisons, layouts entered by hand, facts of
// machines.

#include "core/store/Writing.h"

#include "core/model/HarmlessText.h"
#include "core/store/Connection.h"
#include "core/store/database/Database.h"
#include "core/store/database/StoreFile.h"
#include "core/store/maintenance/Maintenance.h"
#include "core/store/tables/Session.h"
#include "core/text/Numbers.h"

#include <sqlite3.h>

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace trainscope::store {

namespace {

Result<bool> hasComparison(Database& database, std::string_view name) {
    ASSIGN_OR_RETURN(
        const auto count, database.number("SELECT count(*) FROM comparison WHERE name=?", name));
    return count > 0;
}

Error noComparison(const Database& database, std::string_view name) {
    return {ErrorCode::NotFound,
        "There is no saved comparison named \"" + std::string(name) + "\".", database.shownPath()};
}

// Nothing was changed where there is no such row.
Status changedOr(const Database& database, const Status& done, Error otherwise) {
    return done.hasValue() && database.changes() == 0 ? Status(std::move(otherwise)) : done;
}

Error noRun(const Database& database, const char* message) {
    return {ErrorCode::NotFound, message, database.shownPath()};
}

Error nameless(const Database& database) {
    return {ErrorCode::Usage, "A comparison needs a name.", database.shownPath()};
}

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

bool isThere(const std::filesystem::path& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

// Whoever opens a database keeps it with a log until the last one closes it.
bool isOpenElsewhere(Database& database) {
    const auto mode
        = database.single("PRAGMA journal_mode", [](const Row& row) { return row.string(0); });
    return !mode.hasValue() || mode.value() != "delete";
}

bool isEmpty(Database& database) {
    const auto holds = database.number("SELECT EXISTS(SELECT 1 FROM run) OR "
                                       "EXISTS(SELECT 1 FROM source) OR "
                                       "EXISTS(SELECT 1 FROM comparison)");
    return holds.hasValue() && holds.value() == 0;
}

void removeUnused(const std::filesystem::path& path) {
    const StoreFile file(path);
    if (file.state().valueOr(FileState::Absent) != FileState::Present)
        return;
    auto opened = Database::open(file, SQLITE_OPEN_READWRITE);
    if (!opened.hasValue())
        return;
    // Locked, so that nobody writes something between the look and the removal.
    Database& database = opened.value();
    if (!database.script("PRAGMA busy_timeout=0; BEGIN EXCLUSIVE").hasValue())
        return;
    std::error_code ignored; // an empty database left behind does no harm
    if (!isOpenElsewhere(database) && isEmpty(database))
        std::filesystem::remove(path, ignored);
    (void)database.script("ROLLBACK");
}

} // namespace

Result<std::unique_ptr<ImportSession>> beginImport(Store& store, const SourceDescription& source) {
    using Begun = Result<std::unique_ptr<ImportSession>>;
    Connection* connection = &store.connection();
    RETURN_IF_ERROR(requireWritable(*connection));
    return connection->call([&](Database& database) -> Begun {
        connection->importing = true;
        auto session = std::make_unique<Session>(
            database, source, [connection] { connection->importing = false; });
        RETURN_IF_ERROR(session->begin());
        return std::unique_ptr<ImportSession>(std::move(session));
    });
}

Status removeRun(Store& store, RunId run, const Progress& progress) {
    return store.connection().change(
        [&](Database& database) { return removeRun(database, run, progress); });
}

Result<VacuumOutcome> vacuum(Store& store, const Progress& progress) {
    RETURN_IF_ERROR(requireWritable(store.connection()));
    return store.connection().call(vacuumDatabase, progress);
}

Status saveComparison(Store& store, std::string_view name, std::string_view spec) {
    return store.connection().change([&](Database& database) -> Status {
        const std::string wanted = harmless(name);
        if (wanted.empty())
            return nameless(database);
        return database.execute(
            "INSERT INTO comparison(name, spec, created_ns, changed_ns) VALUES(?1, ?2, ?3, ?3)"
            " ON CONFLICT(name) DO UPDATE SET spec=excluded.spec, changed_ns=excluded.changed_ns",
            wanted, harmless(spec), wallClock().ns);
    });
}

Status renameComparison(Store& store, std::string_view name, std::string_view wanted) {
    return store.connection().change([&](Database& database) -> Status {
        const std::string text = harmless(wanted);
        if (text.empty())
            return nameless(database);
        ASSIGN_OR_RETURN(const auto exists, hasComparison(database, name));
        if (!exists)
            return noComparison(database, name);
        if (text == name)
            return {};
        ASSIGN_OR_RETURN(const auto isTaken, hasComparison(database, text));
        if (isTaken)
            return Error{ErrorCode::Usage, "Another comparison is already named \"" + text + "\".",
                database.shownPath()};
        return database.execute(
            "UPDATE comparison SET name=?, changed_ns=? WHERE name=?", text, wallClock().ns, name);
    });
}

Status removeComparison(Store& store, std::string_view name) {
    return store.connection().change([&](Database& database) {
        return changedOr(database, database.execute("DELETE FROM comparison WHERE name=?", name),
            noComparison(database, name));
    });
}

Status setEnteredLayout(Store& store, RunId run, const std::optional<std::string>& spec) {
    return store.connection().change([&](Database& database) {
        if (!spec)
            return database.execute("DELETE FROM run_layout WHERE run=?", run.value);
        return changedOr(database,
            database.execute(
                "INSERT OR REPLACE INTO run_layout(run, spec) SELECT id, ?2 FROM run WHERE id=?1",
                run.value, harmless(*spec)),
            noRun(database, "The run whose layout is to be kept does not exist."));
    });
}

Status setMachine(Store& store, RunId run, const std::optional<std::string>& facts) {
    Connection& connection = store.connection();
    if (connection.mode == OpenMode::ReadOnly)
        return requireWritable(connection);
    return connection.call([&](Database& database) {
        return changedOr(database,
            database.execute("UPDATE cluster SET machine=?2 WHERE run=?1", run.value,
                harmless(facts.value_or(std::string()))),
            noRun(database, "The run whose machine is to be described does not exist."));
    });
}

Status setAirflow(Store& store, RunId run, std::span<const int> order) {
    std::string text; // "4,5,6,7,0,1,2,3"
    for (const int index : order)
        text += (text.empty() ? "" : ",") + std::to_string(index);
    return store.connection().change([&](Database& database) {
        return database.execute("UPDATE cluster SET airflow=?2 WHERE run=?1", run.value, text);
    });
}

Status renameRun(Store& store, RunId run, std::string_view name) {
    return store.connection().change([&](Database& database) -> Status {
        const std::string wanted = harmless(name);
        if (wanted.empty())
            return Error{ErrorCode::Usage, "A run needs a name.", database.shownPath()};
        ASSIGN_OR_RETURN(const auto taken,
            database.number("SELECT count(*) FROM run WHERE name=? AND id<>?", wanted, run.value));
        if (taken > 0)
            return Error{ErrorCode::Usage, "Another run is already named \"" + wanted + "\".",
                database.shownPath()};
        return changedOr(database,
            database.execute("UPDATE run SET name=? WHERE id=?", wanted, run.value),
            noRun(database, "The run to rename does not exist."));
    });
}

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

NewDatabase::NewDatabase(std::filesystem::path path)
    : m_path(std::move(path))
    , m_isNew(!isThere(m_path)) { }

NewDatabase::~NewDatabase() {
    if (m_isNew)
        removeUnused(m_path);
}

} // namespace trainscope::store
