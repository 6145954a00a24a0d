#include "core/store/codec/ValueCodec.h"

#include "core/model/Vectorized.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace trainscope::store {
namespace {

constexpr std::array<double, kMostDecimals + 1> kPowers{
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
constexpr std::size_t kStep = 256;

// 1.5·2^52: in a sum with it the unit in the last place is 1, so the sum is rounded to a whole
// number and holds it in its low bits.
constexpr double kShift = 6755399441055744.0;
constexpr auto kShiftBits = std::bit_cast<std::uint64_t>(kShift);

TRAINSCOPE_VECTORIZED
bool scaleExactly(const double* values, std::size_t count, double power, std::int64_t* out) {
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double scaled = values[i] * power;
        const double shifted = scaled + kShift;
        out[i] = static_cast<std::int64_t>(std::bit_cast<std::uint64_t>(shifted) - kShiftBits);
        const double back = (shifted - kShift) / power;
        wrong |= std::bit_cast<std::uint64_t>(back) ^ std::bit_cast<std::uint64_t>(values[i]);
        wrong |= scaled < kExactIntegers && scaled > -kExactIntegers ? 0U : 1U;
    }
    return wrong == 0;
}

TRAINSCOPE_VECTORIZED
void toDoubles(const std::int64_t* integers, std::size_t count, double* values) {
    for (std::size_t i = 0; i < count; ++i)
        values[i]
            = std::bit_cast<double>(static_cast<std::uint64_t>(integers[i]) + kShiftBits) - kShift;
}

TRAINSCOPE_VECTORIZED
void toQuotients(const std::int64_t* integers, std::size_t count, double power, double* values) {
    for (std::size_t i = 0; i < count; ++i)
        values[i]
            = (std::bit_cast<double>(static_cast<std::uint64_t>(integers[i]) + kShiftBits) - kShift)
            / power;
}

constexpr std::uint8_t kAllMissing = 0;
constexpr std::uint8_t kDecimal = 1;
constexpr std::uint8_t kBits = 2;
constexpr std::uint8_t kWhole = 3;
constexpr std::uint8_t kHasMissing = 0x80;

constexpr double kWholeLimit = 9223372036854775808.0; // 2^63

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
        if (!(std::abs(values[i]) < kWholeLimit))
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

bool anyMissing(std::span<const double> values) {
    bool missing = false;
    for (const double value : values)
        missing |= std::isnan(value);
    return missing;
}

void encodePresent(std::span<const double> values, std::size_t head, Bytes& out, Squeeze squeeze) {
    ByteWriter writer(out);
    const std::span<std::int64_t> integers = scratchFor(values.size());
    if (const auto k = toDecimals(values, integers)) {
        out[head] = static_cast<std::uint8_t>(out[head] | kDecimal);
        writer.u8(static_cast<std::uint8_t>(*k));
        encodeInts(integers, out, squeeze);
    } else if (allWhole(values, integers)) {
        out[head] = static_cast<std::uint8_t>(out[head] | kWhole);
        encodeInts(integers, out, squeeze);
    } else {
        out[head] = static_cast<std::uint8_t>(out[head] | kBits);
        encodeBits(values, out);
    }
}

} // namespace

std::optional<unsigned> toDecimals(std::span<const double> values, std::span<std::int64_t> out) {
    unsigned k = 0;
    for (std::size_t at = 0; at < values.size();) {
        const std::size_t count = std::min(kStep, values.size() - at);
        if (scaleExactly(values.data() + at, count, kPowers[k], out.data() + at)) {
            at += count;
            continue;
        }
        // More digits: what is before is scaled anew, once this part is content.
        do {
            if (++k > kMostDecimals)
                return std::nullopt;
        } while (!scaleExactly(values.data() + at, count, kPowers[k], out.data() + at));
        at = 0;
    }
    return k;
}

void fromDecimals(std::span<const std::int64_t> integers, unsigned k, std::span<double> values) {
    if (k == 0)
        toDoubles(integers.data(), integers.size(), values.data());
    else
        toQuotients(integers.data(), integers.size(), kPowers[k], values.data());
}

void encodeValues(std::span<const double> values, Bytes& out, Squeeze squeeze) {
    const std::size_t head = out.size();
    ByteWriter writer(out);
    writer.u8(0);
    if (!anyMissing(values))
        return encodePresent(values, head, out, squeeze);
    const std::vector<std::int64_t> runs = runLengths(values);
    if (runs.size() == 2 && runs[0] == 0)
        return; // kAllMissing
    out[head] = kHasMissing;
    writer.varint(runs.size());
    encodeInts(runs, out, Squeeze::No);
    encodePresent(filled(values), head, out, squeeze);
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
