#include "importers/common/TextCleaning.h"

#include <algorithm>

namespace trainscope::importers {

namespace {

constexpr char kEscape = '\x1b';
constexpr char kBell = '\x07';

bool isCsiFinal(char c) {
    return c >= '\x40' && c <= '\x7e';
}

// The length of the escape sequence at the front of `text`, which starts with ESC.
std::size_t escapeLength(std::string_view text) {
    if (text.size() < 2)
        return text.size();
    std::size_t i = 2;
    if (text[1] == '[') {
        while (i < text.size() && !isCsiFinal(text[i]))
            ++i;
        return i < text.size() ? i + 1 : i;
    }
    if (text[1] != ']')
        return 2;
    while (i < text.size() && text[i] != kBell && text[i] != kEscape)
        ++i;
    if (i == text.size())
        return i;
    return text[i] == kBell ? i + 1 : std::min(i + 2, text.size());
}

} // namespace

std::string withoutEscapes(std::string_view text) {
    std::string plain;
    while (!text.empty()) {
        const std::size_t escape = text.find(kEscape);
        plain.append(text.substr(0, escape));
        if (escape == std::string_view::npos)
            break;
        text.remove_prefix(escape);
        text.remove_prefix(escapeLength(text));
    }
    return plain;
}

} // namespace trainscope::importers
