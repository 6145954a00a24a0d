#include "core/store/PyramidBuilder.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trainscope::store {

PyramidBuilder::PyramidBuilder(int levels, std::int64_t holeNs, PageSink sink)
    : m_levels(static_cast<std::size_t>(std::max(levels, 0)))
    , m_holeNs(holeNs)
    , m_sink(std::move(sink)) { }

Status PyramidBuilder::add(std::int64_t time, double value) {
    Status status;
    if (m_pending)
        status = absorb(*m_pending, time);
    m_pending = Pending{time, value};
    return status;
}

Status PyramidBuilder::finish(std::optional<std::int64_t> end) {
    if (m_pending) {
        if (Status status = absorb(*m_pending, end.value_or(m_pending->time)); !status.hasValue())
            return status;
        m_pending.reset();
    }
    for (std::size_t level = 0; level < m_levels.size(); ++level) {
        if (m_levels[level].open.children > 0) {
            if (Status status = close(level); !status.hasValue())
                return status;
        }
        if (!m_levels[level].page.empty()) {
            if (Status status = writePage(level); !status.hasValue())
                return status;
        }
    }
    return {};
}

Status PyramidBuilder::absorb(const Pending& sample, std::int64_t next) {
    if (m_levels.empty())
        return {};
    const bool missing = std::isnan(sample.value);
    Accumulator one;
    one.children = 1;
    BucketNode& node = one.node;
    node.begin = sample.time;
    node.end = sample.time;
    node.next = next;
    const bool hole = next - sample.time > m_holeNs;
    node.flags = (missing ? kGapInside : 0U) | (missing || hole ? kGapAfter : 0U);
    if (!missing) {
        node.weight = next - sample.time;
        node.count = 1;
        node.first = static_cast<float>(sample.value);
        node.last = node.first;
        one.min = sample.value;
        one.max = sample.value;
        one.plain = sample.value;
        one.weighted = sample.value * static_cast<double>(node.weight);
    }
    merge(m_levels[0].open, one);
    return m_levels[0].open.children == kLeafSamples ? close(0) : Status();
}

void PyramidBuilder::merge(Accumulator& into, const Accumulator& child) {
    BucketNode& node = into.node;
    const BucketNode& from = child.node;
    if (into.children == 0)
        node.begin = from.begin;
    const bool gapBetween = into.children > 0 && (node.flags & kGapAfter) != 0;
    node.flags = (node.flags & kGapInside) | from.flags | (gapBetween ? kGapInside : 0U);
    node.end = from.end;
    node.next = from.next;
    ++into.children;
    if (from.count == 0)
        return;
    const bool fresh = node.count == 0;
    node.first = fresh ? from.first : node.first;
    node.last = from.last;
    into.min = fresh ? child.min : std::min(into.min, child.min);
    into.max = fresh ? child.max : std::max(into.max, child.max);
    into.weighted += child.weighted;
    into.plain += child.plain;
    node.weight += from.weight;
    node.count += from.count;
}

Status PyramidBuilder::close(std::size_t index) {
    Level& level = m_levels[index];
    Accumulator closed = std::exchange(level.open, Accumulator{});
    BucketNode& node = closed.node;
    if (node.count == 0) {
        node.first = node.last = node.min = node.max = node.mean = std::nanf("");
    } else {
        node.min = roundDown(closed.min);
        node.max = roundUp(closed.max);
        node.mean = static_cast<float>(node.weight > 0
                ? closed.weighted / static_cast<double>(node.weight)
                : closed.plain / static_cast<double>(node.count));
    }
    level.page.push_back(node);
    if (level.page.size() == kPageNodes) {
        if (Status status = writePage(index); !status.hasValue())
            return status;
    }
    if (index + 1 == m_levels.size())
        return {};
    Accumulator& parent = m_levels[index + 1].open;
    merge(parent, closed);
    return parent.children == kFanout ? close(index + 1) : Status();
}

Status PyramidBuilder::writePage(std::size_t index) {
    Level& level = m_levels[index];
    Status status = m_sink(static_cast<int>(index) + 1, level.written, level.page);
    level.written += static_cast<std::int64_t>(level.page.size());
    level.page.clear();
    return status;
}

} // namespace trainscope::store
