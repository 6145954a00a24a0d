// A management library as NVIDIA's, for machines without GPUs. Set by
//   TRAINSCOPE_FAKE_GPUS    number of GPUs; 8 unless given
//   TRAINSCOPE_FAKE_FAULTS  kind:gpu:seconds, separated by commas:
//     lost       from then on every call says that the GPU is lost
//     failing    from then on its temperature cannot be read
//     lacking    it has no fan
//     xid        then Xid 79 happens
//     old        the library has no fields (gpu and seconds do not matter)
//     broken     it does not start
//   TRAINSCOPE_FAKE_COSTS   1: its calls take the time that those of a real driver take
//   TRAINSCOPE_FAKE_POWER   how its power goes; constant unless given:
//     ring       up and down, asked for new every 100 ms, in the driver's own samples every 20 ms
//     repeating  the same, and the driver's own samples repeat it
//     smooth     the same, and the driver's own samples are a mean of a second
//   TRAINSCOPE_FAKE_PROCESSES  a file with lines "gpu process": what computes now
// GPU g draws 100·(g+1) W, sends 1 GB/s·(g+1) over PCIe by a counter of 32 bits that wraps after a
// tenth of a second, and 10 GB/s over each of two NVLinks.

#include "importers/record/NvmlApi.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

using namespace trainscope::record::nvml;

namespace {

struct Fault {
    std::string kind;
    int gpu = 0;
    double from = 0.0; // s
};

struct FakeGpu {
    int index = 0;
    bool hasToldXid = false;
};

constexpr Return kUnknown = 999;
constexpr Return kNotFound = 6;
constexpr Return kTimeout = 10;

std::vector<FakeGpu> gpus;
std::vector<Fault> faults;
std::chrono::steady_clock::time_point begun;
int users = 0; // those that have begun and not ended

bool costs = false;
std::string powerKind;

// Processor time of a call in µs, of an H100 at work under driver 580.159 (150 calls each). The
// energy takes most calls 3.3 ms and some five times as long.
struct Cost {
    static constexpr double kField = 3.2;
    static constexpr double kPcieField = 128.0;
    static constexpr double kLinkField = 9.8;
    static constexpr double kTemperature = 2.2;
    static constexpr double kClock = 2.1;
    static constexpr double kUtilization = 1.6;
    static constexpr double kMemory = 7.7;
    static constexpr double kReasons = 1.8;
    static constexpr double kPower = 1.7;
    static constexpr double kLimit = 1.6;
    static constexpr double kErrors = 1.9;
    static constexpr double kRing = 349.0;
    static constexpr std::array<double, 12> kEnergy{3300.0, 3300.0, 3300.0, 3300.0, 3300.0, 3300.0,
        3300.0, 3300.0, 3300.0, 3300.0, 3300.0, 16400.0};
};

std::atomic<std::int64_t> taken = 0; // ns of a processor, by all calls

// All of it is the processor's, as a real driver's is. A thread's own clock tells that, but to ask
// for it takes as long as a short call: of those the wall clock is good enough.
void take(double microseconds) {
    if (!costs)
        return;
    constexpr double shortCall = 50.0;
    const clockid_t clock = microseconds < shortCall ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
    const auto clockNow = [clock] {
        timespec now{};
        clock_gettime(clock, &now);
        return now.tv_sec * 1'000'000'000LL + now.tv_nsec;
    };
    const auto length = static_cast<std::int64_t>(microseconds * 1e3);
    const std::int64_t begin = clockNow();
    std::int64_t now = begin;
    while (now < begin + length)
        now = clockNow();
    taken += std::min(now - begin, 2 * length);
}

double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
}

void readFaults() {
    faults.clear();
    std::string text = variable("TRAINSCOPE_FAKE_FAULTS");
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        Fault fault;
        char kind[32] = {};
        if (std::sscanf(
                text.substr(at, end - at).c_str(), "%31[^:]:%d:%lf", kind, &fault.gpu, &fault.from)
            > 0) {
            fault.kind = kind;
            faults.push_back(fault);
        }
        at = end + 1;
    }
}

bool has(const char* kind, int gpu = -1) {
    return std::any_of(faults.begin(), faults.end(), [&](const Fault& fault) {
        return fault.kind == kind && (gpu < 0 || fault.gpu == gpu) && seconds() >= fault.from;
    });
}

FakeGpu& gpuOf(Device device) {
    return *reinterpret_cast<FakeGpu*>(device);
}

template <typename T>
Return give(Device device, T* to, T value) {
    if (has("lost", gpuOf(device).index))
        return kGpuIsLost;
    *to = value;
    return kSuccess;
}

// Moments of the wall clock, in steps of the length; µs since the Unix epoch.
long long stepNow(long long length) {
    const auto now = std::chrono::duration_cast<std::chrono::microseconds>(
        std::chrono::system_clock::now().time_since_epoch());
    return now.count() / length * length;
}

// Between 100 and 100 + 96 W more, other in each step.
unsigned wanderingMilliwatts(int gpu, long long microseconds, long long step) {
    const long long number = microseconds / step;
    return 100'000U * static_cast<unsigned>(gpu + 1)
        + static_cast<unsigned>((number * 37) % 97) * 1000U;
}

constexpr long long kAskedStep = 100'000; // µs
constexpr long long kRingStep = 20'000;

unsigned milliwatts(int gpu) {
    if (!powerKind.empty())
        return wanderingMilliwatts(gpu, stepNow(kAskedStep), kAskedStep);
    return 100'000U * static_cast<unsigned>(gpu + 1);
}

// As the driver kept it at that moment.
unsigned keptMilliwatts(int gpu, long long microseconds) {
    if (powerKind == "ring")
        return wanderingMilliwatts(gpu, microseconds, kRingStep);
    if (powerKind == "repeating")
        return wanderingMilliwatts(gpu, microseconds, kAskedStep);
    constexpr int inASecond = 10;
    double sum = 0.0;
    for (int i = 0; i < inASecond; ++i)
        sum += wanderingMilliwatts(gpu, microseconds - i * kAskedStep, kAskedStep);
    // The last digits differ between samples.
    return static_cast<unsigned>(sum / inASecond)
        + static_cast<unsigned>(microseconds / kRingStep % 3);
}

unsigned pcieBytes(int gpu) {
    constexpr double begin = 4'294'967'296.0 - 1e8;
    return static_cast<unsigned>(std::fmod(begin + seconds() * 1e9 * (gpu + 1), 4'294'967'296.0));
}

double costOf(const FieldValue& field) {
    switch (field.field) {
    case kFieldPcieTx:
    case kFieldPcieRx:
        return Cost::kPcieField;
    case kFieldNvlinkDataTx:
    case kFieldNvlinkDataRx:
        return Cost::kLinkField;
    default:
        return Cost::kField;
    }
}

void fill(const FakeGpu& gpu, FieldValue& field) {
    constexpr unsigned links = 2;
    field.result = kSuccess;
    field.type = 1;
    switch (field.field) {
    case kFieldPowerInstant:
    case kFieldPowerAverage:
        field.value.small = milliwatts(gpu.index);
        field.result = field.scope == kScopeModule ? kNotSupported : kSuccess;
        if (field.scope == kScopeMemory)
            field.value.small = 50'000;
        break;
    case kFieldMemoryTemperature:
        field.value.small = 60;
        break;
    case kFieldPcieTx:
    case kFieldPcieRx:
        field.value.small = pcieBytes(gpu.index);
        break;
    case kFieldNvlinkDataTx:
    case kFieldNvlinkDataRx:
        field.type = 3;
        field.value.large = static_cast<unsigned long long>(seconds() * 1e10 / 1024.0)
            * (field.scope == kAllLinks ? links : 1U);
        break;
    default:
        field.result = kNotSupported;
    }
}

} // namespace

extern "C" {

// Processor time of the calls so far, in all threads, which no recorder can save.
double fakeNvmlSeconds() {
    return static_cast<double>(taken) * 1e-9;
}
Return nvmlInit_v2() {
    if (++users > 1)
        return kSuccess; // as of a program that has begun already
    begun = std::chrono::steady_clock::now();
    readFaults();
    costs = variable("TRAINSCOPE_FAKE_COSTS") == "1";
    powerKind = variable("TRAINSCOPE_FAKE_POWER");
    if (has("broken")) {
        --users;
        return kUnknown;
    }
    const std::string count = variable("TRAINSCOPE_FAKE_GPUS");
    gpus.clear();
    for (int i = 0; i < (count.empty() ? 8 : std::atoi(count.c_str())); ++i)
        gpus.push_back({i});
    return kSuccess;
}
Return nvmlShutdown() {
    --users;
    return kSuccess;
}
const char* nvmlErrorString(Return) {
    return "Unknown Error";
}
Return nvmlSystemGetDriverVersion(char* text, unsigned size) {
    std::snprintf(text, size, "550.54.15");
    return kSuccess;
}
Return nvmlDeviceGetCount_v2(unsigned* count) {
    *count = static_cast<unsigned>(gpus.size());
    return kSuccess;
}
Return nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
    *device = reinterpret_cast<Device>(&gpus[index]);
    return kSuccess;
}
Return nvmlDeviceGetName(Device, char* text, unsigned size) {
    std::snprintf(text, size, "NVIDIA H100 80GB HBM3");
    return kSuccess;
}
Return nvmlDeviceGetUUID(Device device, char* text, unsigned size) {
    std::snprintf(text, size, "GPU-0000%d", gpuOf(device).index);
    return kSuccess;
}
Return nvmlDeviceGetPciInfo_v3(Device device, PciInfo* info) {
    std::snprintf(info->busId, sizeof info->busId, "00000000:%02X:00.0", gpuOf(device).index);
    return kSuccess;
}
Return nvmlDeviceGetPowerUsage(Device device, unsigned* value) {
    take(Cost::kPower);
    return give(device, value, milliwatts(gpuOf(device).index));
}
Return nvmlDeviceGetEnforcedPowerLimit(Device device, unsigned* value) {
    take(Cost::kLimit);
    return give(device, value, 700'000U);
}
Return nvmlDeviceGetTotalEnergyConsumption(Device device, unsigned long long* value) {
    static std::atomic<unsigned> calls = 0;
    take(Cost::kEnergy[calls++ % Cost::kEnergy.size()]);
    return give(device, value,
        static_cast<unsigned long long>(milliwatts(gpuOf(device).index) * seconds()));
}
Return nvmlDeviceGetTemperature(Device device, unsigned, unsigned* value) {
    take(Cost::kTemperature);
    if (has("failing", gpuOf(device).index))
        return kUnknown;
    return give(device, value, 40U + static_cast<unsigned>(gpuOf(device).index));
}
Return nvmlDeviceGetTemperatureThreshold(Device device, unsigned, unsigned* value) {
    return give(device, value, 87U);
}
Return nvmlDeviceGetClockInfo(Device device, unsigned kind, unsigned* value) {
    take(Cost::kClock);
    return give(device, value, kind == kSmClock ? 1980U : 2619U);
}
Return nvmlDeviceGetMaxClockInfo(Device device, unsigned, unsigned* value) {
    return give(device, value, 1980U);
}
Return nvmlDeviceGetUtilizationRates(Device device, Utilization* value) {
    take(Cost::kUtilization);
    return give(device, value, Utilization{97, 41});
}
Return nvmlDeviceGetMemoryInfo(Device device, Memory* value) {
    take(Cost::kMemory);
    return give(device, value, Memory{85'899'345'920ULL, 0, 64'000'000'000ULL});
}
Return nvmlDeviceGetCurrentClocksEventReasons(Device device, unsigned long long* value) {
    take(Cost::kReasons);
    return give(device, value, 4ULL);
}
Return nvmlDeviceGetFanSpeed(Device device, unsigned* value) {
    return has("lacking", gpuOf(device).index) ? kNotSupported : give(device, value, 30U);
}
Return nvmlDeviceGetTotalEccErrors(
    Device device, unsigned kind, unsigned, unsigned long long* value) {
    take(Cost::kErrors);
    return give(device, value, kind == kCorrected ? 3ULL : 0ULL);
}
Return nvmlDeviceGetFieldValues(Device device, int count, FieldValue* fields) {
    if (has("old"))
        return kNotSupported;
    if (has("lost", gpuOf(device).index))
        return kGpuIsLost;
    for (int i = 0; i < count; ++i) {
        take(costOf(fields[i]));
        fill(gpuOf(device), fields[i]);
    }
    return kSuccess;
}
// The last 119 samples.
Return nvmlDeviceGetSamples(Device device, unsigned kind, unsigned long long lastSeen, int* type,
    unsigned* count, Sample* samples) {
    constexpr unsigned kept = 119;
    if (powerKind.empty() || kind != kTotalPowerSamples)
        return kNotSupported;
    *type = 1;
    if (samples == nullptr) {
        *count = kept;
        return kSuccess;
    }
    take(Cost::kRing);
    unsigned given = 0;
    const long long now = stepNow(kRingStep);
    for (long long back = kept - 1; back >= 0 && given < *count; --back) {
        const long long time = now - back * kRingStep;
        if (time <= static_cast<long long>(lastSeen))
            continue;
        samples[given].timestamp = static_cast<unsigned long long>(time);
        samples[given].value.small = keptMilliwatts(gpuOf(device).index, time);
        ++given;
    }
    *count = given;
    return given > 0 ? kSuccess : kNotFound;
}
// From the lines "gpu process" of the file that TRAINSCOPE_FAKE_PROCESSES names.
Return nvmlDeviceGetComputeRunningProcesses_v3(
    Device device, unsigned* count, ProcessInfo* processes) {
    std::ifstream lines(variable("TRAINSCOPE_FAKE_PROCESSES"));
    unsigned found = 0;
    unsigned process = 0;
    for (int gpu = 0; lines >> gpu >> process;) {
        if (gpu == gpuOf(device).index && found < *count)
            processes[found++] = {process, 1'000'000'000, ~0U, ~0U};
    }
    *count = found;
    return kSuccess;
}
Return nvmlDeviceGetNvLinkState(Device, unsigned link, int* isActive) {
    *isActive = link < 2 ? 1 : 0;
    return link < 2 ? kSuccess : kNotSupported;
}
Return nvmlDeviceGetNvLinkRemotePciInfo_v2(Device, unsigned, PciInfo* info) {
    std::snprintf(info->busId, sizeof info->busId, "00000000:F0:00.0"); // a switch
    return kSuccess;
}
Return nvmlDeviceGetTopologyCommonAncestor(Device, Device, int* level) {
    *level = 50;
    return kSuccess;
}
Return nvmlEventSetCreate(EventSet* set) {
    *set = reinterpret_cast<EventSet>(new Device(nullptr));
    return kSuccess;
}
Return nvmlDeviceRegisterEvents(Device device, unsigned long long, EventSet set) {
    *reinterpret_cast<Device*>(set) = device;
    return kSuccess;
}
Return nvmlEventSetWait_v2(EventSet set, EventData* event, unsigned) {
    Device device = *reinterpret_cast<Device*>(set);
    FakeGpu& gpu = gpuOf(device);
    if (!has("xid", gpu.index) || gpu.hasToldXid)
        return kTimeout;
    gpu.hasToldXid = true;
    *event = {device, kXidEvent, 79, 0, 0};
    return kSuccess;
}
Return nvmlEventSetFree(EventSet set) {
    delete reinterpret_cast<Device*>(set);
    return kSuccess;
}

} // extern "C"
