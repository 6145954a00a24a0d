#pragma once
// The step as it would be if: changes of a step graph's costs, asked for in words, applied one on
// the other and simulated. Each has bounds of its effect; those of the whole hold nine of ten.
// Pure; any thread.
//
// Bounds hold what a change leaves open, the error with which the iterations were replayed, what
// steps and jobs that are the same differ by, and 15 % of the gain. Changes of the order of
// collectives (overlap) are made before all others.

#include "core/analysis/energy/EstimatedEnergy.h"
#include "core/analysis/replay/StepGraph.h"
#include "core/analysis/replay/StepReplay.h"
#include "core/catalogue/GpuModel.h"

namespace trainscope::analysis {

struct ChangeForm;

struct StepChange {
    std::string text; // as it was asked for
    std::string subject; // kernel, operator, GPU …; empty: none
    double value = 1.0; // factor, W, Hz; overlap: 1 on, 0 off
    const ChangeForm* form = nullptr; // never nullptr once parsed
};

// Usage names the forms that there are, and the one that was likely meant.
Result<StepChange> parseChange(std::string_view text);
// "kernel:TEXT=0.5x", "host=0x", …
std::vector<std::string> changeForms();

// Facts of the run that the changes rest on; SI.
struct ChangeFacts {
    const catalogue::GpuModel* gpu = nullptr; // nullptr: not known
    std::optional<double> clockHz; // mean while it was traced
    std::optional<double> limitW; // a GPU
    std::optional<double> meanW; // a GPU, while it was traced
    std::optional<EstimatedEnergy> energy; // a step, all GPUs
    // Energy of a step, all GPUs, by category of kernels; "copy" and "idle" among them. Empty: not
    // known.
    std::map<std::string, EstimatedEnergy> categories;
};

// Facts of a run, with its graph and the energy of its traced GPUs. Cancelled by progress.
struct EnergyByPhase;
Result<ChangeFacts> changeFacts(
    const RunStudy& study, const StepGraph& graph, const EnergyByPhase& energy);

struct ChangedStep {
    std::shared_ptr<const StepGraph> graph; // with other edges where the changes need them
    StepCosts costs;
    StepTimes times;
    double seconds = 0.0; // as StepReplay::changedS
    double lowS = 0.0;
    double highS = 0.0;
    std::optional<EstimatedEnergy> energy;
    std::vector<AppliedChange> changes;
};

// `replayed`: the graph simulated as measured. Usage where a change finds nothing to change, and
// where it needs what is not known; NotFound where no iteration counts.
Result<ChangedStep> changedStep(std::shared_ptr<const StepGraph> graph, const StepTimes& replayed,
    std::span<const StepChange> changes, const ChangeFacts& facts);

} // namespace trainscope::analysis
