#pragma once
// Texts that spreadsheets do not compute.

#include <string>
#include <string_view>

namespace trainscope::text {

// A text of a cell that spreadsheets would compute ("=1+1", "@name") with an apostrophe before it,
// by which they take it for text; numbers and all others as they are. csvCell() in Table.h does it
// for every text in every CSV.
std::string spreadsheetText(std::string_view text);

} // namespace trainscope::text
