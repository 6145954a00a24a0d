#pragma once
// Chosen runs side by side, the board or its parts, as kinds of figures.

#include "core/figures/Figure.h"

#include <memory>

namespace trainscope::figures {

std::vector<Kind> comparisonKinds();

// What of a comparison is drawn, and how.
struct BoardChoice {
    std::vector<ComparisonPanel> panels; // empty: all
    bool stacked = false;
    bool perStage = false;
    bool bare = false; // without title and notes: the text around it tells them
};
// Of what has been read; without sources.
Figure comparisonFigure(const std::shared_ptr<const ComparisonData>& data, BoardChoice choice);

} // namespace trainscope::figures
