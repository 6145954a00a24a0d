#pragma once
// The order in which people list names with numbers in them: TP2 before TP16.

#include <compare>
#include <string_view>

namespace trainscope::plot {

// Runs of digits compare as numbers, everything else as bytes.
std::strong_ordering naturalOrder(std::string_view a, std::string_view b);

} // namespace trainscope::plot
