#include "app/painting/PdfNumbers.h"

#include "core/model/AsciiText.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace trainscope::app {

namespace {

constexpr std::array<std::string_view, 4> kPathOperators{"m", "l", "c", "re"};

std::optional<double> numberOf(std::string_view word) {
    double value = 0.0;
    const auto end = word.data() + word.size();
    const auto [read, problem] = std::from_chars(word.data(), end, value);
    return problem == std::errc() && read == end ? std::optional(value) : std::nullopt;
}

std::string shortNumber(double value) {
    std::string digits = fmt::format("{:.2f}", value);
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.')
        digits.pop_back();
    return digits == "-0" ? "0" : digits;
}

std::string shortLine(std::string_view line) {
    std::string result;
    const auto parts = words(line, " ");
    if (parts.empty() || std::ranges::find(kPathOperators, parts.back()) == kPathOperators.end())
        return std::string(line);
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        const auto number = numberOf(parts[i]);
        if (!number)
            return std::string(line);
        result += shortNumber(*number) + " ";
    }
    return result.append(parts.back());
}

} // namespace

std::string withShortCoordinates(std::string_view content) {
    std::string result;
    result.reserve(content.size());
    while (!content.empty()) {
        const std::size_t end = std::min(content.find('\n'), content.size());
        result.append(shortLine(content.substr(0, end))).append("\n");
        content.remove_prefix(std::min(end + 1, content.size()));
    }
    return result;
}

} // namespace trainscope::app
