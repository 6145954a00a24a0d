#include "core/store/BucketNode.h"

#include "core/store/IntColumn.h"
#include "core/store/Zstd.h"

#include <bit>
#include <cmath>
#include <limits>

namespace trainscope::store {
namespace {

constexpr std::size_t kFloats = 5;

std::array<float*, kFloats> floatsOf(BucketNode& node) {
    return {&node.first, &node.last, &node.min, &node.max, &node.mean};
}

void encodeFloats(std::vector<BucketNode> nodes, Bytes& out) {
    const std::size_t n = nodes.size();
    Bytes planes(kFloats * 4 * n);
    std::array<std::uint32_t, kFloats> before{};
    for (std::size_t i = 0; i < n; ++i) {
        const auto floats = floatsOf(nodes[i]);
        for (std::size_t f = 0; f < kFloats; ++f) {
            const auto bits = std::bit_cast<std::uint32_t>(*floats[f]);
            const std::uint32_t change = bits ^ before[f];
            before[f] = bits;
            for (std::size_t byte = 0; byte < 4; ++byte)
                planes[(f * 4 + byte) * n + i] = static_cast<std::uint8_t>(change >> (8 * byte));
        }
    }
    zstdCompress(planes, out);
}

bool decodeFloats(ByteView bytes, std::vector<BucketNode>& nodes) {
    const std::size_t n = nodes.size();
    thread_local Bytes planes;
    planes.resize(kFloats * 4 * n);
    if (!zstdDecompress(bytes, planes))
        return false;
    std::array<std::uint32_t, kFloats> bits{};
    for (std::size_t i = 0; i < n; ++i) {
        const auto floats = floatsOf(nodes[i]);
        for (std::size_t f = 0; f < kFloats; ++f) {
            for (std::size_t byte = 0; byte < 4; ++byte)
                bits[f] ^= std::uint32_t{planes[(f * 4 + byte) * n + i]} << (8 * byte);
            *floats[f] = std::bit_cast<float>(bits[f]);
        }
    }
    return true;
}

// What is regular becomes a constant: ends and weights as differences to what a series without gaps
// would have.
void encodeColumns(const std::vector<BucketNode>& nodes, Bytes& out) {
    std::vector<std::int64_t> column(nodes.size());
    const auto encode = [&](auto&& field) {
        for (std::size_t i = 0; i < nodes.size(); ++i)
            column[i] = field(nodes[i]);
        encodeInts(column, out);
    };
    encode([](const BucketNode& node) { return node.begin; });
    encode([](const BucketNode& node) { return node.end - node.begin; });
    encode([](const BucketNode& node) { return node.next - node.end; });
    encode([](const BucketNode& node) { return node.next - node.begin - node.weight; });
    encode([](const BucketNode& node) { return std::int64_t{node.count}; });
    encode([](const BucketNode& node) { return std::int64_t{node.flags}; });
    encodeFloats(nodes, out);
}

bool decodeColumns(ByteView bytes, std::vector<BucketNode>& nodes) {
    ByteReader in(bytes);
    std::array<std::vector<std::int64_t>, 6> columns;
    for (auto& column : columns) {
        column.resize(nodes.size());
        if (!decodeInts(in, column))
            return false;
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        BucketNode& node = nodes[i];
        // Modulo 2^64, since the bytes may be anything.
        const auto begin = static_cast<std::uint64_t>(columns[0][i]);
        const std::uint64_t end = begin + static_cast<std::uint64_t>(columns[1][i]);
        const std::uint64_t next = end + static_cast<std::uint64_t>(columns[2][i]);
        node.begin = columns[0][i];
        node.end = static_cast<std::int64_t>(end);
        node.next = static_cast<std::int64_t>(next);
        node.weight
            = static_cast<std::int64_t>(next - begin - static_cast<std::uint64_t>(columns[3][i]));
        node.count = static_cast<std::uint32_t>(columns[4][i]);
        node.flags = static_cast<std::uint32_t>(columns[5][i]);
    }
    return decodeFloats(in.raw(in.left()), nodes);
}

} // namespace

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

void encodeNodes(const std::vector<BucketNode>& nodes, int level, Bytes& out) {
    static_assert(std::endian::native == std::endian::little);
    ByteWriter writer(out);
    if (level <= 1) {
        writer.u8(0);
        encodeColumns(nodes, out);
        return;
    }
    writer.u8(1);
    writer.raw(
        {reinterpret_cast<const std::uint8_t*>(nodes.data()), nodes.size() * sizeof(BucketNode)});
}

bool decodeNodes(ByteView bytes, std::size_t count, std::vector<BucketNode>& nodes) {
    if (count > kMaxColumn || bytes.empty())
        return false;
    nodes.resize(count);
    const ByteView rest = bytes.subspan(1);
    if (bytes[0] == 0)
        return decodeColumns(rest, nodes);
    if (bytes[0] != 1 || rest.size() != count * sizeof(BucketNode))
        return false;
    if (count > 0)
        std::memcpy(nodes.data(), rest.data(), rest.size());
    return true;
}

} // namespace trainscope::store
