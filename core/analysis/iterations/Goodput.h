#pragma once
// Goodput: the share of a job's wall time in steps that counted, and what the rest of it was, as a
// partition.
//
// The parts are those of Google's ml-goodput-measurement, as far as logs, trackers and marks tell
// them (github.com/AI-Hypercomputer/ml-goodput-measurement, BadputType of goodput_utils.py):
//   counted      productive steps: each number once, as it was done last
//   startup      until the first step, and what the first steps after a start take longer than the
//                others (TPU_INITIALIZATION, TRAINING_PREP, PROGRAM_STARTUP)
//   restart      from the last step before numbers go back to the first one behind
//                (INFRASTRUCTURE_RECOVERY_FROM_DISRUPTION, and the start that follows it)
//   repeated     steps whose numbers come again later (WASTED_PROGRESS_FROM_DISRUPTION)
//   evaluation, checkpoint, data_loading   stretches that marks or logs name so, within steps too
//                (CUSTOM_BADPUT_EVENTS, UNPRODUCTIVE_CHECKPOINT_…_TIME, DATA_LOADING_SYNC)
//   idle         the rest, between and after steps (OTHER)
// The wall time lasts from the first thing that is recorded of the run to the end of the last,
// which a step may be. Time within a step that has no name is the step's.

#include "core/analysis/RunStudy.h"
#include "core/model/StepFacts.h"

namespace trainscope::analysis {

enum class JobPart {
    Counted,
    Startup,
    Restart,
    Repeated,
    Evaluation,
    Checkpoint,
    DataLoading,
    Idle
};
constexpr auto namesOf(JobPart) {
    return enumNames("counted", "startup", "restart", "repeated", "evaluation", "checkpoint",
        "data_loading", "idle");
}
constexpr auto titlesOf(JobPart) {
    return enumNames("steps that counted", "startup", "restarts", "steps done again", "evaluation",
        "checkpoints", "loading data", "idle between steps");
}
using trainscope::titleOf;
inline constexpr auto kJobParts = allValues<JobPart>();

struct Goodput {
    double wallS = 0.0; // 0: not known
    ByEnum<JobPart, kJobParts.size(), double> seconds; // sum to the wall time
    std::int64_t repeats = 0; // steps
    std::int64_t restarts = 0;
    std::string whyNone; // for people, of one that is not known

    [[nodiscard]] bool isKnown() const { return wallS > 0.0; }
    [[nodiscard]] double share() const { return seconds[JobPart::Counted] / wallS; }
};

// Steps in order of time; they may overlap a little. Pure.
Goodput goodputFrom(
    TimeRange run, std::span<const Iteration> steps, std::span<const NamedPhase> stretches);
// "Steps that counted took 72 % of the job's 100 s; restarts 20 s and steps done again 7.95 s"; of
// one that is known.
std::string goodputText(const Goodput& goodput);
// The part that a stretch of that name is of; absent: none, as "run" or "forward". Pure.
std::optional<JobPart> jobPartOf(std::string_view name);

// Known of measured runs whose steps a log, a tracker or marks tell, with the times between them.
Result<Goodput> goodputOf(const RunStudy& study);

} // namespace trainscope::analysis
