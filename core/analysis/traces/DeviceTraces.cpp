#include "core/analysis/traces/DeviceTraces.h"

#include "core/analysis/traces/DevicePass.h"
#include "core/model/Try.h"

namespace trainscope::analysis {

namespace {

constexpr std::size_t kMostInPart = 8192; // works

} // namespace

Result<DeviceBreakdown> breakdownOf(const DeviceAccount& account, const DeviceTracks& device,
    const TraceWindow& shown, KernelNames& names) {
    const TimeRange work = account.sums.hasWork() ? account.sums.work : TimeRange{};
    const TimeRange window = shown.fixed.value_or(work);
    ASSIGN_OR_RETURN(auto result, breakdownOf(account.sums, window, shown.tracedIn(window), names));
    result.rank = device.rank;
    result.device = device.device;
    return result;
}

LaunchStatistics launchesOf(
    const DeviceAccount& account, const DeviceTracks& device, DurationNs traced) {
    std::vector<std::string> streams;
    for (const Track& stream : device.streams)
        streams.push_back(stream.description.thread);
    LaunchStatistics result = launchStatistics(account.sums.launches, streams, traced);
    result.delay = account.delays.statistics();
    result.afterReturn = account.afterReturn.statistics();
    return result;
}

AccountMeter::AccountMeter(const store::Store& store, const DeviceTracks& device,
    const TraceWindow& shown, TakeIteration take)
    : m_store(store)
    , m_device(device)
    , m_shown(shown)
    , m_take(std::move(take)) {
    if (m_take) {
        for (const Iteration& iteration : shown.iterations) {
            m_windows.add(iteration.range);
            m_cuts.push_back(iteration.range.begin);
            m_cuts.push_back(iteration.range.end);
        }
        std::ranges::sort(m_cuts);
    }
    if (shown.fixed)
        begin(shown.fixed->begin);
}

void AccountMeter::begin(TimeNs at) {
    m_meter.emplace(m_store, m_device, at, at, m_shown.range.end);
    m_cut = static_cast<std::size_t>(std::ranges::upper_bound(m_cuts, at) - m_cuts.begin());
}

Status AccountMeter::work(const DeviceWork& work) {
    const TimeNs start = work.span.start;
    if (!m_meter)
        begin(start);
    for (; m_cut < m_cuts.size() && m_cuts[m_cut] <= start; ++m_cut)
        RETURN_IF_ERROR(close(m_cuts[m_cut]));
    if (m_meter->begun() >= kMostInPart && m_meter->lastStart() < start)
        RETURN_IF_ERROR(close(start));
    return m_meter->work(work);
}

Status AccountMeter::later(const DeviceWork& work, bool isNext) {
    return m_meter ? m_meter->later(work, isNext) : Status();
}

Status AccountMeter::close(TimeNs end) {
    const TimeRange range{m_meter->partBegin(), end};
    if (range.isEmpty())
        return {};
    ASSIGN_OR_RETURN(const auto part, m_meter->close(end));
    return add(range, part);
}

Result<DeviceAccount> AccountMeter::finish() {
    if (!m_meter)
        return std::move(m_account);
    const TimeNs end = m_shown.fixed ? m_shown.fixed->end : kAllTime.end;
    for (; m_cut < m_cuts.size() && m_cuts[m_cut] < end; ++m_cut)
        RETURN_IF_ERROR(close(m_cuts[m_cut]));
    const TimeRange range{m_meter->partBegin(), end};
    ASSIGN_OR_RETURN(
        const auto part, m_shown.fixed ? m_meter->closeLast(*m_shown.fixed) : m_meter->close(end));
    RETURN_IF_ERROR(add(range, part));
    for (const auto& [iteration, sums] : m_open) // they go on behind the window
        RETURN_IF_ERROR(m_take(iteration, sums));
    return std::move(m_account);
}

Status AccountMeter::add(TimeRange range, const DeviceSums& part) {
    for (const std::int64_t delay : part.delays)
        m_account.delays.add(delay);
    for (const std::int64_t delay : part.afterReturn)
        m_account.afterReturn.add(delay);
    m_account.sums.add(part, std::exchange(m_isFirst, false));
    Status status;
    m_windows.forEachTouched(range, [&](std::size_t iteration) {
        if (status.hasValue())
            status = addToIteration(iteration, range.end, part);
    });
    return status;
}

Status AccountMeter::addToIteration(std::size_t iteration, TimeNs end, const DeviceSums& part) {
    const auto [open, isNew] = m_open.try_emplace(iteration);
    open->second.add(part, isNew);
    if (m_shown.iterations[iteration].range.end > end)
        return {};
    const auto over = m_open.extract(open);
    return m_take(iteration, over.mapped());
}

std::vector<IterationBreakdown> markedIterations(const TraceWindow& shown) {
    std::vector<IterationBreakdown> result;
    for (const Iteration& mark : shown.iterations) {
        IterationBreakdown iteration;
        iteration.window = mark.range;
        iteration.traced = mark.range.length();
        iteration.idle = iteration.traced;
        iteration.index = mark.index;
        iteration.warmup = mark.warmup;
        result.push_back(std::move(iteration));
    }
    return result;
}

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
