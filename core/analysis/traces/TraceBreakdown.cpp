#include "core/analysis/traces/TraceBreakdown.h"

#include "core/analysis/traces/DeviceAccount.h"
#include "core/analysis/traces/DevicePass.h"
#include "core/model/Try.h"

#include <optional>
#include <utility>

namespace trainscope::analysis {

Result<std::vector<DeviceBreakdown>> traceBreakdown(const RunStudy& study,
    const KernelCategories& categories, TimeRange window, const IterationChoice& iterations) {
    ASSIGN_OR_RETURN(const auto devices, tracedDevices(study));
    const IterationChoice traced = tracedIterations(iterations, tracedOf(devices));
    using Breakdown = Result<std::optional<DeviceBreakdown>>;
    const auto measure = [&](const DeviceReading& reading) -> Breakdown {
        const auto shown = traceWindow(reading.device, window, traced);
        if (!shown)
            return Breakdown(std::nullopt);
        KernelNames names(reading.store, categories);
        auto marked = markedIterations(*shown);
        AccountMeter meter(reading.store, reading.device, *shown, takeInto(marked, names));
        RETURN_IF_ERROR(reading.walkStreams(shown->range, meter));
        ASSIGN_OR_RETURN(const auto account, meter.finish());
        ASSIGN_OR_RETURN(auto breakdown, breakdownOf(account, reading.device, *shown, names));
        breakdown.iterations = std::move(marked);
        return std::optional(std::move(breakdown));
    };
    std::vector<DeviceBreakdown> result;
    RETURN_IF_ERROR(forEachDevice(study, devices, measure, collectInto(result)));
    return result;
}

} // namespace trainscope::analysis
