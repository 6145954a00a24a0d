#pragma once
// State that the parts of the layout view share: the run that is shown, the data read of it, its
// colours, and the ranks that are pointed at and selected. GUI thread.

#include "app/viewmodels/layout/LayoutReading.h"
#include "app/viewmodels/layout/LayoutSettings.h"
#include "core/plot/layout/PlacementFigure.h"

#include <optional>

namespace trainscope::app {

struct LayoutContext {
    std::optional<Run> run;
    LayoutReadingPtr reading; // nullptr: nothing yet
    LayoutSettings settings;
    plot::RankColours colours;
    QString coloursCaption;
    // Metric whose values at the cursor are the colours; empty: colours show something else.
    std::string momentMetric;
    plot::PlacementFigureData placement;
    bool isPlacementShown = false;
    std::optional<int> hoverRank;
    std::optional<int> rank;

    [[nodiscard]] const layout::Layout* layout() const {
        return reading && reading->figure.layout ? &*reading->figure.layout : nullptr;
    }
    // Metric that the ranks are coloured by; empty: something else.
    [[nodiscard]] std::string metric() const {
        return settings.by == plot::RankColour::Value ? settings.metric : std::string();
    }
    // Not yet while the colours are still those of a choice before.
    [[nodiscard]] bool showsValuesAtCursor() const {
        return settings.isAtCursor() && momentMetric == settings.metric
            && colours.by == plot::RankColour::Value;
    }
};

} // namespace trainscope::app
