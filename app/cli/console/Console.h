#pragma once
// Console: the streams of the command line, results on `out` and everything else on `err`, and its
// exit statuses. Tests hand in string streams. Text for a terminal is made harmless
// (core/model/HarmlessText.h), messages always are.

#include "core/model/Result.h"

#include <atomic>
#include <optional>
#include <ostream>
#include <streambuf>
#include <string_view>

namespace trainscope::cli {

enum class ExitStatus {
    Done = 0,
    Partly = 1, // some of it could not be done, or it was stopped; warnings are on stderr
    Usage = 2, // wrong arguments, or a name that does not exist
    Unreadable = 3, // input that cannot be read, or output that cannot be written
    Refused = 4, // the database is foreign, newer, broken or locked
    GateFailed = 5,
    NotComparable = 6, // gates of runs of different jobs or machines, or of nothing
    GateUntold = 7, // no gate failed, and the data cannot tell of one whether it passed
};

ExitStatus exitStatusOf(ErrorCode code);

// Streams that end on a screen.
struct Terminals {
    bool out = false;
    bool err = false;
};

// An output stream for a terminal: what is written goes on harmless, so that no name in a file or
// database can move the cursor, change the title or hide a line.
class HarmlessBuffer final : public std::streambuf {
public:
    explicit HarmlessBuffer(std::ostream& to)
        : m_to(to) { }
    HarmlessBuffer(const HarmlessBuffer&) = delete;
    HarmlessBuffer& operator=(const HarmlessBuffer&) = delete;
    ~HarmlessBuffer() override;

protected:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int sync() override;

private:
    // All that is whole characters.
    void pass();

    std::ostream& m_to;
    std::string m_held;
};

class HarmlessStream final : public std::ostream {
public:
    explicit HarmlessStream(std::ostream& to)
        : std::ostream(nullptr)
        , m_buffer(to) {
        rdbuf(&m_buffer);
    }

private:
    HarmlessBuffer m_buffer;
};

class Console {
public:
    Console(std::ostream& out, std::ostream& err, Terminals terminals = {});

    [[nodiscard]] std::ostream& out() const;
    [[nodiscard]] std::ostream& err() const;
    [[nodiscard]] bool errIsTerminal() const { return m_terminals.err; }
    // On a terminal's stderr, until something else is written to either stream.
    void showLine(std::string_view text) const;
    void clearLine() const;

    void warn(std::string_view text) const; // "warning: text"
    ExitStatus fail(
        const Error& error) const; // "error: where: message", and the status of its code
    // Unreadable when stdout could not take everything (a full disk), else `status`.
    [[nodiscard]] ExitStatus finish(ExitStatus status) const;

    // Set by Ctrl+C; long work asks and stops.
    [[nodiscard]] bool isCancelled() const { return m_cancelled.load(std::memory_order_relaxed); }
    std::atomic<bool>& cancelFlag() { return m_cancelled; }

private:
    std::ostream& m_out;
    std::ostream& m_err;
    mutable std::optional<HarmlessStream> m_screen; // over m_out, where that is a terminal
    Terminals m_terminals;
    mutable bool m_hasLine = false;
    std::atomic<bool> m_cancelled = false;
};

} // namespace trainscope::cli
