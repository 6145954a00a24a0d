#pragma once
// Loads that a predicted step puts on its GPUs, and the step at the clock that the power limit
// leaves it. Pure; any thread.

#include "core/predict/power/PowerModel.h"
#include "core/predict/step/Step.h"

namespace trainscope::predict {

Activity activityOf(StepPart part);
// Limits of the job's GPUs, and the air around them.
Surroundings surroundingsOf(const Job& job, const PowerBasis& basis);

// Seconds of each activity in a pass; what it recomputes is spent as its forward pass is.
ActivityTimes activitiesOf(const Breakdown& pass, const Breakdown& forward);
// The same for a decoding pass, one token a sample, which waits for the memory that it reads,
// however much it multiplies.
ActivityTimes decodingOf(const Breakdown& pass);
// The same where no more is known than the parts of a stage's step.
ActivityTimes activitiesOf(const Step& step, const Breakdown& forward);
// Seconds of each activity of one stage in a step.
ActivityTimes activitiesOf(const Job& job, const Step& step, int stage);

// The way that operators' seconds go from the clock that their constants are for to that of the
// job.
enum class Slowing {
    None, // constants of training at the GPU's own limit have its clock in them
    FromUsual, // the same, where the job lowers the limit or locks the clock
    FromHighest, // for kernels by themselves (Rates::alone): the limit and the clock, whatever they
                 // are
};
Slowing slowingOf(const Job& job, const Rates& rates);

Result<Step> stepAtClock(const Job& job, const Rates& rates, const OperatorCosts& operators,
    const CollectiveCosts& collectives, Slowing slowing, const PowerBasis& basis, bool simulate);
// With costs by formula, and the catalogue's power. A limit that the job lowers counts for
// constants of kernels by themselves alone.
Result<Step> stepAtClock(const Job& job, const Rates& rates, bool simulate = true);

} // namespace trainscope::predict
