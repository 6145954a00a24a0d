#pragma once
// Texts that are a whole number and nothing else, independent of the locale.

#include <charconv>
#include <optional>
#include <string_view>

namespace trainscope {

// Absent for any other text, blanks included, and beyond the type's range.
template <typename Integer>
std::optional<Integer> wholeNumber(std::string_view text, int base = 10) {
    Integer value{};
    const char* const end = text.data() + text.size();
    const auto [at, problem] = std::from_chars(text.data(), end, value, base);
    return problem == std::errc{} && at == end ? std::optional(value) : std::nullopt;
}

} // namespace trainscope
