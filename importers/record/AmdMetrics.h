#pragma once
// AmdMetrics: the table of metrics that AMD's driver gives of a GPU in one piece
// (amdsmi_gpu_metrics_t): traffic over each xGMI link and what holds the clock back.
//
// Per link, the library's own function for links (amdsmi_get_link_metrics) is not used: the size of
// its entries and the numbers of its kinds of link differ between versions.

#include "importers/record/AmdApi.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace trainscope::record::amd {

inline constexpr std::size_t kMostXgmiLinks = 8;

// NaN and absent: the GPU does not measure it, or the library is older.
struct Metrics {
    std::array<double, kMostXgmiLinks> received{}; // KiB over a link since the driver was loaded
    std::array<double, kMostXgmiLinks> sent{};
    double currentPower = kNoValue; // W
    double averagePower = kNoValue;
    // Bits of any GPU's throttlers, of GPUs until MI200 (SMU_THROTTLER_… of amdgpu).
    std::optional<std::uint64_t> throttlers;
    // Counts of MI300 and later: the firmware's cycles, and those in which each throttler held the
    // clock back.
    struct Residencies {
        double cycles = kNoValue;
        double processorHot = kNoValue;
        double packagePower = kNoValue;
        double socketHot = kNoValue;
        double regulatorHot = kNoValue;
        double memoryHot = kNoValue;
    } residencies;
};

// Absent: the library does not give it.
std::optional<Metrics> readMetrics(const Functions& library, Handle device);

// NVML's mask of reasons, by which throttling of all GPUs is told: limits of power (0x4) and of
// currents (0x8), firmware that cools (0x20), hardware that is too hot (0x40).
class ThrottleReasons {
public:
    // Missing where the table does not say, and where its counts have nothing before them.
    double of(const Metrics& metrics);
    static bool isToldBy(const Metrics& metrics);

private:
    double fromResidencies(const Metrics::Residencies& now);

    std::optional<Metrics::Residencies> m_before;
    double m_last = kNoValue;
};

} // namespace trainscope::record::amd
