#include "core/store/database/Logs.h"

#include "core/model/Try.h"
#include "core/store/database/FileStart.h"
#include "core/store/database/OpenFiles.h"
#include "core/store/database/PageSums.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace trainscope::store {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOriginName = "user.trainscope.goes_on_from";
constexpr std::array kLogs{"-wal", "-journal"};

struct Origin {
    std::uint64_t before = 0;
    std::uint64_t after = 0;
};

bool isNothing(int number) {
    return number == ENODATA || number == ENOTSUP || number == ENOENT;
}

std::optional<Origin> originOf(const std::string& log) {
    Origin origin;
    const auto size = ::getxattr(log.c_str(), kOriginName, &origin, sizeof origin);
    return size == static_cast<ssize_t>(sizeof origin) ? std::optional(origin) : std::nullopt;
}

// On the disk before what it tells of: with the sums of an earlier page it would keep out the log's
// own database.
bool keepOriginIn(const std::string& log, const Origin& origin) {
    const auto kept = originOf(log);
    if (kept && kept->before == origin.before && kept->after == origin.after)
        return true;
    const int file = ::open(log.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return errno == ENOENT;
    bool isTrue = ::fsetxattr(file, kOriginName, &origin, sizeof origin, 0) == 0;
    if (!isTrue)
        isTrue = ::fremovexattr(file, kOriginName) == 0 || isNothing(errno);
    else
        isTrue = ::fsync(file) == 0;
    ::close(file);
    return isTrue;
}

bool isEmpty(const std::string& path) {
    struct stat info { };
    return ::stat(path.c_str(), &info) != 0 || info.st_size == 0;
}

// Checksum of the first page; 0 where another program wrote it.
Result<std::uint64_t> sumOfFirstPage(const fs::path& database) {
    std::array<std::uint8_t, kPageSize> page{};
    ASSIGN_OR_RETURN(const auto size, readStart(database, page));
    return size < page.size() ? 1 : storedSum(page.data());
}

// The sum before what is kept: a program that writes the page now has kept both sums by then.
Result<bool> isOwn(const fs::path& database, const std::string& log) {
    ASSIGN_OR_RETURN(const auto sum, sumOfFirstPage(database));
    const auto origin = originOf(log);
    return !origin || sum == 0 || sum == origin->before || sum == origin->after;
}

Status guardOrigin(const fs::path& database, const std::string& log) {
    if (isEmpty(log))
        return {};
    ASSIGN_OR_RETURN(auto isKnown, isOwn(database, log));
    // It may have been written twice meanwhile.
    if (!isKnown) {
        ASSIGN_OR_RETURN(isKnown, isOwn(database, log));
    }
    if (isKnown)
        return {};
    return Error{ErrorCode::Refused,
        "The log beside this database goes on from another file, or from another state of this "
        "one, and was left untouched as this file was: put back the file that it belongs to, or "
        "move the log away.",
        log};
}

// SQLite's file format, section 4.
constexpr std::size_t kLogHeader = 32;
constexpr std::size_t kFrameHeader = 24;
constexpr std::size_t kSaltsInHeader = 16;
constexpr std::size_t kSaltsInFrame = 8;
constexpr std::size_t kSalts = 8;

std::uint32_t numberAt(
    std::span<const std::uint8_t> bytes, std::size_t at, bool isBigEndian = true) {
    std::uint32_t number = 0;
    for (std::size_t i = 0; i < 4; ++i)
        number |= std::uint32_t{bytes[at + i]} << 8U * (isBigEndian ? 3 - i : i);
    return number;
}

// The log's own checksum, carried on from frame to frame.
struct LogSum {
    bool isBigEndian = false;
    std::uint32_t first = 0;
    std::uint32_t second = 0;

    void add(std::span<const std::uint8_t> bytes) {
        for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
            first += numberAt(bytes, i, isBigEndian) + second;
            second += numberAt(bytes, i + 4, isBigEndian) + first;
        }
    }
    [[nodiscard]] bool isAt(std::span<const std::uint8_t> bytes, std::size_t at) const {
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

    // True where commits lie behind a place that is damaged. A commit was on the disk before the
    // next one began, so that of two behind it the first was done.
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
bool isInUse(const std::string& database) {
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

Status guardLeftLog(const std::string& database) {
    const std::string log = database + "-wal";
    if (isEmpty(log) || isInUse(database) || !LogFile(log).isDamaged())
        return {};
    return Error{ErrorCode::Unreadable,
        "The log beside this database, left by a program that was ended, is damaged before its "
        "last commit and was not touched; import the sources into a new database, or move the log "
        "away to go on without what it holds.",
        log};
}

} // namespace

bool keepOrigin(const std::string& database, std::uint64_t before, std::uint64_t after) {
    bool isTrue = true;
    for (const char* suffix : kLogs)
        isTrue = keepOriginIn(database + suffix, {before, after}) && isTrue;
    return isTrue;
}

Status guardLogs(const fs::path& database) {
    const std::string path = behindLinks(database).string();
    for (const char* suffix : kLogs)
        RETURN_IF_ERROR(guardOrigin(path, path + suffix));
    return guardLeftLog(path);
}

std::set<std::int64_t> pagesInLog(const std::string& database) {
    return LogFile(database + "-wal").pages();
}

Status guardAbsent(const fs::path& database) {
    for (const char* suffix : kLogs) {
        const std::string log = behindLinks(database).string() + suffix;
        // Another program may have made the database meanwhile.
        if (!isEmpty(log) && isEmpty(database.string()))
            return Error{ErrorCode::Refused,
                "The log of a database lies here that is gone itself, and a new one in its place "
                "would take it for its own: put back the file that it belongs to, or move the log "
                "away.",
                log};
    }
    return {};
}

} // namespace trainscope::store
