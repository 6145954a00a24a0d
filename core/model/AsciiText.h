#pragma once
// Helpers for ASCII text, independent of the locale.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope {

std::string_view trimmed(std::string_view text);
constexpr char lowerChar(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
constexpr char upperChar(char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}
std::string lowered(std::string_view text);
std::string inCapitals(std::string_view text);
std::string capitalised(std::string_view text); // "power limit" → "Power limit"
bool equalsIgnoringCase(std::string_view a, std::string_view b);
bool containsIgnoringCase(std::string_view text, std::string_view part); // `part` in lower case
constexpr bool isDigit(char c) {
    return c >= '0' && c <= '9';
}
constexpr bool isLetter(char c) {
    return lowerChar(c) >= 'a' && lowerChar(c) <= 'z';
}
std::string lettersAndDigits(std::string_view text); // in lower case, without the rest

// False for all bytes of a character of UTF-8 but the first.
constexpr bool startsCharacter(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
}

// The non-empty words between any of the characters in `separators`.
std::vector<std::string_view> words(std::string_view text, std::string_view separators);

// For tables of texts that are asked with views, beside std::equal_to<>.
struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
        return std::hash<std::string_view>{}(text);
    }
};

} // namespace trainscope
