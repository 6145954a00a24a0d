#pragma once
// Arithmetic on ranges of time: what two share, what they span, the length of a union.

#include "core/model/Time.h"

#include <algorithm>
#include <span>
#include <vector>

namespace trainscope::analysis {

// Spans nothing yet: a start for spanned().
inline constexpr TimeRange kNoTime{kAllTime.end, kAllTime.begin};

// Empty where they do not overlap.
inline TimeRange shared(const TimeRange& a, const TimeRange& b) {
    return {std::max(a.begin, b.begin), std::min(a.end, b.end)};
}
// From the earlier begin to the later end.
inline TimeRange spanned(const TimeRange& a, const TimeRange& b) {
    return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

// Parts of each range that lie in the window, in order, without empty ones.
inline std::vector<TimeRange> shared(std::span<const TimeRange> ranges, const TimeRange& window) {
    std::vector<TimeRange> parts;
    for (const TimeRange& range : ranges) {
        if (const TimeRange part = shared(range, window); !part.isEmpty())
            parts.push_back(part);
    }
    return parts;
}
// The sum of their lengths.
inline DurationNs lengthOf(std::span<const TimeRange> ranges) {
    DurationNs length;
    for (const TimeRange& range : ranges)
        length = length + range.length();
    return length;
}
// In order and without overlaps: those that overlap or touch become one.
inline std::vector<TimeRange> united(std::vector<TimeRange> ranges) {
    std::sort(ranges.begin(), ranges.end(),
        [](const TimeRange& a, const TimeRange& b) { return a.begin < b.begin; });
    std::vector<TimeRange> all;
    for (const TimeRange& range : ranges) {
        if (all.empty() || range.begin > all.back().end)
            all.push_back(range);
        else
            all.back().end = std::max(all.back().end, range.end);
    }
    return all;
}

// The length of a union of half-open intervals that arrive in order of their start. Constant
// memory.
class IntervalUnion {
public:
    void add(TimeRange interval) {
        if (interval.begin >= m_end || m_isEmpty) {
            m_length = m_length + interval.length();
            m_end = interval.end;
            m_isEmpty = false;
        } else if (interval.end > m_end) {
            m_length = m_length + (interval.end - m_end);
            m_end = interval.end;
        }
    }
    [[nodiscard]] DurationNs length() const { return m_length; }

private:
    DurationNs m_length;
    TimeNs m_end;
    bool m_isEmpty = true;
};

// The time between two samples in order, in ns; 0 where the stamps are so far apart that it does
// not fit.
inline std::int64_t elapsedNs(TimeNs from, TimeNs to) {
    const auto difference = static_cast<std::uint64_t>(to.ns) - static_cast<std::uint64_t>(from.ns);
    return std::max<std::int64_t>(static_cast<std::int64_t>(difference), 0);
}

} // namespace trainscope::analysis
