#pragma once
// Value axes: round steps and their labels. Values are SI; a label shows value × the scale of
// text::ShownUnit.

#include "core/text/Numbers.h"

namespace trainscope::plot {

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

} // namespace trainscope::plot
