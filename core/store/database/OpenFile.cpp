#include "core/store/database/OpenFile.h"

#include "core/store/database/PageSums.h"
#include "core/store/database/Schema.h"

#include <boost/uuid/random_generator.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

namespace trainscope::store {

namespace {

namespace fs = std::filesystem;

// Many readers of one file share the system's cache of it; KiB, negative as SQLite wants them.
constexpr int kReaderCache = -8192;
constexpr int kWriterCache = -32768;

Error ofOpening(const Database& database, const Error& error) {
    return sqlite3_errcode(database.handle()) == SQLITE_IOERR_DATA
        ? cannotBeOpened(database.shownPath())
        : error;
}

// FULL: what was told to be kept is kept where the power goes, too.
Status configure(Database& database, int cache) {
    RETURN_IF_ERROR(guardSchema(database));
    return database.script(
        "PRAGMA foreign_keys=ON; PRAGMA synchronous=FULL; PRAGMA journal_size_limit=67108864;"
        "PRAGMA temp_store=MEMORY; PRAGMA cache_size="
        + std::to_string(cache));
}

// With a log readers and the writer need not wait for each other. A file that somebody reads cannot
// be given one, and a change that began without it might be refused at its very end.
Status beginLog(Database& database) {
    constexpr int oneTry = 250; // ms; between two of them other readers have their turn
    constexpr std::chrono::milliseconds pause{20};
    const auto isRefused = [&database] {
        return (sqlite3_exec(
                    database.handle(), "PRAGMA journal_mode=WAL", nullptr, nullptr, nullptr)
                   & 0xFF)
            == SQLITE_BUSY;
    };
    const auto last = std::chrono::steady_clock::now() + std::chrono::milliseconds(kBusyTimeout);
    sqlite3_busy_timeout(database.handle(), oneTry);
    bool isBusy = isRefused();
    while (isBusy && std::chrono::steady_clock::now() < last) {
        std::this_thread::sleep_for(pause);
        isBusy = isRefused();
    }
    sqlite3_busy_timeout(database.handle(), kBusyTimeout);
    // Other errors show when the file is read.
    if (!isBusy)
        return {};
    return database.inUse("Another program has been reading the database, or writing to it, for "
                          "more than 5 seconds; try again when it has finished.");
}

// Touches the schema, which is where a read-only connection to a WAL database without its side
// files fails.
Status probe(Database& database) {
    return database.execute("SELECT value FROM meta WHERE key='uuid'");
}

// `code`: what SQLite answered last.
Result<Database> openReadOnly(
    const StoreFile& file, std::string_view query = {}, int* code = nullptr) {
    ASSIGN_OR_RETURN(auto opened, Database::open(file, SQLITE_OPEN_READONLY, query));
    Status status = configure(opened, kReaderCache);
    if (status.hasValue())
        status = probe(opened);
    if (code != nullptr)
        *code = sqlite3_errcode(opened.handle()) & 0xFF;
    if (!status.hasValue())
        return ofOpening(opened, status.error());
    return opened;
}

// A writer that was killed at a bad moment leaves a journal by which SQLite undoes what was half
// written, for which it has to write.
bool undoHalfWrite(const StoreFile& file) {
    Result<Database> opened = Database::open(file, SQLITE_OPEN_READWRITE);
    return opened.hasValue() && guardSchema(opened.value()).hasValue()
        && probe(opened.value()).hasValue();
}

Result<Database> openToWrite(const StoreFile& file) {
    Result<Database> opened = Database::open(file, SQLITE_OPEN_READWRITE);
    if (!opened.hasValue())
        return opened;
    if (!file.isWritable())
        return Error{ErrorCode::Refused,
            std::string("The database is read-only: ") + std::strerror(errno) + ".",
            file.path().string()};
    if (const Status status = configure(opened.value(), kWriterCache); !status.hasValue())
        return ofOpening(opened.value(), status.error());
    return opened;
}

// Leaves the log mode on a file system that cannot share memory: there a log keeps out everybody
// who is not alone.
void leaveLog(const fs::path& path) {
    Result<Database> alone = Database::open(StoreFile(path), SQLITE_OPEN_READWRITE);
    if (alone.hasValue())
        (void)alone.value().script("PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=DELETE");
}

Result<Database> openWritable(const StoreFile& file) {
    {
        ASSIGN_OR_RETURN(auto opened, openToWrite(file));
        RETURN_IF_ERROR(migrate(opened, migrations()));
        RETURN_IF_ERROR(beginLog(opened));
        if (probe(opened).hasValue())
            return opened;
    }
    leaveLog(file.path());
    return openToWrite(StoreFile(file.path()));
}

std::string newUuid() {
    return boost::uuids::to_string(boost::uuids::random_generator()());
}

// Makes an empty file a database, in one transaction: of two programs the second finds it made.
Status fillNew(const fs::path& path) {
    ASSIGN_OR_RETURN(
        auto database, Database::open(StoreFile(path), SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
    RETURN_IF_ERROR(database.script("PRAGMA page_size=" + std::to_string(kPageSize)));
    return database.transaction([&database]() -> Status {
        ASSIGN_OR_RETURN(const auto version, userVersion(database));
        if (version != 0)
            return {};
        RETURN_IF_ERROR(database.script("PRAGMA application_id=" + std::to_string(kApplicationId)));
        RETURN_IF_ERROR(applySteps(database, migrations()));
        return database.execute("INSERT INTO meta(key, value) VALUES('uuid', ?)", newUuid());
    });
}

// Complete before it is there. A link never replaces what another program put there meanwhile.
Status createAside(const fs::path& path) {
    const fs::path made = path.string() + "." + newUuid().substr(0, 8) + ".new";
    Status status = fillNew(made);
    const bool isThere
        = status.hasValue() && (::link(made.c_str(), path.c_str()) == 0 || errno == EEXIST);
    removeWithSideFiles(made);
    // Some file systems have no links.
    return status.hasValue() && !isThere ? fillNew(path) : status;
}

Status create(const fs::path& path, FileState target) {
    Status status = target == FileState::Absent ? createAside(path) : fillNew(path);
    if (status.hasValue())
        return status;
    Error error = status.error();
    error.where = path.string();
    if (::access(fs::absolute(path).parent_path().c_str(), W_OK) != 0)
        error = {ErrorCode::Io,
            "The database cannot be created here: the folder does not exist or may not be written.",
            path.string()};
    return error;
}

// For reading, in this program's version: an older file is brought up first, where it may be
// written.
Result<Database> openCurrent(const StoreFile& file) {
    Result<Database> opened = openReader(file);
    if (!opened.hasValue())
        return opened;
    ASSIGN_OR_RETURN(const auto version, userVersion(opened.value()));
    if (version == schemaVersion())
        return opened;
    const std::string path = file.path().string();
    if (version > schemaVersion())
        return newerVersion(path, version, schemaVersion());
    if (const Result<Database> migrated = openWritable(StoreFile(path)); !migrated.hasValue())
        return Error{ErrorCode::Refused,
            "This database was written by an older Trainscope and has to be brought up to date "
            "before it can be read, which failed: "
                + migrated.error().message,
            path};
    return openReader(StoreFile(path));
}

} // namespace

Result<Database> openReader(const StoreFile& file) {
    int code = SQLITE_OK;
    Result<Database> opened = openReadOnly(file, {}, &code);
    if (opened.hasValue())
        return opened;
    const fs::path& path = file.path();
    StoreFile now(path);
    if (now.hasJournal() && undoHalfWrite(now)) {
        now = StoreFile(path);
        opened = openReadOnly(now);
        if (opened.hasValue())
            return opened;
    }
    // In a read-only folder SQLite cannot make the side files that WAL needs; a file that nobody
    // can be writing, with nothing to be undone or added, is safe to read without them.
    if (code == SQLITE_CANTOPEN && !now.hasJournal() && now.logSize() == 0
        && ::access(path.has_parent_path() ? path.parent_path().c_str() : ".", W_OK) != 0)
        return openReadOnly(now, "?immutable=1");
    return opened;
}

Result<Database> openFile(const StoreFile& file, OpenMode mode) {
    ASSIGN_OR_RETURN(const auto state, file.state());
    if (state == FileState::Absent)
        return Error{ErrorCode::NotFound, "There is no such database file.", file.path().string()};
    if (state == FileState::Empty)
        return file.foreign("an empty file");
    return mode == OpenMode::ReadWrite ? openWritable(file) : openCurrent(file);
}

Result<Database> openOrCreateFile(const StoreFile& file) {
    ASSIGN_OR_RETURN(const auto state, file.state());
    if (state == FileState::Present)
        return openWritable(file);
    RETURN_IF_ERROR(file.allow());
    RETURN_IF_ERROR(create(file.path(), state));
    return openFile(StoreFile(file.path()), OpenMode::ReadWrite);
}

} // namespace trainscope::store
