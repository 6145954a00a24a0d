#include "core/analysis/traces/TraceSums.h"

#include "core/analysis/traces/DevicePass.h"
#include "core/model/Try.h"

#include <algorithm>
#include <utility>

namespace trainscope::analysis {

namespace {

using store::SumOutline;
using store::SumPlace;

Error damagedSums(const store::Store& store) {
    return {ErrorCode::Unreadable, "The kept sums of a trace are damaged; import it again.",
        store.path().string()};
}

// The other sums bring names with them.
bool hasOnlyTrees(const store::Bytes& names) {
    return names.empty();
}

// Earliest moment that a window's slices depend on: work that waits at its end may begin behind it.
TimeNs earliestOf(std::span<const SumOutline> slices, TimeNs begin) {
    for (const SumOutline& slice : slices)
        begin.ns = std::min(begin.ns, slice.since);
    return begin;
}

} // namespace

// Slices that a window takes whole, and the rest of it at its ends.
struct TraceSums::SlicePlan {
    std::size_t first = 0;
    std::size_t end = 0;
    std::optional<TimeRange> before; // without slices: the window
    std::optional<TimeRange> after;
    TimeNs beforeHost; // the earliest that the sums of these depend on
    TimeNs afterHost;
};

// Sums of a device, gathered from slices and walks.
struct TraceSums::Parts {
    const Progress& progress;
    DeviceAccount account;

    void addDelays(const DeviceSums& edge) {
        for (const std::int64_t delay : edge.delays)
            account.delays.add(delay);
    }
};

// extentEnd: of all spans; the last slice holds those that begin there too.
TraceSums::SlicePlan TraceSums::planOf(
    std::span<const SumOutline> slices, TimeRange window, TimeNs extentEnd) {
    const auto firstFrom = [slices](TimeNs time) {
        const auto at = std::lower_bound(slices.begin(), slices.end(), time.ns,
            [](const SumOutline& slice, std::int64_t ns) { return slice.begin < ns; });
        return static_cast<std::size_t>(at - slices.begin());
    };
    SlicePlan plan;
    plan.end = window.end > extentEnd ? slices.size()
                                      : std::max<std::size_t>(firstFrom(window.end), 1) - 1;
    plan.first = firstFrom(window.begin);
    for (std::size_t i = plan.first; i < plan.end; ++i) {
        if (slices[i].since < window.begin.ns)
            plan.first = i + 1;
    }
    // The slice in which the window begins.
    const std::size_t holding
        = std::max<std::size_t>(firstFrom(window.begin + DurationNs{1}), 1) - 1;
    if (plan.first >= plan.end) {
        plan.first = plan.end;
        plan.before = window;
        plan.before->end = std::min(plan.before->end, extentEnd + DurationNs{1});
        plan.beforeHost = earliestOf(slices.subspan(holding), window.begin);
        return plan;
    }
    const TimeNs begin{slices[plan.first].begin};
    if (begin > window.begin) {
        plan.before = TimeRange{window.begin, begin};
        plan.beforeHost = earliestOf(slices.subspan(holding, plan.first - holding), window.begin);
    }
    if (plan.end < slices.size()) {
        plan.after = TimeRange{{slices[plan.end].begin}, window.end};
        plan.afterHost = earliestOf(slices.subspan(plan.end), plan.after->begin);
    }
    return plan;
}

SumPlace placeOf(SumKind kind, int rank, std::int64_t place) {
    return {static_cast<int>(kind), rank, place};
}

Result<LackingSums> lackingSums(const RunStudy& study) {
    constexpr std::int64_t many = 500'000; // spans
    ASSIGN_OR_RETURN(const auto tracks, study.store.tracks(study.run.id));
    std::int64_t spans = 0;
    for (const Track& track : tracks) {
        const TrackKind kind = track.description.kind;
        spans += kind == TrackKind::Stream || kind == TrackKind::Thread ? track.count : 0;
    }
    if (spans < many)
        return LackingSums::None;
    ASSIGN_OR_RETURN(
        const auto names, store::keptSumNames(study.store, study.run.id, kTraceSumsVersion));
    if (!names)
        return LackingSums::All;
    return hasOnlyTrees(*names) ? LackingSums::AllButCallTrees : LackingSums::None;
}

Result<std::optional<TraceSums>> TraceSums::open(const RunStudy& study) {
    ASSIGN_OR_RETURN(
        const auto names, store::keptSumNames(study.store, study.run.id, kTraceSumsVersion));
    if (!names || hasOnlyTrees(*names))
        return std::optional<TraceSums>();
    TraceSums sums(study.store, study.run.id);
    if (!CallGroups::decode(*names, sums.m_groups))
        return damagedSums(study.store);
    return std::optional(std::move(sums));
}

Result<DeviceSums> TraceSums::edge(const DeviceTracks& device, TimeRange part, TimeNs launchBegin,
    TimeNs hostFrom, const std::optional<TimeRange>& last, const Progress& progress) const {
    DeviceSumsMeter meter(*m_store, device, launchBegin, part.begin);
    DeviceSumsVisitor visitor(meter, last ? std::optional(last->end) : std::nullopt);
    RETURN_IF_ERROR(DeviceReading{*m_store, device, progress, hostFrom}.walkLaunches(
        {launchBegin, part.end}, visitor));
    return last ? meter.closeLast(*last) : meter.close(part.end);
}

Status TraceSums::addSlices(const SumPlace& place, std::size_t first, std::size_t end, bool isFirst,
    DeviceSums& sums) const {
    return store::forEachSum(
        *m_store, m_run, place, first, end, store::SumPart::Sums, [&](store::ByteView bytes) {
            DeviceSums part;
            if (!decodeSums(bytes, part))
                return Status(damagedSums(*m_store));
            sums.add(part, std::exchange(isFirst, false));
            return Status();
        });
}

// Absent without work.
Result<std::optional<TimeNs>> TraceSums::firstWork(
    const SumPlace& place, std::size_t slices) const {
    DeviceSums slice;
    for (std::size_t i = 0; i < slices && !slice.hasWork(); ++i) {
        slice = {};
        RETURN_IF_ERROR(addSlices(place, i, i + 1, true, slice));
    }
    return slice.hasWork() ? std::optional(slice.work.begin) : std::nullopt;
}

// All work, with the launches from the first of it on.
Status TraceSums::addWhole(
    const DeviceTracks& device, const SumPlace& place, SlicePlan& plan, Parts& parts) const {
    ASSIGN_OR_RETURN(const auto slices, store::sumOutlines(*m_store, m_run, place));
    ASSIGN_OR_RETURN(const auto begin, firstWork(place, slices.size()));
    plan = {slices.size(), slices.size(), {}, {}, {}, {}};
    if (begin)
        plan = planOf(slices, {*begin, kAllTime.end}, device.extent.end);
    DeviceSums& all = parts.account.sums;
    RETURN_IF_ERROR(addSlices(place, 0, plan.first, true, all));
    all.launches = {};
    if (begin && plan.before) {
        ASSIGN_OR_RETURN(auto edgeSums,
            edge(device, *plan.before, *begin, plan.beforeHost, std::nullopt, parts.progress));
        all.launches = std::move(edgeSums.launches);
        parts.addDelays(edgeSums);
    }
    return addSlices(place, plan.first, plan.end, false, all);
}

Status TraceSums::addWindow(const DeviceTracks& device, const SumPlace& place, TimeRange window,
    SlicePlan& plan, Parts& parts) const {
    ASSIGN_OR_RETURN(const auto slices, store::sumOutlines(*m_store, m_run, place));
    plan = planOf(slices, window, device.extent.end);
    const auto addEdge = [&](TimeRange part, TimeNs launchBegin, TimeNs hostFrom) -> Status {
        const auto last = part.end == window.end ? std::optional(window) : std::nullopt;
        ASSIGN_OR_RETURN(
            const auto sums, edge(device, part, launchBegin, hostFrom, last, parts.progress));
        parts.addDelays(sums);
        parts.account.sums.add(sums, part.begin == window.begin);
        return {};
    };
    if (plan.before)
        RETURN_IF_ERROR(addEdge(*plan.before, window.begin, plan.beforeHost));
    RETURN_IF_ERROR(addSlices(place, plan.first, plan.end, !plan.before, parts.account.sums));
    if (!plan.after)
        return {};
    return addEdge(*plan.after, std::max(window.begin, plan.afterHost), plan.afterHost);
}

Result<DeviceAccount> TraceSums::device(
    const DeviceTracks& device, const TraceWindow& shown, const Progress& progress) const {
    const SumPlace place = placeOf(SumKind::Device, device.rank, device.device);
    Parts parts{progress, {}};
    SlicePlan plan;
    if (shown.fixed)
        RETURN_IF_ERROR(addWindow(device, place, *shown.fixed, plan, parts));
    else
        RETURN_IF_ERROR(addWhole(device, place, plan, parts));
    DeviceAccount& account = parts.account;
    if (account.sums.launches.queues.size() > device.streams.size())
        return damagedSums(*m_store);
    std::vector<std::int64_t> delays;
    RETURN_IF_ERROR(store::forEachSum(*m_store, m_run, place, plan.first, plan.end,
        store::SumPart::Detail, [&](store::ByteView bytes) {
            if (!decodeDelays(bytes, delays))
                return Status(damagedSums(*m_store));
            for (const std::int64_t delay : delays)
                account.delays.add(delay);
            return Status();
        }));
    return std::move(parts.account);
}

Result<OperatorSums> TraceSums::operators(const Track& thread, TimeRange window) const {
    const SumPlace place = placeOf(SumKind::Thread, thread.description.rank, thread.id.value);
    ASSIGN_OR_RETURN(const auto slices, store::sumOutlines(*m_store, m_run, place));
    window.begin = std::max(window.begin, thread.range.begin);
    const SlicePlan plan = planOf(slices, window, thread.range.end);
    OperatorSums all;
    const auto addEdge = [&](TimeRange part) -> Status {
        OperatorMeter meter(part.begin);
        RETURN_IF_ERROR(m_store->forEachSpan(thread.id, part, [&](std::span<const Span> spans) {
            for (const Span& span : spans)
                meter.add(span);
            return true;
        }));
        addSums(all, meter.close(part.end), part.begin == window.begin);
        return {};
    };
    if (plan.before)
        RETURN_IF_ERROR(addEdge(*plan.before));
    bool isFirst = !plan.before;
    RETURN_IF_ERROR(store::forEachSum(*m_store, m_run, place, plan.first, plan.end,
        store::SumPart::Sums, [&](store::ByteView bytes) {
            OperatorSums part;
            if (!decodeSums(bytes, part))
                return Status(damagedSums(*m_store));
            addSums(all, part, std::exchange(isFirst, false));
            return Status();
        }));
    if (plan.after)
        RETURN_IF_ERROR(addEdge(*plan.after));
    return all;
}

template <typename Entry>
Status TraceSums::addEntries(const SumPlace& place, TimeRange window, CallSums& sums) const {
    ASSIGN_OR_RETURN(const auto slices, store::sumOutlines(*m_store, m_run, place));
    const auto isWhole = [&](std::size_t i) {
        return slices[i].begin >= window.begin.ns && i + 1 < slices.size()
            && slices[i + 1].begin < window.end.ns;
    };
    const auto touches = [&](std::size_t i) {
        return slices[i].begin < window.end.ns
            && (i + 1 == slices.size() || slices[i + 1].begin >= window.begin.ns);
    };
    for (std::size_t i = 0; i < slices.size(); ++i) {
        if (!touches(i))
            continue;
        const auto part = isWhole(i) ? store::SumPart::Sums : store::SumPart::Detail;
        RETURN_IF_ERROR(
            store::forEachSum(*m_store, m_run, place, i, i + 1, part, [&](store::ByteView bytes) {
                std::vector<CallSum> whole;
                std::vector<Entry> entries;
                const bool isRead = part == store::SumPart::Sums ? decodeSums(bytes, whole)
                                                                 : decodeEntries(bytes, entries);
                const auto isKnown = [this](const auto& row) { return m_groups.has(row.group); };
                if (!isRead || !std::all_of(whole.begin(), whole.end(), isKnown)
                    || !std::all_of(entries.begin(), entries.end(), isKnown))
                    return Status(damagedSums(*m_store));
                for (const CallSum& sum : whole)
                    add(sums, sum);
                for (const Entry& entry : entries) {
                    if (window.contains({entry.start}))
                        add(sums, entry);
                }
                return Status();
            }));
    }
    return {};
}

Status TraceSums::addCalls(int rank, TimeRange window, bool withWaits, CallSums& sums) const {
    RETURN_IF_ERROR(addEntries<CallEntry>(placeOf(SumKind::Calls, rank), window, sums));
    return withWaits ? addEntries<WaitEntry>(placeOf(SumKind::Waits, rank), window, sums)
                     : Status();
}

} // namespace trainscope::analysis
