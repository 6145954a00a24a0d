#pragma once
// Energy of a changed step from the measured energy of its parts: each category of work draws the
// power that it drew, or that its clock leaves it, for its changed time, and GPUs without work draw
// their idle power. SI; pure; any thread.

#include "core/analysis/replay/ClockLaw.h"
#include "core/analysis/replay/StepChange.h"

#include <map>
#include <optional>
#include <string>

namespace trainscope::analysis {

// Seconds of a step on all GPUs, by category of the work and "idle"; what runs at once counts in
// each.
using DeviceSeconds = std::map<std::string, double>;
DeviceSeconds deviceSeconds(const StepGraph& graph, const StepTimes& times);

// clock: over the measured one. Absent where much of the work is of categories whose energy is not
// known.
std::optional<EstimatedEnergy> changedEnergy(const ChangeFacts& facts, const DeviceSeconds& before,
    const Bounded<DeviceSeconds>& after, const Factors& clock);

} // namespace trainscope::analysis
