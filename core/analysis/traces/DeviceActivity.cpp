#include "core/analysis/traces/DeviceActivity.h"

#include "core/analysis/traces/BreakdownMeter.h"

#include <utility>

namespace trainscope::analysis {

namespace {

class BreakdownVisitor : public DeviceVisitor {
public:
    BreakdownVisitor(const TraceWindow& shown, KernelNames& names)
        : m_meter(shown, names) { }

    Status work(const DeviceWork& work) override { return m_meter.add(work.span); }
    DeviceBreakdown finish() { return m_meter.finish(); }

private:
    BreakdownMeter m_meter;
};

// also: told of the same pass.
Result<DeviceActivity> activityOf(const store::Store& store, const DeviceTracks& device,
    const TraceWindow& shown, DeviceVisitor* also, const Progress& progress) {
    PhaseMeter phases(shown);
    LaunchMeter launches(device, shown);
    CopyMeter copies(store, shown);
    std::vector<DeviceVisitor*> visitors{&phases, &launches, &copies};
    if (also != nullptr)
        visitors.push_back(also);
    const auto evidence = walkDevice(store, device, shown.range, visitors, progress);
    if (!evidence.hasValue())
        return evidence.error();
    const WindowPhases all = phases.all(evidence.value());
    return DeviceActivity{device.rank, device.device, all, phases.iterations(evidence.value()),
        evidence.value(), launches.result(all.window), copies.result()};
}

} // namespace

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
        auto activity = activityOf(store, device, *shown, nullptr, progress);
        if (!activity.hasValue())
            return activity.error();
        result.push_back(std::move(activity).value());
    }
    return result;
}

Result<std::vector<DeviceTrace>> deviceTraces(const store::Store& store, const Run& run,
    const KernelCategories& categories, TimeRange window, const IterationChoice& iterations,
    const Progress& progress) {
    const auto devices = tracedDevices(store, run);
    if (!devices.hasValue())
        return devices.error();
    KernelNames names(store, categories);
    std::vector<DeviceTrace> result;
    for (const DeviceTracks& device : devices.value()) {
        const auto shown = traceWindow(device.rank, device.extent, window, iterations);
        if (!shown)
            continue;
        BreakdownVisitor kernels(*shown, names);
        auto activity = activityOf(store, device, *shown, &kernels, progress);
        if (!activity.hasValue())
            return activity.error();
        result.push_back({kernels.finish(), std::move(activity).value()});
        result.back().breakdown.rank = device.rank;
        result.back().breakdown.device = device.device;
    }
    return result;
}

} // namespace trainscope::analysis
