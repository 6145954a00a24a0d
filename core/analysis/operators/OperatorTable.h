#pragma once
// Tables over a call tree: time, work and efficiency by operator, shape, module, annotation or
// pass. Plain values; any thread.

#include "core/analysis/RunStudy.h"
#include "core/analysis/operators/CallTree.h"
#include "core/catalogue/GpuModel.h"
#include "core/work/TracedWork.h"
#include "core/work/Work.h"

namespace trainscope::analysis {

using trainscope::titleOf;

// Efficiency of work over a time, on a GPU's roofline. Absent where the work, the GPU or its peak
// is not known: never 0.
struct WorkEfficiency {
    std::optional<double> flop; // all calls together
    std::optional<double> bytes;
    std::optional<double> flopPerSecond; // over the busy time
    std::optional<double> bytesPerSecond;
    std::optional<double> intensity; // FLOP per byte
    std::optional<double> rooflineFraction; // attainable time over busy time
    std::optional<double> savable; // s above the roofline
    bool isMemoryBound = false; // meaningful if the fraction is known
    // Bytes of lists of tensors, whose element types no trace writes, are counted in 32 bits.
    bool isTypeAssumed = false;
    // Share of the time that is of calls whose work is known: below 1 the sums are of a part.
    double knownShare = 0.0;
};

struct OperatorEntry {
    std::string name;
    std::string signature; // JSON detail; of Shape only
    StepPass pass = StepPass::None; // Pass only
    FrameSums sums; // Shape, Operator, Pass: own work stands in the own fields
    WorkEfficiency efficiency;

    // The time and union that the table is of: own, or with all that is called (modules,
    // annotations).
    DurationNs time;
    DurationNs busy;
};

struct OperatorTable {
    OperatorGrouping grouping = OperatorGrouping::Shape;
    std::vector<OperatorEntry> rows; // by time, longest first
};

// `gpu`: nullptr where the model is not known.
OperatorTable operatorTable(
    const CallTree& tree, OperatorGrouping grouping, const catalogue::GpuModel* gpu);

// The same of kernels, copies and sets: a row for each name that `rowOf` gives their nodes. Its
// work is that of operators which launch nothing else.
std::vector<OperatorEntry> kernelRows(const CallTree& tree, const catalogue::GpuModel* gpu,
    const std::function<std::string(std::size_t node)>& rowOf);

// Bandwidth of the GPU's memory in practice: the highest rate of operators beside the matrix units
// whose calls move more bytes than caches hold, and not more than the memory can. Absent where
// there is none.
struct MeasuredBandwidth {
    double bytesPerSecond = 0.0;
    std::string name; // the operator's
};
std::optional<MeasuredBandwidth> measuredBandwidth(
    const CallTree& tree, const catalogue::GpuModel* gpu);

// The shapes and types of a signature in words: "[8944, 1024], [1024, 2816] bf16"; empty where it
// has none.
std::string shapeText(std::string_view signature);

// For each node the work of its whole subtree: own works of operators that are known, else of the
// nearest caller whose work is.
std::vector<WorkEfficiency> efficiencies(const CallTree& tree, const catalogue::GpuModel* gpu);

// Work that is known of the calls of a tree, and which calls count in sums over it: each piece of
// work once. Pure; any thread.

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
