#pragma once
// Cleaning: which samples cannot be true, by what a GPU can do at most and by their neighbours, and
// what stands in for them. Pure.

#include "core/catalogue/GpuModel.h"
#include "core/predict/profile/ShapeRegressor.h"
#include "core/predict/profile/Timings.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace trainscope::predict {

// Result of cleaning one list of samples.
struct Cleaned {
    std::size_t leftOut = 0; // samples without one of their times, or without both
    std::vector<std::string> notes;
};

// Faster than the peaks allow, or standing out of their neighbours, becomes kNotTimed. A direction
// most of whose times cannot be true goes as a whole; so does a backward time that only repeats the
// forward one, where its work is another. Samples without any time are taken out.
Cleaned cleanOperators(std::vector<TimedOperator>& samples, const GpuPeaks& peaks);

// Faster than the GPU's links or any network card, or standing out of the running median, is taken
// out. The rows are sorted by bytes.
Cleaned cleanExchanges(CollectiveTimings& timings, const catalogue::GpuModel& gpu);

// Median of backward over forward; absent without a sample that has both.
std::optional<double> backwardRatio(const std::vector<TimedOperator>& samples);

} // namespace trainscope::predict
