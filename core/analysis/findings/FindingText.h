#pragma once
// Numbers in sentences: three significant digits, scaled to a handy unit.

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace trainscope::analysis {

std::string scaled(double value, std::string_view unit); // "8.1 kW", "1.98 GHz"
std::string percent(double fraction); // "4.2 %"
std::string celsius(double value); // "12.3 °C"
std::string duration(double seconds); // "12.3 ms", "4.1 min"
std::string counted(std::int64_t count, std::string_view one, std::string_view many); // "1 GPU"
std::string numbers(const std::set<int>& ranks, std::size_t most = 8); // "0, 4-7 and 3 more"

} // namespace trainscope::analysis
