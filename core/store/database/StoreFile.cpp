#include "core/store/database/StoreFile.h"

#include "core/model/InteractiveThread.h"
#include "core/store/database/PageSums.h"
#include "core/store/database/Schema.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <mutex>

namespace trainscope::store {
namespace {

namespace fs = std::filesystem;

// Places in the header, of SQLite's file format, section 1.3.
constexpr std::string_view kSqliteMagic("SQLite format 3\0", 16);
constexpr std::size_t kHeaderSize = 100;
constexpr std::size_t kReadVersionAt = 19; // 2: with a log
constexpr std::size_t kReservedAt = 20;
constexpr std::size_t kVersionAt = 60;
constexpr std::size_t kApplicationAt = 68;

std::uint32_t numberAt(ByteView bytes, std::size_t at) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i)
        number = number << 8U | bytes[at + i];
    return number;
}

void putNumber(Bytes& page, std::size_t at, int value) {
    for (unsigned i = 0; i < 4; ++i)
        page[at + i] = static_cast<std::uint8_t>(static_cast<unsigned>(value) >> (24U - 8U * i));
}

Error cannot(std::string_view what, const fs::path& path, int number) {
    return {ErrorCode::Unreadable,
        "The file cannot be " + std::string(what) + ": " + std::strerror(number) + ".",
        path.string()};
}

std::string kindOf(ByteView start) {
    if (start.size() < 4)
        return "another kind of file";
    if (start[0] == 0xFF && start[1] == 0xD8 && start[2] == 0xFF)
        return "a JPEG picture";
    if (start[0] == 0x89 && start[1] == 'P' && start[2] == 'N' && start[3] == 'G')
        return "a PNG picture";
    if (start[0] == 0x1F && start[1] == 0x8B)
        return "a gzip archive";
    return "another kind of file";
}

bool hasOurId(ByteView header) {
    return header.size() >= kHeaderSize
        && numberAt(header, kApplicationAt) == static_cast<std::uint32_t>(kApplicationId);
}

// The record at the end of a journal that belongs to a transaction over several files (section 3.2
// of SQLite's file format): the length of the name, a sum, and the magic of journals.
bool namesAnotherFile(const std::string& journal) {
    constexpr std::string_view magic("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
    constexpr std::size_t kTail = 16;
    std::ifstream file(journal, std::ios::binary | std::ios::ate);
    std::array<char, kTail> tail{};
    if (!file || file.tellg() < static_cast<std::streamoff>(kTail)
        || !file.seekg(-static_cast<std::streamoff>(kTail), std::ios::end)
        || !file.read(tail.data(), kTail))
        return false;
    return std::string_view(tail.data() + 8, 8) == magic;
}

struct OpenPaths {
    std::mutex mutex;
    std::multiset<std::string> paths;
};
OpenPaths& openPaths() {
    static OpenPaths paths;
    return paths;
}

} // namespace

StoreFile::StoreFile(const fs::path& named)
    : m_path(behindLinks(named)) {
    assertMayBlock("looks at a database file");
    struct stat info { };
    m_isThere = ::stat(m_path.c_str(), &info) == 0;
    if (!m_isThere && errno != ENOENT)
        m_problem = cannot("reached", m_path, errno);
    else if (m_isThere && S_ISDIR(info.st_mode))
        m_problem = {ErrorCode::Refused, "This is a folder, not a database file.", m_path.string()};
    else if (m_isThere && !S_ISREG(info.st_mode))
        m_problem = {
            ErrorCode::Refused, "This is a device or pipe, not a database file.", m_path.string()};
    else if (m_isThere)
        readStart();
    lookBeside();
}

void StoreFile::readStart() {
    if (::access(m_path.c_str(), R_OK) != 0) {
        m_problem = cannot("opened", m_path, errno);
        return;
    }
    sqlite3_vfs* system = sqlite3_vfs_find(nullptr);
    const std::string name = fs::absolute(m_path).string();
    std::vector<std::max_align_t> memory(
        static_cast<std::size_t>(system->szOsFile) / sizeof(std::max_align_t) + 1);
    auto* file = reinterpret_cast<sqlite3_file*>(memory.data());
    const int opened = system->xOpen(
        system, name.c_str(), file, SQLITE_OPEN_READONLY | SQLITE_OPEN_MAIN_DB, nullptr);
    if (opened != SQLITE_OK) {
        m_problem = cannot("opened", m_path, errno);
        return;
    }
    std::error_code failure; // SQLite says 0 of a file of one byte
    const auto size = fs::file_size(m_path, failure);
    m_start.resize(failure ? 0 : std::min<std::size_t>(kPageSize, size));
    const int code = m_start.empty()
        ? SQLITE_OK
        : file->pMethods->xRead(file, m_start.data(), static_cast<int>(m_start.size()), 0);
    if (code != SQLITE_OK) {
        m_problem = cannot("read", m_path, errno);
        m_start.clear();
    }
    file->pMethods->xClose(file);
}

void StoreFile::lookBeside() {
    for (std::size_t i = 0; i < kSideFiles.size(); ++i) {
        const std::string path = m_path.string() + kSideFiles[i];
        struct stat info { };
        if (::lstat(path.c_str(), &info) != 0)
            continue;
        m_beside[i] = {true, S_ISREG(info.st_mode), static_cast<std::uint64_t>(info.st_size)};
    }
}

const StoreFile::SideFile& StoreFile::beside(std::string_view suffix) const {
    const auto* found = std::find(kSideFiles.begin(), kSideFiles.end(), suffix);
    return m_beside[static_cast<std::size_t>(found - kSideFiles.begin())];
}

Result<FileState> StoreFile::state() const {
    if (m_problem)
        return *m_problem;
    if (m_start.empty())
        return m_isThere ? FileState::Empty : FileState::Absent;
    const Status judged = judgeHeader();
    if (judged.hasValue())
        return FileState::Present;
    return isOursWithADamagedHeader() ? cannotBeOpened(m_path.string()) : judged.error();
}

bool StoreFile::isSqlite() const {
    return std::string_view(reinterpret_cast<const char*>(m_start.data()), m_start.size())
        .starts_with(kSqliteMagic);
}

bool StoreFile::isRunDatabase() const {
    return isSqlite() && hasOurId(m_start);
}

bool StoreFile::isWritable() const {
    return ::access(m_path.c_str(), W_OK) == 0;
}

Error StoreFile::foreign(const std::string& what) const {
    return {ErrorCode::Refused,
        "This is not a Trainscope database but " + what + "; it was left untouched.",
        m_path.string()};
}

Status StoreFile::judgeHeader() const {
    if (!isSqlite())
        return foreign(kindOf(m_start));
    if (m_start.size() < kHeaderSize)
        return Error{ErrorCode::Unreadable, "The database is cut short: it ends within its header.",
            m_path.string()};
    if (!hasOurId(m_start))
        return foreign("an SQLite database of another program");
    const auto version = static_cast<int>(numberAt(m_start, kVersionAt));
    if (version > schemaVersion() || version < 1)
        return newerVersion(m_path.string(), version, schemaVersion());
    const bool isTooOld = version < oldestSchemaVersion() || m_start[kReservedAt] != kSumSize;
    return isTooOld ? tooOldVersion(m_path.string()) : Status();
}

// True for a file whose header would be ours, had it not been changed since.
bool StoreFile::isOursWithADamagedHeader() const {
    if (m_start.size() != kPageSize)
        return false;
    Bytes page = m_start;
    std::copy(kSqliteMagic.begin(), kSqliteMagic.end(), page.begin());
    page[kReservedAt] = kSumSize;
    putNumber(page, kApplicationAt, kApplicationId);
    for (int version = oldestSchemaVersion(); version <= schemaVersion(); ++version) {
        putNumber(page, kVersionAt, version);
        if (isFirstPageAsWritten(page.data()))
            return true;
    }
    return false;
}

Status StoreFile::allow() const {
    RETURN_IF_ERROR(allowForged());
    // Another program may have made the file meanwhile, or begun its log.
    return allowMixedUp().hasValue() ? Status() : StoreFile(m_path).allowMixedUp();
}

Status StoreFile::allowForged() const {
    const auto refused = [](const std::string& path, const std::string& what) {
        return Error{
            ErrorCode::Refused, what + ", which no Trainscope makes; it was left untouched.", path};
    };
    for (const char* suffix : kSideFiles) {
        if (beside(suffix).isThere && !beside(suffix).isPlain)
            return refused(
                m_path.string() + suffix, "Beside the database lies what is no plain file");
    }
    const std::string journal = m_path.string() + "-journal";
    if (hasJournal() && namesAnotherFile(journal))
        return refused(journal,
            "The journal beside the database names another file, which undoing it would delete");
    return {};
}

Status StoreFile::allowMixedUp() const {
    const std::string log = m_path.string() + "-wal";
    if (logSize() == 0)
        return {};
    if (m_problem)
        return *m_problem;
    if (m_start.empty())
        return Error{ErrorCode::Refused,
            "The log of a database lies here that is gone itself, and a new one in its place "
            "would take it for its own: put back the file that it belongs to, or move the log "
            "away.",
            log};
    if (m_start.size() <= kReadVersionAt || m_start[kReadVersionAt] == 2 || isLogHome())
        return {};
    return Error{ErrorCode::Refused,
        "The log beside this database goes on from another file, or from another state of this "
        "one, and was left untouched as this file was: put back the file that it belongs to, or "
        "move the log away.",
        log};
}

// After a loss of power a log that was brought home and removed may be there again. The first page
// has changed since: it says that there is no log.
bool StoreFile::isLogHome() const {
    std::ifstream file(m_path, std::ios::binary);
    std::ifstream log(m_path.string() + "-wal", std::ios::binary);
    const auto contentAt = [](std::ifstream& from, std::int64_t at) {
        std::array<char, kPageSize - kSumSize> content{};
        from.seekg(at);
        from.read(content.data(), content.size());
        return content;
    };
    const auto pages = pagesInLog(m_path.string());
    return std::all_of(pages.begin(), pages.end(), [&](const auto& page) {
        const auto& [number, at] = page;
        return number == 1
            || contentAt(log, at) == contentAt(file, (number - 1) * std::int64_t{kPageSize});
    });
}

fs::path behindLinks(const fs::path& path) {
    std::error_code failure;
    if (!fs::is_symlink(path, failure))
        return path;
    const fs::path target = fs::canonical(path, failure);
    if (failure == std::errc::no_such_file_or_directory) // the link leads to what is yet to come
        return behindLinks(path.parent_path() / fs::read_symlink(path, failure));
    return failure ? path : target;
}

Status checkReplaceable(const std::filesystem::path& path) {
    if (!StoreFile(path).isSqlite())
        return {};
    return Error{ErrorCode::Usage,
        "This is a database, which is not replaced by something else; choose another name.",
        path.string()};
}

void removeWithSideFiles(const fs::path& path) {
    std::error_code ignored; // missing files need not be removed
    fs::remove(path, ignored);
    for (const char* suffix : kSideFiles)
        fs::remove(path.string() + suffix, ignored);
}

Error cannotBeOpened(const std::string& path) {
    return {ErrorCode::Unreadable,
        "The database is damaged: a page without which it cannot be opened is not as it was "
        "written; go back to a copy, or import the sources into a new one.",
        path};
}

std::map<std::int64_t, std::int64_t> pagesInLog(const std::string& database) {
    // SQLite's file format, section 4: a header, and frames with a header each. Frames of an
    // earlier round, whose pages are in the file, lie behind those of this one.
    constexpr std::size_t saltsInHeader = 16;
    constexpr std::size_t saltsInFrame = 8;
    constexpr std::size_t salts = 8;
    std::ifstream file(database + "-wal", std::ios::binary);
    const auto read = [&file](std::span<std::uint8_t> bytes) {
        return bool(file.read(
            reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())));
    };
    std::array<std::uint8_t, 32> header{};
    std::array<std::uint8_t, 24> frame{};
    std::map<std::int64_t, std::int64_t> pages;
    if (!read(header))
        return pages;
    const std::span round = std::span(header).subspan(saltsInHeader, salts);
    while (read(frame) && std::equal(round.begin(), round.end(), frame.begin() + saltsInFrame)) {
        pages[numberAt(frame, 0)] = file.tellg();
        file.seekg(kPageSize, std::ios::cur);
    }
    return pages;
}

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

bool removeOpenFile(const std::string& path) {
    OpenPaths& open = openPaths();
    const std::scoped_lock lock(open.mutex);
    if (const auto found = open.paths.find(path); found != open.paths.end())
        open.paths.erase(found);
    return open.paths.count(path) == 0;
}

} // namespace trainscope::store
