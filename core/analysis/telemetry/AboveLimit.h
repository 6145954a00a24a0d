#pragma once
// Time above the power limit: seconds, share and highest reading of gpu_power above the enforced
// limit. Each sample of power holds until the next, and an interval that starts at a missing sample
// is left out of both sums, as in a time-weighted mean.

#include "core/analysis/statistics/SeriesSelection.h"
#include "core/analysis/telemetry/Throttling.h"

namespace trainscope::analysis {

// The limit: the recorded power_limit, which may change in time, else as it was launched with, else
// of the GPU's model.
struct LimitShare {
    double limitW = 0.0; // the highest that held, where it changed or GPUs differ
    std::string source; // "recorded", "launch", "catalogue", "inferred" (of a model that is)
    double seconds = 0.0; // above it; GPU-seconds of several
    double share = 0.0; // share of the seconds with power
    double coveredSeconds = 0.0; // with power
    double highestW = 0.0; // reading in the window, above the limit or not
    double joules = 0.0; // drawn while above
};

// A stretch above the limit in which the power is the same.
struct PowerStep {
    TimeRange range;
    double watts = 0.0;
};
struct AboveLimit : LimitShare {
    int rank = -1;
    std::vector<PowerStep> steps; // in order; those of one stay above touch
};

// Time that GPUs of a run were above their limits; by rank. GPUs without power or limit are left
// out. The steps are kept where asked for. Cancelled by progress.
enum class KeepSteps { No, Yes };
Result<std::vector<AboveLimit>> aboveLimits(
    const RunStudy& study, TimeRange window, KeepSteps keep);
// The same of one GPU; absent without power or limit.
Result<std::optional<AboveLimit>> aboveLimitOf(const store::Store& store, const Run& run,
    const GpuSeries& gpu, TimeRange window, KeepSteps keep, const Progress& progress = {});

// Share of several GPUs together; absent for none.
std::optional<LimitShare> together(const std::vector<AboveLimit>& gpus);

// From where the power rises above the limit to where it falls below.
std::vector<TimeRange> staysAbove(const std::vector<PowerStep>& steps);
TimeRange longestStay(const AboveLimit& gpu); // empty without any

} // namespace trainscope::analysis
