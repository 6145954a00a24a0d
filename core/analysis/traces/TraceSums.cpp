#include "core/analysis/traces/TraceSums.h"

#include "core/analysis/traces/SumColumns.h"
#include "core/model/Gather.h"
#include "core/model/WholeNumber.h"

namespace trainscope::analysis {
namespace {

// PyTorch calls groups that nobody described "undefined".
const std::string& purposeOf(const TracedCommunicator& group) {
    const bool isDescribed = !group.description.empty() && group.description != "undefined";
    return isDescribed ? group.description : group.name;
}

constexpr std::uint64_t kMostGroups = std::uint64_t{1} << 20U;

constexpr auto kSumColumns = [](auto& row) {
    return std::array{&row.group, &row.count, &row.time, &row.sized, &row.bytes, &row.sizedTime,
        &row.matched, &row.wait, &row.sizedWait};
};
constexpr auto kCallColumns = [](auto& row) {
    return std::array{&row.start, &row.group, &row.time, &row.bytes};
};
constexpr auto kWaitColumns = [](auto& row) {
    return std::array{&row.start, &row.group, &row.wait, &row.sizedWait};
};

// Gives each moment to the operator that began last of those that run.
class SelfTimes {
public:
    explicit SelfTimes(TimeNs begin)
        : m_now(begin) { }

    void begin(TimeNs at, TimeNs end, OperatorSum& row) {
        advance(at);
        m_running.push_back({end, &row});
    }
    void advance(TimeNs until) {
        while (m_now < until && !m_running.empty()) {
            const Running& last = m_running.back();
            const TimeNs next = std::min(last.end, until);
            if (next > m_now) {
                last.row->self = last.row->self + (next - m_now);
                m_now = next;
            }
            if (last.end <= m_now)
                m_running.pop_back();
        }
        m_now = std::max(m_now, until);
    }

private:
    struct Running {
        TimeNs end;
        OperatorSum* row;
    };
    TimeNs m_now;
    std::vector<Running> m_running; // by begin
};

constexpr auto kOperatorColumns = [](auto& row) {
    return std::array{&row.name.value, &row.count, &row.carried, &row.time.ns, &row.self.ns};
};

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

// read(bytes) of the slices [first, end): false where they are damaged.
template <typename Read>
Status readSlices(const store::Store& store, RunId run, const SumPlace& place, std::size_t first,
    std::size_t end, store::SumPart part, Read&& read) {
    return store::forEachSum(store, run, place, first, end, part,
        [&](store::ByteView bytes) { return read(bytes) ? Status() : Status(damagedSums(store)); });
}

// Slices that a window takes whole, and the rest of it at its ends.
struct SlicePlan {
    std::size_t first = 0;
    std::size_t end = 0;
    std::optional<TimeRange> before; // without slices: the window
    std::optional<TimeRange> after;
    TimeNs beforeHost; // the earliest that the sums of these depend on
    TimeNs afterHost;
};

// extentEnd: of all spans; the last slice holds those that begin there too.
SlicePlan planOf(std::span<const SumOutline> slices, TimeRange window, TimeNs extentEnd) {
    const auto firstFrom = [slices](TimeNs time) {
        const auto at = std::ranges::lower_bound(slices, time.ns, {}, &SumOutline::begin);
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

// The account of a device, gathered from its slices and from walks over the spans beside them.
class DeviceSlices {
public:
    DeviceSlices(const DeviceReading& reading, RunId run)
        : m_reading(reading)
        , m_run(run)
        , m_place(placeOf(SumKind::Device, reading.device.rank, reading.device.device)) { }

    // Absent window: all of the work.
    Result<DeviceAccount> read(const std::optional<TimeRange>& window) {
        ASSIGN_OR_RETURN(m_slices, store::sumOutlines(m_reading.store, m_run, m_place));
        RETURN_IF_ERROR(window ? addWindow(*window) : addWhole());
        if (m_account.sums.launches.queues.size() > m_reading.device.streams.size())
            return damagedSums(m_reading.store);
        std::vector<std::int64_t> delays;
        RETURN_IF_ERROR(readSlices(m_reading.store, m_run, m_place, m_plan.first, m_plan.end,
            store::SumPart::Detail, [&](store::ByteView bytes) {
                const bool isRead = decodeDelays(bytes, delays);
                addDelays(delays);
                return isRead;
            }));
        return std::move(m_account);
    }

private:
    void addDelays(const std::vector<std::int64_t>& delays) {
        for (const std::int64_t delay : delays)
            m_account.delays.add(delay);
    }

    // The spans of a part that no slice is of; `last`: the window that ends with it.
    Result<DeviceSums> edge(
        TimeRange part, TimeNs launchBegin, TimeNs hostFrom, const std::optional<TimeRange>& last) {
        DeviceSumsMeter meter(m_reading.store, m_reading.device, launchBegin, part.begin,
            last ? std::optional(last->end) : std::nullopt);
        const DeviceReading own{m_reading.store, m_reading.device, m_reading.progress, hostFrom};
        RETURN_IF_ERROR(own.walkLaunches({launchBegin, part.end}, meter));
        ASSIGN_OR_RETURN(auto sums, last ? meter.closeLast(*last) : meter.close(part.end));
        addDelays(sums.delays);
        return sums;
    }

    // Slices [first, end): the first of them is what the window begins with, or not.
    Status addSlices(std::size_t first, std::size_t end, bool isFirst, DeviceSums& sums) {
        return readSlices(m_reading.store, m_run, m_place, first, end, store::SumPart::Sums,
            [&](store::ByteView bytes) {
                DeviceSums part;
                const bool isRead = decodeSums(bytes, part);
                sums.add(part, std::exchange(isFirst, false));
                return isRead;
            });
    }

    // Absent without work.
    Result<std::optional<TimeNs>> firstWork() {
        DeviceSums slice;
        for (std::size_t i = 0; i < m_slices.size() && !slice.hasWork(); ++i) {
            slice = {};
            RETURN_IF_ERROR(addSlices(i, i + 1, true, slice));
        }
        return slice.hasWork() ? std::optional(slice.work.begin) : std::nullopt;
    }

    // All work, with the launches from the first of it on.
    Status addWhole() {
        ASSIGN_OR_RETURN(const auto begin, firstWork());
        m_plan = {m_slices.size(), m_slices.size(), {}, {}, {}, {}};
        if (begin)
            m_plan = planOf(m_slices, {*begin, kAllTime.end}, m_reading.device.extent.end);
        DeviceSums& all = m_account.sums;
        RETURN_IF_ERROR(addSlices(0, m_plan.first, true, all));
        all.launches = {};
        if (begin && m_plan.before) {
            ASSIGN_OR_RETURN(
                auto sums, edge(*m_plan.before, *begin, m_plan.beforeHost, std::nullopt));
            all.launches = std::move(sums.launches);
        }
        return addSlices(m_plan.first, m_plan.end, false, all);
    }

    Status addWindow(TimeRange window) {
        m_plan = planOf(m_slices, window, m_reading.device.extent.end);
        const auto addEdge = [&](TimeRange part, TimeNs launchBegin, TimeNs hostFrom) -> Status {
            const auto last = part.end == window.end ? std::optional(window) : std::nullopt;
            ASSIGN_OR_RETURN(const auto sums, edge(part, launchBegin, hostFrom, last));
            m_account.sums.add(sums, part.begin == window.begin);
            return {};
        };
        if (m_plan.before)
            RETURN_IF_ERROR(addEdge(*m_plan.before, window.begin, m_plan.beforeHost));
        RETURN_IF_ERROR(addSlices(m_plan.first, m_plan.end, !m_plan.before, m_account.sums));
        if (!m_plan.after)
            return {};
        return addEdge(*m_plan.after, std::max(window.begin, m_plan.afterHost), m_plan.afterHost);
    }

    const DeviceReading& m_reading;
    RunId m_run;
    SumPlace m_place;
    std::vector<SumOutline> m_slices;
    SlicePlan m_plan;
    DeviceAccount m_account;
};

} // namespace

// True where all members were traced; without a list of members, where as many were.
bool CallGroups::isWhole(const TracedCommunicator& group) const {
    if (group.ranks.empty())
        return group.size > 0 && group.size <= std::ssize(m_traced);
    return std::includes(m_traced.begin(), m_traced.end(), group.ranks.begin(), group.ranks.end());
}

std::int64_t CallGroups::numberOf(CollectiveKind kind, const TracedCommunicator& group) {
    const CallGroup told{kind, purposeOf(group), group.size, isWhole(group)};
    const auto [at, isNew] = m_numbers.try_emplace(told, std::ssize(m_list));
    if (isNew)
        m_list.push_back(told);
    return at->second;
}

CallEntry entryOf(const Call& call, const Calls& calls, CallGroups& groups) {
    const CallSpec& spec = calls.specs()[call.spec];
    const auto group = groups.numberOf(spec.kind, calls.communicators()[spec.communicator]);
    return {call.start.ns, group, (call.end - call.start).ns,
        spec.bytes ? nearestWhole<std::int64_t>(*spec.bytes) : -1};
}

void CallGroups::encode(store::Bytes& out) const {
    store::ByteWriter writer(out);
    writer.varint(m_list.size());
    for (const CallGroup& group : m_list) {
        writer.u8(static_cast<std::uint8_t>(group.kind));
        writer.block(
            {reinterpret_cast<const std::uint8_t*>(group.group.data()), group.group.size()});
        writer.signedVarint(group.ranks);
        writer.u8(group.isWhole ? 1 : 0);
    }
}

bool CallGroups::decode(store::ByteView bytes, CallGroups& groups) {
    store::ByteReader in(bytes);
    const std::uint64_t count = in.varint();
    if (count > kMostGroups)
        return false;
    for (std::uint64_t i = 0; i < count && in.ok(); ++i) {
        const std::uint8_t kind = in.u8();
        const store::ByteView text = in.block();
        const std::int64_t ranks = in.signedVarint();
        const std::uint8_t isWhole = in.u8();
        if (kind > static_cast<std::uint8_t>(CollectiveKind::Other) || isWhole > 1)
            return false;
        groups.m_list.push_back({static_cast<CollectiveKind>(kind),
            std::string(text.begin(), text.end()), static_cast<int>(ranks), isWhole == 1});
    }
    return in.ok() && in.left() == 0;
}

void add(CallSums& sums, const CallEntry& call) {
    CallSum& sum = sums[call.group];
    sum.group = call.group;
    ++sum.count;
    sum.time = boundedSum(sum.time, call.time);
    if (call.bytes < 0)
        return;
    ++sum.sized;
    sum.bytes = boundedSum(sum.bytes, call.bytes);
    sum.sizedTime = boundedSum(sum.sizedTime, call.time);
}

void add(CallSums& sums, const WaitEntry& wait) {
    CallSum& sum = sums[wait.group];
    sum.group = wait.group;
    ++sum.matched;
    sum.wait = boundedSum(sum.wait, wait.wait);
    sum.sizedWait = boundedSum(sum.sizedWait, wait.sizedWait);
}

void add(CallSums& sums, const CallSum& part) {
    CallSum& sum = sums[part.group];
    sum.group = part.group;
    addRow(sum, part, 1, kSumColumns);
}

void encodeSums(const CallSums& sums, store::Bytes& out) {
    const std::vector<CallSum> rows = vectorOf(sums, [](const auto& one) { return one.second; });
    putRows<CallSum>(rows, kSumColumns, out);
}

bool decodeSums(store::ByteView bytes, std::vector<CallSum>& sums) {
    store::ByteReader in(bytes);
    if (!takeRows(in, sums, kSumColumns) || in.left() != 0)
        return false;
    boundRows<CallSum>(sums, 1, kSumColumns);
    return true;
}

void encodeEntries(std::span<const CallEntry> calls, store::Bytes& out) {
    putRows(calls, kCallColumns, out);
}
void encodeEntries(std::span<const WaitEntry> waits, store::Bytes& out) {
    putRows(waits, kWaitColumns, out);
}

bool decodeEntries(store::ByteView bytes, std::vector<CallEntry>& calls) {
    store::ByteReader in(bytes);
    return takeRows(in, calls, kCallColumns) && in.left() == 0;
}
bool decodeEntries(store::ByteView bytes, std::vector<WaitEntry>& waits) {
    store::ByteReader in(bytes);
    return takeRows(in, waits, kWaitColumns) && in.left() == 0;
}

void addSums(OperatorSums& sums, std::span<const OperatorSum> part, bool isFirst) {
    addRows(sums, part, isFirst, 1, kOperatorColumns);
}

void encodeSums(std::span<const OperatorSum> sums, store::Bytes& out) {
    putRows(sums, kOperatorColumns, out);
}

bool decodeSums(store::ByteView bytes, OperatorSums& sums) {
    store::ByteReader in(bytes);
    if (!takeRows(in, sums, kOperatorColumns) || in.left() != 0)
        return false;
    boundRows<OperatorSum>(sums, 1, kOperatorColumns);
    return true;
}

void OperatorMeter::add(const Span& span) {
    if (span.kind != SpanKind::CpuOp)
        return;
    const bool isOver = span.start + span.duration <= m_begin;
    if (span.start < m_begin && isOver)
        return;
    m_spans.push_back(span);
    if (span.start < m_begin)
        return;
    ++m_begun;
    m_lastStart = span.start;
}

OperatorSums OperatorMeter::close(TimeNs end) {
    std::unordered_map<NameId, OperatorSum> rows;
    SelfTimes selfTimes(m_begin);
    for (const Span& span : m_spans) {
        const TimeNs from = std::max(span.start, m_begin);
        const TimeNs until = std::max(from, std::min(span.start + span.duration, end));
        OperatorSum& row = rows[span.name];
        row.name = span.name;
        ++(span.start < m_begin ? row.carried : row.count);
        row.time = row.time + (until - from);
        selfTimes.begin(from, until, row);
    }
    selfTimes.advance(end);
    OperatorSums sums;
    for (const auto& [name, row] : rows)
        sums.push_back(row);
    std::ranges::sort(sums, {}, &OperatorSum::name);
    std::erase_if(m_spans, [end](const Span& span) { return span.start + span.duration <= end; });
    m_begin = end;
    m_begun = 0;
    return sums;
}

Status forEachOperatorPart(const store::Store& store, const Track& thread, TimeRange window,
    std::size_t most, const std::function<bool(std::size_t)>& goesOn,
    const std::function<void(TimeRange, const OperatorSums&)>& take) {
    OperatorMeter meter(window.begin);
    TimeNs begin = window.begin;
    const auto close = [&](TimeNs end) {
        take({begin, end}, meter.close(end));
        begin = end;
    };
    bool isStopped = false;
    RETURN_IF_ERROR(store.forEachSpan(thread.id, window, [&](std::span<const Span> spans) {
        for (const Span& span : spans) {
            if (meter.begun() >= most && meter.lastStart() < span.start)
                close(span.start);
            meter.add(span);
        }
        isStopped = !goesOn(spans.size());
        return !isStopped;
    }));
    if (isStopped)
        return cancelled();
    close(window.end);
    return {};
}

Result<OperatorSums> operatorSums(
    const store::Store& store, const Track& thread, TimeRange window, const Progress& progress) {
    constexpr std::size_t most = 32'768; // memory stays bounded
    OperatorSums all;
    RETURN_IF_ERROR(forEachOperatorPart(
        store, thread, window, most,
        [&progress](std::size_t) {
            return !progress || progress({"Reading operators", 0, 0});
        },
        [&all, &window](TimeRange part, const OperatorSums& sums) {
            addSums(all, sums, part.begin == window.begin);
        }));
    return all;
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
    TraceSums sums(study.run.id);
    if (!CallGroups::decode(*names, sums.m_groups))
        return damagedSums(study.store);
    return std::optional(std::move(sums));
}

Result<DeviceAccount> TraceSums::device(
    const DeviceReading& reading, const TraceWindow& shown) const {
    return DeviceSlices(reading, m_run).read(shown.fixed);
}

Result<OperatorSums> TraceSums::operators(
    const store::Store& store, const Track& thread, TimeRange window) const {
    const SumPlace place = placeOf(SumKind::Thread, thread.description.rank, thread.id.value);
    ASSIGN_OR_RETURN(const auto slices, store::sumOutlines(store, m_run, place));
    window.begin = std::max(window.begin, thread.range.begin);
    const SlicePlan plan = planOf(slices, window, thread.range.end);
    OperatorSums all;
    const auto addEdge = [&](const std::optional<TimeRange>& part) -> Status {
        if (!part)
            return {};
        ASSIGN_OR_RETURN(const auto sums, operatorSums(store, thread, *part));
        addSums(all, sums, part->begin == window.begin);
        return {};
    };
    RETURN_IF_ERROR(addEdge(plan.before));
    bool isFirst = !plan.before;
    RETURN_IF_ERROR(readSlices(store, m_run, place, plan.first, plan.end, store::SumPart::Sums,
        [&](store::ByteView bytes) {
            OperatorSums part;
            const bool isRead = decodeSums(bytes, part);
            addSums(all, part, std::exchange(isFirst, false));
            return isRead;
        }));
    RETURN_IF_ERROR(addEdge(plan.after));
    return all;
}

template <typename Entry>
Status TraceSums::addEntries(
    const store::Store& store, const SumPlace& place, TimeRange window, CallSums& sums) const {
    ASSIGN_OR_RETURN(const auto slices, store::sumOutlines(store, m_run, place));
    const auto isKnown = [this](const auto& row) { return m_groups.has(row.group); };
    const auto addWhole = [&](store::ByteView bytes) {
        std::vector<CallSum> whole;
        if (!decodeSums(bytes, whole) || !std::ranges::all_of(whole, isKnown))
            return false;
        for (const CallSum& sum : whole)
            add(sums, sum);
        return true;
    };
    const auto addThose = [&](store::ByteView bytes) {
        std::vector<Entry> entries;
        if (!decodeEntries(bytes, entries) || !std::ranges::all_of(entries, isKnown))
            return false;
        for (const Entry& entry : entries) {
            if (window.contains({entry.start}))
                add(sums, entry);
        }
        return true;
    };
    for (std::size_t i = 0; i < slices.size(); ++i) {
        const bool isLast = i + 1 == slices.size();
        if (slices[i].begin >= window.end.ns || (!isLast && slices[i + 1].begin < window.begin.ns))
            continue;
        const bool isWhole
            = slices[i].begin >= window.begin.ns && !isLast && slices[i + 1].begin < window.end.ns;
        RETURN_IF_ERROR(isWhole
                ? readSlices(store, m_run, place, i, i + 1, store::SumPart::Sums, addWhole)
                : readSlices(store, m_run, place, i, i + 1, store::SumPart::Detail, addThose));
    }
    return {};
}

Status TraceSums::addCalls(
    const store::Store& store, int rank, TimeRange window, bool withWaits, CallSums& sums) const {
    RETURN_IF_ERROR(addEntries<CallEntry>(store, placeOf(SumKind::Calls, rank), window, sums));
    return withWaits ? addEntries<WaitEntry>(store, placeOf(SumKind::Waits, rank), window, sums)
                     : Status();
}

} // namespace trainscope::analysis
