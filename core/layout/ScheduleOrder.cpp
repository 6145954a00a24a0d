#include "core/layout/ScheduleOrder.h"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <set>
#include <utility>

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

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr std::array<int, 2> kLaterFirst{1, 0}; // chunks

// The order in which a stage of ZB-V works. Gradients of the inputs always come first.
struct TurnRule {
    bool weightsFirst = false; // gradients of the weights before forward passes
    // The stage waits for a task that is ready within this fraction of the time that a gradient of
    // the weights takes.
    double patience = 0.0;
};
// None of them is the best of all times: as in the paper, each is tried.
constexpr std::array<TurnRule, 3> kTurnRules{{{false, 0.0}, {false, 0.4}, {true, 0.4}}};
constexpr double kMostTriedTasks = 5'000; // with more the first rule has to do: plans are searched

// The order of a zero-bubble schedule whose model runs down the stages and back up again (ZB-V, Qi
// et al. 2024): each stage has two pieces of the model, the k-th and the k-th from the end. Greedy,
// as the pieces' times have it: the work of all stages is played in the order of time, and a free
// stage takes what is ready in the order gradient of the inputs, forward, gradient of the weights,
// unless the rule has it otherwise; the second piece before the first. A stage holds the
// activations of no more than 2 × stages pieces, as much as 1F1B's first one.
class ZeroBubbleV {
public:
    ZeroBubbleV(const ScheduleRequest& request, const TurnRule& rule)
        : m_request(request)
        , m_rule(rule)
        , m_stages(static_cast<std::size_t>(request.stages)) {
        const auto count = static_cast<std::size_t>(2 * request.stages)
            * static_cast<std::size_t>(request.microbatches);
        m_forwardEnd.assign(count, kNever);
        m_backwardEnd.assign(count, kNever);
    }

    std::vector<std::vector<WorkItem>> run() {
        m_moments.insert(0.0);
        while (!m_moments.empty()) {
            const double now = *m_moments.begin();
            m_moments.erase(m_moments.begin());
            // Work of no duration lets others begin at once.
            for (bool began = true; began;) {
                began = false;
                for (int stage = 0; stage < m_request.stages; ++stage)
                    began = begin(stage, now) || began;
            }
        }
        std::vector<std::vector<WorkItem>> orders;
        for (Stage& stage : m_stages)
            orders.push_back(std::move(stage.order));
        return orders;
    }

    // After the run.
    [[nodiscard]] double makespan() const {
        double end = 0.0;
        for (const Stage& stage : m_stages)
            end = std::max(end, stage.free);
        return end;
    }

private:
    struct Stage {
        double free = 0.0;
        std::array<int, 2> forward{}; // done, by chunk
        std::array<int, 2> backward{};
        std::array<int, 2> weights{};
        std::deque<int> owed; // chunks whose weight gradients are to be done
        std::vector<WorkItem> order;

        [[nodiscard]] int held() const { return forward[0] + forward[1] - weights[0] - weights[1]; }
    };

    [[nodiscard]] int piece(int stage, int chunk) const {
        return pieceOf(ScheduleKind::ZeroBubbleV, m_request.stages, stage, chunk);
    }
    [[nodiscard]] std::size_t at(int piece, int microbatch) const {
        return static_cast<std::size_t>(piece) * static_cast<std::size_t>(m_request.microbatches)
            + static_cast<std::size_t>(microbatch);
    }
    [[nodiscard]] const PieceTimes& times(int piece) const {
        return m_request.times[m_request.times.size() == 1 ? 0 : static_cast<std::size_t>(piece)];
    }
    // The two pieces in the middle lie on one stage.
    [[nodiscard]] double sendTo(int next) const {
        return next == m_request.stages ? 0.0 : m_request.sendTime;
    }

    [[nodiscard]] double forwardReady(int stage, int chunk) const {
        const int batch
            = m_stages[static_cast<std::size_t>(stage)].forward[static_cast<std::size_t>(chunk)];
        const int own = piece(stage, chunk);
        if (batch == m_request.microbatches)
            return kNever;
        return own == 0 ? 0.0 : m_forwardEnd[at(own - 1, batch)] + sendTo(own);
    }

    [[nodiscard]] double backwardReady(int stage, int chunk) const {
        const int batch
            = m_stages[static_cast<std::size_t>(stage)].backward[static_cast<std::size_t>(chunk)];
        const int own = piece(stage, chunk);
        if (batch == m_request.microbatches)
            return kNever;
        const double forward = m_forwardEnd[at(own, batch)];
        if (own == 2 * m_request.stages - 1)
            return forward;
        return std::max(forward, m_backwardEnd[at(own + 1, batch)] + sendTo(own + 1));
    }

    // One that begins on its way down must find room for its way up.
    [[nodiscard]] bool hasRoom(const Stage& stage, int chunk) const {
        const int goingUp = stage.forward[0] - stage.forward[1];
        return chunk == 1 || stage.held() + goingUp + 2 <= 2 * m_request.stages;
    }

    bool begin(int number, double now) {
        Stage& stage = m_stages[static_cast<std::size_t>(number)];
        if (stage.free > now)
            return false;
        for (const int chunk : kLaterFirst) {
            if (backwardReady(number, chunk) <= now)
                return work(number, TaskKind::Backward, chunk, now);
        }
        if (m_rule.weightsFirst && beginWeights(number, now))
            return true;
        for (const int chunk : kLaterFirst) {
            if (forwardReady(number, chunk) <= now && hasRoom(stage, chunk))
                return work(number, TaskKind::Forward, chunk, now);
        }
        return beginWeights(number, now);
    }

    bool beginWeights(int number, double now) {
        Stage& stage = m_stages[static_cast<std::size_t>(number)];
        if (stage.owed.empty())
            return false;
        const int chunk = stage.owed.front();
        const double next = nextReady(number);
        const double length = times(piece(number, chunk)).weightGradient;
        if (next > now && next < now + m_rule.patience * length) {
            m_moments.insert(next);
            return false;
        }
        stage.owed.pop_front();
        return work(number, TaskKind::WeightGradient, chunk, now);
    }

    // As far as it is known.
    [[nodiscard]] double nextReady(int number) const {
        const Stage& stage = m_stages[static_cast<std::size_t>(number)];
        double next = kNever;
        for (const int chunk : kLaterFirst) {
            next = std::min(next, backwardReady(number, chunk));
            if (hasRoom(stage, chunk))
                next = std::min(next, forwardReady(number, chunk));
        }
        return next;
    }

    bool work(int number, TaskKind kind, int chunk, double now) {
        Stage& stage = m_stages[static_cast<std::size_t>(number)];
        const auto c = static_cast<std::size_t>(chunk);
        const int own = piece(number, chunk);
        const PieceTimes& one = times(own);
        int& done = kind == TaskKind::Forward ? stage.forward[c]
            : kind == TaskKind::Backward      ? stage.backward[c]
                                              : stage.weights[c];
        stage.free = now
            + (kind == TaskKind::Forward         ? one.forward
                    : kind == TaskKind::Backward ? one.inputGradient
                                                 : one.weightGradient);
        if (kind == TaskKind::Forward)
            m_forwardEnd[at(own, done)] = stage.free;
        if (kind == TaskKind::Backward) {
            m_backwardEnd[at(own, done)] = stage.free;
            stage.owed.push_back(chunk);
        }
        stage.order.push_back({kind, chunk, done++});
        m_moments.insert(stage.free);
        m_moments.insert(stage.free + m_request.sendTime);
        return true;
    }

    const ScheduleRequest& m_request;
    TurnRule m_rule;
    std::vector<Stage> m_stages;
    std::vector<double> m_forwardEnd; // by piece and micro-batch
    std::vector<double> m_backwardEnd;
    std::set<double> m_moments; // at which something may begin
};

// By the rule that is done first.
std::vector<std::vector<WorkItem>> turningOrders(const ScheduleRequest& request) {
    const double tasks = 6.0 * request.stages * request.microbatches;
    std::vector<std::vector<WorkItem>> orders;
    double shortest = kNever;
    for (const TurnRule& rule : kTurnRules) {
        ZeroBubbleV played(request, rule);
        auto made = played.run();
        if (orders.empty() || played.makespan() < shortest * (1.0 - 1e-9)) {
            shortest = played.makespan();
            orders = std::move(made);
        }
        if (tasks > kMostTriedTasks)
            break;
    }
    return orders;
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
    case ScheduleKind::ZeroBubbleV:
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
    if (request.kind == ScheduleKind::ZeroBubbleV)
        return turningOrders(request);
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
    const bool goesBackUp = kind == ScheduleKind::ZeroBubbleV && chunk == 1;
    return goesBackUp ? 2 * stages - 1 - stage : chunk * stages + stage;
}

} // namespace trainscope::layout
