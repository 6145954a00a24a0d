#pragma once
// Signals that are waited for: SignalPipe brings those that this program gets to where it waits,
// UntilSignalled waits until somebody asks it to end.

#include <array>
#include <chrono>
#include <csignal>
#include <vector>

namespace trainscope::app {

class SignalPipe {
public:
    explicit SignalPipe(std::vector<int> signals); // one at a time; while it lives they end nothing
    SignalPipe(const SignalPipe&) = delete;
    SignalPipe& operator=(const SignalPipe&) = delete;
    ~SignalPipe();

    // To be read without waiting: a byte for each signal, its number. −1: there is no pipe, and
    // signals do what they did.
    [[nodiscard]] int descriptor() const;

private:
    std::vector<int> m_signals;
    std::vector<struct sigaction> m_before;
};

// For what has no command of its own whose end ends it.
class UntilSignalled {
public:
    // For `period` at most; true as soon as it was asked, and from then on.
    bool wait(std::chrono::milliseconds period);

private:
    SignalPipe m_asked{{SIGINT, SIGTERM, SIGHUP}};
};

} // namespace trainscope::app
