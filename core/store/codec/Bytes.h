#pragma once
// Byte buffers of the chunk formats: little-endian, LEB128 varints, zigzag for signed numbers, and
// zstd over memory. A ByteReader never reads past its end; after a failed read ok() is false and
// every further value is 0.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace trainscope::store {

using Bytes = std::vector<std::uint8_t>;
using ByteView = std::span<const std::uint8_t>;

constexpr std::uint64_t zigzag(std::int64_t value) {
    return (static_cast<std::uint64_t>(value) << 1U) ^ static_cast<std::uint64_t>(value >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t value) {
    return static_cast<std::int64_t>((value >> 1U) ^ (~(value & 1U) + 1U));
}

// Modulo 2^64: a damaged file may claim anything.
constexpr std::int64_t wrappingSum(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
constexpr std::int64_t wrappingDifference(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

// to - from where from <= to, whatever lies between them.
constexpr std::uint64_t distance(std::int64_t from, std::int64_t to) {
    return static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
}

class ByteWriter {
public:
    explicit ByteWriter(Bytes& out)
        : m_out(out) { }
    void u8(std::uint8_t value) { m_out.push_back(value); }
    void varint(std::uint64_t value) {
        while (value >= 0x80U) {
            m_out.push_back(static_cast<std::uint8_t>(value | 0x80U));
            value >>= 7U;
        }
        m_out.push_back(static_cast<std::uint8_t>(value));
    }
    void signedVarint(std::int64_t value) { varint(zigzag(value)); }
    void raw(ByteView bytes) { m_out.insert(m_out.end(), bytes.begin(), bytes.end()); }
    // A block with its length in front.
    void block(ByteView bytes) {
        varint(bytes.size());
        raw(bytes);
    }

private:
    Bytes& m_out;
};

class ByteReader {
public:
    explicit ByteReader(ByteView bytes)
        : m_rest(bytes) { }
    [[nodiscard]] bool ok() const { return m_ok; }
    [[nodiscard]] std::size_t left() const { return m_rest.size(); }
    void fail() { m_ok = false; }
    std::uint8_t u8() {
        const ByteView one = raw(1);
        return one.empty() ? std::uint8_t{0} : one[0];
    }
    std::uint64_t varint() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            const std::uint8_t byte = u8();
            value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
            if (byte < 0x80U)
                return m_ok ? value : 0;
        }
        m_ok = false;
        return 0;
    }
    std::int64_t signedVarint() { return unzigzag(varint()); }
    ByteView raw(std::uint64_t size) {
        if (!m_ok || size > m_rest.size()) {
            m_ok = false;
            return {};
        }
        const ByteView taken = m_rest.first(static_cast<std::size_t>(size));
        m_rest = m_rest.subspan(static_cast<std::size_t>(size));
        return taken;
    }
    ByteView block() { return raw(varint()); }

private:
    ByteView m_rest;
    bool m_ok = true;
};

// Appends the compressed bytes to `out`; returns their number. Any thread: contexts are per thread.
std::size_t zstdCompress(ByteView input, Bytes& out);
// Decompresses into exactly output.size() bytes; false when the input is anything else.
bool zstdDecompress(ByteView input, std::span<std::uint8_t> output);

// While it lives, zstdCompress() of its thread copies: for bytes that are compressed as a whole.
class StoredPlainly {
public:
    StoredPlainly();
    StoredPlainly(const StoredPlainly&) = delete;
    StoredPlainly& operator=(const StoredPlainly&) = delete;
    ~StoredPlainly();
};

} // namespace trainscope::store
