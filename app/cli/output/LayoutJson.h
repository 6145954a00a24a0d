#pragma once
// A layout as `layout --json` prints it, design section 8.

#include "app/cli/text/Json.h"
#include "core/layout/Layout.h"
#include "core/layout/Traffic.h"

namespace trainscope::cli {

// `plan`: of its pipeline, nullptr where it is not known; its tasks are told where `withTasks`.
Json layoutJson(const layout::Layout& layout, const layout::Schedule* plan, bool withTasks);

Json tasksJson(const layout::Schedule& schedule);

// What the groups of the first rank of each stage send per step.
Json trafficJson(const layout::Layout& layout, const layout::TrafficModel& model);

} // namespace trainscope::cli
