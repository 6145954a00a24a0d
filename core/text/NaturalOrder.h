#pragma once
// The order in which people list names with numbers in them, r2 before r10. Pure; any thread.

#include <compare>
#include <string_view>

namespace trainscope::text {

// Runs of digits compare as numbers, everything else as bytes.
std::strong_ordering naturalOrder(std::string_view a, std::string_view b);

} // namespace trainscope::text
