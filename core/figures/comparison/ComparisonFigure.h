#pragma once
// Chosen runs side by side, the board or its parts, as kinds of figures.

#include "core/figures/Figure.h"

namespace trainscope::figures {

std::vector<Kind> comparisonKinds();
// Those of their options that the window has as well: "statistic", "per" and "sort".
const Options<plot::ComparisonQuery>& comparedOptions();

// Draws data that has been read; the figure has no sources.
Figure comparisonFigure(
    const std::shared_ptr<const plot::ComparisonData>& data, plot::BoardChoice choice);

} // namespace trainscope::figures
