#include "core/model/HarmlessText.h"

#include <algorithm>
#include <cstdint>

namespace trainscope {
namespace {

constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

std::uint8_t utf8ByteAt(std::string_view text, std::size_t at) {
    return at < text.size() ? static_cast<std::uint8_t>(text[at]) : std::uint8_t{0};
}

bool isPlainAscii(char c) {
    return (c >= ' ' && c <= '~') || c == '\n' || c == '\t';
}

// Code point of a well-formed sequence of two to four bytes.
char32_t codeAt(std::string_view text, std::size_t at, std::size_t length) {
    const std::uint8_t lead = utf8ByteAt(text, at);
    char32_t code = length == 2 ? lead & 0x1FU : length == 3 ? lead & 0x0FU : lead & 0x07U;
    for (std::size_t i = 1; i < length; ++i)
        code = (code << 6U) | (utf8ByteAt(text, at + i) & 0x3FU);
    return code;
}

bool isHarmful(char32_t code) {
    return (code >= 0x80 && code < 0xA0) // C1 controls
        || (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) // directions
        || code == 0x2028 || code == 0x2029 || code == 0xFFFE || code == 0xFFFF;
}

// U+2400 to U+2421: the pictures of the control characters of ASCII.
void addPicture(std::string& out, char control) {
    const auto code = control == '\x7f' ? 0x21U : static_cast<unsigned>(control);
    out += "\xE2\x90";
    out += static_cast<char>(0x80U + code);
}

} // namespace

std::size_t utf8LengthAt(std::string_view text, std::size_t at) {
    const std::uint8_t lead = utf8ByteAt(text, at);
    if (lead < 0x80)
        return 1;
    if (lead < 0xC2 || lead > 0xF4)
        return 0;
    std::uint8_t low = 0x80;
    std::uint8_t high = 0xBF;
    if (lead == 0xE0)
        low = 0xA0;
    if (lead == 0xED)
        high = 0x9F;
    if (lead == 0xF0)
        low = 0x90;
    if (lead == 0xF4)
        high = 0x8F;
    const std::size_t length = lead < 0xE0 ? 2 : (lead < 0xF0 ? 3 : 4);
    const std::uint8_t second = utf8ByteAt(text, at + 1);
    if (second < low || second > high)
        return 0;
    for (std::size_t k = 2; k < length; ++k) {
        if ((utf8ByteAt(text, at + k) & 0xC0U) != 0x80U)
            return 0;
    }
    return length;
}

std::string harmless(std::string_view text) {
    const auto first = std::find_if_not(text.begin(), text.end(), isPlainAscii);
    std::string out(text.begin(), first);
    if (first == text.end())
        return out;
    out.reserve(text.size());
    for (auto at = static_cast<std::size_t>(first - text.begin()); at < text.size();) {
        const std::size_t length = utf8LengthAt(text, at);
        if (length == 1 && isPlainAscii(text[at]))
            out += text[at];
        else if (length == 1)
            addPicture(out, text[at]);
        else if (length == 0 || isHarmful(codeAt(text, at, length)))
            out += kReplacementCharacter;
        else
            out += text.substr(at, length);
        at += std::max<std::size_t>(length, 1);
    }
    return out;
}

std::string harmlessLine(std::string_view text) {
    std::string line = harmless(text);
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
    return line;
}

} // namespace trainscope
