#include "core/store/ChunkCodec.h"

#include "core/store/IntColumn.h"
#include "core/store/Zstd.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace trainscope::store {
namespace {

constexpr std::uint8_t kAllMissing = 0;
constexpr std::uint8_t kDecimal = 1;
constexpr std::uint8_t kBits = 2;
constexpr std::uint8_t kHasMissing = 0x80;

constexpr std::array<double, 10> kPowers{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
constexpr double kExactLimit = 9007199254740992.0; // 2^53: integers beyond are not all doubles

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

// value·10^k when dividing it again gives the value bit for bit.
bool toDecimal(double value, std::size_t k, std::int64_t& m) {
    const double scaled = std::nearbyint(value * kPowers[k]);
    if (!(std::abs(scaled) <= kExactLimit))
        return false;
    m = static_cast<std::int64_t>(scaled);
    return std::bit_cast<std::uint64_t>(static_cast<double>(m) / kPowers[k])
        == std::bit_cast<std::uint64_t>(value);
}

bool allDecimal(std::span<const double> values, std::size_t& k, std::vector<std::int64_t>& out) {
    out.resize(values.size());
    k = 0;
    for (std::size_t i = 0; i < values.size();) {
        if (toDecimal(values[i], k, out[i])) {
            ++i;
            continue;
        }
        // A value that needs more digits: everything before it is scaled anew.
        i = 0;
        if (++k >= kPowers.size())
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

bool decodeDecimal(ByteReader& in, std::span<double> values) {
    const std::size_t k = in.u8();
    if (k >= kPowers.size())
        return false;
    thread_local std::vector<std::int64_t> integers;
    integers.resize(values.size());
    if (!decodeInts(in, integers))
        return false;
    const double power = kPowers[k];
    for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = static_cast<double>(integers[i]) / power;
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

} // namespace

void encodeTimes(std::span<const std::int64_t> times, Bytes& out) {
    encodeInts(times, out);
}

bool decodeTimes(ByteView bytes, std::span<std::int64_t> times) {
    ByteReader in(bytes);
    return decodeInts(in, times) && in.left() == 0;
}

void encodeValues(std::span<const double> values, Bytes& out) {
    ByteWriter writer(out);
    const std::vector<std::int64_t> runs = runLengths(values);
    const bool allMissing = runs.size() == 2 && runs[0] == 0;
    if (allMissing) {
        writer.u8(kAllMissing);
        return;
    }
    const std::uint8_t flag = runs.size() > 1 ? kHasMissing : std::uint8_t{0};
    const std::vector<double> dense = filled(values);
    std::vector<std::int64_t> integers;
    std::size_t k = 0;
    const bool decimal = allDecimal(dense, k, integers);
    writer.u8(static_cast<std::uint8_t>(flag | (decimal ? kDecimal : kBits)));
    if (flag != 0) {
        writer.varint(runs.size());
        encodeInts(runs, out);
    }
    if (decimal) {
        writer.u8(static_cast<std::uint8_t>(k));
        encodeInts(integers, out);
        return;
    }
    encodeBits(dense, out);
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
        : kind == kBits                   ? decodeBits(in.raw(in.left()), values)
                                          : false;
    if (!decoded)
        return false;
    return (head & kHasMissing) == 0 || applyMissing(runs, values);
}

} // namespace trainscope::store
