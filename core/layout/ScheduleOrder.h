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

// Forward passes that a stage begins before its first backward pass, at most all of them; not of
// ZeroBubbleV.
int warmupCount(const ScheduleRequest& request, int stage);

// By stage. The request's times matter to ZeroBubbleV alone.
std::vector<std::vector<WorkItem>> workOrders(const ScheduleRequest& request);

// Which piece of the model, in its order, is that chunk of a stage.
int pieceOf(ScheduleKind kind, int stages, int stage, int chunk);

} // namespace trainscope::layout
