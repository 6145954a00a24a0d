#pragma once
// Numbers of a comparison as text. Pure; any thread.

#include "core/plot/comparison/Comparison.h"

namespace trainscope::plot {

// Three significant digits with a prefix: "7.2 s", "36.4 k", "18.3 %"; units that the quantity's
// title says are left away; "—" for absent.
std::string quantityValueText(const FigureAxis& axis, const std::optional<double>& value);
// "7.2 s ± 0.05 s over 8 iterations", or the value alone.
std::string spreadText(const ComparisonQuantity& quantity, std::size_t run);
// "0.70 ×", "+4.5 pp", "±0 pp"; "—" where it is not known.
std::string changeText(const analysis::Difference& change);
// The run that does better beyond the spread: 0 or `run`.
std::optional<std::size_t> betterRun(const ComparisonQuantity& quantity, std::size_t run);
// "B better", "beyond spread", "within spread", "spread unknown", "spread of A unknown"; empty
// where there is no change.
std::string weightText(
    const ComparisonData& data, const ComparisonQuantity& quantity, std::size_t run);
std::string normalisationText(analysis::Normalisation by);

} // namespace trainscope::plot
