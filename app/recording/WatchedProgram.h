#pragma once
// WatchedProgram: a command that runs beside this program, with its own terminal, and whose signals
// pass through: what asks this program to end asks the command, and this one ends after it.
// UntilSignalled waits for such signals without a command.

#include "core/model/Result.h"

#include <chrono>
#include <csignal>
#include <memory>
#include <optional>
#include <vector>

namespace trainscope::app {

// Brings the signals that this program gets to where it waits for them.
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

class WatchedProgram {
public:
    // With these variables beside those of this program, and open files that it inherits. NotFound:
    // there is no such program, or it may not be run. One at a time.
    static Result<WatchedProgram> start(const std::vector<std::string>& command,
        const std::vector<std::pair<std::string, std::string>>& variables,
        const std::vector<int>& inherited);
    WatchedProgram(WatchedProgram&& other) noexcept;
    WatchedProgram& operator=(WatchedProgram&&) = delete;
    ~WatchedProgram(); // waits for the command's end

    // NotFound as start() says it, where there is no such program now.
    static Status checkThere(const std::vector<std::string>& command);

    // Until the command has ended, for `period` at most, or until `file` is readable (-1: none).
    // Signals that came meanwhile have been handed on.
    void wait(std::chrono::milliseconds period, int file);

    // As a shell gives it: 128 and the number of the signal where one ended it. Absent: it runs.
    [[nodiscard]] std::optional<int> exitStatus() const { return m_exitStatus; }

private:
    WatchedProgram(int process, int handle, std::unique_ptr<SignalPipe> signals)
        : m_process(process)
        , m_handle(handle)
        , m_signals(std::move(signals)) { }
    void takeStatus();

    int m_process;
    int m_handle; // readable when it has ended
    std::unique_ptr<SignalPipe> m_signals;
    std::optional<int> m_exitStatus;
};

} // namespace trainscope::app
