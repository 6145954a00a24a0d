#include "core/store/codec/TimeCodec.h"

#include "core/model/Vectorized.h"
#include "core/store/codec/IntColumn.h"

#include <bit>
#include <limits>

namespace trainscope::store {
namespace {

using Ints = std::span<const std::int64_t>;

enum class Clock : std::uint8_t { Nanoseconds = 0, SevenDecimals = 1, FewestDecimals = 2 };
constexpr std::uint8_t kClockBits = 3;

constexpr unsigned kTickBits = 22;
constexpr std::uint64_t kFraction = (std::uint64_t{1} << kTickBits) - 1;
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kEarliest = kSecond << 30U; // the double's last place is 2^-22 s from here
constexpr std::int64_t kLatest = kSecond << 31U;

// 10^7 / 2^22 = 78125 / 2^15 and 10^6 / 2^22 = 15625 / 2^16.
constexpr std::uint64_t kPerTick7 = 78125;
constexpr unsigned kPerTick7Bits = 15;
constexpr std::uint64_t kPerTick6 = 15625;
constexpr unsigned kPerTick6Bits = 16;
// Half a tick in 2^-16 µs is 7812.5: six decimals nearer than that give the same double.
constexpr std::uint64_t kHalfTick = 7812;

// Nanoseconds of the nearest 100 ns, the even one of two.
std::uint64_t sevenDecimals(std::uint64_t fraction) {
    const std::uint64_t exact = fraction * kPerTick7;
    const std::uint64_t odd = exact >> kPerTick7Bits & 1U;
    const std::uint64_t half = (std::uint64_t{1} << (kPerTick7Bits - 1)) - 1;
    return ((exact + half + odd) >> kPerTick7Bits) * 100;
}

std::uint64_t fewestDecimals(std::uint64_t fraction) {
    const std::uint64_t exact = fraction * kPerTick6;
    const std::uint64_t half = std::uint64_t{1} << (kPerTick6Bits - 1);
    const std::uint64_t micros = (exact + half) >> kPerTick6Bits;
    const std::uint64_t off = exact - (micros << kPerTick6Bits) + kHalfTick;
    return off <= 2 * kHalfTick ? micros * 1000 : sevenDecimals(fraction);
}

// In place, from ticks to nanoseconds. `ticks` may be anything.
template <auto Decimals>
TRAINSCOPE_VECTORIZED void fromTicks(std::uint64_t* times, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t seconds = times[i] >> kTickBits & 0xFFFFFFFFU;
        times[i] = seconds * std::uint64_t{kSecond} + Decimals(times[i] & kFraction);
    }
}

std::int64_t nearestTick(std::int64_t time) {
    const std::int64_t seconds = time / kSecond;
    const auto fraction = static_cast<std::uint64_t>(time % kSecond);
    const std::uint64_t ticks = ((fraction << kTickBits) + kSecond / 2) / kSecond;
    return (seconds << kTickBits) + static_cast<std::int64_t>(ticks);
}

// The ticks of all stamps, where every one comes back.
bool toTicks(Ints times, Clock clock, std::vector<std::int64_t>& ticks) {
    ticks.resize(times.size());
    for (std::size_t i = 0; i < times.size(); ++i) {
        if (times[i] < kEarliest || times[i] >= kLatest)
            return false;
        ticks[i] = nearestTick(times[i]);
        const std::uint64_t fraction = static_cast<std::uint64_t>(ticks[i]) & kFraction;
        const std::uint64_t back
            = clock == Clock::SevenDecimals ? sevenDecimals(fraction) : fewestDecimals(fraction);
        if ((ticks[i] >> kTickBits) * kSecond + static_cast<std::int64_t>(back) != times[i])
            return false;
    }
    return true;
}

// Whole microseconds and coarser are best left to the common divisor.
bool isFinerThanMicroseconds(Ints times) {
    return std::ranges::any_of(times, [](std::int64_t time) { return time % 1000 != 0; });
}

Clock clockOf(Ints times, std::vector<std::int64_t>& ticks) {
    if (isFinerThanMicroseconds(times)) {
        for (const Clock clock : {Clock::SevenDecimals, Clock::FewestDecimals}) {
            if (toTicks(times, clock, ticks))
                return clock;
        }
    }
    ticks.assign(times.begin(), times.end());
    return Clock::Nanoseconds;
}

// The bits that the spread of some values takes.
struct Widths {
    std::int64_t low = std::numeric_limits<std::int64_t>::max();
    std::int64_t high = std::numeric_limits<std::int64_t>::min();
    void add(std::int64_t value) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    [[nodiscard]] int bits() const { return static_cast<int>(std::bit_width(distance(low, high))); }
};

bool readColumn(ByteView bytes, std::uint8_t& kind, std::span<std::int64_t> ticks) {
    ByteReader in(bytes);
    kind = in.u8();
    const bool known = (kind & kClockBits) <= static_cast<std::uint8_t>(Clock::FewestDecimals)
        && kind <= (kClockBits | kRelativeTimes);
    return in.ok() && known && decodeInts(in, ticks) && in.left() == 0;
}

void writeColumn(std::uint8_t kind, Ints ticks, Bytes& out) {
    ByteWriter(out).u8(kind);
    encodeInts(ticks, out, Squeeze::No);
}

} // namespace

void encodeTimes(std::span<const std::int64_t> times, Bytes& out) {
    thread_local std::vector<std::int64_t> ticks;
    const Clock clock = clockOf(times, ticks);
    writeColumn(static_cast<std::uint8_t>(clock), ticks, out);
}

bool encodeTimesBeside(
    std::span<const std::int64_t> times, std::span<const std::int64_t> base, Bytes& out) {
    thread_local std::vector<std::int64_t> ticks;
    thread_local std::vector<std::int64_t> baseTicks;
    const Clock clock = clockOf(times, ticks);
    const bool alike = base.size() == times.size() && clockOf(base, baseTicks) == clock;
    const auto kind = static_cast<std::uint8_t>(clock);
    if (!alike) {
        writeColumn(kind, ticks, out);
        return false;
    }
    for (std::size_t i = 0; i < ticks.size(); ++i)
        ticks[i] = wrappingDifference(ticks[i], baseTicks[i]);
    writeColumn(kind | kRelativeTimes, ticks, out);
    return true;
}

// Compares the width of the differences with those of the first differences and of what is left of
// the stretch's own line, whichever is less.
bool isWorthBeside(std::span<const std::int64_t> times, std::span<const std::int64_t> base) {
    constexpr std::size_t stretch = 32;
    constexpr std::size_t stretches = 8;
    int gain = 0;
    int tried = 0;
    const std::size_t step = std::max<std::size_t>(times.size() / stretches, stretch);
    for (std::size_t at = 0; at + stretch <= times.size(); at += step, ++tried) {
        Widths beside;
        Widths first;
        Widths line;
        const std::int64_t rise = wrappingDifference(times[at + stretch - 1], times[at])
            / static_cast<std::int64_t>(stretch - 1);
        for (std::size_t i = at; i < at + stretch; ++i) {
            beside.add(wrappingDifference(times[i], base[i]));
            line.add(wrappingDifference(
                wrappingDifference(times[i], times[at]), static_cast<std::int64_t>(i - at) * rise));
            if (i > at)
                first.add(wrappingDifference(times[i], times[i - 1]));
        }
        gain += std::min(first.bits(), line.bits()) - beside.bits();
    }
    return tried > 0 && gain > tried;
}

bool decodeTimes(ByteView bytes, ByteView base, std::span<std::int64_t> times) {
    std::uint8_t kind = 0;
    if (!readColumn(bytes, kind, times))
        return false;
    auto* ticks = reinterpret_cast<std::uint64_t*>(times.data());
    if ((kind & kRelativeTimes) != 0) {
        thread_local std::vector<std::int64_t> baseTicks;
        baseTicks.resize(times.size());
        std::uint8_t baseKind = 0;
        if (!readColumn(base, baseKind, baseTicks) || (baseKind | kRelativeTimes) != kind
            || baseKind == kind)
            return false;
        for (std::size_t i = 0; i < times.size(); ++i)
            ticks[i] += static_cast<std::uint64_t>(baseTicks[i]);
    }
    const auto clock = static_cast<Clock>(kind & kClockBits);
    if (clock == Clock::SevenDecimals)
        fromTicks<sevenDecimals>(ticks, times.size());
    else if (clock == Clock::FewestDecimals)
        fromTicks<fewestDecimals>(ticks, times.size());
    return true;
}

} // namespace trainscope::store
