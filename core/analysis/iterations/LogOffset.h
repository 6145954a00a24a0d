#pragma once
// Offset from UTC of the stamps of a log without zone: clocks of zones differ by whole quarters of
// an hour, and only one of them lays the log's iterations upon the high power of its run. Pure.

#include "core/analysis/iterations/WorkSignal.h"
#include "core/model/Result.h"

#include <cstdint>
#include <string>

namespace trainscope::analysis {

struct LogOffset {
    std::int64_t seconds = 0; // ahead of the telemetry's clock
    double agreement = 0.0; // agreement of power and work there: 1 all of it, 0 none
    std::int64_t nextSeconds = 0; // the next best fit
    double nextAgreement = 0.0;
};

// "UTC+02:00, by the power: 97 % of the iterations lie where it is high, 41 % with UTC+01:45".
std::string offsetText(const LogOffset& offset);

// Fails with a sentence where the signal does not show the work, or several offsets show it about
// as well. `work` counts from 1970, in the log's clock.
Result<LogOffset> fitOffset(const LoggedWork& work, const WorkSignal& signal);

} // namespace trainscope::analysis
