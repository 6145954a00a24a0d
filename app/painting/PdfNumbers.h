#pragma once
// Coordinates of a PDF page with the digits that can be seen. Qt writes nine of each, which is most
// of what a dense figure takes.

#include <string>
#include <string_view>

namespace trainscope::app {

// A page's content as Qt writes it, an operation a line: the coordinates of paths in two decimals
// (0.01 pt where points are painted). Everything else stays as it is.
std::string withShortCoordinates(std::string_view content);

} // namespace trainscope::app
