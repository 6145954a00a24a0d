#include "core/work/Roofline.h"

namespace trainscope::work {

namespace {

std::optional<double> densePeak(
    const catalogue::GpuModel& gpu, ElementType type, SinglePrecision precision) {
    switch (type) {
    case ElementType::Float32:
        return precision == SinglePrecision::Full ? gpu.fp32Flops
            : precision == SinglePrecision::Tf32  ? gpu.tf32Flops
                                                  : std::nullopt;
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

SinglePrecision singlePrecisionOf(std::string_view kernelName) {
    constexpr std::array<std::string_view, 3> kTf32{"tf32", "tensorop", "s1688"};
    constexpr std::array<std::string_view, 4> kFull{"sgemm", "simt", "scudnn", "ffma"};
    const auto has
        = [&](std::string_view word) { return kernelName.find(word) != std::string_view::npos; };
    if (std::any_of(kTf32.begin(), kTf32.end(), has))
        return SinglePrecision::Tf32;
    const bool isTensile = kernelName.substr(0, 5) == "Cijk_";
    if (isTensile ? has("_SB_") : std::any_of(kFull.begin(), kFull.end(), has))
        return SinglePrecision::Full;
    return SinglePrecision::Unknown;
}

Roof roofOf(
    const catalogue::GpuModel& gpu, ElementType type, Units units, SinglePrecision precision) {
    Roof roof;
    roof.bandwidth = gpu.memoryBandwidth;
    if (units == Units::Vector)
        return roof;
    roof.flops = densePeak(gpu, type, precision);
    if (roof.flops && units == Units::SparseMatrix)
        *roof.flops *= 2.0;
    return roof;
}

std::optional<Attainable> attainable(const TracedWork& work, const Roof& roof) {
    if (!roof.bandwidth || *roof.bandwidth <= 0.0)
        return std::nullopt;
    Attainable least{work.bytes / *roof.bandwidth, Bound::Memory, false};
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

} // namespace trainscope::work
