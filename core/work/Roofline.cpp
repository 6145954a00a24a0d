#include "core/work/Roofline.h"

#include <algorithm>

namespace trainscope::work {

namespace {

std::optional<double> densePeak(const catalogue::GpuModel& gpu, ElementType type) {
    switch (type) {
    case ElementType::Float16:
        return gpu.fp16Flops;
    case ElementType::BFloat16:
        return gpu.bf16Flops;
    case ElementType::Float8:
        return gpu.fp8Flops;
    case ElementType::Float4:
        return gpu.fp4Flops;
    default:
        return std::nullopt;
    }
}

} // namespace

Roof roofOf(const catalogue::GpuModel& gpu, ElementType type, Units units,
    std::optional<double> bandwidthShare) {
    Roof roof;
    roof.bandwidth = gpu.memoryBandwidth;
    if (gpu.memoryBandwidth && bandwidthShare)
        roof.measuredBandwidth = *gpu.memoryBandwidth * *bandwidthShare;
    if (units == Units::Vector)
        return roof;
    roof.flops = densePeak(gpu, type);
    if (roof.flops && units == Units::SparseMatrix)
        *roof.flops *= 2.0;
    return roof;
}

std::string_view toString(Bound bound) {
    return bound == Bound::Compute ? "compute" : "memory";
}

std::optional<Attainable> attainable(const TracedWork& work, const Roof& roof, bool measured) {
    const auto bandwidth
        = measured && roof.measuredBandwidth ? roof.measuredBandwidth : roof.bandwidth;
    if (!bandwidth || *bandwidth <= 0.0)
        return std::nullopt;
    Attainable least{work.bytes / *bandwidth, Bound::Memory, false};
    if (work.units == Units::Vector)
        return least;
    if (!roof.flops || *roof.flops <= 0.0) {
        least.isPeakUnknown = true;
        return least;
    }
    const double computing = work.flop / *roof.flops;
    if (computing > least.seconds)
        least = {computing, Bound::Compute, false};
    return least;
}

std::optional<double> intensityOf(const Work& work) {
    return work.bytes > 0.0 ? std::optional(work.flop / work.bytes) : std::nullopt;
}

std::optional<double> ridgeOf(const Roof& roof) {
    return roof.flops && roof.bandwidth && *roof.bandwidth > 0.0
        ? std::optional(*roof.flops / *roof.bandwidth)
        : std::nullopt;
}

std::optional<Efficiency> efficiencyOf(const Work& work, const Attainable& least, double seconds) {
    if (!(seconds > 0.0))
        return std::nullopt;
    return Efficiency{work.flop / seconds, work.bytes / seconds, least.seconds / seconds,
        std::max(seconds - least.seconds, 0.0)};
}

} // namespace trainscope::work
