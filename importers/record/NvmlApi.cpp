#include "importers/record/NvmlApi.h"

namespace trainscope::record::nvml {

Functions::Functions(const DynamicLibrary& library) {
    library.load(init, "nvmlInit_v2");
    library.load(shutdown, "nvmlShutdown");
    library.load(errorString, "nvmlErrorString");
    library.load(driverVersion, "nvmlSystemGetDriverVersion");
    library.load(count, "nvmlDeviceGetCount_v2");
    library.load(handle, "nvmlDeviceGetHandleByIndex_v2");
    library.load(name, "nvmlDeviceGetName");
    library.load(uuid, "nvmlDeviceGetUUID");
    library.load(pciInfo, "nvmlDeviceGetPciInfo_v3");
    library.load(power, "nvmlDeviceGetPowerUsage");
    library.load(powerLimit, "nvmlDeviceGetEnforcedPowerLimit");
    library.load(energy, "nvmlDeviceGetTotalEnergyConsumption");
    library.load(temperature, "nvmlDeviceGetTemperature");
    library.load(temperatureThreshold, "nvmlDeviceGetTemperatureThreshold");
    library.load(clock, "nvmlDeviceGetClockInfo");
    library.load(maxClock, "nvmlDeviceGetMaxClockInfo");
    library.load(utilization, "nvmlDeviceGetUtilizationRates");
    library.load(memory, "nvmlDeviceGetMemoryInfo");
    library.load(clockReasons, "nvmlDeviceGetCurrentClocksEventReasons");
    if (clockReasons == nullptr) // before the 535 series
        library.load(clockReasons, "nvmlDeviceGetCurrentClocksThrottleReasons");
    library.load(fan, "nvmlDeviceGetFanSpeed");
    library.load(eccErrors, "nvmlDeviceGetTotalEccErrors");
    library.load(fields, "nvmlDeviceGetFieldValues");
    library.load(samples, "nvmlDeviceGetSamples");
    library.load(linkState, "nvmlDeviceGetNvLinkState");
    library.load(linkRemote, "nvmlDeviceGetNvLinkRemotePciInfo_v2");
    library.load(commonAncestor, "nvmlDeviceGetTopologyCommonAncestor");
    library.load(processes, "nvmlDeviceGetComputeRunningProcesses_v3");
    if (processes == nullptr) // before the 510 series
        library.load(processes, "nvmlDeviceGetComputeRunningProcesses_v2");
    library.load(createEvents, "nvmlEventSetCreate");
    library.load(registerEvents, "nvmlDeviceRegisterEvents");
    library.load(waitEvent, "nvmlEventSetWait_v2");
    library.load(freeEvents, "nvmlEventSetFree");
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
