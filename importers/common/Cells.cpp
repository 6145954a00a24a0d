#include "importers/common/Cells.h"

#include "core/model/AsciiText.h"
#include "core/model/WholeNumber.h"
#include "importers/common/Number.h"
#include "importers/common/Stamp.h"

#include <array>
#include <bit>
#include <cstring>

namespace trainscope::importers {
namespace {

constexpr std::string_view kBlankChars = " \t";

// Both are parts of one text.
std::string_view spanOf(std::string_view first, std::string_view last) {
    return {first.data(), static_cast<std::size_t>(last.data() + last.size() - first.data())};
}

// "500", "0.3/192.0".
bool isNumberOrShare(std::string_view word) {
    const std::size_t slash = word.find('/');
    return parseCell(word.substr(0, slash), CellForm::Number).has_value()
        && (slash == std::string_view::npos
            || parseCell(word.substr(slash + 1), CellForm::Number).has_value());
}

bool isUnitBehind(std::string_view word, std::string_view number) {
    const char last = number.empty() ? ' ' : number.back();
    return (isDigit(last) || last == '.') && (findUnit(word) || isFahrenheit(word))
        && isNumberOrShare(number);
}

bool isClockBehind(std::string_view word, std::string_view date) {
    return !date.empty() && isDigit(date.front()) && isDate(date)
        && parseStamp("2000-01-01", word).has_value() && !isDate(word);
}

bool isHalfBehind(std::string_view word, std::string_view clock) {
    return (equalsIgnoringCase(word, "AM") || equalsIgnoringCase(word, "PM"))
        && clock.find(':') != std::string_view::npos;
}

// Puts each word together with the one before where `belongs` says so.
template <typename Belongs>
std::vector<std::string_view> joinedWhere(
    const std::vector<std::string_view>& parts, const Belongs& belongs) {
    std::vector<std::string_view> cells;
    std::string_view last; // the cell at the end
    for (const std::string_view part : parts) {
        if (!cells.empty() && belongs(part, last))
            cells.back() = spanOf(cells.back(), part);
        else
            cells.push_back(part);
        last = part;
    }
    return cells;
}

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

std::vector<std::string_view> cellsBetweenGaps(std::string_view line) {
    const auto parts = words(line, kBlankChars);
    std::vector<std::string_view> cells;
    for (const std::string_view part : parts) {
        const char* const end = cells.empty() ? nullptr : cells.back().data() + cells.back().size();
        const bool isNear = end != nullptr && part.data() - end == 1 && *end == ' ';
        if (isNear)
            cells.back() = spanOf(cells.back(), part);
        else
            cells.push_back(part);
    }
    return cells;
}

std::vector<std::string_view> headsBetweenBlanks(std::string_view line) {
    return joinedWhere(words(line, kBlankChars), [](std::string_view part, std::string_view last) {
        const bool isUnit = part.size() > 2
            && ((part.front() == '[' && part.back() == ']')
                || (part.front() == '(' && part.back() == ')'));
        return isUnit || last == "#";
    });
}

void CellSplitter::splitBlanks(std::string_view line, std::size_t width) {
    const auto parts = words(line, kBlankChars);
    m_cells = parts;
    if (parts.size() <= width && width > 0)
        return;
    if (width > 0)
        m_cells = cellsBetweenGaps(line);
    if (m_cells.size() == width)
        return;
    m_cells = joinedWhere(parts, isUnitBehind);
    if (m_cells.size() == width)
        return;
    const auto isOfTime = [](std::string_view part, std::string_view last) {
        return isClockBehind(part, last) || isHalfBehind(part, last);
    };
    m_cells = joinedWhere(parts, isOfTime);
    if (m_cells.size() == width)
        return;
    m_cells = joinedWhere(parts, [&isOfTime](std::string_view part, std::string_view last) {
        return isOfTime(part, last) || isUnitBehind(part, last);
    });
}

const std::vector<std::string_view>& CellSplitter::split(
    std::string_view line, char separator, std::size_t width) {
    m_cells.clear();
    if (separator == ' ') {
        splitBlanks(line, width);
        return m_cells;
    }
    if (line.find('"') == std::string_view::npos) {
        splitPlain(line, separator);
        return m_cells;
    }
    if (splitQuoted(line, separator))
        return m_cells;
    m_cells.clear();
    m_unquoted.assign(line);
    std::erase(m_unquoted, '"');
    splitPlain(m_unquoted, separator);
    return m_cells;
}

bool CellSplitter::splitQuoted(std::string_view line, char separator) {
    std::size_t begin = 0;
    bool quoted = false;
    for (std::size_t i = 0; i <= line.size(); ++i) {
        if (i < line.size() && line[i] == '"') {
            quoted = !quoted;
            continue;
        }
        if (i < line.size() && (quoted || line[i] != separator))
            continue;
        std::string_view cell = trimmed(line.substr(begin, i - begin));
        if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"')
            cell = trimmed(cell.substr(1, cell.size() - 2));
        m_cells.push_back(cell);
        begin = i + 1;
    }
    return !quoted;
}

void CellSplitter::splitPlain(std::string_view line, char separator) {
    std::size_t begin = 0;
    const auto cut = [&](std::size_t end) {
        m_cells.push_back(trimmed(line.substr(begin, end - begin)));
        begin = end + 1;
    };
    // Cells are short: finding each by a search of its own costs more than marking eight bytes at
    // once. A byte that is the separator is zero after the exclusive or, and marked in its highest
    // bit.
    constexpr std::uint64_t kLow = 0x7F7F7F7F7F7F7F7F;
    const std::uint64_t pattern = 0x0101010101010101 * static_cast<unsigned char>(separator);
    std::size_t at = 0;
    if constexpr (std::endian::native == std::endian::little) {
        for (; line.size() - at >= 8; at += 8) {
            std::uint64_t bytes = 0;
            std::memcpy(&bytes, line.data() + at, 8);
            bytes ^= pattern;
            std::uint64_t marks = ~(((bytes & kLow) + kLow) | bytes | kLow);
            for (; marks != 0; marks &= marks - 1)
                cut(at + static_cast<std::size_t>(std::countr_zero(marks)) / 8);
        }
    }
    for (; at < line.size(); ++at) {
        if (line[at] == separator)
            cut(at);
    }
    cut(line.size());
}

char separatorOf(std::string_view line) {
    std::size_t semicolons = 0;
    std::size_t tabs = 0;
    std::size_t commas = 0;
    std::size_t bars = 0;
    bool quoted = false;
    for (const char c : line) {
        if (c == '"')
            quoted = !quoted;
        if (quoted)
            continue;
        semicolons += c == ';' ? 1U : 0U;
        tabs += c == '\t' ? 1U : 0U;
        commas += c == ',' ? 1U : 0U;
        bars += c == '|' ? 1U : 0U;
    }
    // A decimal comma beside semicolons or tabs may well be more frequent than they are.
    if (semicolons > 0)
        return ';';
    if (tabs > 0 && tabs >= commas)
        return '\t';
    return commas == 0 && bars > 0 ? '|' : ',';
}

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
