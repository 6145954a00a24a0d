#pragma once
// Places a log without dates in the telemetry of its run: the GPUs draw much power while the log
// says that iterations ran, and less before, after and between. Pure, but for placeLog().

#include "core/analysis/RunStudy.h"
#include "core/analysis/iterations/WorkSignal.h"
#include "core/model/Time.h"

#include <string>
#include <vector>

namespace trainscope::analysis {

struct LogPlacement {
    TimeNs start; // begin of the first iteration
    DurationNs error; // bound on the error of `start`
    std::vector<DurationNs> pauses; // length of each of the log's pauses
    double agreement = 0.0; // agreement of power and work there: 1 all of it, 0 none
    // Other places fit as well; the error spans them where they lie side by side.
    bool isAmbiguous = false;
    double iterationS = 0.0; // mean length of an iteration, to say the error in
    bool isSaid = false; // by the user
};

// "2026-04-22 00:08:53.4 UTC ± 1.2 s, from the edges of the summed power", with what is uncertain.
std::string placementText(const LogPlacement& placement);

// Fails with a sentence where the signal does not show the work. Pauses get the lengths that fit
// best; a pause has no length of its own where the work before it fills the record.
Result<LogPlacement> fitWork(const LoggedWork& work, const WorkSignal& signal);

// By the run's summed GPU power, else the power of its nodes.
Result<LogPlacement> placeLog(const RunStudy& study, const LoggedWork& work);

} // namespace trainscope::analysis
