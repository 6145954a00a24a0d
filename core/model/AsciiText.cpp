#include "core/model/AsciiText.h"

#include <algorithm>

namespace trainscope {

namespace {

bool isBlank(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r' && c != '\v' && c != '\f');
}

} // namespace

std::string_view trimmed(std::string_view text) {
    std::size_t first = 0;
    std::size_t last = text.size();
    while (first < last && isBlank(text[first]))
        ++first;
    while (last > first && isBlank(text[last - 1]))
        --last;
    return text.substr(first, last - first);
}

std::string lowered(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), lowerChar);
    return result;
}

std::string inCapitals(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), upperChar);
    return result;
}

std::string capitalised(std::string_view text) {
    return inCapitals(text.substr(0, 1)).append(text.substr(std::min<std::size_t>(1, text.size())));
}

std::string lettersAndDigits(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (isLetter(c) || isDigit(c))
            out += lowerChar(c);
    }
    return out;
}

bool equalsIgnoringCase(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
        [](char x, char y) { return lowerChar(x) == lowerChar(y); });
}

bool containsIgnoringCase(std::string_view text, std::string_view part) {
    return std::search(text.begin(), text.end(), part.begin(), part.end(), [](char x, char y) {
        return lowerChar(x) == y;
    }) != text.end();
}

std::vector<std::string_view> words(std::string_view text, std::string_view separators) {
    std::vector<std::string_view> result;
    std::size_t at = text.find_first_not_of(separators);
    while (at != std::string_view::npos) {
        const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
        result.push_back(text.substr(at, end - at));
        at = text.find_first_not_of(separators, end);
    }
    return result;
}

} // namespace trainscope
