#include "importers/record/MarkPipe.h"

#include "core/model/AsciiText.h"
#include "core/model/HarmlessText.h"
#include "core/model/WholeNumber.h"
#include "importers/common/Number.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

namespace trainscope::record {

namespace {

constexpr int kPipeBytes = 1 << 20; // waiting if nobody reads for a while
constexpr std::size_t kLongestLine = 4096;
constexpr int kWholeRun = -1;
constexpr std::size_t kLongestName = 200; // a phase's name
constexpr std::string_view kPipeName = "trainscope-marks-";
constexpr std::string_view kTokensKey = "tokens"; // in a step
constexpr std::string_view kSamplesKey = "samples";

// True for the pipe of a program that has ended, if nobody holds it open: a script may outlive its
// recorder.
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

// Removes pipes that killed recorders left behind. Those of other users stay.
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

// Takes the first word off the front.
std::string_view takeWord(std::string_view& text) {
    text = trimmed(text);
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    const std::string_view word = text.substr(0, end);
    text = trimmed(text.substr(end));
    return word;
}

bool isKey(std::string_view text) {
    constexpr std::size_t longest = 64;
    const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
    return !text.empty() && text.size() <= longest && isLetter(text.front())
        && std::all_of(text.begin(), text.end(), [&](char c) {
               return isLetter(c) || (c >= '0' && c <= '9')
                   || std::string_view("._-/").find(c) != std::string_view::npos;
           });
}

bool isAmount(std::string_view key) {
    return key == kTokensKey || key == kSamplesKey;
}

// A loss that has gone astray is missing. Nothing where it is no number, nor an amount below 0.
std::optional<double> valueOf(std::string_view key, std::string_view text) {
    const std::string low = lowered(text);
    if (!isAmount(key) && (low == "nan" || low == "inf" || low == "-inf"))
        return std::numeric_limits<double>::quiet_NaN();
    const auto value = importers::parseNumber(text);
    const bool isSound = value && std::isfinite(*value) && (!isAmount(key) || *value >= 0.0);
    return isSound ? value : std::nullopt;
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
    ::fcntl(file, F_SETPIPE_SZ, kPipeBytes); // if it may not be so large, it stays smaller
    return MarkPipe(std::unique_ptr<const Pipe>(new Pipe{path, file}));
}

MarkPipe::Pipe::~Pipe() {
    ::close(file);
    ::unlink(path.c_str());
}

Marks MarkPipe::take(TimeNs now) {
    Marks marks;
    std::array<char, 4096> buffer;
    for (ssize_t size = 0; (size = ::read(m_pipe->file, buffer.data(), buffer.size())) > 0;) {
        m_rest.append(buffer.data(), static_cast<std::size_t>(size));
        std::size_t begin = 0;
        for (std::size_t end = 0; (end = m_rest.find('\n', begin)) != std::string::npos;
             begin = end + 1)
            takeLine(std::string_view(m_rest).substr(begin, end - begin), now, marks);
        m_rest.erase(0, begin);
        if (m_rest.size() > kLongestLine)
            m_rest.clear();
    }
    return marks;
}

void MarkPipe::takeLine(std::string_view line, TimeNs now, Marks& marks) {
    const std::string_view text = trimmed(line);
    if (text.empty())
        return;
    std::string_view rest = text;
    const std::string_view first = takeWord(rest);
    bool isUnderstood = true;
    if (first == "phase") {
        endPhase(now, marks);
        if (!rest.empty())
            m_phase = NamedPhase{harmless(rest.substr(0, kLongestName)), {now, now}};
    } else if (first == "end") {
        isUnderstood = takeEnd(rest, now, marks);
    } else if (first.find('=') != std::string_view::npos) {
        isUnderstood = takeFacts(text, kWholeRun, now, marks);
    } else {
        isUnderstood = takeStep(text, now, marks);
    }
    if (!isUnderstood && m_notUnderstood++ == 0)
        m_firstNotUnderstood = harmless(text.substr(0, kLongestName));
}

bool MarkPipe::takeStep(std::string_view text, TimeNs now, Marks& marks) {
    const auto index = wholeNumber<std::int64_t>(takeWord(text));
    std::string_view facts = text;
    const std::string_view second = takeWord(facts);
    const bool hasRank = !second.empty() && second.find('=') == std::string_view::npos;
    const auto rank = rankOf(hasRank ? second : std::string_view());
    if (!index || !rank)
        return false;
    const auto open = m_open.find(*rank);
    if (open == m_open.end() || open->second.index != *index) {
        endStep(*rank, now, marks);
        m_open[*rank] = {*index, now};
    }
    return takeFacts(hasRank ? facts : text, *rank, now, marks);
}

// Those that can be understood are taken, whatever the others are.
bool MarkPipe::takeFacts(std::string_view text, int rank, TimeNs now, Marks& marks) {
    bool isUnderstood = true;
    while (!text.empty()) {
        std::string_view fact = takeWord(text);
        while (fact.ends_with(',') || fact.ends_with(';'))
            fact.remove_suffix(1);
        const std::size_t equals = fact.find('=');
        const std::string_view key = fact.substr(0, equals);
        const auto value = equals == std::string_view::npos || !isKey(key)
            ? std::nullopt
            : valueOf(key, fact.substr(equals + 1));
        if (!value) {
            isUnderstood = false;
            continue;
        }
        const auto open = m_open.find(rank);
        const bool isOfStep = isAmount(key) && open != m_open.end();
        marks.values.push_back(
            {std::string(key), rank, isOfStep ? open->second.begin : now, *value});
    }
    return isUnderstood;
}

bool MarkPipe::takeEnd(std::string_view text, TimeNs now, Marks& marks) {
    const auto rank = rankOf(text);
    if (!rank)
        return false;
    endStep(*rank, now, marks);
    if (*rank == kWholeRun)
        endPhase(now, marks);
    return true;
}

void MarkPipe::endStep(int rank, TimeNs now, Marks& marks) {
    const auto open = m_open.find(rank);
    if (open == m_open.end())
        return;
    Iteration iteration;
    iteration.index = open->second.index;
    iteration.rank = rank;
    iteration.range = {open->second.begin, now};
    marks.ended.push_back(iteration);
    m_open.erase(open);
}

void MarkPipe::endPhase(TimeNs now, Marks& marks) {
    if (m_phase)
        marks.phases.push_back({std::move(m_phase->name), {m_phase->range.begin, now}});
    m_phase.reset();
}

} // namespace trainscope::record
