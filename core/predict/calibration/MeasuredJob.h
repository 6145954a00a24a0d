#pragma once
// A job that was run, and how long its step took.

#include "core/predict/Job.h"

#include <string>

namespace trainscope::predict {

// The source of runs that users measure themselves: they share their noise.
inline constexpr const char* kMeasuredRunsSource = "measured runs";

struct MeasuredJob {
    Job job;
    double seconds = 0.0; // of a step
    std::string source; // who measured; rows of one source share their noise
    double version = 0.0; // of the software, in years; 0: not known
    bool isQualified = false; // by a footnote of its source: believed less
    std::string configuration = {}; // equal where jobs differ in software versions alone
};

} // namespace trainscope::predict
