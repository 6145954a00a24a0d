#include "core/layout/ScheduleOrder.h"

#include <deque>

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

// The order of DualPipe's published code: the stages of the second half do as those of the first,
// with directions exchanged. Phase 0 is the direction that has more stages before it to come.
class DualPipeOrder {
public:
    DualPipeOrder(const ScheduleRequest& request, int stage)
        : m_half(request.stages / 2)
        , m_place(std::min(stage, request.stages - 1 - stage))
        , m_each(request.microbatches / 2)
        , m_isUpFirst(stage >= m_half) { }

    std::vector<WorkItem> make() {
        const int others = m_half - m_place - 1;
        for (int i = 0; i < 2 * others; ++i)
            forward(0);
        for (int i = 0; i <= m_place; ++i) {
            forward(0);
            forward(1);
        }
        for (int i = 0; i < others; ++i) {
            backward(1, true);
            weights();
            forward(1);
        }
        pairs();
        for (int i = 0; i < others; ++i) {
            backward(1, false);
            pair(1, 0);
        }
        drain();
        return std::move(m_order);
    }

private:
    [[nodiscard]] int directionOf(int phase) const { return m_isUpFirst ? 1 - phase : phase; }
    [[nodiscard]] int microbatch(int direction, int number) const {
        return direction * m_each + number;
    }

    void forward(int phase, bool isPaired = false) {
        const int direction = directionOf(phase);
        int& next = m_forward[static_cast<std::size_t>(direction)];
        m_order.push_back(
            {TaskKind::Forward, direction, microbatch(direction, next++), false, isPaired});
    }

    void backward(int phase, bool isSplit) {
        const int direction = directionOf(phase);
        int& next = m_backward[static_cast<std::size_t>(direction)];
        const int batch = microbatch(direction, next++);
        m_order.push_back({TaskKind::Backward, direction, batch, !isSplit, false});
        if (isSplit)
            m_owed.push_back({TaskKind::WeightGradient, direction, batch});
    }

    void weights() {
        m_order.push_back(m_owed.front());
        m_owed.pop_front();
    }

    void pair(int forwardPhase, int backwardPhase) {
        forward(forwardPhase, true);
        backward(backwardPhase, false);
    }

    void pairs() {
        const int rounds = m_each - 2 * m_half + m_place + 1;
        for (int i = 0; i < rounds; ++i) {
            if (i == 0 && m_place == m_half - 1) {
                forward(0);
                backward(1, false);
            } else {
                pair(0, 1);
            }
            pair(1, 0);
        }
    }

    // The second half of the last backward passes put their weights off.
    void drain() {
        const int middle = (m_place + 1) / 2;
        const bool isOdd = m_place % 2 == 1;
        for (int i = 0; i <= m_place; ++i) {
            backward(1, i > middle || (i == middle && isOdd));
            backward(0, i >= middle);
        }
        for (int i = 0; i < m_half - m_place - 1; ++i) {
            weights();
            backward(0, true);
        }
        while (!m_owed.empty())
            weights();
    }

    int m_half;
    int m_place; // from the nearer end
    int m_each; // micro-batches of a direction
    bool m_isUpFirst;
    std::array<int, 2> m_forward{}; // by direction
    std::array<int, 2> m_backward{};
    std::deque<WorkItem> m_owed;
    std::vector<WorkItem> m_order;
};

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
        return std::min(request.stages - stage - 1, all);
    case ScheduleKind::DualPipe: // its middle stages begin one more
        return stage == request.stages / 2 || stage == request.stages / 2 - 1 ? request.stages
                                                                              : request.stages - 1;
    case ScheduleKind::Interleaved:
        break;
    }
    const int later = request.virtualStages == 1
        ? request.stages - stage - 1
        : (request.stages - stage - 1) * 2 + (request.virtualStages - 1) * groupOf(request);
    return std::min(later, all);
}

std::vector<std::vector<WorkItem>> workOrders(const ScheduleRequest& request) {
    std::vector<std::vector<WorkItem>> orders;
    for (int stage = 0; stage < request.stages; ++stage)
        orders.push_back(request.kind == ScheduleKind::DualPipe
                ? DualPipeOrder(request, stage).make()
                : workOrder(request, stage));
    return orders;
}

int pieceOf(ScheduleKind kind, int stages, int stage, int chunk) {
    if (kind == ScheduleKind::DualPipe)
        return chunk == 1 ? stages - 1 - stage : stage;
    return chunk * stages + stage;
}

} // namespace trainscope::layout
