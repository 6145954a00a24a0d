#pragma once
// Value axes: SI prefixes, round steps and their labels. Values are SI; a label shows value ×
// scale.

#include <string>
#include <string_view>
#include <vector>

namespace trainscope::plot {

// The unit that an axis or a number is shown in.
struct AxisUnit {
    std::string unit; // "GHz", "GB/s", "kW", "%"; empty for plain numbers
    double scale = 1.0; // shown = SI × scale
};
// For values up to `magnitude` of a metric: prefixes by thousands from n to T; °C stays; fractions
// (unit "1" of utilisations and fan speeds) become %.
AxisUnit axisUnit(std::string_view metric, std::string_view siUnit, double magnitude);

// A round number of the form {1, 2, 5} × 10^k, at least `least`.
double roundStep(double least);

struct ValueRange {
    double low = 0.0;
    double high = 1.0;
};
// The range widened to round numbers of the shown unit; never empty.
ValueRange roundRange(double low, double high, double scale);

struct ValueTick {
    double value = 0.0; // SI
    std::string label; // without unit
};
// At most `most` ticks at round numbers within [low, high], at least two where two fit.
std::vector<ValueTick> valueTicks(double low, double high, double scale, int most);

// "688 W", "1.755 GHz", "97 %": about four significant digits.
std::string quantityText(std::string_view metric, std::string_view siUnit, double value);

} // namespace trainscope::plot
