#include "core/analysis/traces/DeviceTraces.h"

#include "core/analysis/traces/DevicePass.h"
#include "core/model/Try.h"

#include <optional>
#include <utility>

namespace trainscope::analysis {

TraceMeter::TraceMeter(const store::Store& store, const DeviceTracks& device,
    const TraceWindow& shown, const KernelCategories& categories, AccountMeter::TakeIteration also)
    : phases(shown)
    , account(store, device, shown,
          [this, also = std::move(also)](std::size_t iteration, const DeviceSums& sums) -> Status {
              if (also)
                  RETURN_IF_ERROR(also(iteration, sums));
              return breakDown(sums, m_names, m_iterations[iteration]);
          })
    , m_device(device)
    , m_shown(shown)
    , m_names(store, categories)
    , m_iterations(markedIterations(shown)) { }

Result<DeviceTrace> TraceMeter::finish(const MarkEvidence& evidence) {
    ASSIGN_OR_RETURN(auto metered, account.finish());
    ASSIGN_OR_RETURN(auto breakdown, breakdownOf(metered, m_device, m_shown, m_names));
    breakdown.iterations = std::move(m_iterations);
    const WindowPhases all = phases.all(evidence);
    DeviceTrace trace{std::move(breakdown),
        {m_device.rank, m_device.device, all, phases.iterations(evidence), evidence,
            launchesOf(metered, m_device, all.traced), copiesOf(metered.sums), phases.shares(),
            phases.exposedByKind()}};
    m_sums = std::move(metered.sums);
    return trace;
}

Result<std::vector<DeviceTrace>> deviceTraces(const RunStudy& study,
    const KernelCategories& categories, const RankWindow& window,
    const IterationChoice& iterations) {
    using Trace = Result<std::optional<DeviceTrace>>;
    return readWindows<DeviceTrace>(study, window, iterations,
        [&](const DeviceReading& reading, const TraceWindow& shown) -> Trace {
            TraceMeter meter(reading.store, reading.device, shown, categories);
            ASSIGN_OR_RETURN(
                const auto evidence, reading.walk(shown.range, meter.phases, meter.account));
            ASSIGN_OR_RETURN(auto trace, meter.finish(evidence));
            return std::optional(std::move(trace));
        });
}

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
