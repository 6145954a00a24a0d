#include "importers/charllm/TelemetryLine.h"

#include "core/model/AsciiText.h"
#include "importers/common/Number.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace trainscope::importers::charllm {

namespace {

constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr std::size_t kMaxField = 64;

std::string_view unquoted(std::string_view text) {
    text = trimmed(text);
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
        text = text.substr(1, text.size() - 2);
    return text;
}

char separatorOf(std::string_view text) {
    for (const char separator : {';', '\t', ',', ' '}) {
        if (text.find(separator) != std::string_view::npos)
            return separator;
    }
    return '\0';
}

struct Fields {
    std::string_view time;
    std::string_view value;
    bool hasMore = false;
};

std::optional<Fields> splitFields(std::string_view text, char separator) {
    const std::size_t at = text.find(separator);
    if (separator == '\0' || at == std::string_view::npos)
        return std::nullopt;
    std::string_view rest = text.substr(at + 1);
    if (separator == ' ' || separator == '\t')
        rest = trimmed(rest);
    const std::size_t next = rest.find(separator);
    const bool hasMore = next != std::string_view::npos && !trimmed(rest.substr(next + 1)).empty();
    return Fields{unquoted(text.substr(0, at)), unquoted(rest.substr(0, next)), hasMore};
}

// Words made of letters, digits and usual signs: "timestamp", "power [W]", not the bytes of a
// picture.
bool isWords(std::string_view text) {
    bool hasLetter = false;
    for (const char c : text) {
        const bool isLetter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        hasLetter |= isLetter;
        if (!isLetter && (c < ' ' || c > '~'))
            return false;
    }
    return hasLetter;
}

TelemetryLine bad(const char* problem) {
    return {LineKind::Bad, 0, 0.0, problem};
}

TelemetryLine readValue(std::int64_t ns, std::string_view text) {
    if (isMissingText(text))
        return {LineKind::Missing, ns, 0.0, ""};
    const auto value = parseNumber(text);
    if (!value)
        return bad("the value is not a number");
    if (*value == -1.0)
        return {LineKind::Missing, ns, 0.0, ""};
    return {LineKind::Sample, ns, *value, ""};
}

// Behind "seconds", with up to nine decimals; nullptr for any other form.
const char* takeTime(const char* p, std::int64_t& ns) {
    constexpr std::uint64_t kMaxSeconds = 9'000'000'000; // in ns still inside 63 bits
    constexpr std::ptrdiff_t kMostDigits = 10;
    const char* const begin = p;
    std::uint64_t time = 0;
    for (; isDigit(*p) && p - begin <= kMostDigits; ++p)
        time = time * 10 + static_cast<std::uint64_t>(*p - '0');
    if (p == begin || p - begin > kMostDigits || time >= kMaxSeconds)
        return nullptr;
    std::uint64_t unit = 1'000'000'000;
    time *= unit;
    if (*p == '.') {
        const char* const point = p++;
        for (; isDigit(*p) && unit > 1; ++p)
            time += static_cast<std::uint64_t>(*p - '0') * (unit /= 10);
        if (p == point + 1 || isDigit(*p))
            return nullptr;
    }
    ns = static_cast<std::int64_t>(time);
    return p;
}

} // namespace

const char* parsePlainLine(const char* p, const char* end, PlainLine& line) {
    p = takeTime(p, line.ns);
    if (p == nullptr || *p != ',')
        return nullptr;
    std::string_view rest(p + 1, static_cast<std::size_t>(end - p - 1));
    if (rest.starts_with("-1")) { // the mark of a failed read
        line.value = std::numeric_limits<double>::quiet_NaN();
        rest.remove_prefix(rest.substr(2).starts_with(".0") ? 4 : 2);
    } else if (const auto number = takePlainNumber(rest)) {
        line.value = *number;
    } else if (isDigit(rest.front())) { // with many digits, or an exponent
        const auto [next, error] = std::from_chars(rest.data(), end, line.value);
        const auto size = static_cast<std::size_t>(next - rest.data());
        if (error != std::errc() || size > kMaxField)
            return nullptr;
        rest.remove_prefix(size);
    }
    if (rest.starts_with('\r'))
        rest.remove_prefix(1);
    return rest.starts_with('\n') && rest.data() > p + 1 ? rest.data() + 1 : nullptr;
}

TelemetryLine parseTelemetryLine(std::string_view text) {
    text = trimmed(text);
    if (text.empty())
        return {LineKind::Blank, 0, 0.0, ""};
    const char separator = separatorOf(text);
    const auto fields = splitFields(text, separator);
    if (!fields)
        return bad("there is no second column");
    if (fields->time.size() > kMaxField || fields->value.size() > kMaxField)
        return bad("it is too long for a time and a value");
    std::string time(fields->time);
    std::string value(fields->value);
    if (separator == ';') {
        std::replace(time.begin(), time.end(), ',', '.');
        std::replace(value.begin(), value.end(), ',', '.');
    }
    const auto ns = decimalToNs(time, kNsPerSecond);
    if (!ns && isWords(time) && isWords(value) && !isMissingText(time))
        return {LineKind::Header, 0, 0.0, "the time is not a number"};
    if (!ns || *ns < 0)
        return bad("the time is not a number of seconds since 1970");
    if (fields->hasMore)
        return bad("there are more than two columns");
    return readValue(*ns, value);
}

} // namespace trainscope::importers::charllm
