#include "core/analysis/traces/DeviceActivity.h"

#include "core/analysis/traces/BreakdownMeter.h"
#include "core/model/Try.h"

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
    ASSIGN_OR_RETURN(
        const auto evidence, walkDevice(store, device, shown.range, visitors, progress));
    const WindowPhases all = phases.all(evidence);
    return DeviceActivity{device.rank, device.device, all, phases.iterations(evidence), evidence,
        launches.result(all.window), copies.result()};
}

} // namespace

Result<std::vector<DeviceActivity>> deviceActivity(const store::Store& store, const Run& run,
    TimeRange window, const IterationChoice& iterations, const Progress& progress) {
    ASSIGN_OR_RETURN(const auto devices, tracedDevices(store, run));
    std::vector<DeviceActivity> result;
    for (const DeviceTracks& device : devices) {
        const auto shown = traceWindow(device.rank, device.extent, window, iterations);
        if (!shown)
            continue;
        ASSIGN_OR_RETURN(auto activity, activityOf(store, device, *shown, nullptr, progress));
        result.push_back(std::move(activity));
    }
    return result;
}

Result<std::vector<DeviceTrace>> deviceTraces(const store::Store& store, const Run& run,
    const KernelCategories& categories, TimeRange window, const IterationChoice& iterations,
    const Progress& progress) {
    ASSIGN_OR_RETURN(const auto devices, tracedDevices(store, run));
    KernelNames names(store, categories);
    std::vector<DeviceTrace> result;
    for (const DeviceTracks& device : devices) {
        const auto shown = traceWindow(device.rank, device.extent, window, iterations);
        if (!shown)
            continue;
        BreakdownVisitor kernels(*shown, names);
        ASSIGN_OR_RETURN(auto activity, activityOf(store, device, *shown, &kernels, progress));
        result.push_back({kernels.finish(), std::move(activity)});
        result.back().breakdown.rank = device.rank;
        result.back().breakdown.device = device.device;
    }
    return result;
}

} // namespace trainscope::analysis
