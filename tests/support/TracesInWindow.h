#pragma once
// Traces of all devices in one window of the common clock.

#include "core/analysis/traces/DeviceTraces.h"

#include <utility>
#include <vector>

namespace trainscope::analysis {

inline Result<std::vector<DeviceTrace>> deviceTraces(const RunStudy& study,
    const KernelCategories& categories, TimeRange window, const IterationChoice& iterations) {
    return deviceTraces(study, categories, ownWindows(nullptr, window), iterations);
}

inline Result<std::vector<DeviceActivity>> deviceActivity(
    const RunStudy& study, TimeRange window = kAllTime, const IterationChoice& iterations = {}) {
    auto traces = deviceTraces(study, KernelCategories::builtIn(), window, iterations);
    if (!traces.hasValue())
        return traces.error();
    std::vector<DeviceActivity> activities;
    for (DeviceTrace& trace : traces.value())
        activities.push_back(std::move(trace.activity));
    return activities;
}

} // namespace trainscope::analysis
