#pragma once
// Doubles that a text with a few decimals stood for, as integers: value = m / 10^k, bit for bit.

#include <cstdint>
#include <optional>
#include <span>

namespace trainscope::store {

inline constexpr unsigned kMostDecimals = 9;
// Integers below this size are converted to doubles and back by adding a constant.
inline constexpr double kExactIntegers = 2251799813685248.0; // 2^51

// The fewest decimals k that give every value back, and the integers; absent where there are none
// with |m| < 2^51. No value may be NaN.
std::optional<unsigned> toDecimals(std::span<const double> values, std::span<std::int64_t> out);

// values[i] = integers[i] / 10^k, k ≤ kMostDecimals; same lengths.
void fromDecimals(std::span<const std::int64_t> integers, unsigned k, std::span<double> values);

} // namespace trainscope::store
