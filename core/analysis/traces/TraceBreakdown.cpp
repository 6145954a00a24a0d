#include "core/analysis/traces/TraceBreakdown.h"

#include "core/analysis/traces/DeviceAccount.h"
#include "core/analysis/traces/DevicePass.h"
#include "core/model/Try.h"

#include <optional>
#include <utility>

namespace trainscope::analysis {

Result<std::vector<DeviceBreakdown>> traceBreakdown(const RunStudy& study,
    const KernelCategories& categories, TimeRange window, const IterationChoice& iterations) {
    using Breakdown = Result<std::optional<DeviceBreakdown>>;
    return readWindows<DeviceBreakdown>(study, ownWindows(nullptr, window), iterations,
        [&](const DeviceReading& reading, const TraceWindow& shown) -> Breakdown {
            KernelNames names(reading.store, categories);
            auto marked = markedIterations(shown);
            const auto take = [&](std::size_t iteration, const DeviceSums& sums) {
                return breakDown(sums, names, marked[iteration]);
            };
            AccountMeter meter(reading.store, reading.device, shown, take);
            RETURN_IF_ERROR(reading.walkStreams(shown.range, meter));
            ASSIGN_OR_RETURN(const auto account, meter.finish());
            ASSIGN_OR_RETURN(auto breakdown, breakdownOf(account, reading.device, shown, names));
            breakdown.iterations = std::move(marked);
            return std::optional(std::move(breakdown));
        });
}

} // namespace trainscope::analysis
