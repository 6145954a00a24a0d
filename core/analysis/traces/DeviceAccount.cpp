#include "core/analysis/traces/DeviceAccount.h"

#include "core/model/Try.h"

#include <algorithm>
#include <string>
#include <utility>

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

} // namespace trainscope::analysis
