#pragma once
// Numbers in words: SI values with a handy prefix, percentages, counts with their nouns, lists of
// numbers, and what stands for a missing value. Command line, figures, report, findings and window
// all word numbers here; JSON and CSV never do. Point and comma are this thread's (NumberMarks.h).

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace trainscope::text {

// Stands in a cell without a value.
inline constexpr const char* kMissing = "—";
// Says the same in a readout.
inline constexpr const char* kNoData = "no data";

// Number of digits, by the place where a number is shown.
enum class Digits {
    Four, // readouts and axes: "1.755 GHz", "6.794 s"; of W, °C and % no less than tenths
    Three, // sentences: "1.76 GHz", "8.12 kW"
    Aligned, // columns of the command line: four digits with the zeros behind, "1.750 GHz"
};

// The unit that a number or an axis is shown in: shown = SI × scale.
struct ShownUnit {
    std::string unit; // "GHz", "GB/s", "kW", "%"; empty for plain numbers
    double scale = 1.0;
};
// For values up to `magnitude`: prefixes by thousands from n to P; °C stays, watts stay watts up
// to 5 kW, so that one GPU's read alike; fractions become % where the metric is shown so.
ShownUnit shownUnit(std::string_view unit, double magnitude, std::string_view metric = {});

// For counted things: "k" from ten thousand on, M, G, T.
ShownUnit shownCount(double magnitude);

// At most so many significant digits, without zeros behind: "1755", "0.57".
std::string number(double value, int significant = 3, int mostDecimals = 6);

// "688 W", "1.755 GHz", "97 %"; not finite: "no data". The metric says what a plain number is.
std::string quantity(double value, std::string_view unit, Digits digits = Digits::Four,
    std::string_view metric = {});
// The same; absent is the sign for missing.
std::string quantity(const std::optional<double>& value, std::string_view unit,
    Digits digits = Digits::Four, std::string_view metric = {});

// "12.07 kJ (11.6 to 12.5)": a value with the bounds of its interval, in the value's unit.
std::string withInterval(
    double value, double low, double high, std::string_view unit, Digits digits = Digits::Four);

// As quantity() with three digits, for sentences: "8.12 kW", "4.21 %" of a fraction.
std::string rounded(double value, std::string_view unit);
std::string roundedPercent(double fraction);
// The same in columns of the command line: "412.3 W", "1.750 GHz", "87.30 %".
std::string aligned(
    const std::optional<double>& value, std::string_view unit, std::string_view metric = {});
std::string alignedPercent(const std::optional<double>& fraction);

// "12.5 %" of a fraction, with so many decimals, and "<0.1 %" of one that they would show as 0; the
// optional as above.
std::string percent(double fraction, int decimals = 1);
std::string percent(const std::optional<double>& fraction, int decimals = 1);
std::string signedPercent(double fraction, int decimals = 1); // "+4.5 %"
std::string percent(double fraction, Digits digits); // "97 %", "87.30 %"
std::string percent(const std::optional<double>& fraction, Digits digits);

// "1 GPU", "4 GPUs"; and with a plural of its own, "2 entries".
std::string counted(std::int64_t count, std::string_view noun);
std::string counted(std::int64_t count, std::string_view one, std::string_view many);

// "0, 4-7 and 3 more": ranges, at most so many parts.
std::string numberList(const std::set<int>& numbers, std::size_t most = 8);
// "0-7, 16-23", "0, 4, 8" or, where the steps are equal, "0-28 step 4".
std::string rankList(const std::vector<int>& ranks);

} // namespace trainscope::text
