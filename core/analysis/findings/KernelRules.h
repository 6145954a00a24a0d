#pragma once
// Rules of kernels that cannot be as they stand, for the findings of a run (Plausibility.h) and for
// what an import tells of its trace.

#include "core/model/Time.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trainscope::analysis {

inline constexpr double kDoubtfulKernelTime = 0.01; // of the kernel time, behind other kernels
inline constexpr double kEmptySteps = 0.2; // of the traced iterations
inline constexpr double kLongBefore = 20.0; // median iterations before the first one

struct StreamKernel {
    std::size_t stream = 0; // a number for each stream
    TimeRange range;
};

// A stream runs one kernel after the other: one that others begin and end in did not run so long.
struct KernelOverruns {
    std::int64_t behind = 0; // kernels that begin and end inside one before them on their stream
    std::size_t longest = 0; // place of the kernel that runs over most time
    double writtenS = 0.0; // kernel time, summed
    double clippedS = 0.0; // each kernel ends where the next of its stream begins
    std::vector<TimeNs> ends; // of each, clipped
};
// Takes kernels in order of their streams and, in these, of their begin, the longer one first.
// Absent where their time is no more than kDoubtfulKernelTime beyond that of clipped kernels.
std::optional<KernelOverruns> kernelOverruns(const std::vector<StreamKernel>& kernels);

// The step at that time, by its place; `steps` are in order and apart.
std::optional<std::size_t> stepAt(const std::vector<TimeRange>& steps, TimeNs time);

// True for each step that no kernel begins in; empty where these are none, all, or fewer than
// kEmptySteps.
std::vector<bool> emptySteps(
    const std::vector<StreamKernel>& kernels, const std::vector<TimeRange>& steps);

// Kernels that end before `before` are kLongBefore the first iteration, and of no iteration.
struct EarlyLimit {
    TimeNs first; // iteration
    TimeNs before;
};
// In any order. Absent without iterations, or where most of them take no time.
std::optional<EarlyLimit> earlyLimitOf(const std::vector<TimeRange>& iterations);
// "3 kernels of 2.00 ms end 40.0 s before the first iteration and count in no share".
std::string earlyWorkText(std::int64_t kernels, double kernelS, double gapS);

} // namespace trainscope::analysis
