#include "core/layout/ScheduleOrder.h"

#include "core/layout/ZeroBubbleV.h"

#include <algorithm>

namespace trainscope::layout {

namespace {

// The k-th forward or backward pass of a stage: micro-batches in groups, each group through all
// chunks, backward through the last chunk first.
WorkItem passAt(const ScheduleRequest& request, TaskKind kind, int k) {
    const int size = groupOf(request);
    const int perGroup = size * request.virtualStages;
    const int group = k / perGroup;
    const int first = group * size;
    const int members = std::min(size, request.microbatches - first);
    const int within = k - group * perGroup;
    const int chunk = within / members;
    const bool isForward = kind == TaskKind::Forward;
    return {kind, isForward ? chunk : request.virtualStages - 1 - chunk, first + within % members};
}

std::vector<WorkItem> zeroBubbleOrder(const ScheduleRequest& request, int stage) {
    const int count = request.microbatches;
    const int warmup = warmupCount(request, stage);
    std::vector<WorkItem> order;
    int forward = 0;
    int weights = 0;
    while (forward < warmup)
        order.push_back({TaskKind::Forward, 0, forward++});
    // A stage that begins late holds fewer micro-batches, and may owe as many weight gradients.
    for (int backward = 0; backward < count; ++backward) {
        if (forward < count)
            order.push_back({TaskKind::Forward, 0, forward++});
        order.push_back({TaskKind::Backward, 0, backward});
        if (backward >= stage)
            order.push_back({TaskKind::WeightGradient, 0, weights++});
    }
    while (weights < count)
        order.push_back({TaskKind::WeightGradient, 0, weights++});
    return order;
}

std::vector<WorkItem> workOrder(const ScheduleRequest& request, int stage) {
    if (request.kind == ScheduleKind::ZeroBubble)
        return zeroBubbleOrder(request, stage);
    const int all = request.microbatches * request.virtualStages;
    const int warmup = warmupCount(request, stage);
    std::vector<WorkItem> order;
    order.reserve(2 * static_cast<std::size_t>(all));
    for (int k = 0; k < warmup; ++k)
        order.push_back(passAt(request, TaskKind::Forward, k));
    for (int k = 0; k < all; ++k) {
        if (warmup + k < all)
            order.push_back(passAt(request, TaskKind::Forward, warmup + k));
        order.push_back(passAt(request, TaskKind::Backward, k));
    }
    return order;
}

} // namespace

int groupOf(const ScheduleRequest& request) {
    if (request.virtualStages == 1)
        return request.stages;
    return request.microbatchGroup > 0
        ? request.microbatchGroup
        : microbatchGroup(request.stages, request.microbatches).valueOr(request.stages);
}

int warmupCount(const ScheduleRequest& request, int stage) {
    const int all = request.microbatches * request.virtualStages;
    switch (request.kind) {
    case ScheduleKind::GPipe:
        return all;
    case ScheduleKind::OneForwardOneBackward:
    case ScheduleKind::ZeroBubble:
    case ScheduleKind::ZeroBubbleV:
        return std::min(request.stages - stage - 1, all);
    case ScheduleKind::Interleaved:
        break;
    }
    const int later = request.virtualStages == 1
        ? request.stages - stage - 1
        : (request.stages - stage - 1) * 2 + (request.virtualStages - 1) * groupOf(request);
    return std::min(later, all);
}

std::vector<std::vector<WorkItem>> workOrders(const ScheduleRequest& request) {
    if (request.kind == ScheduleKind::ZeroBubbleV)
        return zeroBubbleVOrders(request);
    std::vector<std::vector<WorkItem>> orders;
    for (int stage = 0; stage < request.stages; ++stage)
        orders.push_back(workOrder(request, stage));
    return orders;
}

int pieceOf(ScheduleKind kind, int stages, int stage, int chunk) {
    const bool goesBackUp = kind == ScheduleKind::ZeroBubbleV && chunk == 1;
    return goesBackUp ? 2 * stages - 1 - stage : chunk * stages + stage;
}

} // namespace trainscope::layout
