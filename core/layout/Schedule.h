#pragma once
// Planned pipeline schedules: which stage works on which micro-batch when. Orders of work:
// GPipe (Huang et al. 2019), 1F1B and interleaved 1F1B as in Megatron-LM (Narayanan et al. 2021;
// megatron/core/pipeline_parallel/schedules.py), zero-bubble ZB-H1 (Qi et al. 2024),
// DualPipe (DeepSeek-AI 2024, arXiv 2412.19437, and its published code). The times follow from the
// order, the durations and the dependencies. Pure, thread-safe.

#include "core/model/EnumNames.h"
#include "core/model/Result.h"

#include <cstdint>
#include <vector>

namespace trainscope::layout {

enum class ScheduleKind {
    GPipe, // all forward, then all backward
    OneForwardOneBackward,
    Interleaved, // 1F1B over virtual stages
    ZeroBubble, // ZB-H1: the weights' gradients fill the bubbles, memory as 1F1B
    DualPipe, // from both ends at once: each stage holds its piece and the one as far from the end
};
constexpr auto namesOf(ScheduleKind) {
    return enumNames("gpipe", "1f1b", "interleaved", "zero-bubble", "dualpipe");
}
constexpr auto titlesOf(ScheduleKind) {
    return enumNames("GPipe", "1F1B", "Interleaved 1F1B", "Zero-bubble (ZB-H1)", "DualPipe");
}
using trainscope::titleOf;
inline constexpr auto kAllSchedules = allValues<ScheduleKind>();

Result<ScheduleKind> scheduleKindFromString(std::string_view text); // Usage names what is none
// The gradients of inputs and weights are passes of their own.
bool splitsBackward(ScheduleKind kind);

// Durations of one micro-batch on one piece of the model, in any unit. The backward pass is the
// gradient of the inputs and that of the weights; only zero-bubble schedules and DualPipe do them
// apart.
struct PieceTimes {
    double forward = 1.0;
    double inputGradient = 1.0;
    double weightGradient = 1.0;
    // DualPipe pairs a forward pass of one direction with a backward pass of the other, and each
    // hides exchanges of the other. A pass that is not paired takes so much longer.
    double unpairedForward = 0.0;
    double unpairedBackward = 0.0;

    [[nodiscard]] double total() const { return forward + inputGradient + weightGradient; }
};

struct ScheduleRequest {
    ScheduleKind kind = ScheduleKind::OneForwardOneBackward;
    int stages = 1;
    int microbatches = 1;
    int virtualStages = 1; // above 1 only where Interleaved
    // By piece in the model's order (LayoutRequest.h), stages × virtualStages; one: the same for
    // all; none: forward 1, backward 2, divided by the virtual stages.
    std::vector<PieceTimes> times;
    double sendTime = 0.0; // from one stage to another
    // Interleaved schedules: micro-batches that a stage takes through one of its pieces before
    // it turns to the next (Megatron-LM's microbatch-group-size-per-virtual-pipeline-stage). 0: the
    // least that works, see microbatchGroup().
    int microbatchGroup = 0;
};

// Megatron-LM asks for at least as many as there are stages, at most all micro-batches, and that
// those left over for the last group are none or no fewer than the stages: with fewer its stages
// wait for each other in a circle. The least such number, which holds the fewest activations;
// Usage where there are fewer micro-batches than stages.
Result<int> microbatchGroup(int stages, int microbatches);

enum class TaskKind : std::uint8_t { Forward, Backward, WeightGradient };
constexpr auto namesOf(TaskKind) {
    return enumNames("forward", "backward", "weight_gradient");
}

// Backward: the whole of it, or of zero-bubble schedules and DualPipe the gradient of the inputs
// alone. Chunk of DualPipe: the direction, 0 down the stages and 1 up; the second half of the
// micro-batches goes up.
struct ScheduleTask {
    int stage = 0;
    int chunk = 0;
    int microbatch = 0;
    TaskKind kind = TaskKind::Forward;
    double start = 0.0;
    double end = 0.0;
};

struct Schedule {
    ScheduleKind kind = ScheduleKind::OneForwardOneBackward;
    int stages = 1;
    int microbatches = 1;
    int virtualStages = 1;
    std::vector<ScheduleTask> tasks; // by stage, then in the order of work
    double makespan = 0.0; // from the first start to the last end
    double bubbleFraction = 0.0; // idle share of stages × makespan
    std::vector<double> stageBubble; // idle share of the makespan, by stage
    // Most pieces of the model whose activations a stage holds at a time: forward begun, backward
    // (zero-bubble: gradient of the weights) not done.
    std::vector<int> peakInFlight;
    int microbatchGroup = 0; // used by an interleaved schedule with virtual stages
};

// Usage error for numbers that make no schedule, or too many tasks (kMaxTasks).
inline constexpr std::int64_t kMaxTasks = 20'000'000;
Status checkSchedule(const ScheduleRequest& request);
Status checkVirtualStages(ScheduleKind kind, int count); // a part of it
Result<Schedule> makeSchedule(const ScheduleRequest& request);

// The bubble fraction where all pieces take equally long and sending takes no time, p stages, m
// micro-batches, v virtual stages, f, b, w the durations of PieceTimes for one stage:
// (p−1) / (m+p−1) for GPipe and 1F1B; (p−1) / (v·m+p−1) interleaved, m >= p;
// (p−1)(f+b−w) / (m(f+b+w) + (p−1)(f+b−w)) for ZB-H1, where w is no longer than f or b and m >= p;
// of DualPipe, whose bubble is (p/2−1)(F&B + B − 3W), F&B a pair, B a whole backward pass: with
// f = b = w and nothing to hide 2(p/2−1) / (3m + 2(p/2−1)).
// Absent where no such form holds.
std::optional<double> idealBubbleFraction(ScheduleKind kind, int stages, int microbatches,
    int virtualStages = 1, const PieceTimes& times = {});

} // namespace trainscope::layout
