#pragma once
// One SQLite connection with errors as values. Statements are prepared once and kept; a statement
// that is being stepped may be run again from inside (a second one is prepared). One thread at a
// time.

#include "core/model/AsciiText.h"
#include "core/model/Try.h"
#include "core/store/codec/Bytes.h"

#include <filesystem>
#include <memory>
#include <optional>
#include <type_traits>
#include <unordered_map>

struct sqlite3;
struct sqlite3_stmt;

namespace trainscope::store {

class StoreFile;

// A file as SQLite takes it with a query behind: "file:/x/a%3fb?immutable=1".
std::string addressOf(const std::filesystem::path& path, std::string_view query);

inline constexpr int kBusyTimeout = 5000; // ms that a statement waits for the locks of others

struct StatementDeleter {
    void operator()(sqlite3_stmt* statement) const;
};
using StatementHandle = std::unique_ptr<sqlite3_stmt, StatementDeleter>;

// The row a statement stands on; views are valid until the next one.
class Row {
public:
    explicit Row(sqlite3_stmt* statement)
        : m_statement(statement) { }
    [[nodiscard]] bool isNull(int column) const;
    [[nodiscard]] std::int64_t integer(int column) const;
    [[nodiscard]] int smallInteger(int column) const; // clamped to int
    // A rank, a node or a place, -1 for none; clamped to what a cluster can have.
    [[nodiscard]] int ordinal(int column) const;
    [[nodiscard]] double real(int column) const; // NaN for NULL
    [[nodiscard]] std::string_view text(int column) const;
    [[nodiscard]] std::string string(int column) const; // fit to be shown (HarmlessText.h)
    [[nodiscard]] ByteView blob(int column) const;
    [[nodiscard]] std::optional<int> optionalInteger(int column) const;

private:
    sqlite3_stmt* m_statement;
};

class Database {
public:
    Database(Database&&) noexcept;
    Database& operator=(Database&&) noexcept;
    ~Database();

    // flags: SQLITE_OPEN_*; `query`: what SQLite is told besides in the file's address. Refused
    // where the file may not be opened (StoreFile::allow()). Nothing that a stranger's schema
    // says is run: no triggers, no views, no functions with effects; values are bounded.
    static Result<Database> open(const StoreFile& file, int flags, std::string_view query = {});

    [[nodiscard]] sqlite3* handle() const { return m_handle.get(); }
    [[nodiscard]] const std::string& shownPath() const { return m_path; }
    [[nodiscard]] std::int64_t lastRowId() const;
    [[nodiscard]] std::int64_t changes() const;
    [[nodiscard]] bool isInTransaction() const;
    // Size of the file, with what its log holds for it.
    Result<std::uint64_t> bytes();
    // SQLite's last failure as a user understands it.
    [[nodiscard]] Error error(int code) const;
    // The error where others use the file, in the words of `message`, or where it has no locks.
    [[nodiscard]] Error inUse(std::string message) const;
    // The error for bytes that are there but make no sense; `what`: "a chunk of spans".
    [[nodiscard]] Error damaged(std::string_view what) const;

    // Refused where the path no longer leads to the file that is open: what is written now would be
    // lost, or mixed with another file's.
    [[nodiscard]] Status requireInPlace() const;
    // Ends a transaction, of a file that is in its place.
    Status commit();

    // Several statements without parameters.
    Status script(const std::string& sql);

    template <typename... Args>
    Status execute(std::string_view sql, const Args&... args) {
        return forEach(
            sql, [](const Row&) {}, args...);
    }

    // Calls visit(row) for each row; when it returns bool, false stops, when Status, a failure is
    // handed on, when Result<bool>, both.
    template <typename Visit, typename... Args>
    Status forEach(std::string_view sql, Visit&& visit, const Args&... args) {
        ASSIGN_OR_RETURN(auto taken, take(sql));
        sqlite3_stmt* statement = taken.get();
        int index = 0;
        int bound = 0;
        ((bound = bound == 0 ? bind(statement, ++index, args) : bound), ...);
        Status outcome = bound == 0 ? visitRows(statement, visit) : Status(error(bound));
        giveBack(sql, std::move(taken));
        return outcome;
    }

    // The rows as `make` has them: T make(const Row&).
    template <typename Make, typename... Args>
    auto rows(std::string_view sql, Make&& make, const Args&... args)
        -> Result<std::vector<std::invoke_result_t<Make&, const Row&>>> {
        std::vector<std::invoke_result_t<Make&, const Row&>> made;
        RETURN_IF_ERROR(forEach(
            sql, [&](const Row& row) { made.push_back(make(row)); }, args...));
        return made;
    }
    // The only row as `make` has it; absent without one.
    template <typename Make, typename... Args>
    auto single(std::string_view sql, Make&& make, const Args&... args)
        -> Result<std::optional<std::invoke_result_t<Make&, const Row&>>> {
        std::optional<std::invoke_result_t<Make&, const Row&>> made;
        RETURN_IF_ERROR(forEach(
            sql, [&](const Row& row) { made = make(row); }, args...));
        return made;
    }
    // The number in the only row; 0 without one.
    template <typename... Args>
    Result<std::int64_t> number(std::string_view sql, const Args&... args) {
        ASSIGN_OR_RETURN(const auto found,
            single(
                sql, [](const Row& row) { return row.integer(0); }, args...));
        return found.value_or(0);
    }
    // Runs `work` as one transaction; a failure undoes it. Within another one it is a part of that.
    template <typename Work>
    Status transaction(Work&& work) {
        if (isInTransaction())
            return work();
        if (Status begun = script("BEGIN IMMEDIATE"); !begun.hasValue())
            return begun;
        Status status = work();
        if (status.hasValue())
            status = commit();
        // The first error is the one worth telling; a rollback cannot make things worse.
        if (!status.hasValue())
            (void)script("ROLLBACK");
        return status;
    }

private:
    struct HandleDeleter {
        void operator()(sqlite3* handle) const;
        bool isReader = false; // was opened for reading
    };

    Database(sqlite3* handle, std::string path, bool isReader);
    [[nodiscard]] Error inputOrOutputError(int code) const;
    [[nodiscard]] Error fullDisk() const;
    [[nodiscard]] Error withoutLocks() const;
    Result<StatementHandle> take(std::string_view sql);
    void giveBack(std::string_view sql, StatementHandle statement);
    Result<bool> step(sqlite3_stmt* statement) const;

    template <typename Visit>
    Status visitRows(sqlite3_stmt* statement, Visit& visit) const {
        while (true) {
            ASSIGN_OR_RETURN(const auto more, step(statement));
            if (!more)
                return {};
            using Outcome = std::invoke_result_t<Visit&, const Row&>;
            if constexpr (std::is_same_v<Outcome, bool>) {
                if (!visit(Row(statement)))
                    return {};
            } else if constexpr (std::is_same_v<Outcome, Result<bool>>) {
                ASSIGN_OR_RETURN(const auto wanted, visit(Row(statement)));
                if (!wanted)
                    return {};
            } else if constexpr (std::is_same_v<Outcome, Status>) {
                RETURN_IF_ERROR(visit(Row(statement)));
            } else {
                visit(Row(statement));
            }
        }
    }

    static int bind(sqlite3_stmt* statement, int index, std::int64_t value);
    static int bind(sqlite3_stmt* statement, int index, int value);
    static int bind(sqlite3_stmt* statement, int index, double value); // NaN becomes NULL
    static int bind(sqlite3_stmt* statement, int index, std::string_view value);
    static int bind(sqlite3_stmt* statement, int index, ByteView value);
    template <typename T>
    static int bind(sqlite3_stmt* statement, int index, const std::optional<T>& value) {
        return value ? bind(statement, index, *value) : bindNull(statement, index);
    }
    static int bindNull(sqlite3_stmt* statement, int index);

    std::unique_ptr<sqlite3, HandleDeleter> m_handle;
    std::unordered_map<std::string, std::vector<StatementHandle>, TextHash, std::equal_to<>> m_idle;
    std::string m_path;
};

// While it lives, everything that the connection reads is of one moment, and SQLite takes its lock
// once instead of for each statement. Inside a transaction it does nothing. Nothing may be written
// on the same connection meanwhile.
class ReadSnapshot {
public:
    explicit ReadSnapshot(Database& database);
    ReadSnapshot(const ReadSnapshot&) = delete;
    ReadSnapshot& operator=(const ReadSnapshot&) = delete;
    ~ReadSnapshot();

private:
    Database& m_database;
    bool m_isOpen;
};

// While it lives, SQLite asks it now and then, within a statement too, whether to go on; after a no
// the statement fails with ErrorCode::Cancelled.
class Watch {
public:
    // `proceed` must not use the database. An empty one never stops anything.
    Watch(Database& database, std::function<bool()> proceed);
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;
    ~Watch();

private:
    Database& m_database;
    std::function<bool()> m_proceed;
};

} // namespace trainscope::store
