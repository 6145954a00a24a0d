#include "core/store/spans/GroupMerger.h"

#include <algorithm>
#include <limits>

namespace trainscope::store {
namespace {

// A damaged file may claim anything.
std::int64_t wrappingSum(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

} // namespace

GroupRecord groupOf(const Span& span) {
    return {span.start.ns, span.start.ns + span.duration.ns, span.duration.ns, span.duration.ns,
        span.name, 1, span.kind, span.depth};
}

SpanGroup viewOf(const GroupRecord& record) {
    SpanGroup group;
    group.range = {{record.begin}, {record.end}};
    group.count = static_cast<std::uint32_t>(
        std::min<std::int64_t>(record.count, std::numeric_limits<std::uint32_t>::max()));
    const std::uint64_t length = distance(record.begin, record.end);
    group.busyFraction = length > 0
        ? static_cast<float>(static_cast<double>(record.busy) / static_cast<double>(length))
        : 1.0F;
    group.name = record.name;
    group.kind = record.kind;
    group.depth = record.depth;
    return group;
}

GroupMerger::GroupMerger(std::int64_t width, std::vector<GroupRecord>& out)
    : m_width(static_cast<std::uint64_t>(std::max<std::int64_t>(width, 0)))
    , m_out(out) { }

void GroupMerger::add(const GroupRecord& record) {
    if (record.depth >= m_open.size())
        m_open.resize(std::size_t{record.depth} + 1);
    std::size_t& open = m_open[record.depth];
    const bool narrow = distance(record.begin, record.end) < m_width;
    if (!narrow || open == 0 || distance(m_out[open - 1].begin, record.begin) >= m_width) {
        m_out.push_back(record);
        open = narrow ? m_out.size() : 0;
        return;
    }
    GroupRecord& group = m_out[open - 1];
    group.end = std::max(group.end, record.end);
    group.busy = wrappingSum(group.busy, record.busy);
    group.count = wrappingSum(group.count, record.count);
    if (record.longest > group.longest) {
        group.longest = record.longest;
        group.name = record.name;
        group.kind = record.kind;
    }
}

} // namespace trainscope::store
