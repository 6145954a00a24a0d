#include "importers/record/MarkPipe.h"

#include "core/model/AsciiText.h"
#include "core/model/LaunchConfig.h"
#include "core/model/WholeNumber.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

namespace trainscope::record {

namespace {

constexpr int kPipeBytes = 1 << 20; // that wait where nobody reads for a while
constexpr std::size_t kLongestLine = 4096;
constexpr int kWholeRun = -1;
constexpr std::string_view kPipeName = "trainscope-marks-";

// Of a program that is no more, and that nobody holds open: a script may outlive its recorder.
bool isStale(const std::filesystem::path& path) {
    const auto process
        = wholeNumber<int>(path.filename().string().substr(kPipeName.size())).value_or(0);
    if (process <= 0 || ::kill(process, 0) == 0 || errno != ESRCH)
        return false;
    std::error_code failure;
    if (!std::filesystem::is_fifo(path, failure))
        return false;
    const int file = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return errno == ENXIO; // nobody reads
    ::close(file);
    return false;
}

// What recorders that were killed left behind. What cannot be removed is another user's.
void removeStalePipes(const std::string& folder) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
        if (entry.path().filename().string().starts_with(kPipeName) && isStale(entry.path()))
            ::unlink(entry.path().c_str());
    }
}

// Nothing where no cluster has such a rank.
std::optional<int> rankOf(std::string_view text) {
    if (text.empty())
        return kWholeRun;
    const auto rank = wholeNumber<int>(text);
    return rank && *rank >= 0 && *rank < kMostGpus ? rank : std::nullopt;
}

} // namespace

Result<MarkPipe> MarkPipe::create(const std::string& folder) {
    removeStalePipes(folder);
    const std::string path = folder + "/" + std::string(kPipeName) + std::to_string(::getpid());
    ::unlink(path.c_str());
    constexpr mode_t forTheUser = 0600;
    // Open for writing too: the pipe does not end where the last script closes it.
    const int file = ::mkfifo(path.c_str(), forTheUser) == 0
        ? ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)
        : -1;
    if (file < 0)
        return Error{ErrorCode::Io,
            std::string("The pipe for marks cannot be made: ") + std::strerror(errno) + ".", path};
    ::fcntl(file, F_SETPIPE_SZ, kPipeBytes); // where it may not be so large, it stays smaller
    return MarkPipe(path, file);
}

MarkPipe::MarkPipe(MarkPipe&& other) noexcept
    : m_path(std::exchange(other.m_path, {}))
    , m_file(std::exchange(other.m_file, -1)) { }

MarkPipe& MarkPipe::operator=(MarkPipe&& other) noexcept {
    std::swap(m_path, other.m_path);
    std::swap(m_file, other.m_file);
    return *this;
}

MarkPipe::~MarkPipe() {
    if (m_file < 0)
        return;
    ::close(m_file);
    ::unlink(m_path.c_str());
}

std::vector<Iteration> MarkPipe::take(TimeNs now) {
    std::vector<Iteration> ended;
    std::array<char, 4096> buffer;
    for (ssize_t size = 0; (size = ::read(m_file, buffer.data(), buffer.size())) > 0;) {
        m_rest.append(buffer.data(), static_cast<std::size_t>(size));
        std::size_t begin = 0;
        for (std::size_t end = 0; (end = m_rest.find('\n', begin)) != std::string::npos;
             begin = end + 1)
            takeLine(std::string_view(m_rest).substr(begin, end - begin), now, ended);
        m_rest.erase(0, begin);
        if (m_rest.size() > kLongestLine)
            m_rest.clear();
    }
    return ended;
}

void MarkPipe::takeLine(std::string_view line, TimeNs now, std::vector<Iteration>& ended) {
    const std::string_view text = trimmed(line);
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view first = text.substr(0, end);
    const auto rank = rankOf(trimmed(text.substr(end)));
    const auto index = wholeNumber<std::int64_t>(first);
    if (!rank || (!index && first != "end")) {
        if (m_notUnderstood++ == 0)
            m_firstNotUnderstood = text.substr(0, 80);
        return;
    }
    if (const auto open = m_open.find(*rank); open != m_open.end()) {
        Iteration iteration;
        iteration.index = open->second.index;
        iteration.rank = *rank;
        iteration.range = {open->second.begin, now};
        ended.push_back(iteration);
        m_open.erase(open);
    }
    if (index)
        m_open[*rank] = {*index, now};
}

} // namespace trainscope::record
