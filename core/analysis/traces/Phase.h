#pragma once
// The phases of a training step, as a partition of a device's time: at each moment exactly one
// holds.
//   idle                  no kernel runs (copies and memsets do not count, as in the breakdown)
//   communication_exposed only kernels of NCCL, RCCL or MSCCL run
//   communication_hidden  such a kernel and another one run at once
//   forward, backward, optimizer, compute: what runs is no communication. Where kernels of several
//                         phases overlap: optimizer before backward before forward.
// Whose phase a kernel is, by what is known first:
//   1. the host thread that launched it (correlation of the runtime call): the innermost annotation
//      or operator around the call whose name tells backward or optimizer, else one that tells
//      forward; where that thread says nothing, the annotations of the rank's other threads;
//   2. the annotation on its own stream (gpu_user_annotation);
//   3. where the trace has no launches, the host annotation at the kernel's start;
//   4. its name (…_bwd_…, dgrad, wgrad; …_fwd_…, fprop; the optimizer category).
// What is left is forward where the rank's annotations or operators tell forward from backward at
// all, else compute. Recomputed activations run inside backward and count there.

#include "core/model/Time.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace trainscope::analysis {

enum class Phase {
    Forward,
    Backward,
    Optimizer,
    Compute,
    CommunicationExposed,
    CommunicationHidden,
    Idle,
};
inline constexpr std::size_t kPhases = 7;
inline constexpr std::array<Phase, kPhases> kAllPhases{Phase::Forward, Phase::Backward,
    Phase::Optimizer, Phase::Compute, Phase::CommunicationExposed, Phase::CommunicationHidden,
    Phase::Idle};
std::string_view toString(Phase phase); // "forward", "communication_exposed", …

// A value for each phase.
template <typename T>
class ByPhase {
public:
    T& operator[](Phase phase) { return m_values[static_cast<std::size_t>(phase)]; }
    const T& operator[](Phase phase) const { return m_values[static_cast<std::size_t>(phase)]; }

private:
    std::array<T, kPhases> m_values{};
};

// What a name says of the compute it stands for.
enum class Mark { None, Forward, Backward, Optimizer };

// Of record_function, NVTX and Megatron's timers: "## forward ##", "forward-compute",
// "DistributedDataParallel.forward", "backward-compute", "Optimizer.step#Adam.step", and the names
// of passes (PassName.h). A name that tells both ("forward-backward") tells neither.
Mark markOfAnnotation(std::string_view name);
// Of operators: "autograd::engine::evaluate_function: MmBackward0". Operators never tell forward,
// since backward calls forward ones too (recomputation).
Mark markOfOperator(std::string_view name);
Mark markOfKernel(std::string_view name, std::string_view category);

} // namespace trainscope::analysis
