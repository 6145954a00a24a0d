#pragma once
// The figures of a run in a table of many: those of comparedQuantities() over the whole run, as the
// overview tells them, and a few more. Measuring them reads the run; the database keeps them, with
// what they were computed from, until that changes or the formulas do.

#include "core/analysis/comparison/Quantity.h"
#include "core/store/RunNotes.h"
#include "core/store/Store.h"

namespace trainscope::analysis {

// Raise it when a figure is computed differently under the same definition: what is kept of another
// version is computed again.
inline constexpr int kQuantitiesVersion = 5;

inline constexpr std::string_view kMeanGpuPower = "mean_gpu_power_w";

// Those of comparedQuantities() and behind them what tables of runs have besides.
const std::vector<QuantityInfo>& listedQuantities();
// Its place in that list; absent for an unknown key.
std::optional<std::size_t> listedIndex(std::string_view key);

struct RunQuantities {
    RunId run;
    std::string basis; // by which formulas and of what
    // By place in listedQuantities().
    std::vector<std::optional<double>> values;
    std::vector<std::string> absentWhy; // empty where there is a value
};

// A run whose figures are to be measured, with what they will be computed from.
struct UnmeasuredRun {
    Run run;
    std::string basis;
};

struct KnownQuantities {
    std::vector<RunQuantities> known; // kept, and computed from what there is now
    std::vector<UnmeasuredRun> unknown; // in the order of the runs
};
// runs: of the store. Reads what is kept, no samples.
Result<KnownQuantities> knownQuantities(const store::Store& store, std::span<const Run> runs);

// Reads the run; cancelled by progress.
Result<RunQuantities> measureQuantities(
    const store::Store& store, const UnmeasuredRun& of, const Progress& progress = {});

// For store::keepFigures().
store::KeptFigures keptFrom(const RunQuantities& quantities);

} // namespace trainscope::analysis
