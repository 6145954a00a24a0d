#pragma once
// AmdApi: the functions of AMD's management library that a recording uses, and the places of what
// is read in its structures, as amd_smi/amdsmi.h of ROCm 5.5 to 7.0 has them. The structures have
// grown between versions; what is read here are members whose places stayed, and each structure
// gets more room than any version writes. The library gives what a device does not measure as the
// largest number of a member's width.

#include "importers/record/DynamicLibrary.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>

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
    explicit Functions(const DynamicLibrary& library);

    Code (*init)(std::uint64_t flags);
    Code (*shutDown)();
    Code (*sockets)(std::uint32_t* count, Handle*);
    Code (*processors)(Handle socket, std::uint32_t* count, Handle*);
    Code (*uuid)(Handle, unsigned* length, char*);
    Code (*address)(Handle, std::uint64_t*); // function 3 bits, device 5, bus 8, domain 48
    Code (*asic)(Handle, void*);
    Code (*driver)(Handle, void*);
    Code (*power)(Handle, void*);
    Code (*powerCap)(Handle, std::uint32_t sensor, void*);
    Code (*energy)(Handle, std::uint64_t* count, float* resolution, std::uint64_t* time);
    Code (*temperature)(Handle, std::uint32_t sensor, std::uint32_t metric, std::int64_t*);
    Code (*clock)(Handle, std::uint32_t kind, void*);
    Code (*activity)(Handle, void*);
    Code (*memoryUsed)(Handle, std::uint32_t kind, std::uint64_t*);
    Code (*memoryTotal)(Handle, std::uint32_t kind, std::uint64_t*);
    Code (*fan)(Handle, std::uint32_t sensor, std::int64_t*);
    Code (*ecc)(Handle, void*);
    Code (*pcie)(Handle, void*);
    Code (*metrics)(Handle, void*);
    Code (*link)(Handle, Handle, std::uint64_t* hops, std::uint32_t* type);
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
