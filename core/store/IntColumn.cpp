#include "core/store/IntColumn.h"

#include "core/store/Zstd.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace trainscope::store {
namespace {

using Words = std::vector<std::uint64_t>;
constexpr std::uint8_t kPlanes = 4; // bit 2 of the head

std::uint64_t word(std::int64_t value) {
    return static_cast<std::uint64_t>(value);
}
std::int64_t integer(std::uint64_t value) {
    return static_cast<std::int64_t>(value);
}

unsigned bitWidth(std::uint64_t value) {
    return static_cast<unsigned>(std::bit_width(value));
}

std::uint64_t magnitude(std::int64_t value) {
    return value < 0 ? 0 - word(value) : word(value);
}

// Differences in place, last first, so that the first `order` values stay as they are.
void differentiate(std::vector<std::int64_t>& values, std::size_t from) {
    for (std::size_t i = values.size(); i-- > from;)
        values[i] = integer(word(values[i]) - word(values[i - 1]));
}

double costOf(std::span<const std::int64_t> residuals) {
    double bits = 0.0;
    for (const std::int64_t value : residuals)
        bits += bitWidth(zigzag(value));
    return bits;
}

struct Transformed {
    std::size_t order = 0;
    std::uint64_t divisor = 1;
    std::vector<std::int64_t> values; // the first `order` are the starts
};

std::uint64_t commonDivisor(std::span<const std::int64_t> values) {
    std::uint64_t divisor = 0;
    for (const std::int64_t value : values) {
        divisor = std::gcd(divisor, magnitude(value));
        if (divisor == 1)
            break;
    }
    return divisor == 0 ? 1 : divisor;
}

// Division is exact, so that it can be undone; the divisor never exceeds the range of int64 but for
// one value, which stays undivided.
void divide(std::span<std::int64_t> values, std::uint64_t divisor) {
    if (divisor <= 1 || divisor > word(INT64_MAX))
        return;
    for (std::int64_t& value : values)
        value /= integer(divisor);
}

Transformed transform(std::span<const std::int64_t> input) {
    Transformed plain{0, 1, {input.begin(), input.end()}};
    if (input.size() < 3)
        return plain;
    Transformed first{1, 1, plain.values};
    differentiate(first.values, 1);
    const auto differences = std::span(first.values).subspan(1);
    const std::uint64_t divisor = commonDivisor(differences);
    if (divisor <= word(INT64_MAX))
        first.divisor = divisor;
    divide(differences, first.divisor);
    Transformed second = first;
    second.order = 2;
    differentiate(second.values, 2);
    const std::int64_t low = *std::min_element(input.begin(), input.end());
    double plainCost = 0.0;
    for (const std::int64_t value : input)
        plainCost += bitWidth(word(value) - word(low));
    const double firstCost = costOf(differences);
    const double secondCost = costOf(std::span(second.values).subspan(2));
    if (plainCost <= firstCost && plainCost <= secondCost)
        return plain;
    return firstCost <= secondCost ? std::move(first) : std::move(second);
}

void packBits(const Words& words, unsigned width, Bytes& out) {
    const std::size_t begin = out.size();
    out.resize(begin + (words.size() * width + 7) / 8, 0);
    std::size_t bit = 0;
    for (std::uint64_t value : words) {
        for (unsigned done = 0; done < width;) {
            const unsigned shift = static_cast<unsigned>(bit % 8);
            const unsigned take = std::min(8 - shift, width - done);
            const std::uint64_t part = (value >> done) & ((std::uint64_t{1} << take) - 1);
            out[begin + bit / 8]
                = static_cast<std::uint8_t>(out[begin + bit / 8] | (part << shift));
            done += take;
            bit += take;
        }
    }
}

std::uint64_t loadWord(const std::uint8_t* from) {
    std::uint64_t value = 0;
    std::memcpy(&value, from, sizeof value);
    return value;
}

std::uint64_t slowBits(ByteView packed, std::size_t bit, unsigned width) {
    std::uint64_t value = 0;
    for (unsigned done = 0; done < width;) {
        const unsigned shift = static_cast<unsigned>(bit % 8);
        const unsigned take = std::min(8 - shift, width - done);
        const std::uint64_t part = (std::uint64_t{packed[bit / 8]} >> shift) & ((1U << take) - 1U);
        value |= part << done;
        done += take;
        bit += take;
    }
    return value;
}

void unpackBits(ByteView packed, unsigned width, std::span<std::int64_t> values) {
    if (width == 0) {
        std::fill(values.begin(), values.end(), 0);
        return;
    }
    const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
    const bool oneLoad = width <= 57;
    std::size_t bit = 0;
    for (std::int64_t& value : values) {
        value = oneLoad && bit / 8 + 8 <= packed.size()
            ? integer((loadWord(packed.data() + bit / 8) >> (bit % 8)) & mask)
            : integer(slowBits(packed, bit, width));
        bit += width;
    }
}

void packPlanes(const Words& words, unsigned width, Bytes& out) {
    const std::size_t planes = (width + 7) / 8;
    Bytes plain(planes * words.size());
    for (std::size_t plane = 0; plane < planes; ++plane) {
        for (std::size_t i = 0; i < words.size(); ++i)
            plain[plane * words.size() + i] = static_cast<std::uint8_t>(words[i] >> (8 * plane));
    }
    zstdCompress(plain, out);
}

bool unpackPlanes(ByteView compressed, unsigned width, std::span<std::int64_t> values) {
    const std::size_t planes = (width + 7) / 8;
    const std::size_t n = values.size();
    thread_local Bytes plain;
    plain.resize(planes * n);
    if (!zstdDecompress(compressed, plain))
        return false;
    for (std::size_t i = 0; i < n; ++i)
        values[i] = plain[i];
    for (std::size_t plane = 1; plane < planes; ++plane) {
        const std::uint8_t* bytes = plain.data() + plane * n;
        for (std::size_t i = 0; i < n; ++i)
            values[i] = integer(word(values[i]) | (std::uint64_t{bytes[i]} << (8 * plane)));
    }
    return true;
}

void integrate(std::span<std::int64_t> values, std::size_t from, std::uint64_t factor) {
    std::uint64_t sum = word(values[from - 1]);
    for (std::size_t i = from; i < values.size(); ++i) {
        sum += word(values[i]) * factor;
        values[i] = integer(sum);
    }
}

} // namespace

void encodeInts(std::span<const std::int64_t> values, Bytes& out) {
    if (values.empty())
        return;
    const Transformed transformed = transform(values);
    const auto residuals = std::span(transformed.values).subspan(transformed.order);
    const std::int64_t low = *std::min_element(residuals.begin(), residuals.end());
    Words words;
    words.reserve(residuals.size());
    std::uint64_t top = 0;
    for (const std::int64_t residual : residuals) {
        words.push_back(word(residual) - word(low));
        top = std::max(top, words.back());
    }
    const unsigned width = bitWidth(top);
    Bytes packed;
    packBits(words, width, packed);
    std::uint8_t head = static_cast<std::uint8_t>(transformed.order);
    if (packed.size() > 64) {
        Bytes planes;
        packPlanes(words, width, planes);
        // Bits decode faster than zstd: planes have to earn their place.
        if (!planes.empty() && planes.size() * 20 < packed.size() * 19) {
            packed = std::move(planes);
            head |= kPlanes;
        }
    }
    ByteWriter writer(out);
    writer.u8(head);
    writer.varint(transformed.divisor);
    for (std::size_t i = 0; i < transformed.order; ++i)
        writer.signedVarint(transformed.values[i]);
    writer.signedVarint(low);
    writer.u8(static_cast<std::uint8_t>(width));
    writer.block(packed);
}

bool decodeInts(ByteReader& in, std::span<std::int64_t> values) {
    if (values.empty())
        return in.ok();
    if (values.size() > kMaxColumn)
        return false;
    const std::uint8_t head = in.u8();
    const std::size_t order = head & 3U;
    const std::uint64_t divisor = in.varint();
    if (!in.ok() || order > 2 || order > values.size() || head > (kPlanes | 3U))
        return false;
    for (std::size_t i = 0; i < order; ++i)
        values[i] = in.signedVarint();
    const std::int64_t low = in.signedVarint();
    const unsigned width = in.u8();
    const ByteView payload = in.block();
    if (!in.ok() || width > 64)
        return false;
    const auto residuals = values.subspan(order);
    if ((head & kPlanes) != 0) {
        if (width == 0 || !unpackPlanes(payload, width, residuals))
            return false;
    } else {
        if (payload.size() != (residuals.size() * width + 7) / 8)
            return false;
        unpackBits(payload, width, residuals);
    }
    if (low != 0) {
        for (std::int64_t& value : residuals)
            value = integer(word(value) + word(low));
    }
    if (order == 2)
        integrate(values, 2, 1);
    if (order >= 1)
        integrate(values, 1, divisor);
    return true;
}

} // namespace trainscope::store
