#pragma once
// NvmlApi: the functions, structures and numbers of NVIDIA's management library that a recording
// uses, as NVML's reference manual for drivers of the 550 series documents them. The library's
// binary interface is stable: names of functions whose structures changed carry a version.
//
// Readings of one GPU by NVML: a table of functions, and fields that are read in one call.

#include "importers/record/GpuLibrary.h"
#include "importers/record/Probe.h"

namespace trainscope::record::nvml {

using Device = struct DeviceHandle*;
using EventSet = struct EventSetHandle*;
using Return = int;

inline constexpr Return kSuccess = 0;
inline constexpr Return kNotSupported = 3;
inline constexpr Return kInsufficientSize = 7;
inline constexpr Return kGpuIsLost = 15;

inline constexpr unsigned kSmClock = 1;
inline constexpr unsigned kMemoryClock = 2;
inline constexpr unsigned kChipSensor = 0;
inline constexpr unsigned kSlowdownThreshold = 1;
inline constexpr unsigned kCorrected = 0;
inline constexpr unsigned kUncorrected = 1;
inline constexpr unsigned kVolatile = 0; // since the driver was loaded
inline constexpr unsigned long long kXidEvent = 8;

// Identifiers of fields, and of the parts of the board that those of power are of.
inline constexpr unsigned kFieldMemoryTemperature = 82;
inline constexpr unsigned kFieldNvlinkDataTx = 138; // KiB, of a link
inline constexpr unsigned kFieldNvlinkDataRx = 139;
inline constexpr unsigned kFieldPowerAverage = 185; // mW
inline constexpr unsigned kFieldPowerInstant = 186;
inline constexpr unsigned kFieldPcieTx = 197; // B
inline constexpr unsigned kFieldPcieRx = 198;
inline constexpr unsigned kScopeGpu = 0;
inline constexpr unsigned kScopeModule = 1;
inline constexpr unsigned kScopeMemory = 2;
inline constexpr unsigned kMostLinks = 18;
inline constexpr unsigned kAllLinks = ~0U; // scope of the sum over them
inline constexpr unsigned kTotalPowerSamples = 0; // from the driver's own ring

// As a type says, which comes beside it: 0 double, 1 unsigned, 2 unsigned long, 3 unsigned long
// long, 4 signed long long, 5 int.
union Value {
    double real;
    unsigned small;
    unsigned long long large;
    long long integer;
    int smallInteger;
};
struct FieldValue {
    unsigned field;
    unsigned scope;
    long long timestamp; // µs since the Unix epoch, of the sensor's reading
    long long latency; // µs
    int type; // the value's
    Return result;
    Value value;
};
static_assert(sizeof(FieldValue) == 40);

struct Sample {
    unsigned long long timestamp; // µs since the Unix epoch
    Value value;
};
static_assert(sizeof(Sample) == 16);

struct Utilization {
    unsigned gpu; // %
    unsigned memory;
};
struct Memory {
    unsigned long long total; // B
    unsigned long long free;
    unsigned long long used;
};
struct PciInfo {
    char busIdLegacy[16];
    unsigned domain;
    unsigned bus;
    unsigned device;
    unsigned deviceId;
    unsigned subSystemId;
    char busId[32];
};
struct ProcessInfo {
    unsigned process;
    unsigned long long usedMemory; // B
    unsigned gpuInstance;
    unsigned computeInstance;
};
static_assert(sizeof(ProcessInfo) == 24);
struct EventData {
    Device device;
    unsigned long long type;
    unsigned long long data; // an Xid's number
    unsigned gpuInstance;
    unsigned computeInstance;
};

// nullptr: the library is older.
struct Functions {
    DynamicLibrary library;

    Return (*init)() = library["nvmlInit_v2"];
    Return (*shutdown)() = library["nvmlShutdown"];
    const char* (*errorString)(Return) = library["nvmlErrorString"];
    Return (*driverVersion)(char*, unsigned) = library["nvmlSystemGetDriverVersion"];
    Return (*count)(unsigned*) = library["nvmlDeviceGetCount_v2"];
    Return (*handle)(unsigned index, Device*) = library["nvmlDeviceGetHandleByIndex_v2"];
    Return (*name)(Device, char*, unsigned) = library["nvmlDeviceGetName"];
    Return (*uuid)(Device, char*, unsigned) = library["nvmlDeviceGetUUID"];
    Return (*pciInfo)(Device, PciInfo*) = library["nvmlDeviceGetPciInfo_v3"];
    Return (*power)(Device, unsigned* milliwatts) = library["nvmlDeviceGetPowerUsage"];
    Return (*powerLimit)(Device, unsigned* milliwatts) = library["nvmlDeviceGetEnforcedPowerLimit"];
    Return (*energy)(Device, unsigned long long* millijoules)
        = library["nvmlDeviceGetTotalEnergyConsumption"];
    Return (*temperature)(Device, unsigned sensor, unsigned* celsius)
        = library["nvmlDeviceGetTemperature"];
    Return (*temperatureThreshold)(Device, unsigned kind, unsigned* celsius)
        = library["nvmlDeviceGetTemperatureThreshold"];
    Return (*clock)(Device, unsigned kind, unsigned* megahertz) = library["nvmlDeviceGetClockInfo"];
    Return (*maxClock)(Device, unsigned kind, unsigned* megahertz)
        = library["nvmlDeviceGetMaxClockInfo"];
    Return (*utilization)(Device, Utilization*) = library["nvmlDeviceGetUtilizationRates"];
    Return (*memory)(Device, Memory*) = library["nvmlDeviceGetMemoryInfo"];
    Return (*clockReasons)(Device, unsigned long long* mask) = library.either(
        "nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons");
    Return (*fan)(Device, unsigned* percent) = library["nvmlDeviceGetFanSpeed"];
    Return (*eccErrors)(Device, unsigned kind, unsigned counter, unsigned long long*)
        = library["nvmlDeviceGetTotalEccErrors"];
    Return (*fields)(Device, int count, FieldValue*) = library["nvmlDeviceGetFieldValues"];
    // Those behind `lastSeen`, at most `count`, which becomes their number.
    Return (*samples)(
        Device, unsigned kind, unsigned long long lastSeen, int* type, unsigned* count, Sample*)
        = library["nvmlDeviceGetSamples"];
    Return (*linkState)(Device, unsigned link, int* isActive) = library["nvmlDeviceGetNvLinkState"];
    Return (*linkRemote)(Device, unsigned link, PciInfo*)
        = library["nvmlDeviceGetNvLinkRemotePciInfo_v2"];
    Return (*commonAncestor)(Device, Device, int* level)
        = library["nvmlDeviceGetTopologyCommonAncestor"];
    // At most `count`, which becomes their number.
    Return (*processes)(Device, unsigned* count, ProcessInfo*) = library.either(
        "nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2");
    Return (*createEvents)(EventSet*) = library["nvmlEventSetCreate"];
    Return (*registerEvents)(Device, unsigned long long kinds, EventSet)
        = library["nvmlDeviceRegisterEvents"];
    Return (*waitEvent)(EventSet, EventData*, unsigned milliseconds)
        = library["nvmlEventSetWait_v2"];
    Return (*freeEvents)(EventSet) = library["nvmlEventSetFree"];
};

double valueOf(int type, const Value& value);

// The NVLinks of a GPU that carry something.
std::vector<unsigned> activeLinks(const Functions& library, Device device);

} // namespace trainscope::record::nvml

namespace trainscope::record {

// Readings of one GPU. The functions live longer.
std::unique_ptr<Probe> nvmlProbe(const nvml::Functions& library, nvml::Device device, int index);

} // namespace trainscope::record
