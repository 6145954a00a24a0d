#include "app/cli/console/HarmlessStream.h"

#include "core/model/HarmlessText.h"

#include <string_view>

namespace trainscope::cli {

namespace {

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

} // namespace trainscope::cli
