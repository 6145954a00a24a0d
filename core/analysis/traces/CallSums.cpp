#include "core/analysis/traces/CallSums.h"

#include "core/analysis/traces/SumColumns.h"
#include "core/model/Gather.h"
#include "core/model/Try.h"
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

} // namespace trainscope::analysis
