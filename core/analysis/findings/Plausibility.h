#pragma once
// Readings and spans that cannot be as they stand, and what the figures are without them. Nothing
// is changed: the figures of the run keep them. The rules of kernels are those of KernelRules.h.

#include "core/analysis/findings/KernelRules.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/telemetry/AboveLimit.h"
#include "core/analysis/traces/EarlyWork.h"

namespace trainscope::analysis {

// No board draws so much more than its enforced limit, not even for a moment.
inline constexpr double kMostOverLimit = 2.5;
// A counter and the power beside it are of one GPU: sensors differ by some percent, not by that.
inline constexpr double kContradictingEnergy = 1.5;
inline constexpr double kMostOfGpuW = 5000.0; // no board is built for so much

// Power readings above kMostOverLimit × the limit, of the GPU that has the highest.
struct PowerSpikes {
    int rank = -1;
    std::int64_t samples = 0; // counted over all GPUs
    double highestW = 0.0;
    double limitW = 0.0;
    TimeNs at;
    double joules = 0.0; // energy of that GPU, by the trapezoid over all readings
    double joulesWithout = 0.0; // over the others
    double meanWithoutW = 0.0; // time-weighted
};

// KernelRules.h, for the kernels of a run.
struct OverrunKernels : KernelOverruns {
    std::string name; // the longest one
    int rank = -1; // the longest is on it
    double clippedWindowS = 0.0; // first begin to last end, of that rank
    double clippedBusyS = 0.0; // union over the streams of that rank
};

// Iterations inside the trace in which no kernel begins.
struct EmptySteps {
    std::int64_t steps = 0;
    std::int64_t empty = 0;
    TimeRange first; // first empty one
    double stepsS = 0.0; // sum over ranks
    double busyS = 0.0; // busy time in them, by unions over the streams of each rank
    // Without kernels that run over a whole iteration that starts none; the same where none does.
    double busyWithoutS = 0.0;
    std::int64_t over = 0; // such kernels
};

// An energy counter whose joules are not those of the power, of the GPU where they differ most.
struct ContradictingEnergy {
    int rank = -1;
    TimeRange where; // both are known
    double countedJ = 0.0;
    double integralJ = 0.0;
};

// Power that no GPU draws, most of the time: its numbers are of another unit.
struct PowerOfOtherUnit {
    int rank = -1; // rank with the highest power
    int gpus = 0;
    double medianW = 0.0;
};

struct Plausibility {
    std::optional<ContradictingEnergy> energy;
    std::optional<PowerOfOtherUnit> unit;
    std::optional<EarlyWork> early;
    std::optional<PowerSpikes> power;
    std::optional<OverrunKernels> kernels;
    std::optional<EmptySteps> steps;
};

// `limits`: aboveLimits() of the run. Memory grows with the streams and the iterations, not with
// the kernels. Cancelled by progress.
Result<Plausibility> plausibilityOf(
    const RunStudy& study, const std::vector<AboveLimit>& limits, const RunIterations& iterations);

} // namespace trainscope::analysis
