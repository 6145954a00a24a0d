#pragma once
// The iterations of a run: as annotations recorded them (ProfilerStep, NVTX ranges, timers), else
// from the period of its summed power.
//
// Annotations are taken from the store's iterations, else from ranges on host threads that count
// ("iteration 7", "step_12") or repeat ("train_step"), each rank by itself; the run's iteration k
// goes from the median of its ranks' beginnings to the median of their ends, on the clock of the
// first rank where they begin further apart than a quarter of an iteration, as on clocks that
// differ, unless a source that speaks of the whole run, as a log, covers as much. Without
// annotations, or where they cover less than kLeastRecorded of the run (one profiled step of many)
// and the power shows more, the fundamental period of the summed gpu_power is sought and its
// repetitions are followed (PowerPeriod.h); an iteration begins at the steepest rise of power.
// Repetitions are iterations only where something else says that the run had steps: a launch
// configuration, a layout that the user entered, the work or the rate of steps in a log or mark, or
// a CharLLM-PPT tree. Else the period is told as what it is.

#include "core/analysis/RunStudy.h"

namespace trainscope::analysis {

enum class IterationBasis { Recorded, PowerPeriod, None };
constexpr auto namesOf(IterationBasis) {
    return enumNames("recorded", "power_period", "none");
}

struct RunIterations {
    IterationBasis basis = IterationBasis::None;
    // Iterations of the whole run (rank −1), in order of time, whole ones only; warm-up is marked.
    std::vector<Iteration> iterations;
    // As each rank recorded them, whatever the basis; empty where none did.
    std::map<int, std::vector<Iteration>> byRank;
    // Frequency of the iterations that are not warm-up, with the standard error of the mean
    // duration.
    std::optional<double> frequencyHz;
    std::optional<double> frequencyErrorHz;
    // Largest error of a boundary: the sampling period of the power; absent for recorded ones.
    std::optional<DurationNs> boundaryError;
    // Mean length of the repetitions of the summed power, where nothing says that they are steps.
    std::optional<double> powerPeriodS;
    // For people: "ProfilerStep", "ranges 'iteration'", "the period of the summed power"; for None
    // why there are none.
    std::string origin;

    // Those the rank recorded, else the run's.
    [[nodiscard]] const std::vector<Iteration>& of(int rank) const;
    // The run's and those of the ranks, as analyses of traces take them (TraceWindow.h).
    [[nodiscard]] std::vector<Iteration> everyOne() const;
};

std::vector<TimeRange> rangesOf(const std::vector<Iteration>& iterations);

// "power repeats every 22.3 s"; empty where it is not told.
std::string powerPeriodText(const RunIterations& run);

inline constexpr double kLeastRecorded = 0.25;
// From the first of the run's iterations to the end of the last, of the run.
double recordedShare(const RunIterations& iterations, const Run& run);

// Cancelled by progress.
Result<RunIterations> iterationsOf(const RunStudy& study);

// Marks the iterations from the first on that take more than kWarmupFactor times the median of the
// later half, and keeps the marks that there are. In order of time.
inline constexpr double kWarmupFactor = 1.25;
void markWarmup(std::vector<Iteration>& iterations);

} // namespace trainscope::analysis
