#pragma once
// Kernels that ran while GPUs were above their power limits, each with the time and the joules that
// fell into it. The readings are taken as they stand, each holding until the next; where several
// kernels or copies run at once they share its power equally.

#include "core/analysis/telemetry/AboveLimit.h"
#include "core/analysis/traces/KernelCategory.h"
#include "core/analysis/traces/TraceBreakdown.h"
#include "core/analysis/traces/TraceWindow.h"

namespace trainscope::analysis {

// A row of kernels that ran above it at some time, whose time is summed where they run at once;
// copies and memory sets in the category "copy".
struct KernelAboveLimit : KernelRow {
    double joules = 0.0;
};

struct DeviceAboveLimit {
    int device = -1;
    LimitShare gpu; // all that was recorded in the window
    int rank = -1;
    DurationNs traced; // above the limit within a capture
    double tracedJoules = 0.0; // as much as the kernels and `none` have together
    DurationNs none; // part of the traced time without work on the GPU
    double noneJoules = 0.0;
    std::vector<KernelAboveLimit> kernels; // by joules
};

// By rank, then device; those with power, a limit and traces. Cancelled by progress.
Result<std::vector<DeviceAboveLimit>> kernelsAboveLimit(
    const RunStudy& study, const KernelCategories& categories, TimeRange window);

// Sums over all devices, by joules.
std::vector<KernelAboveLimit> together(const std::vector<DeviceAboveLimit>& devices);

} // namespace trainscope::analysis
