#include "core/store/database/StoreFile.h"

#include "core/model/InteractiveThread.h"
#include "core/model/Try.h"
#include "core/store/database/PageSums.h"
#include "core/store/database/Schema.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <mutex>
#include <span>
#include <vector>

namespace trainscope::store {
namespace {

namespace fs = std::filesystem;

constexpr std::array kLogs{"-wal", "-journal"};

// Places in the header, of SQLite's file format, section 1.3.
constexpr std::string_view kSqliteMagic("SQLite format 3\0", 16);
constexpr std::size_t kHeaderSize = 100;
constexpr std::size_t kReservedAt = 20;
constexpr std::size_t kVersionAt = 60;
constexpr std::size_t kApplicationAt = 68;

std::uint32_t numberAt(ByteView bytes, std::size_t at, bool isBigEndian = true) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i)
        number |= std::uint32_t{bytes[at + i]} << 8U * (isBigEndian ? 3 - i : i);
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

// Kept with a log: the two sums of the first page.
using Origin = std::array<std::uint64_t, 2>;
constexpr const char* kOriginName = "user.trainscope.goes_on_from";

std::optional<Origin> originOf(const std::string& log) {
    Origin origin{};
    const auto size = ::getxattr(log.c_str(), kOriginName, origin.data(), sizeof origin);
    return size == static_cast<ssize_t>(sizeof origin) ? std::optional(origin) : std::nullopt;
}

// On the disk before what it tells of: with the sums of an earlier page it would keep out the log's
// own database.
bool keepOriginIn(const std::string& log, const Origin& origin) {
    if (originOf(log) == origin)
        return true;
    const int file = ::open(log.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return errno == ENOENT;
    bool isTrue = ::fsetxattr(file, kOriginName, origin.data(), sizeof origin, 0) == 0;
    if (isTrue)
        isTrue = ::fsync(file) == 0;
    else
        isTrue = ::fremovexattr(file, kOriginName) == 0 || errno == ENODATA || errno == ENOTSUP
            || errno == ENOENT;
    ::close(file);
    return isTrue;
}

// SQLite's file format, section 4.
constexpr std::size_t kLogHeader = 32;
constexpr std::size_t kFrameHeader = 24;
constexpr std::size_t kSaltsInHeader = 16;
constexpr std::size_t kSaltsInFrame = 8;
constexpr std::size_t kSalts = 8;

// The log's own checksum, carried on from frame to frame.
struct LogSum {
    bool isBigEndian = false;
    std::uint32_t first = 0;
    std::uint32_t second = 0;

    void add(ByteView bytes) {
        for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
            first += numberAt(bytes, i, isBigEndian) + second;
            second += numberAt(bytes, i + 4, isBigEndian) + first;
        }
    }
    [[nodiscard]] bool isAt(ByteView bytes, std::size_t at) const {
        return numberAt(bytes, at) == first && numberAt(bytes, at + 4) == second;
    }
};

class LogFile {
public:
    explicit LogFile(const std::string& path)
        : m_file(path, std::ios::binary) { }

    // Those of its frames; their pages are skipped, and nothing is judged.
    std::set<std::int64_t> pages() {
        std::set<std::int64_t> pages;
        m_frame.resize(kFrameHeader);
        if (!read(m_header))
            return pages;
        while (read(m_frame) && isOfThisRound()) {
            pages.insert(numberAt(m_frame, 0));
            m_file.seekg(kPageSize, std::ios::cur);
        }
        return pages;
    }

    // Commits lie behind a place that is damaged. A commit was on the disk before the next one
    // began, so that of two behind it the first was done; of the last one, nobody can say whether
    // it was done when the power went.
    bool isDamaged() {
        if (!read(m_header))
            return false;
        if (std::all_of(m_header.begin(), m_header.end(), [](auto byte) { return byte == 0; }))
            return false;
        if (!isHeaderWhole())
            return true;
        int commitsBehind = 0;
        for (bool isWhole = true; read(m_frame);) {
            isWhole = isWhole && isFrameWhole();
            commitsBehind += !isWhole && isOfThisRound() && numberAt(m_frame, 4) != 0 ? 1 : 0;
        }
        return commitsBehind > 1;
    }

private:
    bool isHeaderWhole() {
        constexpr std::uint32_t magic = 0x377f0682; // and one more where sums are big-endian
        const std::uint32_t start = numberAt(m_header, 0);
        const std::uint32_t pageSize = numberAt(m_header, 8);
        if ((start | 1U) != (magic | 1U) || pageSize < 512 || pageSize > 65536)
            return false;
        m_sum.isBigEndian = (start & 1U) != 0;
        m_sum.add(std::span(m_header).first(24));
        m_frame.resize(kFrameHeader + pageSize);
        return m_sum.isAt(m_header, 24);
    }
    // Frames of an earlier round, whose pages are in the file, lie behind those of this one.
    [[nodiscard]] bool isOfThisRound() const {
        return std::equal(m_frame.begin() + kSaltsInFrame, m_frame.begin() + kSaltsInFrame + kSalts,
            m_header.begin() + kSaltsInHeader);
    }
    bool isFrameWhole() {
        const std::span frame(m_frame);
        m_sum.add(frame.first(8));
        m_sum.add(frame.subspan(kFrameHeader));
        return isOfThisRound() && m_sum.isAt(frame, 16);
    }
    bool read(std::span<std::uint8_t> bytes) {
        return bool(m_file.read(
            reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())));
    }

    std::ifstream m_file;
    std::array<std::uint8_t, kLogHeader> m_header{};
    std::vector<std::uint8_t> m_frame;
    LogSum m_sum;
};

// The lock that each connection to a log holds on the memory that they share (SQLite's
// UNIX_SHM_DMS).
bool isLogInUse(const std::string& database) {
    constexpr off_t held = 128;
    const std::string shared = database + "-shm";
    struct stat info { };
    if (::stat(shared.c_str(), &info) != 0)
        return false;
    // Closing a file gives up this process's locks on it.
    if (filesInUse().count({info.st_dev, info.st_ino}) != 0)
        return true;
    const int file = ::open(shared.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return true;
    struct flock lock { };
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_start = held;
    lock.l_len = 1;
    const bool isHeld = ::fcntl(file, F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
    ::close(file);
    return isHeld;
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
    // The sum before what is kept with the logs: a program that writes the page now has kept both
    // sums by then.
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
        if (m_beside[i].isPlain && info.st_size > 0)
            m_beside[i].origin = originOf(path);
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

Result<ByteView> StoreFile::start() const {
    if (m_problem)
        return *m_problem;
    return ByteView(m_start);
}

bool StoreFile::isSqlite() const {
    return std::string_view(reinterpret_cast<const char*>(m_start.data()), m_start.size())
        .starts_with(kSqliteMagic);
}

bool StoreFile::isRunDatabase() const {
    return isSqlite() && hasOurId(m_start);
}

bool StoreFile::hasSums() const {
    if (m_start.size() <= kReservedAt || m_start[kReservedAt] == kSumSize)
        return true;
    // The byte that tells of the sums may be the one that is damaged.
    Bytes page = m_start;
    page[kReservedAt] = kSumSize;
    return page.size() == kPageSize && isFirstPageAsWritten(page.data());
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
    return version < oldestSchemaVersion() ? tooOldVersion(m_path.string()) : Status();
}

// True for a file with checksums of its pages whose header would be ours, had it not been changed
// since.
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
    for (const char* suffix : kLogs) {
        // Another program may have made the file meanwhile, or have written it twice.
        if (!allowMixedUp(suffix).hasValue())
            RETURN_IF_ERROR(StoreFile(m_path).allowMixedUp(suffix));
    }
    return allowCut();
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

Status StoreFile::allowMixedUp(const char* suffix) const {
    const SideFile& log = beside(suffix);
    const std::string path = m_path.string() + suffix;
    if (log.size == 0)
        return {};
    if (m_problem)
        return *m_problem;
    if (m_start.empty())
        return Error{ErrorCode::Refused,
            "The log of a database lies here that is gone itself, and a new one in its place "
            "would take it for its own: put back the file that it belongs to, or move the log "
            "away.",
            path};
    // 0 where another program wrote the page.
    const std::uint64_t sum = m_start.size() < kPageSize ? 1 : storedSum(m_start.data());
    if (!log.origin || sum == 0 || sum == log.origin->front() || sum == log.origin->back())
        return {};
    return Error{ErrorCode::Refused,
        "The log beside this database goes on from another file, or from another state of this "
        "one, and was left untouched as this file was: put back the file that it belongs to, or "
        "move the log away.",
        path};
}

Status StoreFile::allowCut() const {
    const std::string log = m_path.string() + "-wal";
    if (logSize() == 0 || isLogInUse(m_path.string()) || !LogFile(log).isDamaged())
        return {};
    return Error{ErrorCode::Unreadable,
        "The log beside this database, left by a program that was ended, is damaged before its "
        "last commit and was not touched; import the sources into a new database, or move the log "
        "away to go on without what it holds.",
        log};
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
    std::error_code ignored; // what is not there need not be removed
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

bool keepOrigin(const std::string& database, std::uint64_t before, std::uint64_t after) {
    bool isTrue = true;
    for (const char* suffix : kLogs)
        isTrue = keepOriginIn(database + suffix, {before, after}) && isTrue;
    return isTrue;
}

std::set<std::int64_t> pagesInLog(const std::string& database) {
    return LogFile(database + "-wal").pages();
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
