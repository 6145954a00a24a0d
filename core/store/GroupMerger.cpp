#include "core/store/GroupMerger.h"

#include <algorithm>
#include <limits>

namespace trainscope::store {
namespace {

bool laterBegin(const GroupRecord& a, const GroupRecord& b) {
    return a.begin != b.begin ? a.begin > b.begin : a.depth > b.depth;
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
    const std::int64_t length = record.end - record.begin;
    group.busyFraction = length > 0
        ? static_cast<float>(static_cast<double>(record.busy) / static_cast<double>(length))
        : 1.0F;
    group.name = record.name;
    group.kind = record.kind;
    group.depth = record.depth;
    return group;
}

GroupMerger::GroupMerger(std::int64_t width, Output output)
    : m_width(width)
    , m_output(std::move(output)) { }

void GroupMerger::add(const GroupRecord& record) {
    if (record.depth >= m_open.size())
        m_open.resize(std::size_t{record.depth} + 1);
    Open& open = m_open[record.depth];
    const bool narrow = record.end - record.begin < m_width;
    if (open.valid && open.narrow && narrow && record.begin - open.record.begin < m_width) {
        GroupRecord& group = open.record;
        group.end = std::max(group.end, record.end);
        group.busy += record.busy;
        group.count += record.count;
        if (record.longest > group.longest) {
            group.longest = record.longest;
            group.name = record.name;
            group.kind = record.kind;
        }
        return;
    }
    if (open.valid) {
        m_closed.push_back(open.record);
        std::push_heap(m_closed.begin(), m_closed.end(), laterBegin);
    }
    if (narrow) {
        open = {record, true, true};
    } else {
        open.valid = false;
        m_closed.push_back(record);
        std::push_heap(m_closed.begin(), m_closed.end(), laterBegin);
    }
    // An open group that can take no more must not hold back the others.
    std::int64_t first = record.begin;
    for (Open& other : m_open) {
        if (other.valid && record.begin - other.record.begin >= m_width) {
            other.valid = false;
            m_closed.push_back(other.record);
            std::push_heap(m_closed.begin(), m_closed.end(), laterBegin);
        }
        if (other.valid)
            first = std::min(first, other.record.begin);
    }
    emitBefore(first);
}

void GroupMerger::emitBefore(std::int64_t begin) {
    while (!m_closed.empty() && m_closed.front().begin < begin) {
        std::pop_heap(m_closed.begin(), m_closed.end(), laterBegin);
        m_output(m_closed.back());
        m_closed.pop_back();
    }
}

void GroupMerger::finish() {
    for (Open& open : m_open) {
        if (open.valid) {
            m_closed.push_back(open.record);
            std::push_heap(m_closed.begin(), m_closed.end(), laterBegin);
        }
        open.valid = false;
    }
    while (!m_closed.empty()) {
        std::pop_heap(m_closed.begin(), m_closed.end(), laterBegin);
        m_output(m_closed.back());
        m_closed.pop_back();
    }
}

} // namespace trainscope::store
