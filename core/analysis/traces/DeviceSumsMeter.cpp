#include "core/analysis/traces/DeviceSums.h"

#include "core/analysis/machine/ProcessGroups.h"
#include "core/model/Try.h"

#include <algorithm>
#include <utility>

namespace trainscope::analysis {

namespace {

// Details that number their collectives are all different: what was looked up must not pile up.
constexpr std::size_t kMostDetailsKnown = std::size_t{1} << 16U;

TimeNs endOf(const Span& span) {
    return span.start + span.duration;
}

TimeRange cutTo(const TimeRange& part, const Span& span) {
    const TimeNs begin = std::max(span.start, part.begin);
    return {begin, std::max(begin, std::min(endOf(span), part.end))};
}

} // namespace

DeviceSumsMeter::DeviceSumsMeter(const store::Store& store, const DeviceTracks& device,
    TimeNs launchBegin, TimeNs begin, std::optional<TimeNs> windowEnd)
    : m_store(store)
    , m_partBegin(begin)
    , m_windowEnd(windowEnd)
    , m_flow(device.streams.size(), launchBegin, device.captures) { }

Status DeviceSumsMeter::work(const DeviceWork& work) {
    const Span& span = work.span;
    m_hasWork = true;
    if (span.start < m_partBegin) {
        m_flow.add(work);
        static_cast<void>(m_flow.take()); // sums before the first part are dropped
    } else {
        ++m_begun;
        m_lastStart = span.start;
        m_flow.add(work);
        if (work.kernel != nullptr && work.launch) {
            const TimeRange& call = work.launch->call;
            m_delays.push_back(std::max<std::int64_t>((span.start - call.begin).ns, 0));
            m_afterReturn.push_back(std::max<std::int64_t>((span.start - call.end).ns, 0));
        }
    }
    if (span.start >= m_partBegin || endOf(span) > m_partBegin)
        m_works.push_back({span, work.kernel != nullptr && work.kernel->isCommunication});
    return {};
}

Status DeviceSumsMeter::later(const DeviceWork& work, bool isNext) {
    m_flow.addLater(work, *m_windowEnd, isNext);
    return {};
}

Result<DeviceSums> DeviceSumsMeter::close(TimeNs end) {
    ASSIGN_OR_RETURN(auto sums, sum({m_partBegin, end}, std::nullopt));
    std::erase_if(m_works,
        [end](const Work& work) { return endOf(work.span) <= end && work.span.start < end; });
    m_partBegin = end;
    m_begun = 0;
    return sums;
}

Result<DeviceSums> DeviceSumsMeter::closeLast(TimeRange window) {
    return sum({m_partBegin, window.end}, window);
}

Result<DeviceSums> DeviceSumsMeter::sum(TimeRange part, const std::optional<TimeRange>& last) {
    DeviceSums sums;
    IntervalUnion busy;
    IntervalUnion kernels;
    IntervalUnion compute;
    IntervalUnion communication;
    KernelRows rows;
    for (const Work& work : m_works) {
        if (work.span.start >= part.end)
            break;
        const TimeRange inside = cutTo(part, work.span);
        if (work.span.start >= part.begin)
            sums.work = spanned(sums.work, {work.span.start, endOf(work.span)});
        busy.add(inside);
        if (work.span.kind == SpanKind::Copy || work.span.kind == SpanKind::Set) {
            RETURN_IF_ERROR(addCopy(work, part, last, sums));
            continue;
        }
        RETURN_IF_ERROR(addKernel(work, part, rows));
        kernels.add(inside);
        (work.isCommunication ? communication : compute).add(inside);
    }
    sums.busy = busy.length();
    sums.kernelBusy = kernels.length();
    sums.compute = compute.length();
    sums.communication = communication.length();
    for (const auto& [key, row] : rows)
        sums.names.push_back(row);
    std::ranges::sort(sums.names, [](const KernelSum& a, const KernelSum& b) {
        return a.name != b.name ? a.name < b.name : a.detail < b.detail;
    });
    sums.launches = m_flow.take();
    sums.delays = std::exchange(m_delays, {});
    sums.afterReturn = std::exchange(m_afterReturn, {});
    return sums;
}

Status DeviceSumsMeter::addKernel(const Work& work, const TimeRange& part, KernelRows& rows) {
    const Span& span = work.span;
    NameId detail;
    if (work.isCommunication && span.detail.isValid()) {
        ASSIGN_OR_RETURN(detail, collectiveOf(span));
    }
    KernelSum& row = rows[{span.name, detail}];
    row.name = span.name;
    row.detail = detail;
    row.time = row.time + cutTo(part, span).length();
    ++(span.start < part.begin ? row.carried : row.count);
    return {};
}

// The first detail of that name that names the same collective.
Result<NameId> DeviceSumsMeter::collectiveOf(const Span& span) {
    const std::pair key{span.name, span.detail};
    if (const auto known = m_collectives.find(key); known != m_collectives.end())
        return known->second;
    if (m_collectives.size() >= kMostDetailsKnown)
        m_collectives.clear();
    ASSIGN_OR_RETURN(const auto told, collectiveDetail(m_store, span.detail));
    const NameId first
        = m_firstDetails.try_emplace({span.name, told.collective}, span.detail).first->second;
    m_collectives.emplace(key, first);
    return first;
}

Status DeviceSumsMeter::addCopy(const Work& work, const TimeRange& part,
    const std::optional<TimeRange>& last, DeviceSums& sums) {
    const Span& span = work.span;
    const bool isCopy = span.kind == SpanKind::Copy;
    CopyFacts facts;
    if (isCopy) {
        ASSIGN_OR_RETURN(facts, factsOf(span));
    }
    CopySum& row = isCopy ? sums.copies[facts.direction] : sums.sets;
    const bool isCarried = span.start < part.begin;
    ++(isCarried ? row.carried : row.count);
    row.time = row.time + cutTo(part, span).length();
    if (!facts.bytes)
        return {};
    const bool isCutAtEnd = last && endOf(span) > last->end;
    std::int64_t times = isCarried ? 0 : 1;
    if (isCutAtEnd) // the part that it begins in has counted it, unless that is this one
        times = isCarried && span.start >= last->begin ? -1 : 0;
    row.withBytes += times;
    row.bytes += times * *facts.bytes;
    row.timeWithBytes = row.timeWithBytes + DurationNs{times * span.duration.ns};
    return {};
}

Result<DeviceSumsMeter::CopyFacts> DeviceSumsMeter::factsOf(const Span& span) {
    const std::pair key{span.name, span.detail};
    if (const auto known = m_copies.find(key); known != m_copies.end())
        return known->second;
    if (m_copies.size() >= kMostDetailsKnown)
        m_copies.clear();
    std::string name;
    CopyFacts facts;
    if (span.name.isValid()) {
        ASSIGN_OR_RETURN(name, m_store.name(span.name));
    }
    if (span.detail.isValid()) {
        ASSIGN_OR_RETURN(const auto detail, m_store.name(span.detail));
        facts.bytes = movedBytes(detail);
    }
    const auto direction = std::ranges::find(kCopyDirections, copyDirection(name));
    facts.direction = static_cast<std::size_t>(direction - kCopyDirections.begin());
    m_copies.emplace(key, facts);
    return facts;
}

} // namespace trainscope::analysis
