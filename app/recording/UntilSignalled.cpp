#include "app/recording/UntilSignalled.h"

#include <poll.h>
#include <unistd.h>

#include <fcntl.h>

#include <array>
#include <csignal>
#include <cstddef>

namespace trainscope::app {

namespace {

constexpr std::array kEnding{SIGINT, SIGTERM, SIGHUP};
std::array<int, 2> endingPipe{-1, -1};
std::array<struct sigaction, kEnding.size()> actionsBefore;

extern "C" void onEndingSignal(int signal) {
    const auto number = static_cast<char>(signal);
    [[maybe_unused]] const auto written = ::write(endingPipe[1], &number, 1);
}

} // namespace

UntilSignalled::UntilSignalled() {
    (void)::pipe2(endingPipe.data(), O_CLOEXEC | O_NONBLOCK);
    struct sigaction action { };
    action.sa_handler = onEndingSignal;
    action.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < kEnding.size(); ++i)
        ::sigaction(kEnding[i], &action, &actionsBefore[i]);
}

UntilSignalled::~UntilSignalled() {
    for (std::size_t i = 0; i < kEnding.size(); ++i)
        ::sigaction(kEnding[i], &actionsBefore[i], nullptr);
    for (int& end : endingPipe) {
        ::close(end);
        end = -1;
    }
}

bool UntilSignalled::wait(std::chrono::milliseconds period) {
    pollfd watched{endingPipe[0], POLLIN, 0};
    // The signal stays in the pipe, so that the answer stays.
    return ::poll(&watched, 1, static_cast<int>(period.count())) > 0;
}

} // namespace trainscope::app
