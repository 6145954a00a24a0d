#include "app/cli/console/Interrupt.h"

#include "app/cli/console/Console.h"

#include <sys/time.h>
#include <unistd.h>

#include <csignal>
#include <string_view>

namespace trainscope::cli {

namespace {

constexpr int kGraceUs = 150'000;
constexpr std::string_view kStopped = "error: Stopped on request; the output is incomplete.\n";

std::atomic<bool>* cancelFlag = nullptr;

extern "C" void onInterrupt(int signal) {
    cancelFlag->store(true);
    std::signal(signal, SIG_DFL);
    const itimerval grace{{}, {0, kGraceUs}};
    setitimer(ITIMER_REAL, &grace, nullptr);
}

extern "C" void onGraceOver(int /*signal*/) {
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
}

} // namespace trainscope::cli
