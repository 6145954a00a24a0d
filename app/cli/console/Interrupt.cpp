#include "app/cli/console/Interrupt.h"

#include "app/cli/console/Console.h"

#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <csignal>
#include <cstring>

namespace trainscope::cli {

namespace {

constexpr int kGraceUs = 150'000;
constexpr std::string_view kStopped = "error: Stopped on request; the output is incomplete.\n";

std::atomic<bool>* cancelFlag = nullptr;

// Fixed places, which a signal handler can read at any time.
struct Unfinished {
    std::atomic<bool> isTaken = false;
    std::atomic<bool> isThere = false; // the path is whole
    std::array<char, PATH_MAX> path{};
};
std::array<Unfinished, 256> unfinished; // NOLINT(*-avoid-non-const-global-variables)

void removeUnfinished() {
    for (const Unfinished& one : unfinished) {
        if (one.isThere)
            ::unlink(one.path.data());
    }
}

extern "C" void onSecond(int signal) {
    removeUnfinished();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

extern "C" void onInterrupt(int signal) {
    cancelFlag->store(true);
    std::signal(signal, onSecond);
    const itimerval grace{{}, {0, kGraceUs}};
    setitimer(ITIMER_REAL, &grace, nullptr);
}

extern "C" void onGraceOver(int /*signal*/) {
    removeUnfinished();
    // There is nobody left to tell when stderr cannot be written.
    [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kStopped.data(), kStopped.size());
    ::_exit(static_cast<int>(ExitStatus::Partly));
}

} // namespace

void endOnSignals(std::atomic<bool>& cancelled) {
    cancelFlag = &cancelled;
    std::signal(SIGALRM, onGraceOver);
    std::signal(SIGINT, onInterrupt);
    std::signal(SIGTERM, onInterrupt);
    if (std::signal(SIGHUP, onInterrupt) == SIG_IGN)
        std::signal(SIGHUP, SIG_IGN);
}

UnfinishedFile::UnfinishedFile(const std::filesystem::path& path) {
    const std::string& name = path.native();
    for (std::size_t i = 0; i < unfinished.size() && name.size() < PATH_MAX; ++i) {
        Unfinished& one = unfinished[i];
        if (one.isTaken.exchange(true))
            continue;
        std::memcpy(one.path.data(), name.c_str(), name.size() + 1);
        one.isThere = true;
        m_place = static_cast<int>(i);
        return;
    }
}

UnfinishedFile::~UnfinishedFile() {
    if (m_place < 0)
        return;
    Unfinished& one = unfinished[static_cast<std::size_t>(m_place)];
    one.isThere = false;
    one.isTaken = false;
}

} // namespace trainscope::cli
