#pragma once
// One line of CharLLM-PPT telemetry, `unix_seconds,value`: read with tolerance, and by a fast path
// for lines as CharLLM-PPT writes them.

#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <system_error>

namespace trainscope::importers::charllm {

enum class LineKind {
    Sample,
    Missing, // a time with -1, an empty value, N/A, nan and the like
    Blank,
    Header, // words in place of the time; only a first line is one
    Bad,
};

struct TelemetryLine {
    LineKind kind = LineKind::Bad;
    std::int64_t ns = 0; // a sample's, and a missing one's
    double value = 0.0; // a sample's
    const char* problem = ""; // the fault of a bad one
};

TelemetryLine parseTelemetryLine(std::string_view text);

// The fast path for lines such as "1755000000.123456,693.227" or "1755000000,-1". Anything else is
// left to parseTelemetryLine(), which gives the same results for these: times exact to the
// nanosecond, values the double nearest to the text.
struct PlainLine {
    std::int64_t ns = 0;
    double value = 0.0; // NaN: missing
};

// Bytes behind the text that may be read.
inline constexpr std::size_t kPlainPadding = 16;

namespace detail {

inline constexpr std::array<std::uint64_t, 20> kPowersOfTen{1, 10, 100, 1'000, 10'000, 100'000,
    1'000'000, 10'000'000, 100'000'000, 1'000'000'000, 10'000'000'000, 100'000'000'000,
    1'000'000'000'000, 10'000'000'000'000, 100'000'000'000'000, 1'000'000'000'000'000,
    10'000'000'000'000'000, 100'000'000'000'000'000, 1'000'000'000'000'000'000,
    10'000'000'000'000'000'000U};
// Exact as doubles, so one division of a whole number below 2^53 is correctly rounded.
inline constexpr std::array<double, 23> kDoublePowers{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8,
    1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
inline constexpr std::uint64_t kMaxSeconds = 9'000'000'000; // in ns still inside 63 bits
inline constexpr std::uint64_t kMaxExact = std::uint64_t{1} << 53;
inline constexpr unsigned kMaxDigits = 19; // inside 64 bits
inline constexpr std::ptrdiff_t kMaxField = 64; // as in parseTelemetryLine()

struct Digits {
    std::uint64_t value = 0;
    unsigned count = 0;

    // The number that `next` continues; meaningless beyond kMaxDigits.
    [[nodiscard]] Digits with(Digits next) const {
        return {value * kPowersOfTen[next.count] + next.value, count + next.count};
    }
};

// The digits at `p`, eight at most; eight bytes must be readable.
inline Digits upToEight(const char* p) {
    if constexpr (std::endian::native == std::endian::little) {
        constexpr std::uint64_t kHigh = 0x8080808080808080;
        std::uint64_t bytes = 0;
        std::memcpy(&bytes, p, 8);
        bytes ^= 0x3030303030303030;
        // The lowest byte that is no digit is marked in its highest bit.
        const std::uint64_t others = ((bytes + 0x7676767676767676) | bytes) & kHigh;
        const unsigned bits
            = others == 0 ? 64U : static_cast<unsigned>(std::countr_zero(others)) & 56U;
        // Zeros come in front of fewer than eight digits.
        bytes = bits == 0 ? 0 : bytes << (64U - bits);
        // The first digit is in the lowest byte: pairs, then fours, then all.
        bytes = (bytes * 10 + (bytes >> 8U)) & 0x00FF00FF00FF00FF;
        bytes = (bytes * 100 + (bytes >> 16U)) & 0x0000FFFF0000FFFF;
        return {(bytes * 10'000 + (bytes >> 32U)) & 0xFFFFFFFF, bits / 8U};
    } else {
        Digits digits;
        for (; digits.count < 8 && static_cast<unsigned char>(*p - '0') < 10; ++p, ++digits.count)
            digits.value = digits.value * 10 + static_cast<unsigned char>(*p - '0');
        return digits;
    }
}

// All of them; more than kMaxDigits may be counted as any number above.
inline Digits digitsAt(const char* p) {
    Digits digits = upToEight(p);
    while (digits.count % 8 == 0 && digits.count > 0 && digits.count <= kMaxDigits) {
        const Digits next = upToEight(p + digits.count);
        if (next.count == 0)
            break;
        digits = digits.with(next);
    }
    return digits;
}

inline const char* takeTime(const char* p, std::int64_t& ns) {
    const Digits seconds = digitsAt(p);
    if (seconds.count == 0 || seconds.count > 10 || seconds.value >= kMaxSeconds)
        return nullptr;
    p += seconds.count;
    std::uint64_t time = seconds.value * 1'000'000'000;
    if (*p == '.') {
        const Digits fraction = digitsAt(++p);
        if (fraction.count == 0 || fraction.count > 9)
            return nullptr;
        p += fraction.count;
        time += fraction.value * kPowersOfTen[9 - fraction.count];
    }
    ns = static_cast<std::int64_t>(time);
    return p;
}

// A number of more digits than one division gives exactly, or with an exponent.
inline const char* takeLongValue(const char* p, const char* end, double& value) {
    const auto [next, error] = std::from_chars(p, end, value);
    return error == std::errc{} && next - p <= kMaxField ? next : nullptr;
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
    Digits digits = digitsAt(p);
    if (digits.count == 0)
        return nullptr;
    const char* next = p + digits.count;
    unsigned decimals = 0;
    if (*next == '.') {
        const Digits fraction = digitsAt(++next);
        decimals = fraction.count;
        next += decimals;
        if (digits.count + decimals > kMaxDigits)
            return takeLongValue(p, end, value);
        digits.value = digits.value * kPowersOfTen[decimals] + fraction.value;
    }
    if (digits.count > kMaxDigits || digits.value > kMaxExact || (*next | 0x20) == 'e')
        return takeLongValue(p, end, value);
    value = static_cast<double>(digits.value);
    if (decimals > 0)
        value /= kDoublePowers[decimals];
    return next;
}

} // namespace detail

// `end[-1]` must be '\n', and kPlainPadding bytes behind `end` readable. The position behind the
// line's end, or nullptr for any other line.
inline const char* parsePlainLine(const char* p, const char* end, PlainLine& line) {
    p = detail::takeTime(p, line.ns);
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
