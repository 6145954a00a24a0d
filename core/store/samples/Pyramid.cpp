#include "core/store/samples/Pyramid.h"

#include "core/model/Time.h"
#include "core/model/Try.h"
#include "core/store/codec/ValueCodec.h"
#include "core/store/samples/SampleFigures.h"

#include <array>
#include <bit>
#include <cmath>

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

constexpr std::uint8_t kDecimalValues = 1;
constexpr std::uint8_t kFloatValues = 2;
constexpr double kEndSteps = 255.0;
constexpr double kMeanSteps = 65535.0;
constexpr std::int64_t kPartsOfPeriod = 64;
constexpr unsigned kMostShift = 62;

using Column = std::array<std::int64_t, kPageNodes>;

std::int64_t shifted(std::int64_t value, unsigned shift) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << shift);
}

unsigned shiftFor(std::int64_t periodNs) {
    const auto part
        = static_cast<std::uint64_t>(std::max<std::int64_t>(periodNs, 0)) / kPartsOfPeriod;
    return part == 0 ? 0U : static_cast<unsigned>(std::bit_width(part)) - 1;
}

// Floats as integers in the same order, and back.
std::int64_t orderOf(float value) {
    const auto bits = std::bit_cast<std::int32_t>(value);
    return bits >= 0 ? bits : std::int64_t{std::numeric_limits<std::int32_t>::min()} - bits;
}
float floatOf(std::int64_t order) {
    const auto low = static_cast<std::int32_t>(static_cast<std::uint32_t>(order));
    return std::bit_cast<float>(
        low >= 0 ? low : static_cast<std::int32_t>(0x80000000U - static_cast<std::uint32_t>(low)));
}

std::int64_t stepOf(double value, const NodeSums& node, double steps) {
    const double range = node.max - node.min;
    if (!(range > 0.0) || !std::isfinite(range))
        return 0;
    return std::llround(std::clamp((value - node.min) / range, 0.0, 1.0) * steps);
}

class PageWriter {
public:
    PageWriter(std::span<const NodeSums> nodes, Bytes& out, Squeeze squeeze)
        : m_nodes(nodes)
        , m_out(out)
        , m_squeeze(squeeze) { }

    template <typename Field>
    void column(Field&& field) {
        Column values;
        for (std::size_t i = 0; i < m_nodes.size(); ++i)
            values[i] = field(i);
        encodeInts({values.data(), m_nodes.size()}, m_out, m_squeeze);
    }

    void times(unsigned shift) {
        ByteWriter writer(m_out);
        writer.u8(static_cast<std::uint8_t>(shift));
        writer.varint(m_nodes.size());
        const auto begin = [&](std::size_t i) { return m_nodes[i].begin >> shift; };
        column(begin);
        const std::int64_t last = m_nodes.back().next >> shift;
        writer.signedVarint(last);
        column([&](std::size_t i) {
            const std::int64_t next = i + 1 < m_nodes.size() ? begin(i + 1) : last;
            return wrappingDifference(shifted(next, shift), m_nodes[i].end) >> shift;
        });
        column([&](std::size_t i) {
            return wrappingDifference(
                wrappingDifference(m_nodes[i].next, m_nodes[i].begin), m_nodes[i].weight);
        });
        column([&](std::size_t i) { return std::int64_t{m_nodes[i].count}; });
        column([&](std::size_t i) { return std::int64_t{m_nodes[i].flags}; });
    }

    void values() {
        std::array<double, 2 * kPageNodes> ends;
        std::array<std::int64_t, 2 * kPageNodes> integers;
        const std::size_t n = m_nodes.size();
        // Nodes without a value repeat the one before, which costs nothing.
        double low = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
            const bool present = m_nodes[i].count > 0;
            ends[i] = low = present ? m_nodes[i].min : low;
            ends[n + i] = present ? m_nodes[i].max : low;
        }
        ByteWriter writer(m_out);
        const auto k = toDecimals({ends.data(), 2 * n}, {integers.data(), 2 * n});
        writer.u8(k ? kDecimalValues : kFloatValues);
        if (k) {
            writer.u8(static_cast<std::uint8_t>(*k));
        } else {
            for (std::size_t i = 0; i < n; ++i) {
                integers[i] = orderOf(roundDown(ends[i]));
                integers[n + i] = orderOf(roundUp(ends[n + i]));
            }
        }
        column([&](std::size_t i) { return integers[i]; });
        column([&](std::size_t i) { return wrappingDifference(integers[n + i], integers[i]); });
        column([&](std::size_t i) { return stepOf(m_nodes[i].first, m_nodes[i], kEndSteps); });
        column([&](std::size_t i) { return stepOf(m_nodes[i].last, m_nodes[i], kEndSteps); });
        column([&](std::size_t i) {
            return m_nodes[i].count > 0 ? stepOf(m_nodes[i].mean(), m_nodes[i], kMeanSteps) : 0;
        });
    }

private:
    std::span<const NodeSums> m_nodes;
    Bytes& m_out;
    Squeeze m_squeeze;
};

class PageReader {
public:
    PageReader(ByteView bytes, double scale, std::vector<BucketNode>& nodes)
        : m_in(bytes)
        , m_scale(scale)
        , m_nodes(nodes) { }

    bool run() {
        m_nodes.clear();
        m_shift = m_in.u8();
        const std::uint64_t count = m_in.varint();
        if (!m_in.ok() || m_shift > kMostShift || count == 0 || count > kPageNodes)
            return false;
        m_nodes.resize(static_cast<std::size_t>(count));
        return readTimes() && readValues() && m_in.left() == 0;
    }

private:
    bool read(Column& column) { return decodeInts(m_in, {column.data(), m_nodes.size()}); }

    bool readTimes() {
        Column begin;
        if (!read(begin))
            return false;
        const std::int64_t last = m_in.signedVarint();
        Column after;
        Column missing;
        Column count;
        Column flags;
        if (!read(after) || !read(missing) || !read(count) || !read(flags))
            return false;
        for (std::size_t i = 0; i < m_nodes.size(); ++i) {
            BucketNode& node = m_nodes[i];
            node.begin = shifted(begin[i], m_shift);
            node.next = shifted(i + 1 < m_nodes.size() ? begin[i + 1] : last, m_shift);
            node.end = wrappingDifference(node.next, shifted(after[i], m_shift));
            node.weight = std::max<std::int64_t>(
                wrappingDifference(wrappingDifference(node.next, node.begin), missing[i]), 0);
            node.count = static_cast<std::uint32_t>(count[i]);
            node.flags = static_cast<std::uint32_t>(flags[i]);
        }
        return true;
    }

    bool readValues() {
        const std::uint8_t kind = m_in.u8();
        const unsigned k = kind == kDecimalValues ? m_in.u8() : 0U;
        Column low;
        Column range;
        Column first;
        Column last;
        Column mean;
        if ((kind != kDecimalValues && kind != kFloatValues) || k > kMostDecimals || !read(low)
            || !read(range) || !read(first) || !read(last) || !read(mean))
            return false;
        const std::size_t n = m_nodes.size();
        for (std::size_t i = 0; i < n; ++i)
            range[i] = wrappingSum(low[i], range[i]);
        std::array<double, kPageNodes> min;
        std::array<double, kPageNodes> max;
        if (kind == kDecimalValues) {
            fromDecimals({low.data(), n}, k, {min.data(), n});
            fromDecimals({range.data(), n}, k, {max.data(), n});
        } else {
            for (std::size_t i = 0; i < n; ++i) {
                min[i] = double{floatOf(low[i])};
                max[i] = double{floatOf(range[i])};
            }
        }
        for (std::size_t i = 0; i < n; ++i)
            setValues(m_nodes[i], min[i] * m_scale, max[i] * m_scale,
                {static_cast<double>(first[i]) / kEndSteps,
                    static_cast<double>(last[i]) / kEndSteps,
                    static_cast<double>(mean[i]) / kMeanSteps});
        return true;
    }

    // Parts of the way from min to max.
    struct Parts {
        double first;
        double last;
        double mean;
    };
    static void setValues(BucketNode& node, double min, double max, const Parts& parts) {
        if (node.count == 0) {
            node.first = node.last = node.min = node.max = node.mean = std::nanf("");
            return;
        }
        const double range = max - min;
        node.min = roundDown(std::min(min, max));
        node.max = roundUp(std::max(min, max));
        node.first = static_cast<float>(min + parts.first * range);
        node.last = static_cast<float>(min + parts.last * range);
        node.mean = static_cast<float>(min + parts.mean * range);
    }

    ByteReader m_in;
    double m_scale;
    std::vector<BucketNode>& m_nodes;
    unsigned m_shift = 0;
};

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

void encodeNodes(
    std::span<const NodeSums> nodes, std::int64_t periodNs, Bytes& out, Squeeze squeeze) {
    PageWriter writer(nodes, out, squeeze);
    writer.times(shiftFor(periodNs));
    writer.values();
}

bool decodeNodes(ByteView bytes, double scale, std::vector<BucketNode>& nodes) {
    return PageReader(bytes, scale, nodes).run();
}

bool unsqueezeNodes(ByteView bytes, Bytes& out) {
    constexpr int kTimeColumns = 5;
    constexpr int kColumns = 10;
    ByteReader in(bytes);
    ByteWriter writer(out);
    writer.u8(in.u8());
    const std::uint64_t count = in.varint();
    writer.varint(count);
    if (count == 0 || count > kPageNodes)
        return false;
    Column column;
    for (int i = 0; i < kColumns && in.ok(); ++i) {
        if (i == kTimeColumns) {
            const std::uint8_t kind = in.u8();
            writer.u8(kind);
            if (kind == kDecimalValues)
                writer.u8(in.u8());
        }
        const std::span<std::int64_t> values(column.data(), static_cast<std::size_t>(count));
        if (!decodeInts(in, values))
            return false;
        encodeInts(values, out, Squeeze::No);
        if (i == 0)
            writer.signedVarint(in.signedVarint());
    }
    return in.ok() && in.left() == 0;
}

} // namespace trainscope::store
