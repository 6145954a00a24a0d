#include "importers/record/MarkPipe.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace trainscope::record {

namespace {

constexpr int kPipeBytes = 1 << 20; // that wait where nobody reads for a while
constexpr std::size_t kLongestLine = 4096;
constexpr int kWholeRun = -1;

} // namespace

Result<MarkPipe> MarkPipe::create(const std::string& folder) {
    const std::string path = folder + "/trainscope-marks-" + std::to_string(::getpid());
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
    const std::size_t blank = text.find(' ');
    const std::string_view first = text.substr(0, blank);
    const auto rank = blank == std::string_view::npos
        ? std::optional<std::int64_t>(kWholeRun)
        : wholeNumber<std::int64_t>(trimmed(text.substr(blank + 1)));
    const auto index = wholeNumber<std::int64_t>(first);
    if (!rank || (!index && first != "end")) {
        if (m_notUnderstood++ == 0)
            m_firstNotUnderstood = text.substr(0, 80);
        return;
    }
    const int whose = static_cast<int>(*rank);
    if (const auto open = m_open.find(whose); open != m_open.end()) {
        Iteration iteration;
        iteration.index = open->second.index;
        iteration.rank = whose;
        iteration.range = {open->second.begin, now};
        ended.push_back(iteration);
        m_open.erase(open);
    }
    if (index)
        m_open[whose] = {*index, now};
}

} // namespace trainscope::record
