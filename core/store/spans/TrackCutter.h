#pragma once
// One track from its spans in order: depth by nesting, and blocks to encode.

#include "core/store/spans/SpanBlock.h"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace trainscope::store {

// Which depths are taken until when. The first free depth is given out: nested spans lie below
// their parents, and chains of spans that only graze each other do not grow without end.
class Depths {
public:
    std::uint16_t take(const Span& span);
    [[nodiscard]] std::size_t count() const { return m_last.size(); }
    // The spans that are still open at that time, in order of start.
    [[nodiscard]] std::vector<Span> openAt(std::int64_t begin);

private:
    std::size_t firstFree(std::int64_t start);

    std::vector<Span> m_last; // by depth: the last span there
    std::vector<std::int64_t> m_ends; // by depth: until when it is taken
    std::vector<std::int64_t> m_soonest; // no end of that stretch of depths is earlier
    std::vector<Span> m_crowd; // on the last depth there is, where they may overlap
};

class TrackCutter {
public:
    using Output = std::function<Status(SpanBlock&&)>;
    TrackCutter(TrackId track, const Output& output)
        : m_track(track)
        , m_output(output) { }

    // In order of start, the longer first among equals.
    Status add(std::span<const Span> spans);
    Status finish();

    [[nodiscard]] TimeRange range() const { return m_range; } // first start to last end
    [[nodiscard]] std::int64_t count() const { return m_count; }
    [[nodiscard]] std::size_t depth() const { return m_depths.count(); }

private:
    Status handOver(bool isWhole);

    TrackId m_track;
    const Output& m_output;
    SpanBlock m_block;
    Depths m_depths;
    TimeRange m_range;
    std::int64_t m_count = 0;
};

} // namespace trainscope::store
