#pragma once
// Text of strangers made fit to be shown: in a terminal, a window, a page, or an XML file. Names in
// traces, logs and databases may hold what a terminal obeys (escape sequences), what reverses the
// text around them (bidirectional overrides), or bytes that are no text at all.

#include <cstddef>
#include <string>
#include <string_view>

namespace trainscope {

// Well-formed UTF-8. Tab and line feed stay; the other control characters of ASCII become their
// pictures (U+241B for an escape); those of Latin-1, bidirectional embeddings, overrides and
// isolates, the separators U+2028 and U+2029, noncharacters that XML forbids, and bytes that are
// not UTF-8 become U+FFFD. Harmless text stays as it is: a second call changes nothing.
std::string harmless(std::string_view text);

// The same on one line: tabs and line feeds become blanks.
std::string harmlessLine(std::string_view text);

// Length of the well-formed UTF-8 sequence at `at` (Unicode 15, table 3-7); 0: there is none.
std::size_t utf8LengthAt(std::string_view text, std::size_t at);

} // namespace trainscope
