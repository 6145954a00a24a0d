#include "importers/common/Cells.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"
#include "importers/common/Number.h"

#include <array>

namespace trainscope::importers {

namespace {

struct Spellings {
    Unit unit;
    std::string_view texts; // in small letters, with '|' between them
};
constexpr double kKibi = 1024.0;
constexpr double kMebi = kKibi * 1024.0;
constexpr double kGibi = kMebi * 1024.0;

constexpr auto kSpellings = std::to_array<Spellings>({
    {{"W", 1.0}, "w|watt|watts"},
    {{"W", 1e-3}, "mw|milliwatts"},
    {{"W", 1e3}, "kw"},
    {{"°C", 1.0}, "c|°c|degc|celsius|celsius degree|degrees celsius|degree celsius|deg c|'c|℃|ºc"},
    {{"Hz", 1.0}, "hz"},
    {{"Hz", 1e3}, "khz"},
    {{"Hz", 1e6}, "mhz"},
    {{"Hz", 1e9}, "ghz"},
    {{"1", 0.01}, "%|pct|percent"},
    {{"1", 1.0}, "fraction|ratio"},
    {{"B", 1.0}, "b|bytes"},
    {{"B", kKibi}, "kib|kb"},
    {{"B", kMebi}, "mib|mb"},
    {{"B", kGibi}, "gib|gb"},
    {{"B/s", 1.0}, "b/s"},
    {{"B/s", 1e3}, "kb/s|kbs"},
    {{"B/s", 1e6}, "mb/s|mbs"},
    {{"B/s", 1e9}, "gb/s|gbs"},
    {{"B/s", kKibi}, "kib/s"},
    {{"B/s", kMebi}, "mib/s"},
    {{"B/s", kGibi}, "gib/s"},
    {{"J", 1.0}, "j"},
    {{"J", 1e-3}, "mj"},
    {{"J", 1e-6}, "uj"},
    {{"J", 1e3}, "kj"},
    {{"J", 3.6e6}, "kwh"},
    {{"J", 3600.0}, "wh"},
    {{"s", 1.0}, "s|sec|seconds"},
    {{"s", 1e-3}, "ms"},
    {{"s", 1e-6}, "us"},
    {{"s", 1e-9}, "ns"},
});

} // namespace

bool isOneOf(std::string_view text, std::string_view texts) {
    for (std::size_t end = texts.find('|'); end != std::string_view::npos; end = texts.find('|')) {
        if (equalsIgnoringCase(text, texts.substr(0, end)))
            return true;
        texts.remove_prefix(end + 1);
    }
    return equalsIgnoringCase(text, texts);
}

std::optional<Unit> findUnit(std::string_view text) {
    constexpr double kMega = 1e6;
    if (text == "MW")
        return Unit{"W", kMega};
    if (text == "MJ")
        return Unit{"J", kMega};
    for (const Spellings& spellings : kSpellings) {
        if (isOneOf(text, spellings.texts))
            return spellings.unit;
    }
    return std::nullopt;
}

bool isFahrenheit(std::string_view unit) {
    return isOneOf(unit, "f|°f|degf|deg f|degrees f|fahrenheit");
}

double celsiusOf(double fahrenheit) {
    return (fahrenheit - 32.0) / 1.8;
}

namespace {

// "1,980", not "0,125" and not "1234,500".
bool mayPartThousands(std::string_view text, std::size_t comma) {
    const std::size_t first = text.find_first_of("0123456789");
    return first < comma && comma - first <= 3 && text[first] != '0'
        && text.size() - comma - 1 == 3;
}

// "1.205,50", "1,205.50": both signs stand in it, and the last of them is the decimal one.
std::optional<double> parseGrouped(std::string_view text) {
    const std::size_t last = text.find_last_of(".,");
    const char group = text[last] == ',' ? '.' : ',';
    const std::size_t first = text.find(group);
    if (first == std::string_view::npos || text.find(text[last]) != last || first == 0)
        return std::nullopt;
    std::string plain;
    std::size_t digits = 0; // behind the last group sign
    bool isOdd = first > 3;
    for (std::size_t i = 0; i < last; ++i) {
        const bool isSign = text[i] == group;
        isOdd = isOdd || (isSign && i != first && digits != 3);
        digits = isSign ? 0 : digits + 1;
        if (!isSign)
            plain += text[i];
    }
    if (isOdd || digits != 3)
        return std::nullopt;
    return parseNumber(plain.append(".").append(text.substr(last + 1)));
}

std::optional<double> parseDecimal(std::string_view text, std::string_view unit) {
    const std::size_t comma = text.find(',');
    if (comma == std::string_view::npos)
        return parseNumber(text);
    if (text.find('.') != std::string_view::npos)
        return parseGrouped(text);
    if (text.find(',', comma + 1) != std::string_view::npos)
        return std::nullopt; // thousands separators: no telling which
    std::string plain(text);
    if (!mayPartThousands(text, comma))
        plain[comma] = '.';
    else if (equalsIgnoringCase(unit, "MHz") || equalsIgnoringCase(unit, "MiB"))
        plain.erase(comma, 1);
    else
        return std::nullopt;
    return parseNumber(plain);
}

std::optional<CellValue> parseWithUnit(std::string_view text) {
    const std::size_t end = text.find_last_of("0123456789.");
    if (end == std::string_view::npos)
        return std::nullopt;
    const std::string_view unit = trimmed(text.substr(end + 1));
    const auto number = parseDecimal(trimmed(text.substr(0, end + 1)), unit);
    if (!number || !std::isfinite(*number))
        return std::nullopt;
    return CellValue{*number, unit};
}

std::optional<CellValue> parseState(std::string_view text) {
    if (text.size() < 2 || text.size() > 3 || lowerChar(text.front()) != 'p')
        return std::nullopt;
    const auto number = parseNumber(text.substr(1));
    return number ? std::optional(CellValue{*number, {}}) : std::nullopt;
}

std::optional<CellValue> parseHex(std::string_view text) {
    if (text.size() < 3 || text[0] != '0' || lowerChar(text[1]) != 'x')
        return std::nullopt;
    const auto bits = wholeNumber<std::uint64_t>(text.substr(2), 16);
    return bits ? std::optional(CellValue{static_cast<double>(*bits), {}}) : std::nullopt;
}

std::optional<CellValue> parseFlag(std::string_view text) {
    for (const std::string_view yes : {"active", "enabled", "yes", "on"}) {
        if (equalsIgnoringCase(text, yes))
            return CellValue{1.0, {}};
    }
    for (const std::string_view no : {"not active", "disabled", "no", "off"}) {
        if (equalsIgnoringCase(text, no))
            return CellValue{0.0, {}};
    }
    return std::nullopt;
}

} // namespace

std::optional<CellValue> parseCell(std::string_view text, CellForm form) {
    switch (form) {
    case CellForm::PerformanceState:
        return parseState(text);
    case CellForm::Hex:
        return parseHex(text);
    case CellForm::Flag:
        return parseFlag(text);
    case CellForm::Number:
        break;
    }
    return parseWithUnit(text);
}

bool isMissingCell(std::string_view text) {
    if (isMissingText(text) || (text.front() == '[' && text.back() == ']'))
        return true;
    const auto value = text.front() == '-' ? parseWithUnit(text) : std::nullopt;
    return value && value->number == -1.0;
}

std::optional<CellForm> formOf(std::string_view text) {
    if (text.empty() || isMissingCell(text))
        return std::nullopt;
    for (const CellForm form :
        {CellForm::Hex, CellForm::PerformanceState, CellForm::Flag, CellForm::Number}) {
        if (parseCell(text, form))
            return form;
    }
    return std::nullopt;
}

bool tellsApart(std::string_view uuid) {
    for (const std::string_view prefix : {"MIG-", "GPU-", "0x"})
        uuid.remove_prefix(uuid.starts_with(prefix) ? prefix.size() : 0);
    const bool isNumber
        = uuid.find_first_not_of("0123456789abcdefABCDEF-/") == std::string_view::npos;
    return isNumber && uuid.find_first_not_of("0-/") != std::string_view::npos;
}

std::optional<int> gpuIndexOf(std::string_view text) {
    std::size_t begin = text.size();
    while (begin > 0 && isDigit(text[begin - 1]))
        --begin;
    const std::string_view digits = text.substr(begin);
    if (digits.empty() || digits.size() > 4)
        return std::nullopt;
    const std::string before = lowered(trimmed(text.substr(0, begin)));
    const bool known = before.empty() || before == "gpu" || before == "gpu:" || before == "cuda:"
        || before == "nvidia" || before == "gpu-" || before == "gpu_" || before == "gpu #"
        || before == "#" || before == "card" || before == "/dev/nvidia";
    if (!known)
        return std::nullopt;
    return wholeNumber<int>(digits);
}

std::optional<DurationNs> parsePeriod(std::string_view text) {
    constexpr double kLongest = 86'400.0;
    const auto value = parseCell(text, CellForm::Number);
    const auto unit
        = value && !value->unit.empty() ? findUnit(value->unit) : std::optional(Unit{"s", 1.0});
    const double seconds = value && unit && unit->si == "s" ? value->number * unit->scale : 0.0;
    if (!(seconds > 0.0) || seconds > kLongest)
        return std::nullopt;
    return DurationNs{std::llround(seconds * 1e9)};
}

} // namespace trainscope::importers
