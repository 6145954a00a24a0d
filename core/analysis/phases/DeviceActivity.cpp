#include "core/analysis/phases/DeviceActivity.h"

#include <array>

namespace trainscope::analysis {

Result<std::vector<DeviceActivity>> deviceActivity(const store::Store& store, const Run& run,
    TimeRange window, const IterationChoice& iterations, const Progress& progress) {
    const auto devices = tracedDevices(store, run);
    if (!devices.hasValue())
        return devices.error();
    std::vector<DeviceActivity> result;
    for (const DeviceTracks& device : devices.value()) {
        const auto shown = traceWindow(device.rank, device.extent, window, iterations);
        if (!shown)
            continue;
        PhaseMeter phases(*shown);
        LaunchMeter launches(device, *shown);
        CopyMeter copies(store, *shown);
        const std::array<DeviceVisitor*, 3> visitors{&phases, &launches, &copies};
        const auto evidence = walkDevice(store, device, shown->range, visitors, progress);
        if (!evidence.hasValue())
            return evidence.error();
        const WindowPhases all = phases.all(evidence.value());
        result.push_back({device.rank, device.device, all, phases.iterations(evidence.value()),
            evidence.value(), launches.result(all.window), copies.result()});
    }
    return result;
}

} // namespace trainscope::analysis
