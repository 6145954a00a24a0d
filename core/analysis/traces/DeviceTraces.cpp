#include "core/analysis/traces/DeviceTraces.h"

#include "core/analysis/machine/ProcessGroups.h"
#include "core/analysis/traces/DevicePass.h"
#include "core/analysis/traces/SumColumns.h"

namespace trainscope::analysis {
namespace {

void addQueues(std::vector<QueueSums>& sums, const std::vector<QueueSums>& part) {
    sums.resize(std::max(sums.size(), part.size()));
    for (std::size_t i = 0; i < part.size(); ++i) {
        sums[i].waited = boundedSum(sums[i].waited, part[i].waited);
        sums[i].maxDepth = std::max(sums[i].maxDepth, part[i].maxDepth);
        sums[i].isKnown = sums[i].isKnown || part[i].isKnown;
    }
}

constexpr auto kKernelColumns = [](auto& row) {
    return std::array{&row.name.value, &row.detail.value, &row.count, &row.carried, &row.time.ns};
};
constexpr std::size_t kKernelKeys = 2;
constexpr auto kCopyColumns = [](auto& row) {
    return std::array{
        &row.count, &row.carried, &row.time.ns, &row.withBytes, &row.bytes, &row.timeWithBytes.ns};
};
constexpr auto kScalars = [](auto& sums) {
    return std::array{&sums.busy.ns, &sums.compute.ns, &sums.communication.ns,
        &sums.launches.joined, &sums.launches.unjoined, &sums.launches.early,
        &sums.launches.hostBound.ns, &sums.kernelBusy.ns};
};
using QueueRow = std::array<std::int64_t, 3>;

// A name has one row, of the category in which it spent the most time.
struct NameRow {
    KernelRow row;
    std::map<std::string, DurationNs> times; // by category
};

Result<const std::string*> categoryOf(
    const KernelSum& sum, const KernelNames::Kernel& kernel, KernelNames& names) {
    Span span;
    span.name = sum.name;
    span.detail = sum.detail;
    return names.category(kernel, span);
}

Result<std::vector<KernelRow>> kernelRowsOf(std::span<const KernelSum> sums, KernelNames& names) {
    std::map<NameId, NameRow> rows;
    for (const KernelSum& sum : sums) {
        ASSIGN_OR_RETURN(const auto kernel, names.kernel(sum.name));
        ASSIGN_OR_RETURN(const auto category, categoryOf(sum, *kernel, names));
        NameRow& row = rows[sum.name];
        row.row.name = kernel->name;
        row.row.count = boundedSum(row.row.count, boundedSum(sum.count, sum.carried));
        row.row.time = boundedSum(row.row.time, sum.time);
        row.times[*category] = boundedSum(row.times[*category], sum.time);
    }
    std::vector<KernelRow> result;
    for (auto& [id, row] : rows) {
        row.row.category = std::ranges::max_element(row.times, {}, [](const auto& one) {
            return one.second;
        })->first;
        result.push_back(std::move(row.row));
    }
    std::ranges::sort(result, [](const KernelRow& a, const KernelRow& b) {
        return a.time != b.time ? a.time > b.time : a.name < b.name;
    });
    return result;
}

// Details that number their collectives are all different: what was looked up must not pile up.
constexpr std::size_t kMostDetailsKnown = std::size_t{1} << 16U;

TimeNs endOf(const Span& span) {
    return span.start + span.duration;
}

TimeRange cutTo(const TimeRange& part, const Span& span) {
    const TimeNs begin = std::max(span.start, part.begin);
    return {begin, std::max(begin, std::min(endOf(span), part.end))};
}

constexpr std::size_t kMostInPart = 8192; // works

} // namespace

void DeviceSums::add(const DeviceSums& part, bool isFirst) {
    const auto addCopies = [isFirst](CopySum& sum, CopySum row) {
        row.carried = isFirst ? row.carried : 0;
        addRow(sum, row, 0, kCopyColumns);
    };
    addRow(*this, part, 0, kScalars);
    work = spanned(work, part.work);
    addRows<KernelSum>(names, part.names, isFirst, kKernelKeys, kKernelColumns);
    for (std::size_t i = 0; i < copies.size(); ++i)
        addCopies(copies[i], part.copies[i]);
    addCopies(sets, part.sets);
    addQueues(launches.queues, part.launches.queues);
}

void encodeSums(const DeviceSums& sums, store::Bytes& out) {
    std::vector<std::int64_t> scalars{sums.work.begin.ns, sums.work.end.ns};
    for (const std::int64_t* number : kScalars(sums))
        scalars.push_back(*number);
    putColumn(scalars, out);
    putRows<KernelSum>(sums.names, kKernelColumns, out);
    std::vector<CopySum> copies(sums.copies.begin(), sums.copies.end());
    copies.push_back(sums.sets);
    putRows<CopySum>(copies, kCopyColumns, out);
    std::vector<QueueRow> queues;
    for (const QueueSums& queue : sums.launches.queues)
        queues.push_back({queue.waited.ns, queue.maxDepth, queue.isKnown ? 1 : 0});
    putRows<QueueRow>(queues, kArrayColumns, out);
}

bool decodeSums(store::ByteView bytes, DeviceSums& sums) {
    store::ByteReader in(bytes);
    const auto numbers = kScalars(sums);
    constexpr std::size_t others = 2; // begin and end of the work, which may be any
    std::vector<std::int64_t> scalars;
    std::vector<CopySum> copies;
    std::vector<QueueRow> queues;
    if (!takeColumn(in, scalars) || scalars.size() != others + numbers.size()
        || !takeRows(in, sums.names, kKernelColumns) || !takeRows(in, copies, kCopyColumns)
        || copies.size() != sums.copies.size() + 1 || !takeRows(in, queues, kArrayColumns)
        || in.left() != 0)
        return false;
    sums.work = {{scalars[0]}, {scalars[1]}};
    for (std::size_t i = 0; i < numbers.size(); ++i)
        *numbers[i] = bounded(scalars[others + i]);
    boundRows<KernelSum>(sums.names, kKernelKeys, kKernelColumns);
    boundRows<CopySum>(copies, 0, kCopyColumns);
    boundRows<QueueRow>(queues, 0, kArrayColumns);
    std::copy_n(copies.begin(), sums.copies.size(), sums.copies.begin());
    sums.sets = copies.back();
    for (const auto& [waited, maxDepth, isKnown] : queues)
        sums.launches.queues.push_back({{waited}, maxDepth, isKnown != 0});
    return true;
}

void encodeDelays(std::span<const std::int64_t> delays, store::Bytes& out) {
    putColumn(delays, out);
}

bool decodeDelays(store::ByteView bytes, std::vector<std::int64_t>& delays) {
    store::ByteReader in(bytes);
    return takeColumn(in, delays) && in.left() == 0 && std::ranges::is_sorted(delays)
        && (delays.empty() || delays.front() >= 0);
}

Status breakDown(const DeviceSums& sums, KernelNames& names, TimeBreakdown& times) {
    for (const KernelSum& sum : sums.names) {
        ASSIGN_OR_RETURN(const auto kernel, names.kernel(sum.name));
        ASSIGN_OR_RETURN(const auto category, categoryOf(sum, *kernel, names));
        const std::int64_t count = boundedSum(sum.count, sum.carried);
        CategoryTime& all = times.categories[*category];
        all.count = boundedSum(all.count, count);
        all.time = boundedSum(all.time, sum.time);
        times.kernelCount = boundedSum(times.kernelCount, count);
        times.kernelTime = boundedSum(times.kernelTime, sum.time);
    }
    times.busy = sums.busy;
    times.compute = sums.compute;
    times.communication = sums.communication;
    times.overlap = sums.compute + sums.communication - sums.kernelBusy;
    times.exposedCommunication = sums.kernelBusy - sums.compute;
    times.copy = sums.busy - sums.kernelBusy;
    times.idle = times.traced - sums.busy;
    times.hostBound = sums.launches.hostBound;
    for (const CopySum& copy : sums.copies) {
        times.copies.count = boundedSum(times.copies.count, boundedSum(copy.count, copy.carried));
        times.copies.time = boundedSum(times.copies.time, copy.time);
    }
    times.sets = {sums.sets.count + sums.sets.carried, sums.sets.time};
    return {};
}

Result<DeviceBreakdown> breakdownOf(
    const DeviceSums& sums, TimeRange window, DurationNs traced, KernelNames& names) {
    DeviceBreakdown result;
    result.window = window;
    result.traced = traced;
    RETURN_IF_ERROR(breakDown(sums, names, result));
    ASSIGN_OR_RETURN(result.kernels, kernelRowsOf(sums.names, names));
    return result;
}

CopyStatistics copiesOf(const DeviceSums& sums) {
    CopyStatistics result;
    for (std::size_t i = 0; i < sums.copies.size(); ++i) {
        const CopySum& copy = sums.copies[i];
        if (copy.count + copy.carried == 0)
            continue;
        CopyKind& kind = result[std::string(kCopyDirections[i])] = copy;
        kind.count += copy.carried;
    }
    return result;
}

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
