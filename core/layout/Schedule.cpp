#include "core/layout/Schedule.h"

#include "core/layout/ScheduleOrder.h"
#include "core/model/Try.h"

#include <fmt/format.h>

#include <cmath>

namespace trainscope::layout {

namespace {

constexpr double kNotDone = -1.0;

// Works the stages' orders off, each task as soon as its stage is free and what it needs is there.
class Timing {
public:
    explicit Timing(const ScheduleRequest& request)
        : m_request(request)
        , m_pieces(request.stages * request.virtualStages)
        , m_queue(static_cast<std::size_t>(request.stages)) {
        const auto count
            = static_cast<std::size_t>(m_pieces) * static_cast<std::size_t>(request.microbatches);
        m_forwardEnd.assign(count, kNotDone);
        m_backwardEnd.assign(count, kNotDone);
        auto orders = workOrders(request);
        for (std::size_t stage = 0; stage < m_queue.size(); ++stage)
            m_queue[stage].order = std::move(orders[stage]);
    }

    // False when the orders wait for each other.
    bool run() {
        std::vector<int> ready;
        for (int stage = m_request.stages - 1; stage >= 0; --stage)
            ready.push_back(stage);
        while (!ready.empty()) {
            const int stage = ready.back();
            ready.pop_back();
            if (!advance(stage))
                continue;
            // A neighbour may wait for the pass just done; the next stage after the last is the
            // first.
            ready.push_back((stage + 1) % m_request.stages);
            ready.push_back((stage + m_request.stages - 1) % m_request.stages);
        }
        return std::all_of(m_queue.begin(), m_queue.end(),
            [](const Queue& queue) { return queue.next == queue.order.size(); });
    }

    std::vector<ScheduleTask> takeTasks() {
        std::vector<ScheduleTask> tasks;
        for (auto& queue : m_queue)
            tasks.insert(tasks.end(), queue.done.begin(), queue.done.end());
        return tasks;
    }

private:
    struct Queue {
        std::vector<WorkItem> order;
        std::vector<ScheduleTask> done;
        std::size_t next = 0;
        double free = 0.0;
    };

    [[nodiscard]] std::size_t at(int piece, int microbatch) const {
        return static_cast<std::size_t>(piece) * static_cast<std::size_t>(m_request.microbatches)
            + static_cast<std::size_t>(microbatch);
    }

    [[nodiscard]] const PieceTimes& times(int piece) const {
        return m_request.times[m_request.times.size() == 1 ? 0 : static_cast<std::size_t>(piece)];
    }

    // kNotDone: not known yet.
    [[nodiscard]] double afterSending(double end) const {
        return end == kNotDone || m_request.stages == 1 ? end : end + m_request.sendTime;
    }

    [[nodiscard]] double readyAt(const WorkItem& item, int piece) const {
        if (item.kind == TaskKind::WeightGradient)
            return m_backwardEnd[at(piece, item.microbatch)];
        if (item.kind == TaskKind::Forward)
            return piece == 0 ? 0.0 : afterSending(m_forwardEnd[at(piece - 1, item.microbatch)]);
        const double own = m_forwardEnd[at(piece, item.microbatch)];
        if (own == kNotDone || piece == m_pieces - 1)
            return own;
        const double gradient = afterSending(m_backwardEnd[at(piece + 1, item.microbatch)]);
        return gradient == kNotDone ? kNotDone : std::max(own, gradient);
    }

    [[nodiscard]] double duration(TaskKind kind, int piece) const {
        const PieceTimes& one = times(piece);
        switch (kind) {
        case TaskKind::Forward:
            return one.forward;
        case TaskKind::WeightGradient:
            return one.weightGradient;
        case TaskKind::Backward:
            break;
        }
        return splitsBackward(m_request.kind) ? one.inputGradient
                                              : one.inputGradient + one.weightGradient;
    }

    [[nodiscard]] int pieceOn(int stage, const WorkItem& item) const {
        return pieceOf(m_request.kind, m_request.stages, stage, item.chunk);
    }

    bool advance(int stage) {
        Queue& queue = m_queue[static_cast<std::size_t>(stage)];
        const std::size_t before = queue.next;
        while (queue.next < queue.order.size()) {
            const WorkItem& item = queue.order[queue.next];
            // Both of a pair begin and end together.
            const WorkItem* const other = item.isPaired ? &item + 1 : nullptr;
            double ready = readyAt(item, pieceOn(stage, item));
            if (other != nullptr && ready != kNotDone) {
                const double second = readyAt(*other, pieceOn(stage, *other));
                ready = second == kNotDone ? kNotDone : std::max(ready, second);
            }
            if (ready == kNotDone)
                break;
            queue.free = std::max(queue.free, ready);
            work(stage, item, other != nullptr);
            if (other != nullptr)
                work(stage, *other, true);
            end(item, pieceOn(stage, item), queue.free);
            if (other != nullptr)
                end(*other, pieceOn(stage, *other), queue.free);
            queue.next += other == nullptr ? 1 : 2;
        }
        return queue.next > before;
    }

    void work(int stage, const WorkItem& item, bool isPaired) {
        Queue& queue = m_queue[static_cast<std::size_t>(stage)];
        const int piece = pieceOn(stage, item);
        const auto add = [&](TaskKind kind, double length) {
            const double start = queue.free;
            queue.free += length;
            queue.done.push_back({stage, item.chunk, item.microbatch, kind, start, queue.free});
        };
        add(item.kind, duration(item.kind, piece) + (isPaired ? 0.0 : unpaired(item.kind, piece)));
        if (item.isWhole)
            add(TaskKind::WeightGradient, times(piece).weightGradient);
    }

    [[nodiscard]] double unpaired(TaskKind kind, int piece) const {
        const PieceTimes& one = times(piece);
        return kind == TaskKind::Forward ? one.unpairedForward
            : kind == TaskKind::Backward ? one.unpairedBackward
                                         : 0.0;
    }

    void end(const WorkItem& item, int piece, double time) {
        if (item.kind == TaskKind::Forward)
            m_forwardEnd[at(piece, item.microbatch)] = time;
        else if (item.kind == TaskKind::Backward)
            m_backwardEnd[at(piece, item.microbatch)] = time;
    }

    const ScheduleRequest& m_request;
    int m_pieces;
    std::vector<Queue> m_queue;
    std::vector<double> m_forwardEnd; // by piece and micro-batch
    std::vector<double> m_backwardEnd;
};

Status checkTimes(const ScheduleRequest& request) {
    const auto pieces = static_cast<std::size_t>(request.stages)
        * static_cast<std::size_t>(request.virtualStages);
    if (request.times.size() > 1 && request.times.size() != pieces)
        return usageError(fmt::format("Durations are given for {} pieces of the model, not for {}.",
            request.times.size(), pieces));
    const auto isDuration = [](double value) { return std::isfinite(value) && value >= 0.0; };
    for (const PieceTimes& one : request.times) {
        if (!isDuration(one.forward) || !isDuration(one.inputGradient)
            || !isDuration(one.weightGradient) || !isDuration(one.unpairedForward)
            || !isDuration(one.unpairedBackward))
            return usageError("A duration is negative or no number.");
    }
    if (!isDuration(request.sendTime))
        return usageError("The time to send is negative or no number.");
    return {};
}

bool groupWorks(int group, int stages, int microbatches) {
    const int left = microbatches % group;
    return left == 0 || left >= stages;
}

Status checkGroup(const ScheduleRequest& request) {
    const int group = request.microbatchGroup;
    if (group == 0) {
        const auto least = microbatchGroup(request.stages, request.microbatches);
        return least.hasValue() ? Status() : least.error();
    }
    if (group < request.stages || group > request.microbatches)
        return usageError(
            fmt::format("A group of micro-batches of the interleaved schedule has at least as many "
                        "as there are stages and at most all, {} to {}, not {}.",
                request.stages, request.microbatches, group));
    if (!groupWorks(group, request.stages, request.microbatches))
        return usageError(fmt::format(
            "Groups of {} leave {} of the {} micro-batches for the last one; the interleaved "
            "schedule needs none or at least as many as there are stages, {}.",
            group, request.microbatches % group, request.microbatches, request.stages));
    return {};
}

Status checkDualPipe(const ScheduleRequest& request) {
    const bool fits = request.stages % 2 == 0 && request.microbatches % 2 == 0
        && request.microbatches >= 2 * request.stages;
    return fits ? Status()
                : Status(usageError(fmt::format(
                    "The schedule dualpipe needs an even number of stages and an even number of "
                    "micro-batches, at least twice as many as there are stages: not {} stages "
                    "and {} micro-batches.",
                    request.stages, request.microbatches)));
}

std::vector<int> peaksOf(const Schedule& schedule) {
    std::vector<int> peaks(static_cast<std::size_t>(schedule.stages), 0);
    std::vector<int> held(peaks.size(), 0);
    const TaskKind last
        = splitsBackward(schedule.kind) ? TaskKind::WeightGradient : TaskKind::Backward;
    for (const ScheduleTask& task : schedule.tasks) {
        const auto stage = static_cast<std::size_t>(task.stage);
        held[stage] += task.kind == TaskKind::Forward ? 1 : 0;
        peaks[stage] = std::max(peaks[stage], held[stage]);
        held[stage] -= task.kind == last ? 1 : 0;
    }
    return peaks;
}

void measure(Schedule& schedule) {
    std::vector<double> busy(static_cast<std::size_t>(schedule.stages), 0.0);
    for (const ScheduleTask& task : schedule.tasks) {
        schedule.makespan = std::max(schedule.makespan, task.end);
        busy[static_cast<std::size_t>(task.stage)] += task.end - task.start;
    }
    double sum = 0.0;
    for (const double one : busy) {
        const double idle = schedule.makespan > 0.0 ? 1.0 - one / schedule.makespan : 0.0;
        schedule.stageBubble.push_back(std::max(0.0, idle));
        sum += schedule.stageBubble.back();
    }
    schedule.bubbleFraction = sum / schedule.stages;
    schedule.peakInFlight = peaksOf(schedule);
}

} // namespace

bool splitsBackward(ScheduleKind kind) {
    return kind == ScheduleKind::ZeroBubble || kind == ScheduleKind::DualPipe;
}

Result<ScheduleKind> scheduleKindFromString(std::string_view text) {
    if (const auto kind = fromString<ScheduleKind>(text))
        return *kind;
    return usageError(
        fmt::format("\"{}\" is no schedule: choose {}.", text, listedNames<ScheduleKind>()));
}

Result<int> microbatchGroup(int stages, int microbatches) {
    for (int group = std::max(1, stages); group <= microbatches; ++group) {
        if (groupWorks(group, stages, microbatches))
            return group;
    }
    return usageError(
        fmt::format("The interleaved schedule needs at least as many micro-batches as "
                    "there are stages: {} are fewer than {}.",
            microbatches, stages));
}

Status checkVirtualStages(ScheduleKind kind, int count) {
    if (count > 1 && kind != ScheduleKind::Interleaved)
        return usageError(
            fmt::format("The schedule {} has no virtual stages; interleaved has.", toString(kind)));
    return {};
}

Status checkSchedule(const ScheduleRequest& request) {
    if (request.kind == ScheduleKind::DualPipe)
        RETURN_IF_ERROR(checkDualPipe(request));
    if (request.stages < 1 || request.microbatches < 1 || request.virtualStages < 1)
        return usageError("A schedule needs at least one stage and one micro-batch.");
    RETURN_IF_ERROR(checkVirtualStages(request.kind, request.virtualStages));
    if (request.microbatchGroup < 0 || (request.microbatchGroup > 0 && request.virtualStages == 1))
        return usageError("Only the interleaved schedule with virtual stages has groups of "
                          "micro-batches.");
    if (request.virtualStages > 1)
        RETURN_IF_ERROR(checkGroup(request));
    const double tasks = 3.0 * request.stages * request.microbatches * request.virtualStages;
    if (tasks > static_cast<double>(kMaxTasks))
        return usageError(
            fmt::format("{} stages × {} micro-batches × {} virtual stages are too many to plan.",
                request.stages, request.microbatches, request.virtualStages));
    return checkTimes(request);
}

Result<Schedule> makeSchedule(const ScheduleRequest& asked) {
    RETURN_IF_ERROR(checkSchedule(asked));
    ScheduleRequest request = asked;
    if (request.times.empty()) {
        const double each = 1.0 / request.virtualStages;
        request.times = {{each, each, each}};
    }
    if (request.virtualStages > 1)
        request.microbatchGroup = groupOf(request); // found once, not at every pass
    Timing timing(request);
    if (!timing.run())
        return Error{ErrorCode::Internal, "The stages of this schedule wait for each other.", {}};
    Schedule schedule{request.kind, request.stages, request.microbatches, request.virtualStages,
        timing.takeTasks(), 0.0, 0.0, {}, {}, request.microbatchGroup};
    measure(schedule);
    return schedule;
}

std::optional<double> idealBubbleFraction(
    ScheduleKind kind, int stages, int microbatches, int virtualStages, const PieceTimes& times) {
    const double others = stages - 1;
    const double count = microbatches;
    if (stages < 1 || microbatches < 1 || virtualStages < 1)
        return std::nullopt;
    if (kind == ScheduleKind::Interleaved && virtualStages > 1) {
        if (microbatches < stages)
            return std::nullopt;
        return others / (virtualStages * count + others);
    }
    if (kind == ScheduleKind::DualPipe) {
        const bool isEqual
            = times.forward == times.inputGradient && times.forward == times.weightGradient;
        const bool isOne = !checkDualPipe({kind, stages, microbatches, 1, {}, 0.0, 0}).hasValue();
        if (!isEqual || isOne)
            return std::nullopt;
        return (stages - 2.0) / (3.0 * count + stages - 2.0);
    }
    if (kind != ScheduleKind::ZeroBubble)
        return others / (count + others);
    const double bubble = others * (times.forward + times.inputGradient - times.weightGradient);
    const bool holds = times.weightGradient <= std::min(times.forward, times.inputGradient)
        && microbatches >= stages && times.total() > 0.0;
    if (!holds)
        return std::nullopt;
    return bubble / (count * times.total() + bubble);
}

} // namespace trainscope::layout
