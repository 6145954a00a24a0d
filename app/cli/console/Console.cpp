#include "app/cli/console/Console.h"

#include "core/model/HarmlessText.h"

#include <ostream>

namespace trainscope::cli {

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

void Console::warn(std::string_view text) const {
    m_err << "warning: " << harmless(text) << '\n';
}

ExitStatus Console::fail(const Error& error) const {
    m_err << "error: " << harmless(error.describe()) << '\n';
    return exitStatusOf(error.code);
}

ExitStatus Console::finish(ExitStatus status) const {
    out().flush();
    if (out().good() && m_out.good())
        return status;
    m_err << "error: The output could not be written completely; is the disk full?\n";
    return ExitStatus::Unreadable;
}

} // namespace trainscope::cli
