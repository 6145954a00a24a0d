#pragma once
// The fast path for lines as CharLLM-PPT writes them: "1755000000.123456,693.227" or
// "1755000000,-1". Anything else is left to parseTelemetryLine(), which gives the same results for
// these.

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

namespace trainscope::importers::charllm {

struct PlainLine {
    std::int64_t ns = 0;
    double value = 0.0; // NaN: missing
};

namespace detail {

inline constexpr std::array<std::int64_t, 10> kPowersOfTen{
    1, 10, 100, 1'000, 10'000, 100'000, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000};
// Exact as doubles, so one division of a whole number below 2^53 is correctly rounded.
inline constexpr std::array<double, 16> kDoublePowers{
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
inline constexpr std::int64_t kMaxSeconds = 9'000'000'000; // in ns still inside 63 bits
inline constexpr std::ptrdiff_t kMaxValueDigits = 15; // below 2^53

// Eight digits at once, the first in the lowest byte: pairs, then fours, then all.
inline bool areEightDigits(std::uint64_t bytes) {
    constexpr std::uint64_t kHigh = 0xF0F0F0F0F0F0F0F0;
    constexpr std::uint64_t kZeros = 0x3030303030303030;
    return (bytes & kHigh) == kZeros && ((bytes + 0x0606060606060606) & kHigh) == kZeros;
}

inline std::uint64_t eightDigits(std::uint64_t bytes) {
    bytes &= 0x0F0F0F0F0F0F0F0F;
    bytes = (bytes * 10 + (bytes >> 8)) & 0x00FF00FF00FF00FF;
    bytes = (bytes * 100 + (bytes >> 16)) & 0x0000FFFF0000FFFF;
    return (bytes * 10'000 + (bytes >> 32)) & 0xFFFFFFFF;
}

// Past the digits at `p`; `value` grows by them and is meaningless beyond 19 digits.
inline const char* takeDigits(const char* p, const char* end, std::uint64_t& value) {
    if constexpr (std::endian::native == std::endian::little) {
        std::uint64_t bytes = 0;
        while (end - p >= 8) {
            std::memcpy(&bytes, p, 8);
            if (!areEightDigits(bytes))
                break;
            value = value * 100'000'000 + eightDigits(bytes);
            p += 8;
        }
    }
    while (p < end && static_cast<unsigned char>(*p - '0') < 10)
        value = value * 10 + static_cast<unsigned char>(*p++ - '0');
    return p;
}

inline const char* takeTime(const char* p, const char* end, std::int64_t& ns) {
    std::uint64_t seconds = 0;
    const char* start = p;
    p = takeDigits(p, end, seconds);
    if (p == start || p - start > 10 || seconds >= kMaxSeconds)
        return nullptr;
    ns = static_cast<std::int64_t>(seconds) * 1'000'000'000;
    if (*p != '.')
        return p;
    std::uint64_t fraction = 0;
    start = ++p;
    p = takeDigits(p, end, fraction);
    if (p == start || p - start > 9)
        return nullptr;
    ns += static_cast<std::int64_t>(fraction)
        * kPowersOfTen[static_cast<std::size_t>(9 - (p - start))];
    return p;
}

inline const char* takeValue(const char* p, const char* end, double& value) {
    if (*p == '-') {
        // Only the mark of a failed read.
        if (p[1] != '1')
            return nullptr;
        p += 2;
        value = std::numeric_limits<double>::quiet_NaN();
        return *p == '.' && p[1] == '0' ? p + 2 : p;
    }
    std::uint64_t digits = 0;
    const char* start = p;
    p = takeDigits(p, end, digits);
    std::ptrdiff_t count = p - start;
    std::ptrdiff_t decimals = 0;
    if (count > 0 && *p == '.') {
        start = ++p;
        p = takeDigits(p, end, digits);
        decimals = p - start;
        count += decimals;
    }
    if (count == 0 || count > kMaxValueDigits)
        return nullptr;
    value = static_cast<double>(digits);
    if (decimals > 0)
        value /= kDoublePowers[static_cast<std::size_t>(decimals)];
    return p;
}

} // namespace detail

// `end[-1]` must be '\n'. The position behind the line's end, or nullptr for any other line.
inline const char* parsePlainLine(const char* p, const char* end, PlainLine& line) {
    p = detail::takeTime(p, end, line.ns);
    if (p == nullptr || *p != ',')
        return nullptr;
    p = detail::takeValue(p + 1, end, line.value);
    if (p == nullptr)
        return nullptr;
    if (*p == '\r')
        ++p;
    return *p == '\n' ? p + 1 : nullptr;
}

} // namespace trainscope::importers::charllm
