// Any bytes as a name: what is shown of it is fit for a terminal and for XML, and what is written
// of it into a table is no formula and comes back by RFC 4180.

#include "core/model/HarmlessText.h"
#include "core/text/Table.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

using namespace trainscope;

namespace {

std::string unquoted(const std::string& cell) {
    if (!cell.starts_with('"'))
        return cell;
    std::string text;
    for (std::size_t i = 1; i + 1 < cell.size(); ++i) {
        text += cell[i];
        if (cell[i] == '"' && cell[++i] != '"')
            std::abort();
    }
    return text;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const std::string shown = harmless(text);
    if (harmless(shown) != shown)
        std::abort();
    for (std::size_t at = 0; at < shown.size();) {
        const std::size_t length = utf8LengthAt(shown, at);
        const auto byte = static_cast<unsigned char>(shown[at]);
        const bool isControl = (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7F
            || (byte == 0xC2 && static_cast<unsigned char>(shown[at + 1]) < 0xA0);
        if (length == 0 || isControl)
            std::abort();
        at += length;
    }
    const std::string cell = unquoted(text::csvCell(text));
    const std::string safe = text::spreadsheetText(text);
    if (cell != safe || safe.size() < text.size())
        std::abort();
    if (safe.starts_with('=') || safe.starts_with('@') || safe.find(";=") != std::string::npos)
        std::abort();
    if (text::tsvCell(text).find_first_of("\t\n\r") != std::string::npos)
        std::abort();
    (void)text::elided(shown, 12);
    (void)text::elidedInMiddle(shown, 12);
    return 0;
}
