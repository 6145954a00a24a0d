#pragma once
// Making text fit, by the width that the painter's fonts give it.

#include "core/plot/PlotScene.h"

namespace trainscope::plot {

// The text, or its beginning and "…", or nothing where not even two characters and "…" fit.
std::string elided(std::string_view text, double width, const MeasureText& measure, TextRole role,
    bool bold = false);

// Broken at spaces into at most `most` lines, the last one elided. A number stays with its unit
// where the two have room.
std::vector<std::string> wrapped(std::string_view text, double width, int most,
    const MeasureText& measure, TextRole role, bool bold = false);

// "ms", "%,": a unit, with what may follow it in a sentence.
bool isUnitWord(std::string_view word);

// Small text without spaces: broken after a comma, a slash and the like where there is one in the
// later half of a line, else between any characters; the last line is elided.
std::vector<std::string> brokenAnywhere(
    std::string_view text, double width, int most, const MeasureText& measure);

// The short name of a kernel: without return type, namespaces, template and call arguments.
std::string_view shortKernelName(std::string_view name);

} // namespace trainscope::plot
