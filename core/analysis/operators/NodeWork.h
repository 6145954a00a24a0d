#pragma once
// Work that is known of the calls of a tree, and which calls count in sums over it: each piece of
// work once. Pure; any thread.

#include "core/analysis/RunStudy.h"
#include "core/analysis/operators/CallTree.h"
#include "core/catalogue/GpuModel.h"
#include "core/work/Roofline.h"
#include "core/work/Work.h"

namespace trainscope::analysis {

// Work of calls, and the part of their time that it is known for.
struct KnownWork {
    work::Work work;
    double matrixFlop = 0.0; // the part on matrix units
    double leastSeconds = 0.0; // on the GPU's roofline
    std::int64_t knownNs = 0; // part of the time with known work
    std::int64_t boundedNs = 0; // part of knownNs with a known least time
    std::int64_t memoryNs = 0; // part of boundedNs that memory bounds
    bool isTypeAssumed = false; // TracedWork.h

    KnownWork& operator+=(const KnownWork& other);
};

// By name and signature of a tree's operators.
class CallWork {
public:
    // `gpu`: nullptr where it is not known. The tree must outlive it.
    CallWork(const CallTree& tree, const catalogue::GpuModel* gpu);

    // Work of so many calls that took so long; nothing where it is not known.
    KnownWork of(std::uint32_t name, std::uint32_t signature, std::int64_t calls, DurationNs time);

private:
    struct OfCall {
        bool isKnown = false;
        work::Work work;
        bool isOnMatrixUnits = false;
        bool isTypeAssumed = false;
        std::optional<double> leastSeconds;
        bool isMemoryBound = false;
    };
    using Call = std::pair<std::uint32_t, std::uint32_t>; // name, signature
    [[nodiscard]] OfCall read(const Call& call) const;

    const CallTree& m_tree;
    const catalogue::GpuModel* m_gpu;
    // Precision in which their kernels compute; Unknown where two of them do not agree.
    std::map<Call, work::SinglePrecision> m_precisions;
    std::map<Call, OfCall> m_calls;
};

// An operator's formula stands for what it calls in its own pass, where not all of that is known by
// itself. Frames below in another pass (the backward pass of a forward operator) count beside
// it.
struct NodeWork {
    std::vector<KnownWork> subtrees; // by node, all passes
    std::array<KnownWork, kPasses> passes; // whole tree, by StepPass
};
NodeWork nodeWork(const CallTree& tree, CallWork& works);

// Share of the GPUs' peak that the operators of a window used: the FLOP of all that ran, by shapes.
// The model's formula stands beside it (energy/Efficiency.h).

struct OperatorMfu {
    double flop = 0.0; // on matrix units, without what is done again for the backward pass
    double recomputedFlop = 0.0;
    double gpuSeconds = 0.0; // length of the window × GPUs
    double knownShare = 0.0; // share of the work's time in operators with known FLOP
    std::optional<double> mfu; // relative to the peak of 16 bits; absent: the GPU is not known
    std::optional<double> hfu; // with what is done again
};
// `gpuSeconds`: the window's length times the GPUs that the tree is of. Absent where no work is
// known. Pure; any thread.
std::optional<OperatorMfu> operatorMfu(
    const CallTree& tree, double gpuSeconds, const catalogue::GpuModel* gpu);

struct IterationMfu {
    std::int64_t iteration = 0; // as the run numbers it
    DurationNs duration;
    OperatorMfu mfu;
};
// MFU of the iterations of a rank that lie whole in the window and in its trace, in order of time.
// Blocking; for a worker. Cancelled by progress.
Result<std::vector<IterationMfu>> iterationMfus(
    const RunStudy& study, int rank, TimeRange window, const catalogue::GpuModel* gpu);

} // namespace trainscope::analysis
