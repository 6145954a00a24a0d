#pragma once
// Whole numbers: of texts that are one and nothing else, independent of the locale, and of doubles,
// which may hold more than an integer does.

#include <charconv>
#include <cmath>
#include <limits>
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

// The value without its fraction; absent for NaN and beyond the type's range.
template <typename Integer>
std::optional<Integer> wholeNumber(double value) {
    using Limits = std::numeric_limits<Integer>;
    // The range's end, which is a power of two and thereby exact.
    const double end = std::ldexp(1.0, Limits::digits);
    const double whole = std::trunc(value);
    const bool isHeld = whole >= (Limits::is_signed ? -end : 0.0) && whole < end;
    return isHeld ? std::optional(static_cast<Integer>(whole)) : std::nullopt;
}

// The nearest whole number that the type holds; 0 for NaN.
template <typename Integer>
Integer nearestWhole(double value) {
    if (std::isnan(value))
        return 0;
    using Limits = std::numeric_limits<Integer>;
    return wholeNumber<Integer>(std::round(value))
        .value_or(value < 0.0 ? Limits::min() : Limits::max());
}

} // namespace trainscope
