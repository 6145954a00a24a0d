#include "core/store/codec/Decimals.h"

#include "core/model/Wide.h"

#include <algorithm>
#include <array>
#include <bit>

namespace trainscope::store {
namespace {

constexpr std::array<double, kMostDecimals + 1> kPowers{
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
constexpr std::size_t kStep = 256;

// 1.5·2^52: in a sum with it the unit in the last place is 1, so the sum is rounded to a whole
// number and holds it in its low bits.
constexpr double kShift = 6755399441055744.0;
constexpr auto kShiftBits = std::bit_cast<std::uint64_t>(kShift);

TRAINSCOPE_WIDE
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

TRAINSCOPE_WIDE
void toDoubles(const std::int64_t* integers, std::size_t count, double* values) {
    for (std::size_t i = 0; i < count; ++i)
        values[i]
            = std::bit_cast<double>(static_cast<std::uint64_t>(integers[i]) + kShiftBits) - kShift;
}

TRAINSCOPE_WIDE
void toQuotients(const std::int64_t* integers, std::size_t count, double power, double* values) {
    for (std::size_t i = 0; i < count; ++i)
        values[i]
            = (std::bit_cast<double>(static_cast<std::uint64_t>(integers[i]) + kShiftBits) - kShift)
            / power;
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

} // namespace trainscope::store
