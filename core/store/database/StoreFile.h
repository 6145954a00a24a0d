#pragma once
// A database file as it lies on the disk, and what lies beside it, before SQLite touches either.
// SQLite takes logs and journals by their names alone, recovers and creates files beside whatever
// it is given, and believes the header. StoreFile looks once and is asked; it changes nothing.
//
// Accidents and attacks that are kept from SQLite here (those of the schema: Schema.h; of single
// pages: PageSums.h):
//   state(): a file of another program, a folder, a device, a damaged or newer database, which
//     SQLite would recover, fill or wait for. It stays as it is, byte for byte.
//   allow(), forged: a link beside the file, through which SQLite would write elsewhere, and a
//     journal that names another file, which SQLite would delete when it undoes the transaction.
//   allow(), mixed up: a log beside no file, or beside one that was at rest and is not what the log
//     made of it, as a backup is that took the place of the log's own. SQLite would write the pages
//     of the one into the other.
//   filesInUse(): closing a file gives up all locks that this process holds on it (POSIX), after
//     which another program may take away what is being written. All reading goes through SQLite's
//     own layer of files, which knows.

#include "core/model/Result.h"
#include "core/store/codec/Bytes.h"

#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>

namespace trainscope::store {

// SQLite keeps these beside a database: its path with one of them behind it.
inline constexpr std::array kSideFiles{"-wal", "-journal", "-shm"};

enum class FileState { Absent, Empty, Present };

class StoreFile {
public:
    explicit StoreFile(const std::filesystem::path& named);

    // Behind links.
    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    // Refused: no file, of another program, or of a version that is not known. Unreadable: cannot
    // be read, or ours and damaged.
    [[nodiscard]] Result<FileState> state() const;
    // It begins as files of SQLite do, whichever program made it.
    [[nodiscard]] bool isSqlite() const;
    // It says that it is one of ours, of whatever version.
    [[nodiscard]] bool isRunDatabase() const;
    [[nodiscard]] bool hasJournal() const { return beside("-journal").isThere; }
    // In bytes; 0 without one.
    [[nodiscard]] std::uint64_t logSize() const { return beside("-wal").size; }
    [[nodiscard]] bool isWritable() const; // asks the system now; errno says why not

    // To be asked before SQLite opens or creates the file. Refused.
    [[nodiscard]] Status allow() const;

    // The refusal of what is not a run database; `what`: "an empty file".
    [[nodiscard]] Error foreign(const std::string& what) const;

private:
    struct SideFile {
        bool isThere = false;
        bool isPlain = false; // a file and no link
        std::uint64_t size = 0;
    };

    void readStart();
    void lookBeside();
    [[nodiscard]] const SideFile& beside(std::string_view suffix) const;
    [[nodiscard]] Status judgeHeader() const;
    [[nodiscard]] bool isOursWithADamagedHeader() const;
    [[nodiscard]] Status allowForged() const;
    [[nodiscard]] Status allowMixedUp() const;
    [[nodiscard]] bool isLogHome() const;

    std::filesystem::path m_path;
    std::optional<Error> m_problem; // the reason that it cannot be read
    bool m_isThere = false;
    Bytes m_start;
    std::array<SideFile, kSideFiles.size()> m_beside;
};

// The path that a link leads to, and any other path as it is: side files lie beside that file.
std::filesystem::path behindLinks(const std::filesystem::path& path);

// Usage where a database is: a figure or a table never takes its place.
Status checkReplaceable(const std::filesystem::path& path);

// The file, where it is there, and what SQLite keeps beside it.
void removeWithSideFiles(const std::filesystem::path& path);

// Ours, and damaged; it does not advise to check the file, which has to be opened for that.
Error cannotBeOpened(const std::string& path);

// Pages of a database, by SQLite's name, that have a state in its log, and where it stands there,
// in bytes; a checkpoint that failed may have written half of them.
std::map<std::int64_t, std::int64_t> pagesInLog(const std::string& database);

using FileIdentity = std::pair<std::uint64_t, std::uint64_t>; // device and number
// Databases that SQLite holds open in this process, with what lies beside them. Any thread.
std::set<FileIdentity> filesInUse();
// Says of a database, as SQLite names it, that one more connection has it open, or one fewer; true
// when it was the last one.
void addOpenFile(const std::string& path);
bool removeOpenFile(const std::string& path);

} // namespace trainscope::store
