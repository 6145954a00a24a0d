#include "app/cli/console/Console.h"

#include <ostream>

namespace trainscope::cli {

Console::Console(std::ostream& out, std::ostream& err, bool errIsTerminal)
    : m_out(out)
    , m_err(err)
    , m_errIsTerminal(errIsTerminal) { }

void Console::warn(std::string_view text) const {
    m_err << "warning: " << text << '\n';
}

ExitStatus Console::fail(const Error& error) const {
    m_err << "error: " << error.describe() << '\n';
    return exitStatusOf(error.code);
}

ExitStatus Console::finish(ExitStatus status) const {
    m_out.flush();
    if (m_out.good())
        return status;
    m_err << "error: The output could not be written completely; is the disk full?\n";
    return ExitStatus::Unreadable;
}

} // namespace trainscope::cli
