#pragma once
// Tables over a call tree: time, work and efficiency by operator, shape, module, annotation or
// pass. Plain values; any thread.

#include "core/analysis/operators/CallTree.h"
#include "core/catalogue/GpuModel.h"
#include "core/model/EnumNames.h"

#include <functional>

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

} // namespace trainscope::analysis
