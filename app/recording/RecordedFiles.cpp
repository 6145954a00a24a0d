#include "app/recording/RecordedFiles.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"
#include "core/store/Store.h"
#include "core/text/Times.h"
#include "importers/common/Number.h"
#include "importers/engine/Moments.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include <chrono>
#include <system_error>

namespace trainscope::app {

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kVaried{"%d", "%j", "%n"};
constexpr std::uint64_t kLeastBytes = 2'000'000;

constexpr std::array<std::pair<std::string_view, double>, 8> kSizes{
    {{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"KiB", 1024.0},
        {"MiB", 1048576.0}, {"GiB", 1073741824.0}}};

std::optional<double> bytesIn(std::string_view text) {
    for (const auto& [name, factor] : kSizes) {
        if (!text.ends_with(name))
            continue;
        if (const auto value
            = importers::parseNumber(trimmed(text.substr(0, text.size() - name.size()))))
            return *value * factor;
    }
    return std::nullopt;
}

std::optional<DurationNs> ageIn(std::string_view text) {
    constexpr std::int64_t longest = 36'500 * text::kDay;
    const auto age = importers::engine::durationFrom(text);
    const bool hasUnit = !text.empty() && !isDigit(text.back());
    return hasUnit && age && age->ns >= text::kSecond && age->ns <= longest ? age : std::nullopt;
}

void putInto(std::string& text, std::string_view from, const std::string& to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
}

// A name must not lead into another folder.
std::string asPartOfName(std::string text) {
    std::ranges::replace(text, '/', '-');
    return text;
}

std::string dateOf(TimeNs time) {
    return fmt::format("{:%Y%m%d-%H%M%S}", fmt::gmtime(time.ns / text::kSecond));
}

fs::path numbered(const fs::path& path, const std::string& number) {
    return path.parent_path() / (path.stem().string() + "-" + number + path.extension().string());
}

// For fnmatch: whatever stands for itself there is marked as such.
std::string literally(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (std::string_view("*?[]\\").find(c) != std::string_view::npos)
            out += '\\';
        out += c;
    }
    return out;
}

bool holdsRecordingsAlone(const fs::path& path) {
    const auto store = store::Store::open(path, store::OpenMode::ReadOnly);
    if (!store.hasValue())
        return false;
    const auto sources = store.value().sources();
    return sources.hasValue() && !sources.value().empty()
        && std::ranges::all_of(sources.value(),
            [](const store::Source& source) { return source.path.starts_with("record:"); });
}

// One that is being written grows beside the file, in its log, for a while.
bool isOlder(const fs::path& path, DurationNs keep, TimeNs now) {
    bool isThere = false;
    for (const char* suffix : {"", "-wal"}) {
        std::error_code failure;
        const auto written = fs::last_write_time(fs::path(path.string() + suffix), failure);
        if (failure)
            continue;
        isThere = true;
        const auto since = std::chrono::duration_cast<std::chrono::nanoseconds>(
            std::chrono::file_clock::to_sys(written).time_since_epoch());
        if (now.ns - since.count() <= keep.ns)
            return false;
    }
    return isThere;
}

// A lease to write is given for a file that nobody else has open. On a file system without leases
// the answer is no, and a reader is told that its file went.
bool isOpenElsewhere(const fs::path& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    // The signal for who opens it in this moment would end the program; this one does nothing.
    ::fcntl(file, F_SETSIG, SIGURG);
    const bool isTaken = ::fcntl(file, F_SETLEASE, F_WRLCK) != 0 && errno == EAGAIN;
    ::fcntl(file, F_SETLEASE, F_UNLCK);
    ::close(file);
    return isTaken;
}

void removeDatabase(const fs::path& path) {
    std::error_code ignored; // missing files are not in the way
    for (const char* suffix : {"", "-wal", "-shm"})
        fs::remove(fs::path(path.string() + suffix), ignored);
}

} // namespace

Result<DurationNs> parseAge(std::string_view text, const std::string& option) {
    if (const auto age = ageIn(text))
        return *age;
    return Error{ErrorCode::Usage,
        fmt::format("\"{}\" is no time of a second at least, such as 24h, 7d or 90m.", text),
        option};
}

Result<RotationRule> RotationRule::parse(std::string_view text) {
    RotationRule rule;
    if (const auto age = ageIn(text)) {
        rule.age = *age;
        return rule;
    }
    const auto bytes = bytesIn(text);
    if (bytes && *bytes >= static_cast<double>(kLeastBytes) && *bytes < 1e18) {
        rule.bytes = static_cast<std::uint64_t>(*bytes);
        return rule;
    }
    return Error{ErrorCode::Usage,
        fmt::format("\"{}\" is neither a time of a second at least, such as 24h, nor a size of 2 "
                    "MB at least, such as 500MB.",
            text),
        "--rotate"};
}

bool RotationRule::isFull(TimeNs begin, TimeNs now, std::uint64_t size) const {
    constexpr std::uint64_t part = 16;
    return (age.ns > 0 && now - begin >= age) || (bytes > 0 && size >= bytes - bytes / part);
}

std::string recordedPath(std::string pattern, const record::JobDescription& job) {
    const bool isOwn
        = pattern.find("%h") != std::string::npos || pattern.find("%n") != std::string::npos;
    putInto(pattern, "%h", job.host);
    putInto(pattern, "%n", std::to_string(job.node));
    putInto(pattern, "%j", job.job.empty() ? "job" : asPartOfName(job.job));
    return isOwn || job.nodes < 2 ? pattern : numbered(pattern, job.host).string();
}

Status makeFileFor(std::int64_t user, const std::string& path) {
    constexpr mode_t readable = 0600;
    const int file
        = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, readable);
    struct stat facts { };
    const bool isGood = file >= 0 && ::fstat(file, &facts) == 0 && S_ISREG(facts.st_mode)
        && facts.st_nlink == 1
        && (facts.st_uid == static_cast<uid_t>(user)
            || (facts.st_uid == ::geteuid() && facts.st_size == 0)); // a new one
    if (isGood && facts.st_uid != static_cast<uid_t>(user)) [[maybe_unused]]
        const int stays = ::fchown(file, static_cast<uid_t>(user), gid_t(-1));
    if (file >= 0)
        ::close(file);
    if (isGood)
        return {};
    return Error{ErrorCode::Refused,
        fmt::format("This is no file that can be written for user {}: a link, another user's, or "
                    "in a folder that cannot be written to.",
            user),
        path};
}

Status requireFolderOfRoot(const std::string& file) {
    std::error_code failure;
    const fs::path folder = fs::canonical(fs::path(file).parent_path() / ".", failure);
    for (fs::path at = folder; !failure; at = at.parent_path()) {
        struct stat facts { };
        const bool isRoots = ::stat(at.c_str(), &facts) == 0 && facts.st_uid == 0;
        const bool isShared = (facts.st_mode & (S_IWGRP | S_IWOTH)) != 0;
        if (!isRoots || (isShared && (at == folder || (facts.st_mode & S_ISVTX) == 0)))
            break;
        if (!at.has_relative_path())
            return {};
    }
    return Error{ErrorCode::Refused,
        "Root records the jobs of all users into a folder that nobody else can write to: it and "
        "all above it belong to root.",
        file};
}

std::string RecordedFiles::next(const record::JobDescription& job, TimeNs now) const {
    std::string pattern = m_pattern;
    const bool isDated = pattern.find("%d") != std::string::npos;
    putInto(pattern, "%d", dateOf(now));
    const fs::path path = recordedPath(pattern, job);
    std::error_code ignored;
    if (isDated && !fs::exists(path, ignored))
        return path.string();
    int last = isDated ? 1 : 0;
    const std::string begin = path.stem().string() + "-";
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string stem = entry.path().stem().string();
        if (entry.path().extension() == path.extension() && stem.starts_with(begin))
            last = std::max(last, wholeNumber<int>(stem.substr(begin.size())).value_or(0));
    }
    return numbered(path, fmt::format("{:04}", last + 1)).string();
}

RecordedFiles::Removed RecordedFiles::removeOlder(DurationNs keep,
    const record::JobDescription& job, TimeNs now, const std::string& current) const {
    // Marks that no name has, for what differs between the files.
    record::JobDescription any = job;
    any.job = "\x01";
    std::string pattern = m_pattern;
    const bool isVaried = std::ranges::any_of(kVaried,
        [&pattern](std::string_view mark) { return pattern.find(mark) != std::string::npos; });
    putInto(pattern, "%d", "\x01");
    putInto(pattern, "%n", "\x01");
    const fs::path path = recordedPath(pattern, any);
    std::string name = literally(path.stem().string());
    putInto(name, "\x01", "*");
    const std::string numberedName
        = name + "-[0-9][0-9][0-9][0-9]*" + literally(path.extension().string());
    name += literally(path.extension().string());
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    Removed removed;
    std::error_code ignored; // a folder that cannot be read has nothing to remove
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        const std::string file = entry.path().filename().string();
        const bool isOurs = ::fnmatch(numberedName.c_str(), file.c_str(), 0) == 0
            || (isVaried && ::fnmatch(name.c_str(), file.c_str(), 0) == 0);
        if (!isOurs || entry.path().extension() != path.extension()
            || !entry.is_regular_file(ignored)
            || entry.path().filename() == fs::path(current).filename()
            || !isOlder(entry.path(), keep, now))
            continue;
        if (!holdsRecordingsAlone(entry.path())) {
            removed.left.push_back(entry.path().string());
            continue;
        }
        if (isOpenElsewhere(entry.path()))
            continue;
        removeDatabase(entry.path());
        removed.files.push_back(entry.path().string());
    }
    return removed;
}

} // namespace trainscope::app
