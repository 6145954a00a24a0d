#include "importers/record/NvmlApi.h"

namespace trainscope::record::nvml {

namespace {

template <typename Function>
void load(const DynamicLibrary& library, Function& function, const char* name) {
    function = library.function<Function>(name);
}

} // namespace

Functions::Functions(const DynamicLibrary& library) {
    load(library, init, "nvmlInit_v2");
    load(library, shutdown, "nvmlShutdown");
    load(library, errorString, "nvmlErrorString");
    load(library, driverVersion, "nvmlSystemGetDriverVersion");
    load(library, count, "nvmlDeviceGetCount_v2");
    load(library, handle, "nvmlDeviceGetHandleByIndex_v2");
    load(library, name, "nvmlDeviceGetName");
    load(library, uuid, "nvmlDeviceGetUUID");
    load(library, pciInfo, "nvmlDeviceGetPciInfo_v3");
    load(library, power, "nvmlDeviceGetPowerUsage");
    load(library, powerLimit, "nvmlDeviceGetEnforcedPowerLimit");
    load(library, energy, "nvmlDeviceGetTotalEnergyConsumption");
    load(library, temperature, "nvmlDeviceGetTemperature");
    load(library, temperatureThreshold, "nvmlDeviceGetTemperatureThreshold");
    load(library, clock, "nvmlDeviceGetClockInfo");
    load(library, maxClock, "nvmlDeviceGetMaxClockInfo");
    load(library, utilization, "nvmlDeviceGetUtilizationRates");
    load(library, memory, "nvmlDeviceGetMemoryInfo");
    load(library, clockReasons, "nvmlDeviceGetCurrentClocksEventReasons");
    if (clockReasons == nullptr) // before the 535 series
        load(library, clockReasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
    load(library, fan, "nvmlDeviceGetFanSpeed");
    load(library, eccErrors, "nvmlDeviceGetTotalEccErrors");
    load(library, fields, "nvmlDeviceGetFieldValues");
    load(library, samples, "nvmlDeviceGetSamples");
    load(library, linkState, "nvmlDeviceGetNvLinkState");
    load(library, linkRemote, "nvmlDeviceGetNvLinkRemotePciInfo_v2");
    load(library, commonAncestor, "nvmlDeviceGetTopologyCommonAncestor");
    load(library, processes, "nvmlDeviceGetComputeRunningProcesses_v3");
    if (processes == nullptr) // before the 510 series
        load(library, processes, "nvmlDeviceGetComputeRunningProcesses_v2");
    load(library, createEvents, "nvmlEventSetCreate");
    load(library, registerEvents, "nvmlDeviceRegisterEvents");
    load(library, waitEvent, "nvmlEventSetWait_v2");
    load(library, freeEvents, "nvmlEventSetFree");
}

double valueOf(int type, const Value& value) {
    switch (type) {
    case 0:
        return value.real;
    case 1:
        return value.small;
    case 4:
        return static_cast<double>(value.integer);
    case 5:
        return value.smallInteger;
    default:
        return static_cast<double>(value.large);
    }
}

std::vector<unsigned> activeLinks(const Functions& library, Device device) {
    std::vector<unsigned> links;
    for (unsigned link = 0; link < kMostLinks; ++link) {
        int isActive = 0;
        if (library.linkState != nullptr && library.linkState(device, link, &isActive) == kSuccess
            && isActive != 0)
            links.push_back(link);
    }
    return links;
}

} // namespace trainscope::record::nvml
