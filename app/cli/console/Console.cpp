#include "app/cli/console/Console.h"

#include "core/model/HarmlessText.h"

#include <ostream>

namespace trainscope::cli {

namespace {

constexpr std::string_view kNewLine = "\r\033[K"; // instead of the one that stands there

} // namespace

ExitStatus exitStatusOf(ErrorCode code) {
    switch (code) {
    case ErrorCode::Usage:
    case ErrorCode::NotFound:
        return ExitStatus::Usage;
    case ErrorCode::Refused:
        return ExitStatus::Refused;
    case ErrorCode::Cancelled:
        return ExitStatus::Partly;
    case ErrorCode::Unreadable:
    case ErrorCode::Unrecognised:
    case ErrorCode::Io:
    case ErrorCode::Internal:
        break;
    }
    return ExitStatus::Unreadable;
}

Console::Console(std::ostream& out, std::ostream& err, Terminals terminals)
    : m_out(out)
    , m_err(err)
    , m_terminals(terminals) {
    if (terminals.out)
        m_screen.emplace(out);
}

std::ostream& Console::out() const {
    clearLine();
    return m_screen ? *m_screen : m_out;
}

std::ostream& Console::err() const {
    clearLine();
    return m_err;
}

void Console::showLine(std::string_view text) const {
    m_hasLine = true;
    m_err << kNewLine << text << std::flush;
}

void Console::clearLine() const {
    if (m_hasLine)
        m_err << kNewLine << std::flush;
    m_hasLine = false;
}

void Console::warn(std::string_view text) const {
    err() << "warning: " << harmless(text) << '\n';
}

ExitStatus Console::fail(const Error& error) const {
    err() << "error: " << harmless(error.describe()) << '\n';
    return exitStatusOf(error.code);
}

ExitStatus Console::finish(ExitStatus status) const {
    out().flush();
    if (out().good() && m_out.good())
        return status;
    err() << "error: The output could not be written completely; is the disk full?\n";
    return ExitStatus::Unreadable;
}

} // namespace trainscope::cli
