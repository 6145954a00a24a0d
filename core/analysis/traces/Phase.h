#pragma once
// Phases of a step, from names and times of the work on a device, and passes, from annotations.
//
// Host threads of a rank as the origin of its work: the time of each launch, and the phase that its
// surroundings tell. Fed with the threads' spans in order of start; memory is bounded by what is
// open and by kMostLaunches, so calls that launch nothing do not pile up.

#include "core/layout/Schedule.h"
#include "core/store/Store.h"

#include <deque>
#include <unordered_map>

namespace trainscope::analysis {

// A pass of a pipeline, from the name of the annotation around it. Understood are
//   F3, B3.1, W3.1.0     micro-batch, chunk, part of the sequence; W_clear.1: all weight gradients
//                        that are left (NVTX ranges of zero-bubble-pipeline-parallelism)
//   PP:5F3, PP:5I3, PP:5W3, PP:5B3   stage of the model, micro-batch; I is the gradient of the
//                        inputs, W that of the weights, B both (torch.distributed.pipelining)
//   Forward 3, Backward 3   (the same, schedules of one stage per rank)
//   wgrad, weight_grad, backward_weight, backward_dw as part of a name: gradients of the weights
// Pure; any thread.
struct PassName {
    layout::TaskKind kind = layout::TaskKind::Forward;
    std::optional<int> microbatch;
    std::optional<int> chunk; // piece of the model on its stage
    std::optional<int> piece; // piece of the model, as PyTorch counts its stages

    // Names of passes proper: one annotation is one pass, whatever surrounds it.
    [[nodiscard]] bool isNumbered() const { return microbatch || chunk || piece; }
    bool operator==(const PassName&) const = default;
};

std::optional<PassName> passNameOf(std::string_view annotation);

// The phases of a training step, as a partition of a device's time: at each moment exactly one
// holds.
//   idle                  nothing runs
//   copy                  only copies and memory sets run
//   communication_exposed only kernels of NCCL, RCCL or MSCCL run
//   communication_hidden  such a kernel and another one run at once
//   forward, backward, optimizer, compute: what runs is no communication. If kernels of several
//                         phases overlap: optimizer before backward before forward.
// A kernel's phase, by the first of these that is known:
//   1. the host thread that launched it (correlation of the runtime call): the innermost annotation
//      or operator around the call whose name tells backward or optimizer, else one that tells
//      forward; where that thread says nothing, the annotations of the rank's other threads;
//   2. the annotation on its own stream (gpu_user_annotation);
//   3. where the trace has no launches, the host annotation at the kernel's start;
//   4. its name (…_bwd_…, dgrad, wgrad; …_fwd_…, fprop; the optimizer category).
// The rest is forward where the rank's annotations or operators tell forward from backward at
// all, else compute. Recomputed activations run inside backward and count there.
enum class Phase : std::uint8_t {
    Forward,
    Backward,
    Optimizer,
    Compute,
    CommunicationExposed,
    CommunicationHidden,
    Copy,
    Idle,
};
constexpr auto namesOf(Phase) {
    return enumNames("forward", "backward", "optimizer", "compute", "communication_exposed",
        "communication_hidden", "copy", "idle");
}
inline constexpr auto kAllPhases = allValues<Phase>();
inline constexpr std::size_t kPhases = kAllPhases.size();
std::string phaseTitle(Phase phase); // for people: "communication exposed"

// A value for each phase.
template <typename T>
using ByPhase = ByEnum<Phase, kPhases, T>;

// Mark of compute, from a name.
enum class Mark { None, Forward, Backward, Optimizer };
std::optional<Phase> phaseOf(Mark mark); // absent for None

// Reads names of record_function, NVTX and Megatron's timers: "## forward ##", "forward-compute",
// "DistributedDataParallel.forward", "backward-compute", "Optimizer.step#Adam.step", and the names
// of passes (Phase.h). A name that tells both ("forward-backward") tells neither.
Mark markOfAnnotation(std::string_view name);
// Reads names of operators: "autograd::engine::evaluate_function: MmBackward0". Operators never
// tell forward, since backward calls forward ones too (recomputation).
Mark markOfOperator(std::string_view name);
Mark markOfKernel(std::string_view name, std::string_view category);

// Surroundings of a moment: the mark, and the begin and name of the annotation that tells one pass
// from the next of its kind: the one with the numbers of a pass, else the outermost;
// absent where only an operator tells it.
struct Telling {
    Mark mark = Mark::None;
    std::optional<TimeNs> since;
    NameId name = {};
};

struct Launch {
    TimeRange call; // runtime call
    Telling telling;
};

class HostTimeline {
public:
    static constexpr std::size_t kMostLaunches = std::size_t{1} << 17U;

    explicit HostTimeline(const store::Store& store)
        : m_store(store) { }

    Status add(std::size_t thread, const Span& span);
    // The call of that correlation. A call is taken once, unless it launched a graph of kernels.
    std::optional<Launch> takeLaunch(std::int64_t correlation);
    // Surroundings of a moment by annotations; moments must not go back.
    Telling annotationAt(TimeNs moment);

    [[nodiscard]] bool hasLaunches() const { return m_hasLaunches; }
    // Some annotation or operator told forward or backward.
    [[nodiscard]] bool tellsDirections() const { return m_tellsDirections; }

private:
    struct Open {
        TimeRange range;
        Mark mark;
        bool isAnnotation;
        bool isPass; // by its numbers
        NameId name;
    };
    struct Thread {
        std::vector<Open> open; // those that tell something, outermost first
    };
    struct Name {
        Mark annotation = Mark::None;
        Mark operation = Mark::None;
        bool isGraphLaunch = false;
        bool isPass = false;
    };
    struct Known {
        Launch launch;
        bool isGraph = false;
    };
    Result<Name> nameOf(NameId id);
    [[nodiscard]] Telling tellingAt(std::size_t thread, TimeNs moment) const;
    void remember(std::int64_t correlation, const Known& known);

    const store::Store& m_store;
    std::unordered_map<NameId, Name> m_names;
    std::vector<Thread> m_threads;
    std::vector<Open> m_annotations; // for annotationAt(), by their begin
    std::unordered_map<std::int64_t, Known> m_launches;
    std::deque<std::int64_t> m_order; // launches, oldest first
    bool m_hasLaunches = false;
    bool m_tellsDirections = false;
};

} // namespace trainscope::analysis
