#pragma once
// NvmlApi: the functions, structures and numbers of NVIDIA's management library that a recording
// uses, as NVML's reference manual for drivers of the 550 series documents them. The library's
// binary interface is stable: names of functions whose structures changed carry a version.

#include "importers/record/DynamicLibrary.h"

#include <vector>

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
    explicit Functions(const DynamicLibrary& library);

    Return (*init)();
    Return (*shutdown)();
    const char* (*errorString)(Return);
    Return (*driverVersion)(char*, unsigned);
    Return (*count)(unsigned*);
    Return (*handle)(unsigned index, Device*);
    Return (*name)(Device, char*, unsigned);
    Return (*uuid)(Device, char*, unsigned);
    Return (*pciInfo)(Device, PciInfo*);
    Return (*power)(Device, unsigned* milliwatts);
    Return (*powerLimit)(Device, unsigned* milliwatts);
    Return (*energy)(Device, unsigned long long* millijoules);
    Return (*temperature)(Device, unsigned sensor, unsigned* celsius);
    Return (*temperatureThreshold)(Device, unsigned kind, unsigned* celsius);
    Return (*clock)(Device, unsigned kind, unsigned* megahertz);
    Return (*maxClock)(Device, unsigned kind, unsigned* megahertz);
    Return (*utilization)(Device, Utilization*);
    Return (*memory)(Device, Memory*);
    Return (*clockReasons)(Device, unsigned long long* mask);
    Return (*fan)(Device, unsigned* percent);
    Return (*eccErrors)(Device, unsigned kind, unsigned counter, unsigned long long*);
    Return (*fields)(Device, int count, FieldValue*);
    // Those behind `lastSeen`, at most `count`, which becomes their number.
    Return (*samples)(
        Device, unsigned kind, unsigned long long lastSeen, int* type, unsigned* count, Sample*);
    Return (*linkState)(Device, unsigned link, int* isActive);
    Return (*linkRemote)(Device, unsigned link, PciInfo*);
    Return (*commonAncestor)(Device, Device, int* level);
    // At most `count`, which becomes their number.
    Return (*processes)(Device, unsigned* count, ProcessInfo*);
    Return (*createEvents)(EventSet*);
    Return (*registerEvents)(Device, unsigned long long kinds, EventSet);
    Return (*waitEvent)(EventSet, EventData*, unsigned milliseconds);
    Return (*freeEvents)(EventSet);
};

double valueOf(int type, const Value& value);

// The NVLinks of a GPU that carry something.
std::vector<unsigned> activeLinks(const Functions& library, Device device);

} // namespace trainscope::record::nvml
