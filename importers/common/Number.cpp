#include "importers/common/Number.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"
#include "core/text/Times.h"

#include <algorithm>
#include <array>

namespace trainscope::importers {

namespace {

__extension__ using Product = unsigned __int128; // a mantissa times a unit

constexpr std::uint64_t kMaxNs = std::numeric_limits<std::int64_t>::max();
constexpr int kMaxDigits = 28; // 28 digits times 10^9 still fit 128 bits

// A decimal number as mantissa × 10^exponent, cut behind kMaxDigits significant digits.
struct Decimal {
    Product mantissa = 0;
    std::int64_t exponent = 0;
    int digits = 0;

    void push(char digit, bool isFraction) {
        if (digits < kMaxDigits) {
            mantissa = mantissa * 10 + static_cast<unsigned>(digit - '0');
            digits += mantissa != 0 ? 1 : 0;
            exponent -= isFraction ? 1 : 0;
        } else if (!isFraction) {
            ++exponent;
        }
    }
};

// Reads the digits and the point; empty `text` afterwards unless an exponent or garbage follows.
std::optional<Decimal> takeDecimal(std::string_view& text) {
    Decimal decimal;
    bool anyDigit = false;
    bool isFraction = false;
    while (!text.empty() && (isDigit(text.front()) || (text.front() == '.' && !isFraction))) {
        if (text.front() == '.') {
            isFraction = true;
        } else {
            decimal.push(text.front(), isFraction);
            anyDigit = true;
        }
        text.remove_prefix(1);
    }
    if (!anyDigit)
        return std::nullopt;
    return decimal;
}

std::optional<int> takeExponent(std::string_view text) {
    if (text.empty())
        return 0;
    if (text.front() != 'e' && text.front() != 'E')
        return std::nullopt;
    text.remove_prefix(1);
    if (!text.empty() && text.front() == '+')
        text.remove_prefix(1);
    return wholeNumber<int>(text);
}

// ⌊mantissa × factor × 10^exponent⌋ where it fits.
std::optional<std::int64_t> scaled(const Decimal& decimal, std::int64_t factor) {
    if (decimal.mantissa == 0)
        return 0;
    Product value = decimal.mantissa;
    std::int64_t exponent = decimal.exponent;
    // Powers of ten in the factor are free and keep the product inside 128 bits.
    while (factor % 10 == 0) {
        factor /= 10;
        ++exponent;
    }
    if (value > std::numeric_limits<Product>::max() / static_cast<Product>(factor))
        return std::nullopt;
    value *= static_cast<Product>(factor);
    for (; exponent < 0 && value != 0; ++exponent)
        value /= 10;
    for (; exponent > 0; --exponent) {
        if (value > kMaxNs)
            return std::nullopt;
        value *= 10;
    }
    if (value > kMaxNs)
        return std::nullopt;
    return static_cast<std::int64_t>(value);
}

} // namespace

std::optional<std::int64_t> decimalToNs(std::string_view text, std::int64_t nsPerUnit) {
    text = trimmed(text);
    if (text.empty() || nsPerUnit <= 0)
        return std::nullopt;
    const bool isNegative = text.front() == '-';
    if (isNegative || text.front() == '+')
        text.remove_prefix(1);
    auto decimal = takeDecimal(text);
    if (!decimal)
        return std::nullopt;
    const auto exponent = takeExponent(text);
    if (!exponent)
        return std::nullopt;
    decimal->exponent += *exponent;
    const auto ns = scaled(*decimal, nsPerUnit);
    if (!ns)
        return std::nullopt;
    return isNegative ? -*ns : *ns;
}

std::optional<double> parseNumber(std::string_view text) {
    text = trimmed(text);
    if (text.starts_with("+-"))
        return std::nullopt;
    if (text.starts_with('+'))
        text.remove_prefix(1);
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (end != text.data() + text.size() || error == std::errc::invalid_argument)
        return std::nullopt;
    if (error == std::errc::result_out_of_range && text.find("e-") != std::string_view::npos)
        return 0.0; // too small for a double
    if (error != std::errc{} || !std::isfinite(value))
        return std::nullopt;
    return value;
}

std::optional<double> takePlainNumber(std::string_view& text) {
    // Exact as doubles, so one division of a whole number below 2^53 is correctly rounded.
    static constexpr std::array<double, 16> kPowers{
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    std::uint64_t digits = 0;
    std::size_t at = 0;
    while (at < text.size() && isDigit(text[at]))
        digits = digits * 10 + static_cast<unsigned char>(text[at++] - '0');
    const std::size_t whole = at;
    if (whole > 0 && at < text.size() && text[at] == '.') {
        ++at;
        while (at < text.size() && isDigit(text[at]))
            digits = digits * 10 + static_cast<unsigned char>(text[at++] - '0');
    }
    const std::size_t decimals = at > whole ? at - whole - 1 : 0;
    if (whole == 0 || whole + decimals >= kPowers.size())
        return std::nullopt;
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E'))
        return std::nullopt;
    text.remove_prefix(at);
    const auto number = static_cast<double>(digits);
    return decimals == 0 ? number : number / kPowers[decimals];
}

std::string secondsText(DurationNs duration, std::size_t fewest) {
    std::string text = text::decimal(duration.ns, text::kSecond, 6);
    while (text.back() == '0' && text.size() - text.find('.') - 1 > fewest)
        text.pop_back();
    return text + " s";
}

bool isMissingText(std::string_view text) {
    static constexpr std::array<std::string_view, 22> kSpellings{"", "-", "--", "n/a", "[n/a]",
        "na", "nan", "-nan", "none", "null", "err!", "[err!]", "[not supported]", "not supported",
        "[not available]", "[unknown error]", "unknown error", "[gpu requires reset]",
        "[insufficient permissions]", "[requested functionality has been deprecated]", "[unknown]",
        "[not found]"};
    static constexpr std::size_t kLongest = 45;
    static constexpr std::size_t kLongestBare = 13; // "not supported"
    static constexpr std::string_view kFirst = "-nNeEuU["; // begins of all the spellings
    text = trimmed(text);
    if (text.ends_with(')')) // "N/A (Secondary die)"
        text = text.substr(0, text.find(" ("));
    // Most texts asked about are names and numbers.
    if (text.size() > (text.starts_with('[') ? kLongest : kLongestBare)
        || (!text.empty() && kFirst.find(text.front()) == std::string_view::npos))
        return false;
    return std::find(kSpellings.begin(), kSpellings.end(), lowered(text)) != kSpellings.end();
}

} // namespace trainscope::importers
