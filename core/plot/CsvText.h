#pragma once
// Texts in CSV (RFC 4180).

#include <string>
#include <string_view>

namespace trainscope::plot {

// Quoted where it holds a comma, a quote or a line end.
std::string csvText(std::string_view text);

} // namespace trainscope::plot
