#include "importers/nvsmi/Cell.h"

#include "core/model/AsciiText.h"
#include "importers/common/Number.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

namespace trainscope::importers::nvsmi {

namespace {

std::optional<double> parseDecimal(std::string_view text) {
    const std::size_t comma = text.find(',');
    if (comma == std::string_view::npos)
        return parseNumber(text);
    if (text.find(',', comma + 1) != std::string_view::npos
        || text.find('.') != std::string_view::npos)
        return std::nullopt; // thousands separators: no telling which
    std::string dotted(text);
    dotted[comma] = '.';
    return parseNumber(dotted);
}

std::optional<CellValue> parseWithUnit(std::string_view text) {
    const std::size_t end = text.find_last_of("0123456789.");
    if (end == std::string_view::npos)
        return std::nullopt;
    const auto number = parseDecimal(trimmed(text.substr(0, end + 1)));
    if (!number || !std::isfinite(*number))
        return std::nullopt;
    return CellValue{*number, trimmed(text.substr(end + 1))};
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
    std::uint64_t bits = 0;
    const char* const end = text.data() + text.size();
    const auto [at, error] = std::from_chars(text.data() + 2, end, bits, 16);
    if (error != std::errc{} || at != end)
        return std::nullopt;
    return CellValue{static_cast<double>(bits), {}};
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
    return text == "-1" || text == "-1.0" || text == "-1.00";
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

} // namespace trainscope::importers::nvsmi
