#pragma once
// A layout as `layout` prints it: who sits where, which groups cross nodes, the pipeline's bubbles,
// and what groups send per step.

#include "app/cli/text/Rows.h"
#include "core/layout/Layout.h"
#include "core/layout/Traffic.h"

namespace trainscope::cli {

// `plan`: of its pipeline, nullptr where it is not known; its tasks are told where `withTasks`.
Json layoutJson(const layout::Layout& layout, const layout::Schedule* plan, bool withTasks);
void printLayout(std::ostream& out, const layout::Layout& layout, const layout::Schedule* plan);

Json tasksJson(const layout::Schedule& schedule);

// Bytes that the groups of the first rank of each stage send per step.
Json trafficJson(const layout::Layout& layout, const layout::TrafficModel& model);
void printTraffic(
    std::ostream& out, const layout::Layout& layout, const layout::TrafficModel& model);

} // namespace trainscope::cli
