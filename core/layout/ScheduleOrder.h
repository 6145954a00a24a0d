#pragma once
// In which order each stage of a pipeline does its work; see Schedule.h for where the orders come
// from.

#include "core/layout/Schedule.h"

#include <vector>

namespace trainscope::layout {

struct WorkItem {
    TaskKind kind = TaskKind::Forward;
    int chunk = 0;
    int microbatch = 0;
};

// What microbatchGroup is where it is 0 in the request; the stages without virtual ones.
int groupOf(const ScheduleRequest& request);

// Forward passes that a stage begins before its first backward pass, at most all of them.
int warmupCount(const ScheduleRequest& request, int stage);

std::vector<WorkItem> workOrder(const ScheduleRequest& request, int stage);

} // namespace trainscope::layout
