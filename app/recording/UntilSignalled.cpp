#include "app/recording/UntilSignalled.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cstddef>
#include <utility>

namespace trainscope::app {

namespace {

// Signals come in anywhere.
std::array<int, 2> signalPipe{-1, -1};

extern "C" void onSignal(int signal) {
    const auto number = static_cast<char>(signal);
    // A full pipe has signals enough in it.
    [[maybe_unused]] const auto written = ::write(signalPipe[1], &number, 1);
}

} // namespace

SignalPipe::SignalPipe(std::vector<int> signals)
    : m_signals(std::move(signals))
    , m_before(m_signals.size()) {
    if (::pipe2(signalPipe.data(), O_CLOEXEC | O_NONBLOCK) != 0)
        m_signals.clear(); // they do what they did
    struct sigaction action { };
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < m_signals.size(); ++i)
        ::sigaction(m_signals[i], &action, &m_before[i]);
}

SignalPipe::~SignalPipe() {
    for (std::size_t i = 0; i < m_signals.size(); ++i)
        ::sigaction(m_signals[i], &m_before[i], nullptr);
    for (int& end : signalPipe) {
        ::close(end);
        end = -1;
    }
}

int SignalPipe::descriptor() const {
    return signalPipe[0];
}

bool UntilSignalled::wait(std::chrono::milliseconds period) {
    pollfd watched{m_asked.descriptor(), POLLIN, 0};
    // The signal stays in the pipe, so that the answer stays.
    return ::poll(&watched, 1, static_cast<int>(period.count())) > 0;
}

} // namespace trainscope::app
