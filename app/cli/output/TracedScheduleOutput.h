#pragma once
// The traced schedule of a run's pipeline, for `trainscope-cli layout --traced`.

#include "app/cli/text/Json.h"
#include "core/analysis/schedule/TracedSchedule.h"

#include <iosfwd>

namespace trainscope::cli {

Json tracedScheduleJson(const analysis::TracedSchedule& schedule, bool withTasks);
void printTracedSchedule(std::ostream& out, const analysis::TracedSchedule& schedule);

} // namespace trainscope::cli
