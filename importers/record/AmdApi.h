#pragma once
// AmdApi: the functions of AMD's management library that a recording uses, and the places of what
// is read in its structures, as amd_smi/amdsmi.h of ROCm 5.5 to 7.0 has them. The structures have
// grown between versions; what is read here are members whose places stayed, and each structure
// gets more room than any version writes. The library gives what a device does not measure as the
// largest number of a member's width.
//
// Readings of one GPU by AMD SMI: a table of readings, its energy counter, and the driver's table
// of metrics, which is read in one call; with the kernel's file of PCIe traffic where there is one.

#include "importers/record/GpuLibrary.h"
#include "importers/record/Probe.h"

#include <cstring>
#include <filesystem>

namespace trainscope::record::amd {

using Handle = void*;
using Code = std::uint32_t;

inline constexpr Code kSuccess = 0;
inline constexpr std::uint64_t kGpus = 2; // for amdsmi_init
inline constexpr std::uint32_t kGfxClock = 0;
inline constexpr std::uint32_t kMemClock = 4;
inline constexpr std::uint32_t kEdge = 0; // sensors of temperature
inline constexpr std::uint32_t kHotspot = 1;
inline constexpr std::uint32_t kVram = 2;
inline constexpr std::uint32_t kCurrent = 0; // a sensor's
inline constexpr std::uint32_t kVideoMemory = 0;
inline constexpr std::uint32_t kXgmiLink = 2; // between two GPUs

// nullptr: the library is older, or newer.
struct Functions {
    DynamicLibrary library;

    Code (*init)(std::uint64_t flags) = library["amdsmi_init"];
    Code (*shutDown)() = library["amdsmi_shut_down"];
    Code (*sockets)(std::uint32_t* count, Handle*) = library["amdsmi_get_socket_handles"];
    Code (*processors)(Handle socket, std::uint32_t* count, Handle*)
        = library["amdsmi_get_processor_handles"];
    Code (*uuid)(Handle, unsigned* length, char*) = library["amdsmi_get_gpu_device_uuid"];
    // Function 3 bits, device 5, bus 8, domain 48.
    Code (*address)(Handle, std::uint64_t*) = library["amdsmi_get_gpu_device_bdf"];
    Code (*asic)(Handle, void*) = library["amdsmi_get_gpu_asic_info"];
    Code (*driver)(Handle, void*) = library["amdsmi_get_gpu_driver_info"];
    Code (*power)(Handle, void*) = library["amdsmi_get_power_info"];
    Code (*powerCap)(Handle, std::uint32_t sensor, void*) = library["amdsmi_get_power_cap_info"];
    Code (*energy)(Handle, std::uint64_t* count, float* resolution, std::uint64_t* time)
        = library["amdsmi_get_energy_count"];
    Code (*temperature)(Handle, std::uint32_t sensor, std::uint32_t metric, std::int64_t*)
        = library["amdsmi_get_temp_metric"];
    Code (*clock)(Handle, std::uint32_t kind, void*) = library["amdsmi_get_clock_info"];
    Code (*activity)(Handle, void*) = library["amdsmi_get_gpu_activity"];
    Code (*memoryUsed)(Handle, std::uint32_t kind, std::uint64_t*)
        = library["amdsmi_get_gpu_memory_usage"];
    Code (*memoryTotal)(Handle, std::uint32_t kind, std::uint64_t*)
        = library["amdsmi_get_gpu_memory_total"];
    Code (*fan)(Handle, std::uint32_t sensor, std::int64_t*) = library["amdsmi_get_gpu_fan_speed"];
    Code (*ecc)(Handle, void*) = library["amdsmi_get_gpu_total_ecc_count"];
    Code (*pcie)(Handle, void*) = library["amdsmi_get_pcie_info"];
    Code (*metrics)(Handle, void*) = library["amdsmi_get_gpu_metrics_info"];
    Code (*link)(Handle, Handle, std::uint64_t* hops, std::uint32_t* type)
        = library["amdsmi_topo_get_link_type"];
};

// Room for a structure of any version; the table of metrics is the largest.
template <std::size_t Words>
using RoomOf = std::array<std::uint64_t, Words>;
using Room = RoomOf<512>;
using TableRoom = RoomOf<2048>;

template <typename T, std::size_t Words>
T at(const RoomOf<Words>& room, std::size_t byte) {
    T value{};
    std::memcpy(&value, reinterpret_cast<const char*>(room.data()) + byte, sizeof value);
    return value;
}

inline constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

template <typename Integer>
double known(Integer value) {
    return value == std::numeric_limits<Integer>::max() ? kNoValue : static_cast<double>(value);
}

} // namespace trainscope::record::amd

namespace trainscope::record {

// The functions live longer. `folder`: the GPU's in the kernel's tree; empty: not known.
std::unique_ptr<Probe> amdProbe(const amd::Functions& library, amd::Handle device, int index,
    const std::filesystem::path& folder);

namespace amd {

double powerCap(const Functions& library, Handle device); // W; NaN: not told

} // namespace amd

} // namespace trainscope::record
