#pragma once
// Work long before the first iteration, as of a trace that began with the program. The figures of
// all of a trace, in every place, begin behind it (DeviceTracks::countedFrom); those of a chosen
// stretch hold what lies in it.

#include "core/model/Time.h"

#include <optional>
#include <string>
#include <vector>

namespace trainscope::analysis {

inline constexpr double kLongBefore = 20.0; // median iterations before the first one

// Work that ends before `before` is kLongBefore the first iteration, and of no iteration.
struct EarlyLimit {
    TimeNs first; // iteration
    TimeNs before;
};
// In any order. Absent without iterations, or where most of them take no time.
std::optional<EarlyLimit> earlyLimitOf(const std::vector<TimeRange>& iterations);

struct EarlyWork {
    std::int64_t kernels = 0;
    std::int64_t copies = 0; // memory sets included
    DurationNs time; // kernels and copies, summed
    TimeRange where;
    DurationNs gap; // to the first iteration
};

// "3 kernels and 1 copy of 2.00 ms end 40.0 s before the first iteration and count in no share".
std::string earlyWorkText(const EarlyWork& early);

} // namespace trainscope::analysis
