#include "core/analysis/traces/CallSums.h"

#include "core/analysis/traces/SumColumns.h"
#include "core/model/WholeNumber.h"

#include <algorithm>
#include <array>
#include <iterator>

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
    std::vector<CallSum> rows;
    for (const auto& [group, sum] : sums)
        rows.push_back(sum);
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

} // namespace trainscope::analysis
