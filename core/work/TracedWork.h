#pragma once
// The work of an operator of a trace, from its name and its arguments. Pure; any thread.
//
// Anything unknown is absent, never 0: an operator that the table lacks, shapes or values that the
// trace did not record, lists of tensors whose element type nobody wrote. Operators that only move
// data have 0 FLOP and their bytes; those that only look at tensors in another way (aten::view,
// aten::t) launch no kernel and are absent too. An operator that is made of others
// (aten::linear of aten::addmm) has their work, so that sums go over one level of the tree.

#include "core/catalogue/GpuModel.h"
#include "core/work/OperatorSignature.h"
#include "core/work/Work.h"
#include "core/work/WorkTable.h"

namespace trainscope::work {

// Units of the GPU that the FLOP run on: products on those for matrices, the rest beside them.
enum class Units { Matrix, SparseMatrix, Vector };

struct TracedWork : Work {
    ElementType type = ElementType::Unknown; // the inputs' type
    Units units = Units::Vector;
    Formula formula = Formula::Nothing;
    // Lists of tensors say no type: those of optimizers are counted in 32 bits.
    bool isTypeAssumed = false;
};

std::optional<TracedWork> workOf(std::string_view operatorName, const OperatorSignature& signature,
    const WorkTable& table = WorkTable::inUse());
// Work of a span with that name and detail; absent where the detail has no shapes and states no
// work.
std::optional<TracedWork> workOf(std::string_view operatorName, std::string_view detail,
    const WorkTable& table = WorkTable::inUse());

// Work that a trace states itself, in the detail of a span: FLOP and bytes of an operator of XLA,
// by XLA's own count. Pure; any thread.

// The keys of the detail. A detail that states work begins with the first.
inline constexpr std::string_view kHloCategory = "hlo category";
inline constexpr std::string_view kStatedFlop = "flops";
inline constexpr std::string_view kStatedBytes = "bytes accessed";
inline constexpr std::string_view kStatedShape = "shape"; // "bf16[8,128]{1,0}"

// The units by the category and name; the type by the shape, else bf16, in which XLA's products are
// by default. Absent where the detail states no work.
std::optional<TracedWork> statedWorkOf(std::string_view operatorName, std::string_view detail);

// The shape of a traced operator in the terms of its formula, for samples of cost models. Pure; any
// thread.

struct TracedAttention {
    AttentionSize size;
    Mask mask = Mask::None;
    std::optional<double> window; // keys that each query sees before it
};

// One of the shapes is there, by the formula.
struct TracedShape {
    Formula formula = Formula::Nothing;
    ElementType type = ElementType::Unknown; // inputs' type
    std::optional<ProductSize> product;
    std::optional<TracedAttention> attention;
    // The tensor that a norm, a softmax, a loss or an elementwise operator goes over; for an
    // embedding its result.
    std::optional<Tensor> tensor;
    double tableRows = 0.0; // embedding only
};

std::optional<TracedShape> shapeOf(std::string_view operatorName,
    const OperatorSignature& signature, const WorkTable& table = WorkTable::inUse());

// Roofline: the least time that work can take on a kind of GPU (Williams et al. 2009). Pure; any
// thread. SI.

// The way that products of fp32 are computed: in full, or rounded to TF32 where a program allows
// it. Shapes do not tell; the names of their kernels do.
enum class SinglePrecision { Unknown, Full, Tf32 };
// By the words that cuBLAS, cuDNN, CUTLASS and Tensile (AMD) write into the names of kernels for
// products of fp32.
SinglePrecision singlePrecisionOf(std::string_view kernelName);

// Bounds on work of one type on one kind of GPU. Absent: not known. Absent: not known. Peaks are
// dense, doubled where the weights are sparse 2:4; work of the vector units is bounded by its bytes
// alone.
struct Roof {
    std::optional<double> flops; // 1/s
    std::optional<double> bandwidth; // B/s, of the memory, nominal
};
Roof roofOf(const catalogue::GpuModel& gpu, ElementType type, Units units,
    SinglePrecision precision = SinglePrecision::Unknown);

enum class Bound { Compute, Memory };

struct Attainable {
    double seconds = 0.0;
    Bound bound = Bound::Memory;
    // The work computes on matrix units whose peak is not known: the bytes alone are a lower bound.
    bool isPeakUnknown = false;
};
// Absent without a bandwidth.
std::optional<Attainable> attainable(const TracedWork& work, const Roof& roof);

// FLOP per byte; absent where nothing moves.
std::optional<double> intensityOf(const Work& work);

} // namespace trainscope::work
