#include "core/store/database/Database.h"

#include "core/model/HarmlessText.h"
#include "core/model/InteractiveThread.h"
#include "core/store/database/PageSums.h"
#include "core/store/database/Schema.h"
#include "core/store/database/StoreFile.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace trainscope::store {
namespace {

// SQLITE_TRANSIENT is a C cast of -1; a null destructor means static, which holds as parameters
// outlive the step.
constexpr sqlite3_destructor_type kOutlives = nullptr;
constexpr int kStepsBetweenQuestions = 2000; // steps of SQLite's machine, a few milliseconds

int ask(void* proceed) {
    return (*static_cast<const std::function<bool()>*>(proceed))() ? 0 : 1;
}

int spend(void* left) {
    return --*static_cast<int*>(left) < 0 ? 1 : 0;
}

// At rest a database is one file, without a log: who copies, mails or archives it takes one. Fails,
// and changes nothing, while anybody else has it open, and where its schema is as large as
// guardSchema() refuses.
void leaveOneFile(sqlite3* writable) {
    sqlite3_busy_timeout(writable, 0);
    int left = kMostSchemaQuestions;
    sqlite3_progress_handler(writable, kStepsBetweenQuestions, spend, &left);
    sqlite3_exec(writable, "PRAGMA journal_mode=DELETE", nullptr, nullptr, nullptr);
    sqlite3_progress_handler(writable, 0, nullptr, nullptr);
}

// Takes away a log that was begun while this program read, and whose writer has gone: a connection
// for reading cannot. Once for a file, by whoever leaves it last.
void leaveOneFile(const std::string& path) {
    if (::access((path + "-wal").c_str(), F_OK) != 0 || ::access(path.c_str(), W_OK) != 0)
        return;
    (void)Database::open(StoreFile(path), SQLITE_OPEN_READWRITE);
}

void confineOwn(sqlite3* handle) {
    constexpr int kLongestValue = 256 << 20; // bytes; the longest we write has a few MiB
    confine(handle, kLongestValue);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    // Looks at each cell of a page before it believes the page.
    sqlite3_exec(handle, "PRAGMA cell_size_check=ON", nullptr, nullptr, nullptr);
}

// Tries a lock on a file without a name beside the database; true where it cannot be tried.
bool hasFileLocks(const std::string& path) {
    std::string name = path + ".lock-XXXXXX";
    const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor < 0)
        return true;
    ::unlink(name.c_str());
    struct flock lock { };
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_len = 1;
    const bool isLocked = ::fcntl(descriptor, F_SETLK, &lock) == 0;
    const int number = errno;
    ::close(descriptor);
    return isLocked || number == EACCES || number == EAGAIN;
}

} // namespace

std::string addressOf(const std::filesystem::path& path, std::string_view query) {
    std::string address = "file:";
    for (const char c : std::filesystem::absolute(path).string())
        address += c == '%' || c == '?' || c == '#' ? fmt::format("%{:02x}", c) : std::string(1, c);
    return address.append(query);
}

void StatementDeleter::operator()(sqlite3_stmt* statement) const {
    sqlite3_finalize(statement);
}
void Database::HandleDeleter::operator()(sqlite3* handle) const {
    const char* file = sqlite3_db_filename(handle, "main");
    const std::string path = file == nullptr ? "" : file;
    if (!isReader)
        leaveOneFile(handle);
    sqlite3_close_v2(handle);
    if (removeOpenFile(path) && isReader && !path.empty())
        leaveOneFile(path);
}

bool Row::isNull(int column) const {
    return sqlite3_column_type(m_statement, column) == SQLITE_NULL;
}
std::int64_t Row::integer(int column) const {
    return sqlite3_column_int64(m_statement, column);
}
int Row::smallInteger(int column) const {
    return static_cast<int>(std::clamp<std::int64_t>(
        integer(column), std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
}
int Row::ordinal(int column) const {
    return static_cast<int>(std::clamp<std::int64_t>(integer(column), -1, kMostGpus - 1));
}
double Row::real(int column) const {
    return isNull(column) ? std::numeric_limits<double>::quiet_NaN()
                          : sqlite3_column_double(m_statement, column);
}
std::string_view Row::text(int column) const {
    const void* bytes = sqlite3_column_text(m_statement, column);
    const int size = sqlite3_column_bytes(m_statement, column);
    return bytes == nullptr
        ? std::string_view{}
        : std::string_view(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
}
std::string Row::string(int column) const {
    return harmless(text(column));
}
ByteView Row::blob(int column) const {
    const void* bytes = sqlite3_column_blob(m_statement, column);
    const int size = sqlite3_column_bytes(m_statement, column);
    return bytes == nullptr
        ? ByteView{}
        : ByteView(static_cast<const std::uint8_t*>(bytes), static_cast<std::size_t>(size));
}
std::optional<int> Row::optionalInteger(int column) const {
    return isNull(column) ? std::nullopt : std::optional<int>(smallInteger(column));
}

Database::Database(sqlite3* handle, std::string path, bool isReader)
    : m_handle(handle, HandleDeleter{isReader})
    , m_path(std::move(path)) { }
Database::Database(Database&&) noexcept = default;
Database& Database::operator=(Database&& other) noexcept {
    m_idle = std::move(other.m_idle);
    m_handle = std::move(other.m_handle);
    m_path = std::move(other.m_path);
    return *this;
}
Database::~Database() = default;

Result<Database> Database::open(const StoreFile& file, int flags, std::string_view query) {
    assertMayBlock("opens a database");
    RETURN_IF_ERROR(file.allow());
    std::string shownPath = file.path().string();
    sqlite3* handle = nullptr;
    const int code = sqlite3_open_v2(addressOf(file.path(), query).c_str(), &handle,
        flags | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, summingVfs());
    if (handle == nullptr)
        return Error{
            ErrorCode::Internal, "There is not enough memory to open the database.", shownPath};
    Database database(handle, std::move(shownPath), (flags & SQLITE_OPEN_READONLY) != 0);
    if (const char* name = sqlite3_db_filename(handle, "main"); name != nullptr)
        addOpenFile(name);
    if (code != SQLITE_OK)
        return database.error(code);
    sqlite3_extended_result_codes(handle, 1);
    sqlite3_busy_timeout(handle, kBusyTimeout);
    confineOwn(handle);
    if ((flags & SQLITE_OPEN_CREATE) != 0) {
        int reserved = kSumSize; // in each page, for a file that is new
        sqlite3_file_control(handle, "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved);
    }
    return database;
}

std::int64_t Database::lastRowId() const {
    return sqlite3_last_insert_rowid(m_handle.get());
}
bool Database::isInTransaction() const {
    return sqlite3_get_autocommit(m_handle.get()) == 0;
}

std::int64_t Database::changes() const {
    return sqlite3_changes64(m_handle.get());
}

Result<std::uint64_t> Database::bytes() {
    ASSIGN_OR_RETURN(const auto bytes,
        number("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"));
    return static_cast<std::uint64_t>(bytes);
}

Error Database::inputOrOutputError(int code) const {
    switch (code) {
    case SQLITE_IOERR_DATA:
        return {ErrorCode::Unreadable,
            "The database is damaged: a page of it is not as it was written; check it to see what "
            "is lost, and import the sources into a new one.",
            m_path};
    case SQLITE_IOERR_LOCK:
    case SQLITE_IOERR_RDLOCK:
    case SQLITE_IOERR_UNLOCK:
    case SQLITE_IOERR_CHECKRESERVEDLOCK:
    case SQLITE_IOERR_SHMLOCK:
    case SQLITE_IOERR_SHMMAP:
        return withoutLocks();
    case SQLITE_IOERR_SHMSIZE:
        return fullDisk();
    case SQLITE_IOERR_READ:
    case SQLITE_IOERR_SHORT_READ:
    case SQLITE_IOERR_FSTAT:
        return {ErrorCode::Io,
            "The database cannot be read: the disk answers with an error; check it, and its "
            "connection.",
            m_path};
    default:
        return {ErrorCode::Io,
            "The database cannot be written: the disk answers with an error (code "
                + std::to_string(code)
                + "), and nothing of this change was kept; check the disk and its free space.",
            m_path};
    }
}

Error Database::fullDisk() const {
    return {ErrorCode::Io,
        "The disk is full, and nothing of this change was kept; free some space and try again.",
        m_path};
}

Error Database::withoutLocks() const {
    return {ErrorCode::Refused,
        "The database is on a file system without working file locks, as some network file systems "
        "are mounted; copy it to a local disk.",
        m_path};
}

Error Database::inUse(std::string message) const {
    return hasFileLocks(m_path) ? Error{ErrorCode::Refused, std::move(message), m_path}
                                : withoutLocks();
}

Error Database::error(int code) const {
    const std::string detail = sqlite3_errmsg(m_handle.get());
    switch (code & 0xFF) {
    case SQLITE_FULL:
        return fullDisk();
    case SQLITE_IOERR:
        return inputOrOutputError(code);
    case SQLITE_PROTOCOL:
        return withoutLocks();
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return inUse("Another program is writing to the database; try again when it has finished.");
    case SQLITE_READONLY:
        return {ErrorCode::Refused,
            "The database cannot be written: it is read-only (" + detail + ").", m_path};
    case SQLITE_CANTOPEN:
        return {ErrorCode::Refused, "The database cannot be opened (" + detail + ").", m_path};
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return {ErrorCode::Unreadable,
            "The database is damaged (" + detail + "); import the sources into a new one.", m_path};
    case SQLITE_INTERRUPT:
        return {ErrorCode::Cancelled, "Stopped on request.", m_path};
    case SQLITE_AUTH:
        return {ErrorCode::Usage, "Only reading is allowed here (" + detail + ").", {}};
    case SQLITE_ERROR:
        return {ErrorCode::Unreadable, "The database answered: " + detail + ".", m_path};
    default:
        return {ErrorCode::Internal, "The database answered: " + detail + ".", m_path};
    }
}

Error Database::damaged(std::string_view what) const {
    return {ErrorCode::Unreadable,
        "The database is damaged: " + std::string(what)
            + " cannot be decoded; import the source again to replace it.",
        m_path};
}

Status Database::requireInPlace() const {
    int hasMoved = 0;
    sqlite3_file_control(m_handle.get(), "main", SQLITE_FCNTL_HAS_MOVED, &hasMoved);
    if (hasMoved == 0)
        return {};
    const bool isReplaced = ::access(m_path.c_str(), F_OK) == 0;
    return Error{ErrorCode::Refused,
        isReplaced ? "Another file was put in the place of the database while it was open; open it "
                     "again, or put the first one back."
                   : "The database was removed or renamed while it was open; put it back, or open "
                     "it where it is now.",
        m_path};
}

Status Database::commit() {
    RETURN_IF_ERROR(requireInPlace());
    Status status = script("COMMIT");
    // A writer that has begun is kept out by readers only.
    if (!status.hasValue() && (sqlite3_errcode(m_handle.get()) & 0xFF) == SQLITE_BUSY)
        return inUse("Another program was reading the database for so long that nothing of this "
                     "change could be kept; try again when it has finished.");
    return status;
}

Status Database::script(const std::string& sql) {
    const int code = sqlite3_exec(m_handle.get(), sql.c_str(), nullptr, nullptr, nullptr);
    return code == SQLITE_OK ? Status() : Status(error(code));
}

Result<StatementHandle> Database::take(std::string_view sql) {
    const auto found = m_idle.find(sql);
    if (found != m_idle.end() && !found->second.empty()) {
        StatementHandle statement = std::move(found->second.back());
        found->second.pop_back();
        return statement;
    }
    sqlite3_stmt* raw = nullptr;
    const int code = sqlite3_prepare_v3(m_handle.get(), sql.data(), static_cast<int>(sql.size()),
        SQLITE_PREPARE_PERSISTENT, &raw, nullptr);
    if (code != SQLITE_OK)
        return error(code);
    return StatementHandle(raw);
}

void Database::giveBack(std::string_view sql, StatementHandle statement) {
    sqlite3_reset(statement.get());
    sqlite3_clear_bindings(statement.get());
    auto found = m_idle.find(sql);
    if (found == m_idle.end())
        found = m_idle.emplace(std::string(sql), std::vector<StatementHandle>{}).first;
    found->second.push_back(std::move(statement));
}

Result<bool> Database::step(sqlite3_stmt* statement) const {
    assertMayBlock("runs a statement of a database");
    const int code = sqlite3_step(statement);
    if (code == SQLITE_ROW)
        return true;
    if (code == SQLITE_DONE)
        return false;
    return error(code);
}

int Database::bind(sqlite3_stmt* statement, int index, std::int64_t value) {
    return sqlite3_bind_int64(statement, index, value);
}
int Database::bind(sqlite3_stmt* statement, int index, int value) {
    return sqlite3_bind_int64(statement, index, value);
}
int Database::bind(sqlite3_stmt* statement, int index, double value) {
    return sqlite3_bind_double(statement, index, value);
}
int Database::bind(sqlite3_stmt* statement, int index, std::string_view value) {
    // An empty view may have no address, which SQLite would take for NULL.
    return sqlite3_bind_text64(
        statement, index, value.empty() ? "" : value.data(), value.size(), kOutlives, SQLITE_UTF8);
}
int Database::bind(sqlite3_stmt* statement, int index, ByteView value) {
    return value.empty()
        ? sqlite3_bind_zeroblob(statement, index, 0)
        : sqlite3_bind_blob64(statement, index, value.data(), value.size(), kOutlives);
}
int Database::bindNull(sqlite3_stmt* statement, int index) {
    return sqlite3_bind_null(statement, index);
}

// Statements lock for themselves where BEGIN fails, as without a snapshot.
ReadSnapshot::ReadSnapshot(Database& database)
    : m_database(database)
    , m_isOpen(sqlite3_get_autocommit(database.handle()) != 0
          && database.execute("BEGIN").hasValue()) { }

ReadSnapshot::~ReadSnapshot() {
    // The end of a transaction that only read cannot lose anything.
    if (m_isOpen)
        (void)m_database.execute("COMMIT");
}

Watch::Watch(Database& database, std::function<bool()> proceed)
    : m_database(database)
    , m_proceed(std::move(proceed)) {
    if (m_proceed)
        sqlite3_progress_handler(m_database.handle(), kStepsBetweenQuestions, ask, &m_proceed);
}

Watch::~Watch() {
    sqlite3_progress_handler(m_database.handle(), 0, nullptr, nullptr);
}

} // namespace trainscope::store
