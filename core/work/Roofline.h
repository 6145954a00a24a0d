#pragma once
// Roofline: the least time that work can take on a kind of GPU (Williams et al. 2009). Pure; any
// thread. SI.

#include "core/catalogue/GpuModel.h"
#include "core/work/TracedWork.h"

namespace trainscope::work {

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
