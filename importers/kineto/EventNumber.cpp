#include "importers/kineto/EventNumber.h"

#include "importers/common/Number.h"

#include <charconv>

namespace trainscope::importers::kineto {

std::optional<std::int64_t> microsecondsToNs(std::string_view text) {
    // Nearly all are digits with up to three decimals, which needs no wide arithmetic.
    constexpr std::size_t kSafeDigits = 15;
    std::int64_t value = 0;
    std::size_t i = 0;
    while (i < text.size() && i <= kSafeDigits + 1 && text[i] >= '0' && text[i] <= '9')
        value = value * 10 + (text[i++] - '0');
    if (i == 0 || i > kSafeDigits)
        return decimalToNs(text, 1000);
    if (i == text.size())
        return value * 1000;
    if (text[i] != '.' || text.size() - i > 4 || i + 1 == text.size())
        return decimalToNs(text, 1000);
    std::int64_t scale = 1000;
    for (++i; i < text.size(); ++i) {
        if (text[i] < '0' || text[i] > '9')
            return decimalToNs(text, 1000);
        value = value * 10 + (text[i] - '0');
        scale /= 10;
    }
    return value * scale;
}

std::optional<std::int64_t> integerOf(const JsonToken& token) {
    if (token.kind != TokenKind::Number && token.kind != TokenKind::String)
        return std::nullopt;
    const std::string_view text = token.text;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc{} && end == text.data() + text.size())
        return value;
    const auto number = parseNumber(text);
    constexpr double kLimit = 9e18;
    if (!number || *number < -kLimit || *number > kLimit)
        return std::nullopt;
    return static_cast<std::int64_t>(*number);
}

std::optional<double> numberOf(const JsonToken& token) {
    if (token.kind != TokenKind::Number && token.kind != TokenKind::String)
        return std::nullopt;
    return parseNumber(token.text);
}

} // namespace trainscope::importers::kineto
