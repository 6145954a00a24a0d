#include "core/store/samples/Pyramid.h"

#include "core/model/Time.h"
#include "core/model/Try.h"
#include "core/store/samples/SampleFigures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace trainscope::store {

std::int64_t samplesPerNode(int level) {
    std::int64_t samples = kLeafSamples;
    for (int i = 1; i < level; ++i)
        samples *= kFanout;
    return samples;
}

int levelsFor(std::int64_t samples) {
    if (samples <= kRawSamples)
        return 0;
    int level = 1;
    while (samples / samplesPerNode(level + 1) >= kLeastNodes)
        ++level;
    return level;
}

float roundDown(double value) {
    const auto rounded = static_cast<float>(value);
    return static_cast<double>(rounded) > value
        ? std::nextafter(rounded, -std::numeric_limits<float>::infinity())
        : rounded;
}

float roundUp(double value) {
    const auto rounded = static_cast<float>(value);
    return static_cast<double>(rounded) < value
        ? std::nextafter(rounded, std::numeric_limits<float>::infinity())
        : rounded;
}

void NodeSums::append(const NodeSums& node) {
    const std::uint32_t between = (flags & kGapAfter) != 0 ? kGapInside : 0U;
    flags = (flags & kGapInside) | between | node.flags;
    end = node.end;
    next = node.next;
    if (node.count == 0)
        return;
    const bool fresh = count == 0;
    first = fresh ? node.first : first;
    last = node.last;
    min = fresh ? node.min : std::min(min, node.min);
    max = fresh ? node.max : std::max(max, node.max);
    weighted += node.weighted;
    plain += node.plain;
    weight = clampedSum(weight, node.weight);
    count += node.count;
}

double NodeSums::mean() const {
    return weight > 0 ? weighted / static_cast<double>(weight) : plain / static_cast<double>(count);
}

namespace {

NodeSums leafOf(std::span<const std::int64_t> times, std::span<const double> values,
    std::int64_t next, std::int64_t holeNs) {
    const SampleFigures figures = figuresOf(times, values);
    NodeSums leaf;
    leaf.begin = figures.begin;
    leaf.end = figures.end;
    leaf.next = next;
    leaf.weight = figures.weight;
    leaf.weighted = figures.weighted;
    leaf.plain = figures.plain;
    leaf.count = static_cast<std::uint32_t>(figures.count - figures.missing);
    leaf.first = figures.firstPresent.value_or(0.0);
    leaf.last = figures.lastPresent.value_or(0.0);
    leaf.min = figures.min.value_or(0.0);
    leaf.max = figures.max.value_or(0.0);
    bool hole = figures.missing > 0;
    for (std::size_t i = 1; i < times.size(); ++i)
        hole |= clampedDifference(times[i], times[i - 1]) > holeNs;
    const std::int64_t after = clampedDifference(next, figures.end);
    const bool missing = std::isnan(figures.last);
    leaf.flags = (hole ? kGapInside : 0U) | (missing || after > holeNs ? kGapAfter : 0U);
    if (!missing) {
        leaf.weight = clampedSum(leaf.weight, after);
        leaf.weighted += figures.last * static_cast<double>(after);
    }
    return leaf;
}

} // namespace

void appendLeaves(std::span<const std::int64_t> times, std::span<const double> values,
    std::int64_t next, std::int64_t holeNs, std::vector<NodeSums>& leaves) {
    constexpr std::size_t width = kLeafSamples;
    for (std::size_t at = 0; at < times.size(); at += width) {
        const std::size_t count = std::min(width, times.size() - at);
        const bool isLast = at + count == times.size();
        leaves.push_back(leafOf(times.subspan(at, count), values.subspan(at, count),
            isLast ? next : times[at + count], holeNs));
    }
}

PyramidBuilder::PyramidBuilder(int levels, PageSink sink)
    : m_levels(static_cast<std::size_t>(std::max(levels, 0)))
    , m_sink(std::move(sink)) { }

Status PyramidBuilder::add(std::span<const NodeSums> leaves) {
    if (m_levels.empty())
        return {};
    for (const NodeSums& leaf : leaves)
        RETURN_IF_ERROR(put(0, leaf));
    return {};
}

Status PyramidBuilder::put(std::size_t index, const NodeSums& node) {
    Level& level = m_levels[index];
    level.page.push_back(node);
    if (level.page.size() == kPageNodes)
        RETURN_IF_ERROR(writePage(index));
    if (index + 1 == m_levels.size())
        return {};
    Level& parent = m_levels[index + 1];
    if (parent.children++ == 0)
        parent.open = node;
    else
        parent.open.append(node);
    if (parent.children < kFanout)
        return {};
    parent.children = 0;
    return put(index + 1, parent.open);
}

Status PyramidBuilder::finish() {
    for (std::size_t index = 0; index < m_levels.size(); ++index) {
        Level& level = m_levels[index];
        if (std::exchange(level.children, 0) > 0)
            RETURN_IF_ERROR(put(index, level.open));
        if (!level.page.empty())
            RETURN_IF_ERROR(writePage(index));
    }
    return {};
}

Status PyramidBuilder::writePage(std::size_t index) {
    Level& level = m_levels[index];
    Status status = m_sink(static_cast<int>(index) + 1, level.written, level.page);
    level.written += static_cast<std::int64_t>(level.page.size());
    level.page.clear();
    return status;
}

} // namespace trainscope::store
