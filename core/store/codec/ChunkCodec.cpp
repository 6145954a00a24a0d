#include "core/store/codec/ChunkCodec.h"

#include "core/store/codec/Decimals.h"
#include "core/store/codec/IntColumn.h"
#include "core/store/codec/Zstd.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace trainscope::store {
namespace {

constexpr std::uint8_t kAllMissing = 0;
constexpr std::uint8_t kDecimal = 1;
constexpr std::uint8_t kBits = 2;
constexpr std::uint8_t kWhole = 3;
constexpr std::uint8_t kHasMissing = 0x80;

constexpr double kLargest = 9223372036854775808.0; // 2^63

std::vector<std::int64_t> runLengths(std::span<const double> values) {
    std::vector<std::int64_t> runs;
    bool missing = false;
    std::int64_t length = 0;
    for (const double value : values) {
        if (std::isnan(value) != missing) {
            runs.push_back(length);
            length = 0;
            missing = !missing;
        }
        ++length;
    }
    runs.push_back(length);
    return runs;
}

// Missing samples repeat the value before them, so that they cost nothing in the column of values.
std::vector<double> filled(std::span<const double> values) {
    std::vector<double> out(values.begin(), values.end());
    double held = 0.0;
    for (const double value : values) {
        if (!std::isnan(value)) {
            held = value;
            break;
        }
    }
    for (double& value : out) {
        if (std::isnan(value))
            value = held;
        held = value;
    }
    return out;
}

// Whole numbers that int64 holds and that come back as the same doubles.
bool allWhole(std::span<const double> values, std::span<std::int64_t> out) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!(std::abs(values[i]) < kLargest))
            return false;
        out[i] = static_cast<std::int64_t>(values[i]);
        const auto back = static_cast<double>(out[i]);
        if (std::bit_cast<std::uint64_t>(back) != std::bit_cast<std::uint64_t>(values[i]))
            return false;
    }
    return true;
}

void encodeBits(std::span<const double> values, Bytes& out) {
    const std::size_t n = values.size();
    Bytes planes(8 * n);
    std::uint64_t before = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto bits = std::bit_cast<std::uint64_t>(values[i]);
        const std::uint64_t change = bits ^ before;
        before = bits;
        for (std::size_t plane = 0; plane < 8; ++plane)
            planes[plane * n + i] = static_cast<std::uint8_t>(change >> (8 * plane));
    }
    zstdCompress(planes, out);
}

bool decodeBits(ByteView bytes, std::span<double> values) {
    const std::size_t n = values.size();
    Bytes planes(8 * n);
    if (!zstdDecompress(bytes, planes))
        return false;
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < n; ++i) {
        std::uint64_t change = 0;
        for (std::size_t plane = 0; plane < 8; ++plane)
            change |= std::uint64_t{planes[plane * n + i]} << (8 * plane);
        bits ^= change;
        values[i] = std::bit_cast<double>(bits);
    }
    return true;
}

std::span<std::int64_t> scratchFor(std::size_t count) {
    thread_local std::vector<std::int64_t> integers;
    integers.resize(std::max(count, integers.size()));
    return std::span(integers).first(count);
}

bool decodeDecimal(ByteReader& in, std::span<double> values) {
    const unsigned k = in.u8();
    const std::span<std::int64_t> integers = scratchFor(values.size());
    if (k > kMostDecimals || !decodeInts(in, integers))
        return false;
    fromDecimals(integers, k, values);
    return true;
}

bool decodeWhole(ByteReader& in, std::span<double> values) {
    const std::span<std::int64_t> integers = scratchFor(values.size());
    if (!decodeInts(in, integers))
        return false;
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<double>(integers[i]);
    return true;
}

bool applyMissing(std::span<const std::int64_t> runs, std::span<double> values) {
    std::size_t at = 0;
    bool missing = false;
    for (const std::int64_t run : runs) {
        if (run < 0 || static_cast<std::uint64_t>(run) > values.size() - at)
            return false;
        if (missing) {
            for (std::size_t i = 0; i < static_cast<std::size_t>(run); ++i)
                values[at + i] = std::numeric_limits<double>::quiet_NaN();
        }
        at += static_cast<std::size_t>(run);
        missing = !missing;
    }
    return at == values.size();
}

// Where nothing is missing the values are left alone.
bool anyMissing(std::span<const double> values) {
    bool missing = false;
    for (const double value : values)
        missing |= std::isnan(value);
    return missing;
}

void encodePresent(std::span<const double> values, std::size_t head, Bytes& out) {
    ByteWriter writer(out);
    const std::span<std::int64_t> integers = scratchFor(values.size());
    if (const auto k = toDecimals(values, integers)) {
        out[head] = static_cast<std::uint8_t>(out[head] | kDecimal);
        writer.u8(static_cast<std::uint8_t>(*k));
        encodeInts(integers, out, Squeeze::No);
    } else if (allWhole(values, integers)) {
        out[head] = static_cast<std::uint8_t>(out[head] | kWhole);
        encodeInts(integers, out, Squeeze::No);
    } else {
        out[head] = static_cast<std::uint8_t>(out[head] | kBits);
        encodeBits(values, out);
    }
}

} // namespace

void encodeValues(std::span<const double> values, Bytes& out) {
    const std::size_t head = out.size();
    ByteWriter writer(out);
    writer.u8(0);
    if (!anyMissing(values))
        return encodePresent(values, head, out);
    const std::vector<std::int64_t> runs = runLengths(values);
    if (runs.size() == 2 && runs[0] == 0)
        return; // kAllMissing
    out[head] = kHasMissing;
    writer.varint(runs.size());
    encodeInts(runs, out, Squeeze::No);
    encodePresent(filled(values), head, out);
}

bool decodeValues(ByteView bytes, std::span<double> values) {
    if (values.size() > kMaxColumn)
        return false;
    ByteReader in(bytes);
    const std::uint8_t head = in.u8();
    if (!in.ok())
        return false;
    if (head == kAllMissing) {
        std::fill(values.begin(), values.end(), std::numeric_limits<double>::quiet_NaN());
        return true;
    }
    std::vector<std::int64_t> runs;
    if ((head & kHasMissing) != 0) {
        const std::uint64_t count = in.varint();
        if (count > values.size() + 1)
            return false;
        runs.resize(static_cast<std::size_t>(count));
        if (!decodeInts(in, runs))
            return false;
    }
    const auto kind = static_cast<std::uint8_t>(head & 0x7FU);
    const bool decoded = kind == kDecimal ? decodeDecimal(in, values)
        : kind == kWhole                  ? decodeWhole(in, values)
        : kind == kBits                   ? decodeBits(in.raw(in.left()), values)
                                          : false;
    if (!decoded)
        return false;
    return (head & kHasMissing) == 0 || applyMissing(runs, values);
}

} // namespace trainscope::store
