#pragma once
// The stretches of a run that its program named while it was recorded (marks: "phase NAME").

#include "core/model/Result.h"
#include "core/model/StepFacts.h"
#include "core/store/Store.h"

#include <vector>

namespace trainscope::analysis {

// In order of their begin.
Result<std::vector<NamedPhase>> namedPhasesOf(
    const store::Store& store, const std::vector<Track>& tracks);

} // namespace trainscope::analysis
