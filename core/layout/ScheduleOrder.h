#pragma once
// The order in which each stage of a pipeline does its work; Schedule.h names the papers.

#include "core/layout/Schedule.h"

namespace trainscope::layout {

struct WorkItem {
    TaskKind kind = TaskKind::Forward;
    int chunk = 0;
    int microbatch = 0;
    bool isWhole = false; // Backward with the gradient of the weights, where others are apart
    bool isPaired = false; // Forward that the next item, a backward pass, goes with
};

// The request's microbatchGroup, or what stands for 0; the number of stages without virtual ones.
int groupOf(const ScheduleRequest& request);

// Forward passes that a stage begins before its first backward pass, at most all of them.
int warmupCount(const ScheduleRequest& request, int stage);

// One order for each stage.
std::vector<std::vector<WorkItem>> workOrders(const ScheduleRequest& request);

// The place, in the model's order, of the piece that is chunk `chunk` of a stage.
int pieceOf(ScheduleKind kind, int stages, int stage, int chunk);

} // namespace trainscope::layout
