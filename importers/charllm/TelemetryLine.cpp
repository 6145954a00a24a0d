#include "importers/charllm/TelemetryLine.h"

#include "core/model/AsciiText.h"
#include "importers/common/Number.h"

#include <algorithm>
#include <optional>
#include <string>

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

} // namespace

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
