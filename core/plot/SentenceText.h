#pragma once
// Sentences that flow in lines, their numbers in bold, each in one line with its unit: "took
// **5.34 MJ** in **28 min**". Names with digits are no numbers, nor is the count of a cluster,
// "32 × H200 SXM".

#include "core/plot/Canvas.h"

#include <string_view>

namespace trainscope::plot {

struct SentencePlace {
    Point baseline; // the first line's
    double width = 0.0;
    double line = 0.0; // distance of baselines
    int most = 64; // lines; what does not fit flows on in the last one
};

// Lines that it takes; not drawn: measured alone. Text of the body.
int flowSentence(
    const Canvas& canvas, std::string_view text, const SentencePlace& place, bool isDrawn = true);

} // namespace trainscope::plot
