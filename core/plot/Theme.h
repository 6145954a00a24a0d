#pragma once
// Colours and sizes of everything drawn, the one source for the window (QML reads it) and for
// exported figures. Values from the project's look: shared steps of 4, contrast at least 4.5 for
// text and 3 for meaningful lines.

#include "core/plot/PlotScene.h"

namespace trainscope::plot {

struct Theme {
    Color window;
    Color panel;
    Color raised;
    Color line;
    Color grid;
    Color text;
    Color textSecondary;
    Color textMuted;
    Color accent;
    Color warning;
    Color selection; // translucent
    Color gap; // hatch over missing data
    double bodySize = 13.0; // font sizes in scene units
    double secondarySize = 12.0;
    double smallSize = 11.0;
    double titleSize = 22.0;
    double lineWidth = 1.0;
    double spacing = 4.0; // the step
    bool dark = false;

    [[nodiscard]] double size(TextRole role) const;
};

const Theme& darkTheme();
const Theme& lightTheme();
const Theme& paperTheme(); // white, 7 to 8 pt, 0.5 pt lines
// "dark", "light", "paper"; nullptr for anything else.
const Theme* findTheme(std::string_view name);

// Okabe-Ito for runs and nodes, repeating.
Color seriesColor(std::size_t index);
// One fixed colour per metric everywhere; unknown metrics get a stable one from their name.
Color metricColor(std::string_view metric);
// Colour of a kernel category by its key (see analysis/KernelCategory.h): "gemm", "all_reduce", ...
Color categoryColor(std::string_view category);
// 0..1 → inferno; clamped.
Color inferno(double fraction);
Color viridis(double fraction);
// Text on a filled rectangle: black or white, whichever reads.
Color readableOn(Color background);

} // namespace trainscope::plot
