#pragma once
// A run as it is compared with others: its quantities over one window, each with its spread over
// the iterations, where its steps go, and what is configured. All SI. Values that the data cannot
// give are absent, with the reason.

#include "core/analysis/comparison/Quantity.h"
#include "core/analysis/comparison/Spread.h"
#include "core/analysis/comparison/TraceMeasures.h"
#include "core/analysis/energy/Efficiency.h"
#include "core/analysis/iterations/Goodput.h"
#include "core/analysis/iterations/IterationFigures.h"
#include "core/analysis/iterations/Iterations.h"
#include "core/analysis/iterations/RunDetail.h"
#include "core/analysis/iterations/SteadyState.h"
#include "core/analysis/machine/RunMemory.h"
#include "core/analysis/statistics/Summary.h"
#include "core/layout/Layout.h"

namespace trainscope::analysis {

struct MeasureScope {
    bool wholeRun = false; // else the settled iterations (SteadyState.h)
    std::string capture = {}; // the capture of that name in place of both; empty: none
};

struct Measure {
    double value = 0.0;
    std::optional<Spread> spread; // over the counted iterations
};

// Facts about the GPUs of a run: model, memory and compute.
struct GpuFacts {
    std::string name; // catalogue name, else as recorded; empty: not known
    std::string origin; // "recorded", "inferred", or "from the name of the run"
    std::optional<double> memoryBytes; // one GPU, as the system sees it
    std::optional<double> bf16Flops; // the same
    std::optional<double> powerLimitW;
    std::string links; // inside a usual node: "NVSwitch"; empty: not known
};

struct RunMeasures {
    Run run; // renamed by partName() for a capture
    std::string capture; // name of the capture; empty: a whole run
    std::string cluster; // "32 × H200 SXM", "32 GPUs"
    GpuFacts gpu;
    int gpus = 0; // GPUs of the job, recorded or not; 0: not known
    int nodes = 0;
    std::optional<double> tokensPerStep;
    std::optional<layout::Layout> layout; // absent: nothing says it
    std::string layoutWording; // source of the layout

    SteadyState window; // the whole run if the scope asks for it
    std::string wording; // the window in words: counted and left-out iterations, or why all of it
    IterationBasis basis = IterationBasis::None;
    std::string iterationOrigin;
    // Those that count, in order of time: whole ones in the window that are not warm-up (warm-up
    // ones where there are no others).
    std::vector<IterationFigures> iterations;

    std::vector<std::optional<Measure>> values; // by place in comparedQuantities()
    std::vector<std::string> absentWhy; // the same; empty where there is a value
    RunSummary summary; // over the window
    Goodput goodput; // the whole run's
    std::optional<ThrottleBasis> throttleBasis; // absent where throttling is not known
    std::optional<TraceMeasures> traced; // absent without a trace

    [[nodiscard]] const Measure* find(std::string_view key) const; // nullptr: absent
    [[nodiscard]] std::optional<double> value(std::string_view key) const;
    [[nodiscard]] std::string why(std::string_view key) const; // it is absent
    // Its traces cover whole steps.
    [[nodiscard]] bool speaksForSteps() const;
    // Micro-batches of a pipeline per step; absent where layout or batches are not known.
    [[nodiscard]] std::optional<double> microbatches() const;
    // Its iterations where it consists of whole ones, which may take unequally long; else as many
    // as its time holds of the step time. Absent where that is not known.
    [[nodiscard]] std::optional<double> stepsOfWindow() const;
    // Divided where the normalisation divides it; absent where the divisor is not known.
    [[nodiscard]] std::optional<Measure> normalised(std::size_t quantity, Normalisation by) const;
    // By what the normalisation divides that quantity, 1 where it does not.
    [[nodiscard]] std::optional<double> divisor(
        const QuantityInfo& quantity, Normalisation by) const;
};

// "run · capture"; the run's name alone where there is no capture.
std::string partName(const std::string& run, const std::string& capture);

// Reads what is recorded of the run's window; cancelled by progress. A run that gives next to
// nothing (out of memory, no power, no iterations, no trace) is no error. A capture is measured as
// a run that is named by partName(), its steps are those that it tells (CaptureIterations.h);
// NotFound where the run has none of that name.
Result<RunMeasures> measuresOf(const RunStudy& study, const MeasureScope& scope = {});

// Fills values and absentWhy of the quantities from these analyses of the window and what
// `measures` has besides.
void fillValues(RunMeasures& measures, const Efficiency& efficiency, const RunDetail& detail);

// Facts of the catalogue about the run's GPUs, by their recorded name, else by the run's name.
GpuFacts gpuFactsOf(const Run& run);

// Memory that a run's GPUs have left, and the micro-batch that it allows. Used: the largest
// recorded sample of a GPU; where none was recorded, what model and layout need (MemoryNeed.h) on
// the fullest stage. A micro-batch more needs the activations of one more sample on every stage, an
// estimate either way.
struct MemoryHeadroom {
    double capacity = 0.0; // B, of one GPU
    double used = 0.0;
    bool isUsedEstimated = false;
    std::optional<MemoryNeed> need; // by model and layout on that stage; absent: not known
    std::optional<int> microBatch; // the largest that is likely to fit and divides the batch
    [[nodiscard]] double free() const { return capacity - used; }
};

// Absent where the memory of the GPUs is not known, or neither use nor layout.
std::optional<MemoryHeadroom> memoryHeadroomOf(const RunMeasures& run);

} // namespace trainscope::analysis
