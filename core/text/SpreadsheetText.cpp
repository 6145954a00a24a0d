#include "core/text/SpreadsheetText.h"

#include "core/text/NumberMarks.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace trainscope::text {

namespace {

// Characters of SI units and their quotients, in UTF-8.
bool isOfUnit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%' || c == '/'
        || static_cast<unsigned char>(c) >= 0x80;
}

// "-1,234.5 MW": as it stands or with a unit.
bool isQuantity(std::string_view text) {
    if (text.starts_with('+'))
        text.remove_prefix(1);
    std::string digits(text);
    std::erase(digits, ',');
    double number = 0.0;
    const char* end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, number);
    if (digits.empty() || read.ec == std::errc::invalid_argument)
        return false;
    const std::string_view unit(read.ptr, end);
    return unit.empty()
        || (unit.size() > 1 && unit.front() == ' '
            && std::all_of(unit.begin() + 1, unit.end(), isOfUnit));
}

// Spreadsheets compute a cell that begins so, quoted or not, blanks before it or not; "-" alone and
// quantities they leave as they are.
bool mayBeFormula(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \n");
    if (first == std::string_view::npos)
        return false;
    constexpr std::array<std::string_view, 9> kBeginnings{"=", "+", "-", "@", "\t", "\r",
        "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\xA0"}; // the last three are full width
    const std::string_view said = text.substr(first);
    const bool begins = std::any_of(kBeginnings.begin(), kBeginnings.end(),
        [said](std::string_view beginning) { return said.starts_with(beginning); });
    return begins && said != "-" && !isQuantity(said);
}

} // namespace

std::string spreadsheetText(std::string_view text) {
    std::string safe;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(';', at), text.size());
        if (mayBeFormula(text.substr(at, end - at)))
            safe += '\'';
        safe += text.substr(at, end + 1 - at);
        at = end + 1;
    }
    return safe;
}

std::string tsvCell(std::string_view text) {
    std::string cell = spreadsheetText(forFiles(std::string(text)));
    std::replace_if(
        cell.begin(), cell.end(), [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
    return cell;
}

} // namespace trainscope::text
