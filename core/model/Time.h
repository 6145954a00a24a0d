#pragma once
// Time points and durations in whole nanoseconds. A TimeNs counts from the Unix epoch, UTC; all
// stored times are of this type, and arithmetic on them never passes through floating point. Sums
// and differences that do not fit, as of times in a forged file, stay at the last value that does.

#include <cstdint>
#include <limits>
#include <utility> // comparisons; Qt's moc cannot read <compare> alone

namespace trainscope {

constexpr std::int64_t clampedSum(std::int64_t a, std::int64_t b) {
    using Limits = std::numeric_limits<std::int64_t>;
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum))
        return b < 0 ? Limits::min() : Limits::max();
    return sum;
}
constexpr std::int64_t clampedDifference(std::int64_t a, std::int64_t b) {
    using Limits = std::numeric_limits<std::int64_t>;
    std::int64_t difference = 0;
    if (__builtin_sub_overflow(a, b, &difference))
        return b < 0 ? Limits::max() : Limits::min();
    return difference;
}

struct DurationNs {
    std::int64_t ns = 0;

    auto operator<=>(const DurationNs&) const = default;
    [[nodiscard]] double seconds() const { return static_cast<double>(ns) * 1e-9; }
    [[nodiscard]] double microseconds() const { return static_cast<double>(ns) * 1e-3; }
};

struct TimeNs {
    std::int64_t ns = 0;

    auto operator<=>(const TimeNs&) const = default;
};

constexpr DurationNs operator+(DurationNs a, DurationNs b) {
    return {clampedSum(a.ns, b.ns)};
}
constexpr DurationNs operator-(DurationNs a, DurationNs b) {
    return {clampedDifference(a.ns, b.ns)};
}
constexpr DurationNs operator-(TimeNs a, TimeNs b) {
    return {clampedDifference(a.ns, b.ns)};
}
constexpr TimeNs operator+(TimeNs t, DurationNs d) {
    return {clampedSum(t.ns, d.ns)};
}
constexpr TimeNs operator-(TimeNs t, DurationNs d) {
    return {clampedDifference(t.ns, d.ns)};
}

TimeNs wallClock(); // now

// Half-open interval [begin, end).
struct TimeRange {
    TimeNs begin;
    TimeNs end;

    auto operator<=>(const TimeRange&) const = default;
    [[nodiscard]] DurationNs length() const { return end - begin; }
    [[nodiscard]] bool isEmpty() const { return end <= begin; }
    [[nodiscard]] bool contains(TimeNs t) const { return begin <= t && t < end; }
    [[nodiscard]] bool overlaps(const TimeRange& other) const {
        return begin < other.end && other.begin < end;
    }
};

inline constexpr TimeRange kAllTime{
    {std::numeric_limits<std::int64_t>::min()}, {std::numeric_limits<std::int64_t>::max()}};

} // namespace trainscope
