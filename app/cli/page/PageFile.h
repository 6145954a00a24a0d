#pragma once
// A page as one file: the program, the data of some runs, answers of commands, and figures.

#include "core/analysis/RunStudy.h"
#include "core/plot/timeline/TimelineMark.h"

namespace trainscope::cli {

constexpr std::size_t kMostRunsOfPage = 31;

struct PageFigure {
    std::string title;
    std::string file; // name to save it by: "kernels-llama3-70b.svg"
    std::string svg;
};

struct PageWish {
    std::vector<Run> runs;
    double mostBytes = 0.0; // 0: as large as it gets
    std::vector<plot::TimelineMark> marks = {}; // the user's
    std::vector<PageFigure> figures = {}; // left out first, from the last
};

struct PageText {
    std::string text;
    std::vector<std::string> leftOut; // sentences
};

// Usage for no runs and for too many.
Status checkRunsOfPage(const std::vector<Run>& runs);

// Usage for a limit that cannot be kept, too. Cancelled by the studies' progress. Thread: the
// studies'.
Result<PageText> pageText(const analysis::RunStudies& studies, const PageWish& wish);

} // namespace trainscope::cli
