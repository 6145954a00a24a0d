#pragma once
// Rows of a name, a bar of seconds and words behind it, as all figures of a replayed step have
// them.

#include "core/plot/Sheet.h"

namespace trainscope::plot {

struct StepBar {
    std::string name;
    double seconds = 0.0;
    std::optional<std::pair<double, double>> interval; // s
    Color color;
    std::string words; // behind the bar, after its length
    std::optional<int> rank;
};

// A kernel category's, of "host" and of "delay".
Color stepColor(const Theme& theme, std::string_view category);
std::string stepTitle(std::string_view category);

double stepBarsHeight(const Canvas& canvas, std::size_t bars);
void drawStepBars(const Sheet& sheet, RunId run, const std::vector<StepBar>& bars, Rect area);

} // namespace trainscope::plot
