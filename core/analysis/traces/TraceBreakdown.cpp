#include "core/analysis/traces/TraceBreakdown.h"

#include "core/analysis/traces/DeviceAccount.h"
#include "core/analysis/traces/DeviceWalk.h"
#include "core/analysis/traces/SpanMerge.h"
#include "core/model/Try.h"

#include <utility>

namespace trainscope::analysis {

namespace {

// The work of a device, without what launched it: the host is not read.
Status tellWork(const store::Store& store, const DeviceTracks& device, TimeRange range,
    AccountMeter& meter, KernelNames& names, const Progress& progress) {
    SpanMerge merge;
    for (const Track& stream : device.streams)
        merge.add(SpanCursor(store, stream.id, range));
    return merge.forEach(
        [&](std::size_t stream, const Span& span) -> Status {
            if (!isDeviceWork(span.kind))
                return {};
            const KernelNames::Kernel* kernel = nullptr;
            if (span.kind == SpanKind::Kernel) {
                ASSIGN_OR_RETURN(kernel, names.kernel(span.name));
            }
            return meter.work({span, stream, kernel, std::nullopt});
        },
        "Reading kernels", progress);
}

} // namespace

Result<std::vector<DeviceBreakdown>> traceBreakdown(const RunStudy& study,
    const KernelCategories& categories, TimeRange window, const IterationChoice& iterations) {
    ASSIGN_OR_RETURN(const auto devices, tracedDevices(study));
    const IterationChoice traced = tracedIterations(iterations, tracedOf(devices));
    KernelNames names(study.store, categories);
    std::vector<DeviceBreakdown> result;
    for (const DeviceTracks& device : devices) {
        const auto shown = traceWindow(device, window, traced);
        if (!shown)
            continue;
        auto marked = markedIterations(*shown);
        AccountMeter meter(study.store, device, *shown, takeInto(marked, names));
        RETURN_IF_ERROR(tellWork(study.store, device, shown->range, meter, names, study.progress));
        ASSIGN_OR_RETURN(const auto account, meter.finish());
        ASSIGN_OR_RETURN(auto breakdown, breakdownOf(account, device, *shown, names));
        breakdown.iterations = std::move(marked);
        result.push_back(std::move(breakdown));
    }
    return result;
}

} // namespace trainscope::analysis
