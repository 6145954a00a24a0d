#include "core/analysis/traces/DeviceTraces.h"

#include "core/analysis/traces/DevicePass.h"
#include "core/model/Try.h"

#include <optional>
#include <utility>

namespace trainscope::analysis {

TraceMeter::TraceMeter(const store::Store& store, const DeviceTracks& device,
    const TraceWindow& shown, const KernelCategories& categories)
    : phases(shown)
    , account(store, device, shown, takeInto(m_iterations, m_names))
    , m_device(device)
    , m_shown(shown)
    , m_names(store, categories)
    , m_iterations(markedIterations(shown)) { }

Result<DeviceTrace> TraceMeter::finish(const MarkEvidence& evidence) {
    ASSIGN_OR_RETURN(const auto sums, account.finish());
    ASSIGN_OR_RETURN(auto breakdown, breakdownOf(sums, m_device, m_shown, m_names));
    breakdown.iterations = std::move(m_iterations);
    const WindowPhases all = phases.all(evidence);
    return DeviceTrace{std::move(breakdown),
        {m_device.rank, m_device.device, all, phases.iterations(evidence), evidence,
            launchesOf(sums, m_device, all.traced), copiesOf(sums.sums), phases.shares()}};
}

Result<std::vector<DeviceTrace>> deviceTraces(const RunStudy& study,
    const KernelCategories& categories, const RankWindow& window,
    const IterationChoice& iterations) {
    ASSIGN_OR_RETURN(const auto devices, tracedDevices(study));
    const IterationChoice traced = tracedIterations(iterations, tracedOf(devices));
    using Trace = Result<std::optional<DeviceTrace>>;
    const auto measure = [&](const DeviceReading& reading) -> Trace {
        const auto shown = traceWindow(reading.device, window(reading.device.rank), traced);
        if (!shown)
            return Trace(std::nullopt);
        TraceMeter meter(reading.store, reading.device, *shown, categories);
        ASSIGN_OR_RETURN(
            const auto evidence, reading.walk(shown->range, meter.phases, meter.account));
        ASSIGN_OR_RETURN(auto trace, meter.finish(evidence));
        return std::optional(std::move(trace));
    };
    std::vector<DeviceTrace> result;
    RETURN_IF_ERROR(forEachDevice(study, devices, measure, collectInto(result)));
    return result;
}

} // namespace trainscope::analysis
