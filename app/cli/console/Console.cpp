#include "app/cli/console/Console.h"

#include "core/model/HarmlessText.h"

namespace trainscope::cli {

namespace {

constexpr std::string_view kNewLine = "\r\033[K"; // instead of the one that stands there
constexpr std::size_t kMostHeld = 4096;

// Bytes at the end that begin a character whose rest has not been written yet.
std::size_t cutCharacter(std::string_view text) {
    constexpr std::size_t longest = 4; // bytes of a character
    for (std::size_t size = 1; size < longest && size <= text.size(); ++size) {
        const auto byte = static_cast<unsigned char>(text[text.size() - size]);
        if (byte < 0x80)
            return 0;
        if (byte >= 0xC0) {
            const std::size_t whole = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
            return size < whole ? size : 0;
        }
    }
    return 0;
}

} // namespace

HarmlessBuffer::~HarmlessBuffer() {
    m_to << harmless(m_held);
    m_to.flush();
}

HarmlessBuffer::int_type HarmlessBuffer::overflow(int_type c) {
    if (traits_type::eq_int_type(c, traits_type::eof()))
        return traits_type::not_eof(c);
    const char one = traits_type::to_char_type(c);
    return xsputn(&one, 1) == 1 ? c : traits_type::eof();
}

std::streamsize HarmlessBuffer::xsputn(const char* text, std::streamsize size) {
    m_held.append(text, static_cast<std::size_t>(size));
    if (m_held.size() >= kMostHeld)
        pass();
    return m_to.good() ? size : 0;
}

int HarmlessBuffer::sync() {
    pass();
    m_to.flush();
    return m_to.good() ? 0 : -1;
}

void HarmlessBuffer::pass() {
    const std::size_t whole = m_held.size() - cutCharacter(m_held);
    m_to << harmless(std::string_view(m_held).substr(0, whole));
    m_held.erase(0, whole);
}

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
