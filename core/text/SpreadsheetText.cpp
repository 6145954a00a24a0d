#include "core/text/SpreadsheetText.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace trainscope::text {

namespace {

bool isNumber(std::string_view text) {
    if (text.starts_with('+'))
        text.remove_prefix(1);
    double number = 0.0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    return !text.empty() && read.ec != std::errc::invalid_argument
        && read.ptr == text.data() + text.size();
}

// Spreadsheets compute a cell that begins so, quoted or not, blanks before it or not; "-" alone and
// numbers they leave as they are.
bool mayBeFormula(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \n");
    if (first == std::string_view::npos)
        return false;
    constexpr std::array<std::string_view, 9> kBeginnings{"=", "+", "-", "@", "\t", "\r",
        "\xEF\xBC\x9D", "\xEF\xBC\x8B", "\xEF\xBC\xA0"}; // the last three are full width
    const std::string_view said = text.substr(first);
    const bool begins = std::any_of(kBeginnings.begin(), kBeginnings.end(),
        [said](std::string_view beginning) { return said.starts_with(beginning); });
    return begins && said != "-" && !isNumber(said);
}

} // namespace

std::string spreadsheetText(std::string_view text) {
    return mayBeFormula(text) ? "'" + std::string(text) : std::string(text);
}

} // namespace trainscope::text
