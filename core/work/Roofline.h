#pragma once
// Roofline: the least time that work can take on a kind of GPU (Williams et al. 2009), and how near
// a measured time comes to it. Pure; any thread. SI.

#include "core/catalogue/GpuModel.h"
#include "core/work/TracedWork.h"

#include <optional>
#include <string_view>

namespace trainscope::work {

// What bounds work of one type on one kind of GPU. Absent: the catalogue does not say. Peaks are
// those of the matrix units, dense, doubled where the weights are sparse 2:4; work of the vector
// units is bounded by its bytes alone. Of fp32 no peak is known: whether TF32 was allowed is not in
// a trace.
struct Roof {
    std::optional<double> flops; // 1/s
    std::optional<double> bandwidth; // B/s, of the memory, nominal
    // What a kernel that only moves data was measured to reach, where known.
    std::optional<double> measuredBandwidth;
};
// `bandwidthShare`: of the nominal bandwidth, that was measured on this kind of GPU.
Roof roofOf(const catalogue::GpuModel& gpu, ElementType type, Units units,
    std::optional<double> bandwidthShare = std::nullopt);

enum class Bound { Compute, Memory };
std::string_view toString(Bound bound); // "compute", "memory"

struct Attainable {
    double seconds = 0.0;
    Bound bound = Bound::Memory;
    // The work computes on matrix units whose peak is not known: the bytes alone are a lower bound.
    bool isPeakUnknown = false;
};
// Absent without a bandwidth. By the measured bandwidth where `roof` has one and `measured` asks
// for it.
std::optional<Attainable> attainable(
    const TracedWork& work, const Roof& roof, bool measured = false);

// FLOP per byte; absent where nothing moves.
std::optional<double> intensityOf(const Work& work);
// Intensity at which both bounds meet; absent where either is not known.
std::optional<double> ridgeOf(const Roof& roof);

struct Efficiency {
    double flopRate = 0.0; // 1/s
    double byteRate = 0.0; // B/s
    double share = 0.0; // of the roofline: attainable over measured time
    double saved = 0.0; // s above the roofline, 0 for what is faster than it
};
// `seconds` of the kernels that did it; absent unless positive.
std::optional<Efficiency> efficiencyOf(const Work& work, const Attainable& least, double seconds);

} // namespace trainscope::work
