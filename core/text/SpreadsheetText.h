#pragma once
// Texts that spreadsheets do not compute.

#include <string>
#include <string_view>

namespace trainscope::text {

// A text of a cell with an apostrophe before what spreadsheets would compute ("=1+1", "@name"), by
// which they take it for text: at its beginning, and behind a semicolon, where many of them begin
// another cell, quoted or not. Quantities ("-5", "-1.2 kW") and all others as they are. csvCell()
// in Table.h does it for every text in every CSV.
std::string spreadsheetText(std::string_view text);

// A cell of a tab-separated table: the same, with blanks for tabs and line ends.
std::string tsvCell(std::string_view text);

} // namespace trainscope::text
