#pragma once
// The same GPUs, by their UUIDs, over the runs of a database: do they take more power for the same
// work, get hotter, run slower, throttle more?
//
// Runs have the same work where launch configuration (but for the number of steps), GPU model,
// number of GPUs and part (SteadyState.h) are the same, and model and batch are stated. A GPU on
// another rank of a pipeline, or with another power limit, does other work.
//
// Rule: a GPU's change is the difference to its mean over the newest three to twelve runs before.
// The median of the changes of a run's GPUs is the run's; what a GPU changed beyond it is its own,
// told from three GPUs on. A change counts where it is for the worse, at least the least of its
// kind, and beyond Student's prediction interval. The variance comes from differences of
// successive runs, which a drift hardly widens (J. von Neumann et al., Ann. Math. Stat. 12, 1941);
// a run's from the runs, a GPU's from all GPUs together. False alarms: fewer than 1 of 100 runs.

#include "core/analysis/iterations/SteadyState.h"

namespace trainscope::analysis {

enum class HistoryValue { Power, Temperature, Clock, Throttled };
constexpr auto namesOf(HistoryValue) {
    return enumNames("power_w", "temperature_c", "clock_hz", "throttled_fraction");
}
template <typename T>
using ByHistoryValue = ByEnum<HistoryValue, namesOf(HistoryValue{}).size(), T>;

struct HistoryInfo {
    const char* title; // "power"
    const char* metric; // in which it shows; empty: a state
    const char* unit; // SI
    double least; // change; part of the mean before where it is relative
    bool isRelative;
    double worse; // sign of a change for the worse
    const char* words; // "took {} more power for the same work"
};
const HistoryInfo& infoOf(HistoryValue value);
std::string changeText(HistoryValue value, double change); // "4.1 %", "3.2 °C"

struct HistoryChange {
    std::size_t earlier = 0; // runs
    double before = 0.0; // their mean
    double change = 0.0; // relative or not, as its kind says
    bool isBeyond = false; // by itself
};
// A GPU in one run. SI; absent: not known, or too few earlier runs.
struct PastGpu {
    Gpu gpu;
    // Means of the part that speaks for the run; throttling of all of it.
    ByHistoryValue<std::optional<double>> values = {};
    std::optional<double> powerLimitW = {};
    ByHistoryValue<std::optional<HistoryChange>> changes = {};
};
struct PastRun {
    Run run;
    SteadyBasis basis = SteadyBasis::WholeRun;
    std::vector<PastGpu> gpus = {}; // those with a UUID
    ByHistoryValue<bool> areAllBeyond = {}; // the run's change
};

// Empty: it is compared with runs of the same work.
std::string whyIncomparable(const Run& run);
bool isSameWork(const PastRun& a, const PastRun& b);
// Fills the changes against those of these runs before it; they are in order of time. Pure.
void fillChanges(PastRun& now, std::span<const PastRun> runs);

// "GPU-3fa1c2d4 took 4.1 % more power for the same work than in 5 runs before: 612 W against 588 W;
// 1 of 8 GPUs changed so." of the GPU that changed most; absent where none is beyond chance.
struct HistoryStatement {
    std::string text;
    const PastGpu* worst = nullptr;
    std::size_t gpus = 0; // with such a change
};
std::optional<HistoryStatement> statementOf(HistoryValue value, const PastRun& now);

std::string shortUuid(const std::string& uuid); // "GPU-3fa1c2d4"; others than NVIDIA's whole

// Those measured with GPUs that have a UUID, by time, with their changes; of others nothing is
// read.
Result<std::vector<PastRun>> pastRunsOf(
    const RunStudies& studies, const std::vector<Run>& runs, bool wholeRun = false);
// The run against those before, with a bound on what is read; absent where these are too few.
Result<std::optional<PastRun>> pastOf(const RunStudy& study);

} // namespace trainscope::analysis
